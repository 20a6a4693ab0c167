import { firstItem } from '../../model/values/existing.ts';
import { counted } from '../../model/values/counted.ts';
import { andNext, type Expander, nextBest } from './expander.ts';

/** The options that help the most pods. Follows Cluster Autoscaler's expander/mostpods. */
export const mostPods: Expander = {
  score: ({ pods }) => -pods,
  bound: ({ pods }) => -pods,
  nearTies: false,
  figures: () => ({}),
  explain: (options, left) => {
    const best = counted(firstItem(left).pods, 'pod');
    const next = nextBest(mostPods, options, left);
    const help = left.length === 1 ? best : `${left.length} groups help ${best}`;
    return `most-pods: ${help}${andNext(next === null ? null : String(next.pods))}`;
  },
};
