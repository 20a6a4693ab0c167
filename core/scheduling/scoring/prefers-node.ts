import type { Node } from '../../model/cluster/node.ts';
import type { PodSpec } from '../../model/cluster/pod.ts';
import { preferredWeight } from './NodeAffinity.ts';
import { unwantedTaint } from './TaintToleration.ts';

/**
 * Does the pod prefer `node` to `other`, by preferred node affinity or a `PreferNoSchedule` taint that only the other node
 * has? Autoscalers put such taints onto nodes that run, so taints of `node` itself count for nothing.
 */
export function prefersNode(spec: PodSpec, node: Node, other: Node): boolean {
  const weightOf = preferredWeight(spec);
  const isUnwanted = unwantedTaint(spec);
  const isOwn = (taint: Node['taints'][number]): boolean =>
    node.taints.some(({ key, value, effect }) => key === taint.key && value === taint.value && effect === taint.effect);
  return weightOf(node) > weightOf(other) || other.taints.some((taint) => isUnwanted(taint) && !isOwn(taint));
}
