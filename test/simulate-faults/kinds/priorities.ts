import type { Workload } from '../../../providers/simulated/workload.ts';
import { SKEW_LABEL } from '../pools.ts';
import type { KindsOfPods } from './kind.ts';

/** Pods of one run that are of different priorities, for which kube-scheduler preempts others. */
const RUNS = { name: 'priorities', part: 0.12 };

/** What may be preempted counts for a topology spread constraint until it is: what has a place could not be told. */
const isOrdinary = ({ spec, labels }: Workload): boolean => spec.priority === 0 && labels[SKEW_LABEL] === undefined;

const withPriority = (priority: number) => ({
  runs: RUNS,
  may: isOrdinary,
  change: ({ spec }: Workload) => ({ spec: { ...spec, priority } }),
});

/** Beside workloads of priority 0. */
export const PRIORITIES: KindsOfPods = {
  'high priority': { part: 0.3, ...withPriority(1_000) },
  'low priority': { part: 0.25, ...withPriority(-5) },
  // Below `expendablePodsPriorityCutoff`: nothing is bought for them, and they keep no node.
  'expendable pods': { part: 0.25, ...withPriority(-100) },
  'never preempts': {
    runs: RUNS,
    part: 0.3,
    may: () => true,
    change: ({ spec }) => ({ spec: { ...spec, preemptionPolicy: 'Never' } }),
  },
};
