import type { Node } from '../../model/node.ts';
import { isMirror, type Pod, type Toleration } from '../../model/pod.ts';
import type { Controller } from '../../model/workloads.ts';
import { matchRequiredAffinity } from '../../scheduling/node-selector.ts';
import { repels, tolerates } from '../../scheduling/tolerations.ts';

const tolerate = (key: string, effect: string): Toleration => ({
  key,
  operator: 'Exists',
  value: '',
  effect,
  tolerationSeconds: null,
});

/** What the DaemonSet controller makes all its pods tolerate. */
const DAEMON_TOLERATIONS: readonly Toleration[] = [
  tolerate('node.kubernetes.io/not-ready', 'NoExecute'),
  tolerate('node.kubernetes.io/unreachable', 'NoExecute'),
  tolerate('node.kubernetes.io/disk-pressure', 'NoSchedule'),
  tolerate('node.kubernetes.io/memory-pressure', 'NoSchedule'),
  tolerate('node.kubernetes.io/pid-pressure', 'NoSchedule'),
  tolerate('node.kubernetes.io/unschedulable', 'NoSchedule'),
  tolerate('node.kubernetes.io/network-unavailable', 'NoSchedule'),
];

/**
 * The pods that a new node carries: those known of the template, and one of every DaemonSet that admits such a node and
 * is not among them. Node affinity and taints decide, as in the DaemonSet controller's `NodeShouldRunDaemonPod`.
 */
export function daemonPods(node: Node, known: readonly Pod[], daemonSets: readonly Controller[]): readonly Pod[] {
  const represented = new Set(known.map((pod) => pod.controller?.uid));
  const hasKubeProxy = daemonSets.some(({ namespace, name }) => namespace === 'kube-system' && name === 'kube-proxy');
  const added = daemonSets.flatMap(({ uid, template }) =>
    template === null || represented.has(uid) || !admits(template, node) ? [] : [template],
  );
  // Providers stand a mirror pod in for kube-proxy; where it is a DaemonSet it would count twice.
  const kept = hasKubeProxy ? known.filter((pod) => !(isMirror(pod) && pod.name.startsWith('kube-proxy'))) : known;
  return [...kept, ...added];
}

function admits({ spec }: Pod, node: Node): boolean {
  const tolerations = [...spec.tolerations, ...DAEMON_TOLERATIONS];
  const matches = matchRequiredAffinity(spec);
  return (
    (matches === null || matches(node)) &&
    node.taints.every((taint) => !repels(taint) || tolerations.some((toleration) => tolerates(toleration, taint)))
  );
}
