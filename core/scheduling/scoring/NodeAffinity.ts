import { itemAt } from '../../model/values/existing.ts';
import type { Node } from '../../model/cluster/node.ts';
import type { PodSpec } from '../../model/cluster/pod.ts';
import { matchNodeSelector } from '../node-selector.ts';
import { normalise, type ScorePlugin } from './score-plugin.ts';

/** The weights of the preferred terms that the node matches. Follows kube-scheduler 1.35, plugins/nodeaffinity. */
export const nodeAffinityScore: ScorePlugin = {
  name: 'NodeAffinity',
  prepare:
    () =>
    ({ kind: { spec } }) => {
      if (spec.preferredNodeAffinity.length === 0) {
        return null;
      }
      const weightOf = preferredWeight(spec);
      return (nodes, scores) => {
        for (let i = 0; i < nodes.length; i++) {
          scores[i] = weightOf(itemAt(nodes, i).node);
        }
        normalise(scores, nodes.length, false);
      };
    },
};

/** Compiles the sum of the weights of the preferred terms that a node matches. */
export function preferredWeight({ preferredNodeAffinity }: PodSpec): (node: Node) => number {
  const terms = preferredNodeAffinity.map(({ weight, term }) => ({ weight, matches: matchNodeSelector([term]) }));
  return (node) => terms.reduce((sum, { weight, matches }) => sum + (matches(node) ? weight : 0), 0);
}
