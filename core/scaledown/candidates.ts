import { byName, type NodeName } from '../model/names.ts';
import type { Pod } from '../model/pod.ts';
import type { State } from '../model/state.ts';
import { type DrainContext, podsToMove, type PodsToMove } from './drainability/drainability.ts';
import type { Eligible } from './eligibility.ts';

/** A node whose removal is to be tried out. */
export interface Candidate extends Eligible {
  /** What its removal means to its pods, as far as budgets allow now. */
  readonly drain: PodsToMove;
}

/** Pods that need another place. */
export const moving = ({ drain }: Candidate): readonly Pod[] => (drain.kind === 'Drainable' ? drain.move : []);

/** Nothing has to move for this node to go. */
export const isEmpty = ({ drain }: Candidate): boolean => drain.kind === 'Drainable' && drain.move.length === 0;

const waits = ({ drain }: Candidate): boolean => drain.kind === 'Drainable' && drain.waiting.length > 0;

/**
 * The nodes in the order in which they are tried: first empty ones, of these last those that wait for a pod to end; then
 * those that were unneeded before, longest first; then the others, least used first. What one node's pods take is not
 * there for the next, so an order that changed from one evaluation to the other would start every clock anew.
 *
 * Follows Cluster Autoscaler's scaledowncandidates, which leaves open what comes first among equals.
 */
export function candidatesOf(eligible: readonly Eligible[], context: DrainContext, state: State): readonly Candidate[] {
  const rows = eligible.map((node) => {
    const candidate: Candidate = { ...node, drain: podsToMove(node.bound.pods, context) };
    return {
      candidate,
      empty: isEmpty(candidate),
      waits: waits(candidate),
      since: state.unneededSince[node.node.name] ?? Number.POSITIVE_INFINITY,
    };
  });
  rows.sort(
    (a, b) =>
      Number(b.empty) - Number(a.empty) ||
      Number(a.empty && a.waits) - Number(b.empty && b.waits) ||
      compare(a.since, b.since) ||
      a.candidate.utilisation - b.candidate.utilisation ||
      byName(a.candidate.node.name, b.candidate.node.name),
  );
  return rows.map(({ candidate }) => candidate);
}

/** Unlike a difference, of two infinities too. */
const compare = (a: number, b: number): number => (a < b ? -1 : a > b ? 1 : 0);

/** Where pods may go: nodes that are needed first, the fullest of them, then candidates, the last of them first. */
export function byPreference(
  needed: readonly { readonly name: NodeName; readonly used: number }[],
  candidates: readonly Candidate[],
): readonly NodeName[] {
  return [
    ...needed.toSorted((a, b) => b.used - a.used || byName(a.name, b.name)).map(({ name }) => name),
    ...candidates.map(({ node }) => node.name).toReversed(),
  ];
}
