import type { GroupName } from '../../../core/model/values/names.ts';
import type { Options } from '../../../core/model/options.ts';
import type { DurationMs } from '../../../core/model/values/time.ts';
import type { SimulatedScalingGroup } from '../../../providers/simulated/scaling-group.ts';
import type { Workload } from '../../../providers/simulated/workload.ts';

/**
 * The load of a simulated cluster: the cluster's node groups, and the steps that change its workloads. See
 * docs/workload.md.
 */
export interface DemoLoad {
  readonly name: string;
  readonly seed: number;
  /** Outrigger's options. */
  readonly options: Options;
  readonly groups: readonly SimulatedScalingGroup[];
  /** In the order of their times. */
  readonly steps: readonly LoadStep[];
  /** The end of the simulation; `null`: it ends when the cluster is at rest. */
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
  | { readonly kind: 'capacity'; readonly group: GroupName; readonly available: number };
