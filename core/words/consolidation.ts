import type { GroupName, PodKey } from '../model/values/names.ts';
import { type DurationMs, formatDuration } from '../model/values/time.ts';

/** Why a node is not consolidated. Parts of sentences. */
export const CONSOLIDATION_MESSAGES = {
  notConsolidated: (why: string) => `not consolidated: ${why}`,
  tooYoung: (age: DurationMs, min: DurationMs) =>
    `it is ${formatDuration(age)} old, and consolidationMinNodeAge is ${formatDuration(min)}`,
  changedLately: (left: DurationMs, after: DurationMs) =>
    `a pod has come to it lately (consolidateAfter ${formatDuration(after)}, ${formatDuration(left)} are left)`,
  waitsForPod: () => 'it waits for a pod to end',
  asAWhole: () => 'its node group is scaled as a whole',
  atMinimum: (min: number) => `its node group has a minimum of ${min}, and other nodes of it are removed first`,
  noCheaper: () => 'its pods fit neither on other nodes nor on a new node that would save more than the move costs',
  spotWithoutPrice: () => 'a Spot node could take its pods, but its price or that of the Spot node is not known',
  spotFailedLately: (group: GroupName, left: DurationMs) =>
    `Spot nodes of ${group} could take its pods, and are launched for them once no launch has failed for another ${formatDuration(left)}`,
  podsPreferOnDemand: (group: GroupName) =>
    `Spot nodes of ${group} could take its pods, which prefer nodes as they are on, by preferred node affinity or a PreferNoSchedule taint`,
  expanderPrefersOnDemand: (group: GroupName) =>
    `Spot nodes of ${group} could take its pods, but the expander does not choose that group for them`,
  commitmentsUnread: (call: string) =>
    `reservedCapacity is on, and capacity that is paid for could not be read (${call}): its cost is unknown`,
  noPlace: () => 'its pods do not fit on other nodes',
  doesNotPay: () => 'moving its pods costs more than half of what is saved within consolidationHorizon',
  enough: () => 'as many nodes are removed or replaced as maxDrainParallelism allows',
  tooManyRemembered: () => 'consolidation has moved the pods of too many controllers today to keep count of more',
  movesOfDay: (limit: number) => `consolidationMaxMovesPerDay ${limit} would be exceeded`,
  movedLately: (pod: PodKey) => `pod ${pod} may have been moved within the last hour`,
  movesOfPod: (pod: PodKey, limit: number) =>
    `the pods of the controller of ${pod} have been moved ${limit} times today (consolidationMaxMovesPerPod)`,
} satisfies Record<string, (...facts: never[]) => string>;
