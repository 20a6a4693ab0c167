import type { KindsOfPods } from './kind.ts';

/** Pods without a controller: they keep their node, and are not made anew when they are lost. */
export const BARE_PODS: KindsOfPods = {
  'bare pods': {
    runs: { name: 'bare pods', part: 0.12 },
    part: 0.2,
    may: ({ kind, minAvailable }) => kind === 'Deployment' && minAvailable === undefined,
    change: ({ annotations }, chance) => ({
      kind: 'Pod',
      // Some may go all the same.
      ...(annotations === undefined && chance.next() < 0.4
        ? { annotations: { 'cluster-autoscaler.kubernetes.io/safe-to-evict': 'true' } }
        : {}),
    }),
  },
};
