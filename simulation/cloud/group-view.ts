import type { GroupName, InstanceId, NodeName } from '@outrigger/core/model/values/names.ts';
import type { InstanceError, InstanceState } from '@outrigger/core/model/node-group.ts';
import type { EpochMs } from '@outrigger/core/model/values/time.ts';
import type { SimulatedScalingGroup } from './scaling-group.ts';

/** An instance of the simulated cloud. */
export interface SimulatedInstance {
  readonly id: InstanceId;
  readonly zone: string;
  readonly launchedAt: number;
  readonly state: InstanceState;
  /** The Node it registered as; `null` before that. */
  readonly node: NodeName | null;
  /** The instance will not run: a Machine whose instance was refused. */
  readonly failed?: boolean;
  /** The version of the launch template that it was made from; absent: the only one. */
  readonly version?: number;
}

export interface GroupView {
  readonly group: SimulatedScalingGroup;
  readonly desired: number;
  readonly instances: readonly SimulatedInstance[];
  /** Why the missing instances could not be launched; `null`: no launch has failed since the last success. */
  readonly error: LaunchError | null;
  /**
   * The group's controllers leave it alone: no instance comes or goes. On AWS, the process Launch is suspended: no
   * instance comes.
   */
  readonly paused?: boolean;
  /** Instances in Standby, which the desired capacity does not count. */
  readonly aside?: readonly SimulatedInstance[];
  /** Instances of its warm pool: no nodes, and not counted. Absent: it has none. */
  readonly warm?: readonly SimulatedInstance[] | undefined;
  /** The group is without the tags by which a cluster's groups are discovered. */
  readonly untagged?: boolean;
  /** The version of its launch template that new instances are made from; absent: the only one. */
  readonly version?: number;
}

/** A launch that failed. */
export interface LaunchError extends InstanceError {
  readonly zone: string;
  readonly at: EpochMs;
}

/** The true node groups and instances, whatever Outrigger is told. */
export interface Cloud {
  /** @param ago age of the description in milliseconds. */
  readonly groups: (ago?: number) => readonly GroupView[];
  /** Changes the cloud's capacity of instances for a group. */
  readonly setAvailable: (group: GroupName, available: number) => void;
  /** An instance fails by itself; the group replaces it. */
  readonly fail: (instance: InstanceId) => void;
  /**
   * Another client gives a group another template, which new instances are made from: a version of its launch template, or one of
   * a MachineDeployment with the strategy `OnDelete`.
   */
  readonly changeTemplate: (group: GroupName) => void;
}

/** Whether a zone of the group has two instances more than another. */
export const areZonesUneven = ({ group: { zones }, instances }: GroupView): boolean => {
  const counts = zones.map((zone) => instances.filter((one) => one.zone === zone && one.state !== 'Deleting').length);
  return Math.max(...counts) - Math.min(...counts) >= 2;
};

/** The cloud has no capacity in the zone. The message is EC2's. */
export const noCapacity = (instanceType: string, zone: string): InstanceError => ({
  class: 'OutOfResources',
  code: 'InsufficientInstanceCapacity',
  message: `We currently do not have sufficient ${instanceType} capacity in the Availability Zone you requested (${zone}).`,
});
