import type { GroupName } from '../../../core/model/values/names.ts';
import type { Options } from '../../../core/model/options.ts';
import type { DurationMs } from '../../../core/model/values/time.ts';
import type { ScalingGroup } from '../../../providers/simulated/scaling-group.ts';
import type { Workload } from '../../../providers/simulated/workload.ts';

/** What happens to a simulated cluster: its node groups, and what is asked of it when. See docs/workload.md. */
export interface Load {
  readonly name: string;
  readonly seed: number;
  /** Outrigger's. */
  readonly options: Options;
  readonly groups: readonly ScalingGroup[];
  /** In the order of their times. */
  readonly steps: readonly LoadStep[];
  /** The simulation ends here at the latest; `null`: when it has come to rest. */
  readonly until: DurationMs | null;
}

/** `at` counts from the start. */
export type LoadStep = { readonly at: DurationMs } & Step;

export type Step =
  | { readonly kind: 'deploy' | 'job'; readonly workload: Workload }
  /** Another number of pods for a Deployment. */
  | { readonly kind: 'scale'; readonly workload: string; readonly pods: number }
  | { readonly kind: 'delete'; readonly workload: string }
  /** From now on the cloud has so many instances for this group, all in all. */
  | { readonly kind: 'capacity'; readonly group: GroupName; readonly available: number };
