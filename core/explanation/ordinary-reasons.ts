import type { UnremovableReason } from '../model/decision.ts';

/** Reasons for which nodes stay in the ordinary course: a node that stays for such a reason is no news. */
export const ORDINARY_REASONS: ReadonlySet<UnremovableReason> = new Set([
  'NotAutoscaled',
  'NotUnneededLongEnough',
  'NotUnneededOtherReason',
  'NotUnderutilized',
  'NodeGroupMinSizeReached',
  'NodeGroupMaxDeletionCountReached',
  'DisruptionBudgetReached',
  'CurrentlyBeingDeleted',
  'ReplacementPending',
]);
