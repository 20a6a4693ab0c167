/** Fewer nodes than this are all looked at. */
const LEAST = 100;
const LEAST_PERCENT = 5;

/**
 * How many nodes that a pod fits on kube-scheduler looks for before it chooses among them, in a cluster of so many: about
 * half of 100 nodes and fewer of more, but never fewer than 100. Follows `numFeasibleNodesToFind` of kube-scheduler 1.35.
 */
export function nodesToScore(nodes: number): number {
  if (nodes < LEAST) {
    return nodes;
  }
  const percent = Math.max(LEAST_PERCENT, 50 - Math.floor(nodes / 125));
  return Math.max(LEAST, Math.floor((nodes * percent) / 100));
}
