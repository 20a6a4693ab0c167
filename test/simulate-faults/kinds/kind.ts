import type { Chance } from '../../../providers/simulated/chance.ts';
import type { Workload } from '../../../providers/simulated/workload.ts';

/** Something that workloads may be beside plain Deployments with plain budgets. */
export interface KindOfPods {
  /** The part of the runs that have it, drawn by this name: kinds of one name come together. Absent: all runs may have it. */
  readonly runs?: { readonly name: string; readonly part: number };
  /** The part of the workloads that are so, of those that may be. */
  readonly part: number;
  /** @param workload as the kinds before this one have left it. */
  readonly may: (workload: Workload) => boolean;
  readonly change: (workload: Workload, chance: Chance) => Partial<Workload>;
}

/** By name, in the order in which they are drawn. */
export type KindsOfPods = Readonly<Record<string, KindOfPods>>;
