import { itemAt } from '../../model/values/existing.ts';
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
      const terms = spec.preferredNodeAffinity.map(({ weight, term }) => ({
        weight,
        matches: matchNodeSelector([term]),
      }));
      return (nodes, scores) => {
        for (let i = 0; i < nodes.length; i++) {
          const { node } = itemAt(nodes, i);
          scores[i] = terms.reduce((sum, { weight, matches }) => sum + (matches(node) ? weight : 0), 0);
        }
        normalise(scores, nodes.length, false);
      };
    },
};
