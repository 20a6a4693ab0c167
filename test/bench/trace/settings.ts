import { RECOMMENDED } from '../../../scripts/docs/recommended.ts';

/** The loads have prices for all node groups. */
const PRICED = { ...RECOMMENDED, expander: ['price'] };

/** Options of the whole cluster, as a scenario has them, beside the defaults. */
export const SETTINGS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  defaults: {},
  auto: { scaleDownUnneededTime: 'auto' },
  recommended: PRICED,
  'least-waste': { ...PRICED, expander: ['least-waste'] },
  unfilled: { ...PRICED, fillOldestNodesFirst: false },
  delete: { ...PRICED, consolidation: 'delete' },
  planned: { ...PRICED, plannedPlacement: true },
  '1m': { scaleDownUnneededTime: '1m', scaleDownDelayAfterAdd: '1m' },
};

export const SETTING_NAMES: readonly string[] = Object.keys(SETTINGS);
