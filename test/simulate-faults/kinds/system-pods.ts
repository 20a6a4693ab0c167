import { SKEW_LABEL } from '../pools.ts';
import type { KindsOfPods } from './kind.ts';

/** Pods of kube-system without a budget: they keep their node for a while, unless `skipNodesWithSystemPods` is false. */
export const SYSTEM_PODS: KindsOfPods = {
  'kube-system pods': {
    runs: { name: 'system pods', part: 0.12 },
    part: 0.2,
    may: ({ kind, minAvailable, labels }) =>
      // Pods of other namespaces do not count for a topology spread constraint.
      kind === 'Deployment' && minAvailable === undefined && labels[SKEW_LABEL] === undefined,
    change: () => ({ namespace: 'kube-system' }),
  },
};
