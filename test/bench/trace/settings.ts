/** Options that docs/consolidation.md recommends. */
const RECOMMENDED = {
  scaleDownUnneededTime: 'auto',
  consolidation: 'replace',
  fillOldestNodesFirst: true,
  expander: ['price'],
};

/** Options of the whole cluster, as a scenario has them, beside the defaults. */
export const SETTINGS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  defaults: {},
  auto: { scaleDownUnneededTime: 'auto' },
  recommended: RECOMMENDED,
  'least-waste': { ...RECOMMENDED, expander: ['least-waste'] },
  unfilled: { ...RECOMMENDED, fillOldestNodesFirst: false },
  delete: { ...RECOMMENDED, consolidation: 'delete' },
  planned: { ...RECOMMENDED, plannedPlacement: true },
  '1m': { scaleDownUnneededTime: '1m', scaleDownDelayAfterAdd: '1m' },
};

export const SETTING_NAMES: readonly string[] = Object.keys(SETTINGS);
