import { type GroupName, type InstanceId, instanceId, type NodeName } from './values/names.ts';
import type { Node } from './cluster/node.ts';
import type { WithCloudActions } from './cloud-action.ts';
import type { ScheduledMinimum } from './capacity-schedule.ts';
import type { GroupOptions } from './options.ts';
import type { Pause } from './pause.ts';
import type { Pod } from './cluster/pod.ts';
import type { OfProvider } from './provider.ts';
import type { EpochMs } from './values/time.ts';
import type { ZonalShift } from './zonal-shift.ts';

export type InstanceState = 'Creating' | 'Running' | 'Deleting';

/** Why the cloud could not give an instance. */
export type FailureClass =
  | 'OutOfResources'
  | 'Quota'
  | 'Addresses'
  | 'Configuration'
  | 'Authorization'
  | 'Throttled'
  | 'Timeout'
  | 'Other';

export interface InstanceError {
  readonly class: FailureClass;
  readonly code: string;
  readonly message: string;
}

/** An instance, as the cloud describes it. */
export interface Instance {
  readonly id: InstanceId;
  /** The Node it registered as; `null` before that. */
  readonly node: NodeName | null;
  readonly zone: string | null;
  readonly state: InstanceState;
  /** Why it will never run, where the cloud reports an error for an instance that exists. */
  readonly error: InstanceError | null;
  /**
   * How the instance differs from a new instance of its group, in words; absent where it does not differ or the
   * difference is unknown.
   */
  readonly drifted?: string | undefined;
  /**
   * Why the cloud would end another instance instead, in words; absent where the instance can be taken out of its
   * group.
   */
  readonly stays?: string | undefined;
}

/** A requested instance that the cloud failed to launch. The target size counts it, and there is no instance to delete. */
export interface LaunchFailure extends InstanceError {
  /**
   * Stands for the instance in `State.seenErrors` and in repairs. The same failure has the same ID in every evaluation, so
   * it is answered once.
   */
  readonly id: InstanceId;
  /** Zone of the launch; `null` where the cloud does not report it. */
  readonly zone: string | null;
}

/** Begins the IDs of failed launches. EC2's IDs go on with hexadecimal digits. */
export const LAUNCH_FAILURE_PREFIX = 'i-placeholder-';

/** The ID of the n-th failed launch of a group. */
export const launchFailureId = (group: GroupName, n: number): InstanceId =>
  instanceId(`${LAUNCH_FAILURE_PREFIX}${group}-${n}`);

/**
 * Instances that exist or are being launched. A target below their number would let the cloud choose the instances to
 * terminate.
 */
export const heldInstances = <One extends Pick<Instance, 'state'>>({
  instances,
}: {
  readonly instances: readonly One[];
}): readonly One[] => instances.filter(({ state }) => state !== 'Deleting');

/** The nodes of a group whose instances the cloud is ending. */
export const endingNodes = ({ instances }: Pick<NodeGroup, 'instances'>): readonly NodeName[] =>
  instances.filter(({ state }) => state === 'Deleting').flatMap(({ node }) => node ?? []);

/** In which state the instances of a warm pool wait. Of the first they join the group soonest, of the last latest. */
export const WARM_POOL_STATES = ['Running', 'Hibernated', 'Stopped'] as const;
export type WarmPoolState = (typeof WARM_POOL_STATES)[number];

/** Initialized instances that wait beside their group, and join the group before a new instance is launched. */
export interface WarmPool {
  /** Number of the pool's instances. The target size does not count them. */
  readonly size: number;
  readonly state: WarmPoolState;
  /** An instance that is ended goes back to the pool, and may join the group again later. */
  readonly reuse: boolean;
}

/** A new node of a group, with the DaemonSet and mirror pods that it will carry. */
export interface NodeTemplate {
  readonly node: Node;
  readonly pods: readonly Pod[];
}

/** A reason that a group cannot grow for until the group itself is corrected. */
interface StandingReason {
  readonly reason: 'Invalid' | 'LaunchSuspended';
  readonly message: string;
}

/** Why the group cannot grow whatever pods there are, by what the cloud says of the group itself; `null`: nothing. */
export function standingReason({ invalid, launchSuspended, paused }: NodeGroup): StandingReason | null {
  if (invalid !== null) {
    return { reason: 'Invalid', message: invalid };
  }
  const message = launchSuspended ? 'its process Launch is suspended' : paused;
  return message === null ? null : { reason: 'LaunchSuspended', message };
}

/** All that the next node of a group may be; none where the group has no template. */
export const shapesOfNextNode = ({
  template,
  alternatives,
}: Pick<NodeGroup, 'template' | 'alternatives'>): readonly NodeTemplate[] =>
  template === null ? [] : [template, ...alternatives];
/** The group of each node. */
export const groupsByNode = (groups: readonly NodeGroup[]): ReadonlyMap<NodeName, NodeGroup> =>
  new Map(groups.flatMap((group) => group.nodes.map((name) => [name, group] as const)));

/** A group option, or what holds for the whole cluster. */
export const groupOption = <K extends keyof GroupOptions>(
  options: GroupOptions,
  group: Pick<NodeGroup, 'options'>,
  name: K,
): GroupOptions[K] => (group.options[name] as GroupOptions[K] | undefined) ?? options[name];

