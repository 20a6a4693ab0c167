import { itemAt } from '../../model/values/existing.ts';
import type { Taint } from '../../model/cluster/node.ts';
import type { PodSpec } from '../../model/cluster/pod.ts';
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
      const isUnwanted = unwantedTaint(spec);
      return (nodes, scores) => {
        for (let i = 0; i < nodes.length; i++) {
          let bad = 0;
          for (const taint of itemAt(nodes, i).node.taints) {
            bad += isUnwanted(taint) ? 1 : 0;
          }
          scores[i] = bad;
        }
        normalise(scores, nodes.length, true);
      };
    },
};

/** Compiles whether a taint is a `PreferNoSchedule` taint that the pod does not tolerate. */
export function unwantedTaint({ tolerations }: PodSpec): (taint: Taint) => boolean {
  const own = tolerations.filter(({ effect }) => effect === '' || effect === ADVICE);
  return (taint) => taint.effect === ADVICE && !own.some((toleration) => tolerates(toleration, taint));
}
