/** Fewer nodes than this are all looked at. */
const LEAST = 100;
const LEAST_PERCENT = 5;

/**
 * The number of feasible nodes that kube-scheduler finds before it scores them, in a cluster of `nodes` nodes: about
 * half of 100 nodes and a smaller share of more, but never fewer than 100. Follows `numFeasibleNodesToFind` of
 * kube-scheduler 1.35.
 */
export function nodesToScore(nodes: number): number {
  if (nodes < LEAST) {
    return nodes;
  }
  const percent = Math.max(LEAST_PERCENT, 50 - Math.floor(nodes / 125));
  return Math.max(LEAST, Math.floor((nodes * percent) / 100));
}
