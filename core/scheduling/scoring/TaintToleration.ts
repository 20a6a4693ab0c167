import { itemAt } from '../../model/values/existing.ts';
import { tolerates } from '../tolerations.ts';
import { normalise, type ScorePlugin } from './score-plugin.ts';

const ADVICE = 'PreferNoSchedule';

/**
 * The fewer `PreferNoSchedule` taints that the pod does not tolerate, the better. Follows kube-scheduler 1.35,
 * plugins/tainttoleration.
 */
export const taintTolerationScore: ScorePlugin = {
  name: 'TaintToleration',
  prepare:
    () =>
    ({ kind: { spec } }) => {
      const tolerations = spec.tolerations.filter(({ effect }) => effect === '' || effect === ADVICE);
      return (nodes, scores) => {
        for (let i = 0; i < nodes.length; i++) {
          let bad = 0;
          for (const taint of itemAt(nodes, i).node.taints) {
            if (taint.effect === ADVICE && !tolerations.some((toleration) => tolerates(toleration, taint))) {
              bad += 1;
            }
          }
          scores[i] = bad;
        }
        normalise(scores, nodes.length, true);
      };
    },
};
