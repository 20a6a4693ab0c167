import type { EpochMs } from '../../core/model/values/time.ts';
import type { Workload } from '../../simulation/cluster/workload.ts';

/** A change of what runs in the cluster. */
export type Step = { readonly at: EpochMs } & (
  | { readonly kind: 'apply'; readonly workload: Workload }
  | { readonly kind: 'remove'; readonly workload: string }
);