/** Increases that are decided and not made yet. */
interface PendingIncrease {
  readonly nodes: number;
  /** When the last of them was decided. */
  readonly since: EpochMs;
}

/** A change of a group's size by another client. */
export interface ResizedByOthers {
  /** The size that was set. */
  readonly from: number;
  readonly to: number;
}

/** A price that a savings plan, reserved instances or a capacity reservation give to a limited number of nodes. */
export interface CoveredPrice {
  /** Names what covers the nodes. Several groups may share a pool. */
  readonly pool: string;
  /** The capacity that the pool has left, at least that of one node. */
  readonly left: number;
  /** The capacity that a node of the group takes of it. */
  readonly each: number;
  /** USD per hour of one node. */
  readonly price: number;
}

/** The prices of a group's existing and further nodes, USD per hour of one node; `null` where unknown. */
export interface NodePrices {
  /** The saving of one node less. */
  readonly saved: number | null;
  /** The mean of the existing nodes, for limits and reports; without existing nodes the price of the next node. */
  readonly mean: number | null;
  /** Prices of a limited number of further nodes, in the order of their use. */
  readonly covered: readonly CoveredPrice[];
  /** The price of further nodes beyond `covered`. */
  readonly uncovered: number | null;
}

export interface NodeGroup extends OfProvider, WithCloudActions {
  readonly name: GroupName;
  readonly minSize: number;
  /** Within an evaluation alone: what a capacity schedule asks for now. `minSize` is that at least. */
  readonly scheduledMinimum?: ScheduledMinimum;
  readonly maxSize: number;
  /** The desired capacity that the cloud was asked for. */
  readonly targetSize: number;
  /**
   * Within an evaluation alone: by how much `targetSize` is smaller for changes that are decided and not made yet. Such
   * changes are refused if the capacity that they give up arrives after all. Absent where there are none.
   */
  readonly pendingDecrease?: number | undefined;
  /** Within an evaluation alone: by how much `targetSize` is larger for increases that are decided and not made yet. Absent where there are none. */
  readonly pendingIncrease?: PendingIncrease | undefined;
  /** Within an evaluation alone: absent where the group has the size that was set last, as far as is known. */
  readonly resizedByOthers?: ResizedByOthers;
  /** Per-group overrides, from tags. */
  readonly options: Partial<GroupOptions>;
  /** `null` where neither the cloud nor a live node shows what a new node looks like. */
  readonly template: NodeTemplate | null;
  /** Why the group has no template, in words; `null` where the group has a template, or no reason is known. */
  readonly templateProblem: string | null;
  /** Alternatives to the template: every other instance type and zone of a mixed group. Empty for a fixed shape. */
  readonly alternatives: readonly NodeTemplate[];
  /**
   * Capacity type of the group's instances, where it is always the same: `on-demand`, `spot`, … A label of the template
   * that says so counts before it.
   */
  readonly capacityType: string | null;
  /** USD per hour of one node, within an evaluation of the next one; `null` where unknown. */
  readonly price: number | null;
  /** Within an evaluation alone: absent where all nodes have `price`. Read by `nodePricesOf`. */
  readonly prices?: NodePrices;
  /** Absent where the group has none. */
  readonly warmPool?: WarmPool | undefined;
  /** Registered nodes that belong to the group. */
  readonly nodes: readonly NodeName[];
  readonly instances: readonly Instance[];
  /** Launches that failed since the last scale-up request; the target size still counts them. */
  readonly launchFailures: readonly LaunchFailure[];
  /** The cloud launches no instances for it (its process `Launch` is suspended): it would wait for them in vain. */
  readonly launchSuspended: boolean;
  /**
   * The reason that the group is paused, in words; `null` where it is not. Its controllers neither launch instances nor
   * end any: the group is not scaled, but its existing and upcoming nodes count.
   */
  readonly paused: string | null;
  /** Outrigger's own pause of the group, from its tag or annotation; absent where it has none. */
  readonly pause?: Pause | undefined;
  /** Zones that traffic of the cluster or of the group is shifted away from; absent where there are none. */
  readonly zonalShifts?: readonly ZonalShift[] | undefined;
  /** Why this group cannot be used at all (a malformed tag, say): it is left out, the others go on. */
  readonly invalid: string | null;
}

/** The prices that an evaluation has derived for a group's nodes; without these, all nodes cost `price`. */
export const nodePricesOf = ({ price, prices }: Pick<NodeGroup, 'price' | 'prices'>): NodePrices =>
  prices ?? { saved: price, mean: price, covered: [], uncovered: price };

export interface GroupSize {
  readonly min: number;
  readonly max: number;
  readonly target: number;
  /** Instances that exist or are being launched: with a lower target the cloud would choose which ones end. */
  readonly held: number;
}

export interface InstanceView {
  /**
   * `gone`: no member of the group (any more); `ending`: a member that is being terminated; `aside`: taken out by
   * another client, as into Standby, to serve on.
   */
  readonly state: 'in group' | 'aside' | 'ending' | 'gone';
  /** `null`: the group does not exist. */
  readonly size: GroupSize | null;
}
