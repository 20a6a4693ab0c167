import { itemAt } from '@outrigger/core/model/values/existing.ts';
import { unwantedTaint } from '@outrigger/core/scheduling/prefers-node.ts';
import { normalise, type ScorePlugin } from './score-plugin.ts';

/**
 * The fewer `PreferNoSchedule` taints that the pod does not tolerate, the better. Follows kube-scheduler 1.35,
 * plugins/tainttoleration.
 */
export const taintTolerationScore: ScorePlugin = {
  name: 'TaintToleration',
  prepare:
    () =>
    ({ kind: { spec } }) => {
      const isUnwanted = unwantedTaint(spec);
      return (nodes, scores) => {
        for (let i = 0; i < nodes.length; i++) {
          let bad = 0;
          for (const taint of itemAt(nodes, i).node.taints) {
            bad += Number(isUnwanted(taint));
          }
          scores[i] = bad;
        }
        normalise(scores, nodes.length, true);
      };
    },
};
