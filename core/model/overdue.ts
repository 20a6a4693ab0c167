import type { GroupName, NodeName } from './values/names.ts';
import type { EpochMs } from './values/time.ts';

/** Something that another function should have done by now. */
export type Overdue =
  /** `since` the last evaluation of scale-down; `null` where there was none. */
  | { readonly kind: 'ScaleDownSilent'; readonly since: EpochMs | null }
  | { readonly kind: 'IntentWaits'; readonly since: EpochMs; readonly group: GroupName }
  | { readonly kind: 'DrainStalls'; readonly since: EpochMs; readonly node: NodeName };
