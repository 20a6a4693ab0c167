import type { Node, Taint } from '../model/cluster/node.ts';
import type { PodSpec } from '../model/cluster/pod.ts';
import { matchNodeSelector } from './node-selector.ts';
import { tolerates } from './tolerations.ts';

const ADVICE = 'PreferNoSchedule';

/**
 * Does the pod prefer `node` to `other`, by preferred node affinity or a `PreferNoSchedule` taint that only the other node
 * has? Autoscalers put such taints onto nodes that run, so taints of `node` itself count for nothing.
 */
export function prefersNode(spec: PodSpec, node: Node, other: Node): boolean {
  const weightOf = preferredWeight(spec);
  const isUnwanted = unwantedTaint(spec);
  const isOwn = (taint: Taint): boolean =>
    node.taints.some(({ key, value, effect }) => key === taint.key && value === taint.value && effect === taint.effect);
  return weightOf(node) > weightOf(other) || other.taints.some((taint) => isUnwanted(taint) && !isOwn(taint));
}

/** Compiles the sum of the weights of the preferred terms that a node matches. */
export function preferredWeight({ preferredNodeAffinity }: PodSpec): (node: Node) => number {
  const terms = preferredNodeAffinity.map(({ weight, term }) => ({ weight, matches: matchNodeSelector([term]) }));
  return (node) => terms.reduce((sum, { weight, matches }) => sum + (matches(node) ? weight : 0), 0);
}

/** Compiles whether a taint is a `PreferNoSchedule` taint that the pod does not tolerate. */
export function unwantedTaint({ tolerations }: PodSpec): (taint: Taint) => boolean {
  const own = tolerations.filter(({ effect }) => effect === '' || effect === ADVICE);
  return (taint) => taint.effect === ADVICE && !own.some((toleration) => tolerates(toleration, taint));
}
