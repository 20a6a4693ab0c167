import type { Node } from '../../model/cluster/node.ts';
import type { Pod } from '../../model/cluster/pod.ts';
import { podRequests } from '../../model/cluster/pod-requests.ts';
import { CPU, MEMORY } from '../../model/values/resources.ts';
import { type DurationMs, type EpochMs, minutes } from '../../model/values/time.ts';
import { evictionCost } from './eviction-cost.ts';
import { workTimeOf } from './work-at-risk.ts';

/** The time that an evicted pod loses while it ends, waits for its new node and starts. */
const RESTART = minutes(5);

/** For so long both are paid: the new node, and those that it replaces. */
const OVERLAP = minutes(5);

/** The least saving, as a multiple of the cost of the moves. */
const FACTOR = 2;

const HOUR = minutes(60);

/**
 * The cost of moving these pods off a node: their share of the node for the time in which they do nothing, and for the
 * time of lost work of Jobs, weighted by how much their eviction matters.
 *
 * @param cost of the node, per hour.
 */
export function moveCost(pods: readonly Pod[], { allocatable }: Node, cost: number, now: EpochMs): number {
  const shareOf = (pod: Pod, resource: string): number => {
    const all = allocatable[resource] ?? 0;
    return all > 0 ? (podRequests(pod)[resource] ?? 0) / all : 0;
  };
  return pods.reduce((sum, pod) => {
    const share = Math.max(shareOf(pod, CPU), shareOf(pod, MEMORY));
    const lost = (RESTART + workTimeOf(pod, now)) / HOUR;
    return sum + share * cost * lost * Math.max(0, evictionCost(pod));
  }, 0);
}

/** The terms for judging the removal of nodes. */
export interface NodeCostInput {
  /** Cost of the nodes, per hour. */
  readonly cost: number;
  /** Cost of moving all their pods. */
  readonly moves: number;
  /** How long what is saved counts. */
  readonly horizon: DurationMs;
}

/** Does removing the nodes pay, with no node launched for them? */
export const isWorthDeleting = ({ cost, moves, horizon }: NodeCostInput): boolean =>
  cost > 0 && cost * (horizon / HOUR) >= FACTOR * moves;

/**
 * The most that the new node may cost, per hour, so that it pays: it saves the least share, and twice the cost of the
 * moves within the horizon, while both the old and the new nodes are paid for a time. Below 0: no new node pays.
 */
export function maxCostOf({ cost, moves, horizon }: NodeCostInput, minSaving: number): number {
  const hours = horizon / HOUR;
  if (hours <= 0) {
    return -1;
  }
  const paying = (cost - (FACTOR * moves) / hours) / (1 + OVERLAP / HOUR / hours);
  return Math.min(cost * (1 - minSaving), paying);
}
