import type { GroupName, NodeName } from './values/names.ts';
import type { Options } from './options.ts';
import { type EpochMs, minutes } from './values/time.ts';

/** Something that another function should have done by now. */
export type OverdueWork =
  /** `since` the last evaluation of scale-down; `null` where there was none. */
  | { readonly kind: 'ScaleDownSilent'; readonly since: EpochMs | null }
  | { readonly kind: 'IntentWaits'; readonly since: EpochMs; readonly group: GroupName }
  | { readonly kind: 'DrainStalls'; readonly since: EpochMs; readonly node: NodeName };

/** Scale-up is evaluated every minute, and writes so at least once in `idleEvaluationInterval`. */
const SCALE_UP_SILENT_AFTER = minutes(5);

/** @param last time of the last evaluation of scale-up. */
export const isScaleUpSilent = (
  last: EpochMs,
  { idleEvaluationInterval }: Pick<Options, 'idleEvaluationInterval'>,
  now: EpochMs,
): boolean => now - last > idleEvaluationInterval + SCALE_UP_SILENT_AFTER;
