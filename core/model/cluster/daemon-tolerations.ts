import type { Toleration } from './pod.ts';

const daemonToleration = (key: string, effect: string): Toleration => ({
  key: `node.kubernetes.io/${key}`,
  operator: 'Exists',
  value: '',
  effect,
  tolerationSeconds: null,
});

/** Tolerations that the DaemonSet controller adds to all its pods: no template contains them. The last is of pods in the host's network. */
export const DAEMON_TOLERATIONS: readonly Toleration[] = [
  daemonToleration('not-ready', 'NoExecute'),
  daemonToleration('unreachable', 'NoExecute'),
  daemonToleration('disk-pressure', 'NoSchedule'),
  daemonToleration('memory-pressure', 'NoSchedule'),
  daemonToleration('pid-pressure', 'NoSchedule'),
  daemonToleration('unschedulable', 'NoSchedule'),
  daemonToleration('network-unavailable', 'NoSchedule'),
];
