import type { Commitment } from '../model/commitment.ts';
import type { SetSizeOutcome, TerminateOutcome, WithdrawOutcome } from '../model/answers.ts';
import type { GroupName, InstanceId } from '../model/values/names.ts';
import type { Node } from '../model/cluster/node.ts';
import type { GroupSize, InstanceView, NodeGroup } from '../model/node-group.ts';
import type { EpochMs } from '../model/values/time.ts';
import type { GroupGlance } from '../model/glance.ts';

/** Changes to the node groups of one cluster. Each reads its group again. */
export interface NodeGroupChanges {
  /** Re-reads one group's sizes; `null` when it is gone. */
  readSize(group: GroupName, signal?: AbortSignal): Promise<GroupSize | null>;
  /** Re-reads an instance, and the sizes of its group. */
  readInstance(group: GroupName, instance: InstanceId, signal?: AbortSignal): Promise<InstanceView>;
  /** Asks the cloud for an absolute size. One below the instances that exist or are being launched is refused. */
  setSize(group: GroupName, size: number, signal?: AbortSignal): Promise<SetSizeOutcome>;
  /**
   * Ends one instance.
   *
   * @param decrement lower the group's target with it; otherwise the cloud replaces the instance.
   */
  terminate(
    group: GroupName,
    instance: InstanceId,
    decrement: boolean,
    signal?: AbortSignal,
  ): Promise<TerminateOutcome>;
  /**
   * Takes back what an attempt to end an instance has left behind: the instance is to stay. Absent where one call ends an
   * instance, and nothing can be left.
   */
  withdrawTermination?(group: GroupName, instance: InstanceId, signal?: AbortSignal): Promise<WithdrawOutcome>;
}

/** The node groups of one cluster, as the cloud has them. */
export interface NodeGroups extends NodeGroupChanges {
  /**
   * Lists the groups with their templates.
   *
   * @param nodes the registered nodes, to match instances with nodes and to prefer what a live node shows.
   */
  list(nodes: readonly Node[], signal?: AbortSignal): Promise<readonly NodeGroup[]>;
  /**
   * Capacity that is paid for whether nodes use it or not; absent where the provider does not look for it.
   *
   * @param types the instance types of the groups and nodes: savings plans have a rate for each.
   */
  commitments?(types: ReadonlySet<string>, signal?: AbortSignal): Promise<readonly Commitment[]>;
  /** The same groups without their templates, and without the calls for templates. */
  glance(signal?: AbortSignal): Promise<readonly GroupGlance[]>;
  /**
   * Adds the launches that failed (`NodeGroup.launchFailures`) to groups that have fewer instances than requested. Cheap
   * where no instance is missing; best effort, so groups are returned unchanged where the cloud does not answer.
   *
   * @param asked since when instances have been awaited, for the groups to ask about.
   */
  withLaunchFailures(
    groups: readonly NodeGroup[],
    asked: ReadonlyMap<GroupName, EpochMs>,
    signal?: AbortSignal,
  ): Promise<readonly NodeGroup[]>;
  /**
   * Adds the actions of the cloud that its list of groups lacks: replacements and repairs of nodes. At most a minute old; best effort, so where the cloud does not answer they come back as they are.
   *
   * @param asked the groups to ask about, for the cloud answers one by one.
   */
  withCloudActions(
    groups: readonly NodeGroup[],
    asked: ReadonlySet<GroupName>,
    signal?: AbortSignal,
  ): Promise<readonly NodeGroup[]>;
}
