/** Options of the whole cluster, as a scenario has them, beside the defaults. */
export const SETTINGS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  defaults: {},
  auto: { scaleDownUnneededTime: 'auto' },
  consolidation: { scaleDownUnneededTime: 'auto', consolidation: 'delete', jobProtectionAge: '10m' },
  replace: { scaleDownUnneededTime: 'auto', consolidation: 'replace', jobProtectionAge: '10m' },
  '1m': { scaleDownUnneededTime: '1m', scaleDownDelayAfterAdd: '1m' },
};

export const SETTING_NAMES: readonly string[] = Object.keys(SETTINGS);
