import { itemAt } from '@outrigger/core/model/values/existing.ts';
import { preferredWeight } from '@outrigger/core/scheduling/prefers-node.ts';
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
