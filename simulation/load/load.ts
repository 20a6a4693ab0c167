import type { Commitment } from '@outrigger/core/model/commitment.ts';
import type { GroupName } from '@outrigger/core/model/values/names.ts';
import type { Options } from '@outrigger/core/model/options.ts';
import type { DurationMs, EpochMs } from '@outrigger/core/model/values/time.ts';
import type { SimulatedScalingGroup } from '../cloud/scaling-group.ts';
import type { KarpenterSettings } from '../karpenter/karpenter.ts';
import type { DaemonSet, Workload } from '../cluster/workload.ts';

/**
 * The load of a simulated cluster: the cluster's node groups, and the steps that change its workloads. See
 * docs/workload.md.
 */
export interface DemoLoad {
  readonly name: string;
  readonly seed: number;
  /** Outrigger's options. */
  readonly options: Options;
  /** The time of the start, by which schedules go. */
  readonly start: EpochMs;
  /** The DaemonSets of the cluster; the recording leaves out their pods. */
  readonly daemonSets: readonly DaemonSet[];
  readonly groups: readonly SimulatedScalingGroup[];
  /** Instances that are paid for in any case; absent: none. */
  readonly commitments?: readonly Commitment[] | undefined;
  /** In the order of their times. */
  readonly steps: readonly LoadStep[];
  /** Karpenter launches and ends the nodes by these settings, on AWS; absent: Outrigger does. */
  readonly karpenter?: KarpenterSettings;
  /** The end of the simulation; `null`: it ends when the cluster is idle. */
  readonly until: DurationMs | null;
}

/** `at` counts from the start. */
export type LoadStep = { readonly at: DurationMs } & DemoLoadStep;

export type DemoLoadStep =
  | { readonly kind: 'deploy' | 'job'; readonly workload: Workload }
  /** Another number of pods for a Deployment. */
  | { readonly kind: 'scale'; readonly workload: string; readonly pods: number }
  | { readonly kind: 'delete'; readonly workload: string }
  /** The number of instances that the cloud has for this group from now on, running ones included. */
  | { readonly kind: 'capacity'; readonly group: GroupName; readonly available: number }
  /** The cloud takes back an instance of this group, as EC2 does with a Spot instance. */
  | {
      readonly kind: 'interruption';
      readonly group: GroupName;
      /** The zone of the instance; `null`, and where the group has no instance there: any. */
      readonly zone: string | null;
      /** From the announcement to the end; 0: the instance fails without one. */
      readonly notice: DurationMs;
    };
