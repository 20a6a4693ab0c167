import { valueOf } from '../model/values/records.ts';
import { about, describeError } from '../model/fault.ts';
import type { UnexpectedError, Unremovable } from '../model/decision.ts';
import { byName } from '../model/values/names.ts';
import { keyOf } from '../model/cluster/pod.ts';
import type { State } from '../model/state.ts';
import { podsToMove, type PodsToMove } from './drainability/pods-to-move.ts';
import type { DrainContext } from './drainability/rule.ts';
import type { Eligible } from './eligibility.ts';
import type { NodeBudgetTracker } from './node-budgets/node-budget-tracker.ts';

/** A node whose removal is to be tried out. */
export interface TrialCandidate extends Eligible {
  readonly drain: Extract<PodsToMove, { readonly kind: 'Drainable' }>;
}

export interface Candidates {
  /** In the order in which the candidates are tried. */
  readonly candidates: readonly TrialCandidate[];
  /**
   * The class of each candidate: any candidate of a class may be tried first, as all of them are used alike to one
   * percent, and alike in everything else that the order goes by.
   */
  readonly classes: ReadonlyMap<TrialCandidate, string>;
  /** Nodes that a pod keeps. */
  readonly blocked: readonly Unremovable[];
  /** Errors of drain rules about pods of these nodes. */
  readonly faults: readonly UnexpectedError[];
}

/** No pod has to move for this node's removal. */
export const isEmpty = ({ drain }: TrialCandidate): boolean => drain.move.length === 0;

/**
 * Asks the drain rules about each node, and sorts the nodes that no pod keeps: first empty nodes, then nodes that were
 * unneeded before, longest first, then the rest, least used first. Of empty nodes and of the rest, nodes that wait for
 * a pod to end come last, and last of all nodes that may not be removed now: until then they take places from nodes
 * that could be removed. Places taken by one node's pods are lost to the next node, so an order that changed between
 * evaluations would restart every clock.
 *
 * Follows Cluster Autoscaler's scaledowncandidates, which leaves open what comes first among equals.
 *
 * @param nodeBudgets disruption budgets that may allow no removal of a node, however few nodes are away; `null`: none is
 *   asked.
 */
export function candidatesOf(
  eligible: readonly Eligible[],
  context: DrainContext,
  state: State,
  nodeBudgets: NodeBudgetTracker | null = null,
): Candidates {
  const isLimited = nodeBudgets !== null && nodeBudgets.reports.length > 0;
  const rows: { candidate: TrialCandidate; kept: boolean; empty: boolean; waits: boolean; since: number }[] = [];
  const blocked: Unremovable[] = [];
  const faults: UnexpectedError[] = [];
  for (const node of eligible) {
    const drain = about({ kind: 'node', node: node.node.name }, () => podsToMove(node.pods, context));
    if (drain.kind === 'Blocked') {
      const { pod, reason: podReason, message, fault } = drain;
      const { name } = node.node;
      if (fault === undefined) {
        blocked.push({ node: name, reason: 'BlockedByPod', pod: keyOf(pod), podReason, message });
      } else {
        const { rule, error } = fault;
        blocked.push({ node: name, reason: 'UnexpectedError', pod: keyOf(pod), message });
        faults.push({ during: 'ScaleDown', pod: keyOf(pod), node: name, rule, ...describeError(error) });
      }
      continue;
    }
    const candidate: TrialCandidate = { ...node, drain };
    rows.push({
      candidate,
      kept: isLimited && isKept(candidate, nodeBudgets),
      empty: isEmpty(candidate),
      waits: drain.waiting.length > 0,
      since: valueOf(state.unneededSince, node.node.name) ?? Number.MAX_VALUE,
    });
  }
  rows.sort(
    (a, b) =>
      Number(a.kept) - Number(b.kept) ||
      Number(b.empty) - Number(a.empty) ||
      Number(a.waits) - Number(b.waits) ||
      a.since - b.since ||
      a.candidate.utilization - b.candidate.utilization ||
      byName(a.candidate.node.name, b.candidate.node.name),
  );
  const classes = new Map(
    rows.map(({ candidate, ...row }) => [
      candidate,
      [row.kept, row.empty, row.waits, row.since, Math.round(candidate.utilization * 100)].join(),
    ]),
  );
  return {
    candidates: rows.map(({ candidate }) => candidate),
    classes,
    blocked,
    faults,
  };
}

const isKept = (candidate: TrialCandidate, { blockedBy }: NodeBudgetTracker): boolean => {
  const { node, group } = candidate;
  const reason = isEmpty(candidate) ? 'Empty' : 'Underutilized';
  return blockedBy([{ node: node.name, group: group.name }], reason)?.zero === true;
};
