import { firstItem } from '../../model/values/existing.ts';
import { counted } from '../../model/values/counted.ts';
import { andNext, type Expander, nextBest } from './expander.ts';

/** The options with the fewest new nodes. Follows Cluster Autoscaler's expander/leastnodes. */
export const leastNodes: Expander = {
  score: ({ nodes }) => nodes,
  bound: ({ nodes }) => nodes,
  nearTies: false,
  figures: () => ({}),
  explain: (options, left) => {
    const best = counted(firstItem(left).nodes, 'node');
    const next = nextBest(leastNodes, options, left);
    const need = left.length === 1 ? best : `${left.length} groups need ${best}`;
    return `least-nodes: ${need}${andNext(next === null ? null : String(next.nodes))}`;
  },
};
