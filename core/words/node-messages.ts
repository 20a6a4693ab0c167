import type { ScheduledMinimum } from '../model/capacity-schedule.ts';
import type { BlockingReason } from '../model/decision.ts';
import type { GroupName, NodeName, PodKey } from '../model/values/names.ts';
import { mapOptional, presentItems } from '../model/values/optional.ts';
import { type DurationMs, type EpochMs, formatDuration, formatTime } from '../model/values/time.ts';
import { percentRoundedUp } from './utilization.ts';

/** Details of the reason that keeps a node: the `message` beside the reason (`WHY_NODE_STAYS`). Parts of sentences. */
export const NODE_MESSAGES = {
  invalidGroup: (group: GroupName, problem: string) => `node group ${group} is left out: ${problem}`,
  scaleDownDisabled: (group: GroupName) => `scaleDownEnabled is off for node group ${group}`,
  groupUpdating: (group: GroupName) => `node group ${group} is being updated, or one of its machines is paused`,
  groupRefreshed: (group: GroupName) => `an instance refresh is replacing the instances of node group ${group}`,
  groupPaused: (group: GroupName, paused: string) => `node group ${group} loses no node: ${paused}`,
  groupAtMinimum: (group: GroupName, min: number, scheduled?: ScheduledMinimum) =>
    `node group ${group} has its minimum of ${min}${bySchedule(min, scheduled)}`,
  othersGoFirst: (group: GroupName, min: number, scheduled?: ScheduledMinimum) =>
    `node group ${group} has a minimum of ${min}${bySchedule(min, scheduled)}, and other nodes of it are removed first`,
  zonalShift: (zone: string, until: EpochMs | null) =>
    `traffic is shifted away from ${zone}${endText(mapOptional(until, formatTime))}`,
  checkedRecently: (until: EpochMs) =>
    `its pods did not fit on another node, or its removal failed; checked again from ${formatTime(until)}`,
  checkedRecentlyAndBlocked: (pod: PodKey, reason: BlockingReason, message: string, until: EpochMs) =>
    `pod ${pod} keeps it (${reason}): ${message}; checked again from ${formatTime(until)}`,
  starting: () => 'it is starting',
  notSimulated: () => 'it is not in the simulated cluster',
  allocatableUnknown: () => 'it does not say how much CPU and memory it has for pods',
  /** `share` and `threshold` between 0 and 1; `held`: what keeps room on the node, which counts as requested. */
  inUse: (resource: string, share: number, threshold: number, held: readonly string[]) =>
    presentItems([
      `${percentRoundedUp(share)} of its ${resource} is requested, and ${percentRoundedUp(threshold)} is the threshold`,
      headroomText(held),
    ]).join('; '),
  unneededTooShort: (been: DurationMs, needed: DurationMs, learned: boolean) =>
    presentItems([
      `unneeded for ${formatDuration(been)}, and removed after ${formatDuration(needed)}`,
      learned && 'which its node group has learned (scaleDownUnneededTime: auto)',
    ]).join(', '),
  replacementUnderWay: (node: NodeName) => `added after the replacement of ${node} began, and kept until that ends`,
  groupGrowing: (group: GroupName, awaited: number) =>
    `node group ${group} is growing, and keeps as many unneeded nodes as it awaits: ${awaited}`,
  groupOfWrongSize: (group: GroupName, nodes: number, target: number) =>
    `node group ${group} has ${nodes} nodes, and was asked for ${target}`,
  groupAtomic: (group: GroupName) => `node group ${group} is scaled as a whole, and other nodes of it must be kept`,
  maxDeletions: (empty: boolean) =>
    `as many nodes are removed as ${empty ? 'maxScaleDownParallelism allows' : 'maxDrainParallelism and maxScaleDownParallelism allow'}`,
  /** `group`: `null` for the cluster; `until` on the clock of a time zone, `null` for no end in sight. */
  budgetZero: (group: GroupName | null, budget: string, until: string | null) =>
    `the disruption budget "${budget}" of ${scope(group)} allows no node to be removed${endText(until)}`,
  budgetReached: (
    group: GroupName | null,
    budget: string,
    until: string | null,
    { nodes, total, away, more }: Readonly<Record<'nodes' | 'total' | 'away' | 'more', number>>,
  ) =>
    presentItems([
      `the disruption budget "${budget}" of ${scope(group)} allows ${nodes} of ${total} nodes to be unavailable${endText(until)}: ${away} are`,
      more > 1 && `and ${more} would have to be removed together`,
    ]).join(', '),
  budgetUnreadable: (group: GroupName | null, problem: string) =>
    `the disruption budgets of ${scope(group)} cannot be read, so no node is removed: ${problem}`,
  takesPodsOfOthers: () => 'pods of other unneeded nodes would move to it',
  /** `held`: the sources of headroom on the node; `others`: whether pending pods, too, have a place on it. */
  takesPendingPods: (others: boolean, held: readonly string[]) =>
    presentItems([others && 'pending pods fit on this node', headroomText(held)]).join('; '),
  enoughUnneeded: (unneeded: number) => `not tried: ${unneeded} nodes are unneeded already`,
  timeUsedUp: () => 'not tried: scaleDownSimulationTimeout is used up',
  podNotSimulated: (what: string) => `the pod is not simulated: ${what}`,
  belowLimit: (limit: string, min: number) => `${limit} would fall below ${min}`,
  nodesAdded: () => 'nodes are added in this evaluation',
  delayLeft: (option: string, left: DurationMs, delay: DurationMs) =>
    `${option}: ${formatDuration(left)} of ${formatDuration(delay)} are left`,
} satisfies Record<string, (...facts: never[]) => string>;

const scope = (group: GroupName | null): string => mapOptional(group, (name) => `node group ${name}`) ?? 'the cluster';

const headroomText = (held: readonly string[]): string | false =>
  held.length > 0 && `it holds headroom: ${held.join(', ')}`;

/** The schedule that sets the minimum, if one does. */
const bySchedule = (min: number, scheduled: ScheduledMinimum | undefined): string =>
  scheduled?.nodes === min ? ` (capacity schedule "${scheduled.by}"${endText(scheduled.until)})` : '';

/** ` until 2026-01-01 18:00 UTC`; empty without an end. */
export const endText = (until: string | null): string => mapOptional(until, (end) => ` until ${end}`) ?? '';
