import type { Repair } from '../model/decision.ts';
import { groupOption, type Instance, heldInstances, type NodeGroup } from '../model/node-group.ts';
import type { Options } from '../model/options.ts';
import type { Scenario } from '../model/scenario.ts';
import type { IncorrectSize } from '../model/state.ts';
import type { GroupName } from '../model/values/names.ts';
import type { EpochMs } from '../model/values/time.ts';
import { failuresOf, type GroupCounts, mayEnd } from './counts.ts';
import type { RequestProgress } from './scale-up-request.ts';

/** The facts about one group before its repairs. */
export interface ObservedGroup {
  readonly name: GroupName;
  readonly group: NodeGroup;
  readonly counts: GroupCounts;
  readonly progress: RequestProgress;
  readonly incorrectSize: IncorrectSize | null;
  /** The group is all or nothing, and did not come whole (`isIncomplete`). */
  readonly incomplete: boolean;
}

/**
 * How one group is put right. In this order: instances that never became nodes, instances that could not be created,
 * then a target that promises more than ever came. Together they never take the target below the group's minimum or
 * below the instances that it keeps. Of a group that is all or nothing, all instances go that are no nodes yet. An instance in whose
 * place another one would be ended is left alone.
 *
 * Follows `removeOldUnregisteredNodes`, `deleteCreatedNodesWithErrors` and `fixNodeGroupSize` of Cluster Autoscaler's
 * static_autoscaler.go, where in a cluster that is unhealthy only the first is done. Nothing waits for a repair but the
 * group itself.
 */
export function repairsOf(
  observed: ObservedGroup,
  clusterHealthy: boolean,
  { options, now }: Pick<Scenario, 'options' | 'now'>,
): readonly Repair[] {
  const { group, counts } = observed;
  // A group that cannot do without some of the instances that are no nodes is not ended in part.
  const incomplete = observed.incomplete && clusterHealthy && counts.registered >= group.minSize;
  const room = { left: Math.max(0, group.targetSize - group.minSize) };
  const { forceDeleteUnregisteredNodes, forceDeleteFailedNodes } = options;
  const batches: readonly DeletionBatch[] = [
    { kind: 'DeleteUnregistered', instances: counts.longUnregistered, force: forceDeleteUnregisteredNodes, due: true },
    { kind: 'DeleteErrored', instances: counts.errored, force: forceDeleteFailedNodes, due: clusterHealthy },
    // There is no instance to delete: at the minimum the cloud goes on trying.
    { kind: 'DeleteErrored', instances: counts.launchFailures, force: false, due: clusterHealthy },
    { kind: 'DeleteIncomplete', instances: counts.unregistered, force: false, due: incomplete },
  ];
  const repairs = batches.filter(({ due }) => due).flatMap((batch) => deletions(group, batch, room));
  const excess = Math.min(
    incomplete ? missingFrom(group) : missingFor(observed, clusterHealthy, options, now),
    room.left,
  );
  if (excess <= 0) {
    return repairs;
  }
  const { name, targetSize } = group;
  return [...repairs, { kind: 'DecreaseTarget', group: name, from: targetSize, to: targetSize - excess }];
}

/**
 * Has a group that is all or nothing (`zeroOrMaxNodeScaling`) come in part? Some of its instances failed to launch or to
 * become nodes, or came after others had failed: the group is in backoff, has no node, and none is awaited. What is no node yet is then
 * ended with them, and what is missing is not waited for. Nodes stay until scale-down removes them, all of them or none:
 * pods may run on them.
 *
 * Follows `overrideNodesToDeleteForZeroOrMax` of Cluster Autoscaler's static_autoscaler.go, which ends nodes with their
 * pods, too.
 *
 * @param inBackoff it failed not long ago.
 */
export const isIncomplete = (
  { group, counts, progress }: Pick<ObservedGroup, 'group' | 'counts' | 'progress'>,
  inBackoff: boolean,
  options: Options,
): boolean =>
  groupOption(options, group, 'zeroOrMaxNodeScaling') &&
  (failuresOf(counts).length > 0 ||
    counts.longUnregistered.length > 0 ||
    progress.kind === 'timed out' ||
    (inBackoff && progress.kind === 'none' && counts.registered === 0));

/** Instances that are deleted for one cause. */
interface DeletionBatch {
  readonly kind: 'DeleteUnregistered' | 'DeleteErrored' | 'DeleteIncomplete';
  readonly instances: readonly Pick<Instance, 'id' | 'stays'>[];
  /** Whether they are deleted at the minimum, too. */
  readonly force: boolean;
  readonly due: boolean;
}

function deletions(
  { name: group }: NodeGroup,
  { kind, instances, force }: DeletionBatch,
  room: { left: number },
): readonly Repair[] {
  const repairs: Repair[] = [];
  for (const { id: instance } of instances.filter(mayEnd)) {
    // At the minimum the cloud replaces a deleted instance.
    if (room.left > 0 || force) {
      repairs.push({ kind, group, instance });
      room.left = Math.max(0, room.left - 1);
    }
  }
  return repairs;
}

/**
 * The number of instances that the target counts in vain: after a scale-up that timed out, its instances that never
 * came; with a size that has been too small, and the same, for longer than a node may take, the missing instances.
 */
function missingFor(
  { group, counts, progress, incorrectSize }: ObservedGroup,
  clusterHealthy: boolean,
  options: Options,
  now: EpochMs,
): number {
  const missing = missingFrom(group);
  if (progress.kind === 'timed out') {
    return Math.min(progress.request.increase, missing);
  }
  // `DeleteErrored` lowers the target by failed launches.
  if (incorrectSize === null || progress.kind !== 'none' || !clusterHealthy || failuresOf(counts).length > 0) {
    return 0;
  }
  const isConstant = incorrectSize.firstObserved + groupOption(options, group, 'maxNodeProvisionTime') < now;
  return isConstant ? Math.min(incorrectSize.expected - incorrectSize.current, missing) : 0;
}

/** The number of instances that the target counts and of which there is neither an instance nor a failed launch. */
export const missingFrom = (group: NodeGroup): number =>
  group.targetSize - heldInstances(group).length - group.launchFailures.length;

/** The number of instances that the repairs take from the targets. */
export const abandonedBy = (repairs: readonly Repair[]): number =>
  repairs.filter((repair) => 'from' in repair).reduce((sum, { from, to }) => sum + from - to, 0);

/** The target that a group has when its repairs have been made. */
export function targetAfter({ targetSize, minSize }: NodeGroup, repairs: readonly Repair[]): number {
  const target = targetSize - repairs.filter((repair) => 'instance' in repair).length - abandonedBy(repairs);
  // An instance that is terminated at the minimum is replaced.
  return Math.max(target, Math.min(minSize, targetSize));
}
