import type { Destination, Unremovable } from '../model/decision.ts';
import type { Node } from '../model/node.ts';
import { keyOf } from '../model/pod.ts';
import { candidateSince } from '../model/removal-taints.ts';
import type { Scenario } from '../model/scenario.ts';
import { addTime, type EpochMs } from '../model/time.ts';
import type { NodeInfo } from '../model/snapshot/snapshot.ts';
import type { Picture } from '../scheduling/picture.ts';
import { type Candidate, byPreference, moving } from './candidates.ts';
import { Destinations } from './destinations.ts';
import type { DisruptionBudgets } from './disruption-budgets.ts';
import { groupOption } from './eligibility.ts';
import { tryRemoval } from './removal.ts';

/** A node without which the cluster would do. */
export interface Unneeded {
  readonly candidate: Candidate;
  readonly since: EpochMs;
  readonly destinations: readonly Destination[];
  /** Its pods need more of a budget than is left: some of them must wait for the replacement of others. */
  readonly risky: boolean;
}

export interface Search {
  readonly scenario: Scenario;
  readonly picture: Picture;
  /** In the order in which they are tried. */
  readonly candidates: readonly Candidate[];
  /** The other nodes that pods may go to. */
  readonly needed: readonly NodeInfo[];
  /** Unneeded nodes take from these what their pods need. */
  readonly budgets: DisruptionBudgets;
}

export interface Found {
  readonly unneeded: readonly Unneeded[];
  readonly unremovable: readonly Unremovable[];
  /** Of the latter, those that are not worth another try for a while. */
  readonly tried: readonly Node[];
}

/** What one millisecond of `scaleDownSimulationTimeout` allows. */
const LOOKS_PER_MS = 100;

/**
 * Tries the candidates one after another: a node is unneeded when all its pods find places elsewhere, beside those of the
 * unneeded nodes before it. A node that has taken in pods stays.
 *
 * Follows `categorizeNodes` of Cluster Autoscaler's scaledown/planner.
 */
export function findUnneeded({ scenario, picture, candidates, needed, budgets }: Search): Found {
  const { snapshot } = picture;
  const { options } = scenario;
  const order = byPreference(
    needed.map(({ name, free, node }) => ({ name, used: usedShare(node, free) })),
    candidates.filter(({ ready }) => ready),
  );
  const destinations = new Destinations(
    picture,
    order.flatMap((name) => snapshot.byName(name) ?? []),
  );
  const unneeded: Unneeded[] = [];
  const unremovable: Unremovable[] = [];
  const tried: Node[] = [];
  const taken = new Set<NodeInfo>();
  const enough = unneededLimit(scenario);
  let counted = 0;
  for (const candidate of candidates) {
    const { node, info, drain, group, bound } = candidate;
    const stays = (why: Omit<Unremovable, 'node'>): unknown => unremovable.push({ node: node.name, ...why });
    if (taken.has(info)) {
      stays({ reason: 'NotUnneededOtherReason', message: 'pods of other unneeded nodes would move to it' });
    } else if (info.podCount !== bound.pods.length) {
      stays({ reason: 'NotUnneededOtherReason', message: 'pods that have no node yet find their place on it' });
    } else if (counted >= enough) {
      stays({ reason: 'NotUnneededOtherReason', message: `not tried: ${counted} nodes are unneeded already` });
    } else if (destinations.looks >= options.scaleDownSimulationTimeout * LOOKS_PER_MS) {
      stays({ reason: 'NotUnneededOtherReason', message: 'not tried: scaleDownSimulationTimeout is used up' });
    } else if (drain.kind === 'Blocked') {
      const { pod, reason, message } = drain;
      stays({ reason: 'BlockedByPod', pod: keyOf(pod), podReason: reason, message });
      tried.push(node);
    } else {
      const { blocked, inParallel } = budgets.canTake(drain.move);
      if (blocked !== null) {
        const { pod, reason } = blocked;
        stays({ reason: 'BlockedByPod', pod: keyOf(pod), podReason: 'NotEnoughPdb', message: reason });
        tried.push(node);
        continue;
      }
      const trial = tryRemoval(snapshot, candidate, destinations);
      if (trial.kind === 'noPlace') {
        const pod = drain.move.find((of) => snapshot.kindOf(of) === trial.of);
        stays({ reason: 'NoPlaceToMovePods', ...(pod === undefined ? {} : { pod: keyOf(pod) }) });
        tried.push(node);
        continue;
      }
      budgets.take(moving(candidate));
      for (const to of trial.infos) {
        taken.add(to);
      }
      unneeded.push({
        candidate,
        since: since(node, scenario),
        destinations: trial.destinations,
        risky: !inParallel,
      });
      counted += groupOption(scenario, group, 'zeroOrMaxNodeScaling') ? 0 : 1;
    }
  }
  return { unneeded, unremovable, tried };
}

/** The larger share of CPU and memory that is requested. */
function usedShare({ allocatable }: Node, free: Float64Array): number {
  const shares = [allocatable['cpu'] ?? 0, allocatable['memory'] ?? 0].map((all, i) =>
    all > 0 ? 1 - free[i]! / all : 0,
  );
  return Math.max(...shares);
}

/**
 * How many unneeded nodes are enough: no more are removed in one evaluation than `maxScaleDownParallelism`, so it pays to
 * know as many again, and no more than can be removed while a node's time runs. Those that were unneeded before are tried
 * in any case, that their clocks go on. Follows `unneededNodesLimit` of Cluster Autoscaler's scaledown/planner.
 */
function unneededLimit({ options, state, now }: Scenario): number {
  const parallel = options.maxScaleDownParallelism;
  const known = Object.keys(state.unneededSince).length;
  const time = options.scaleDownUnneededTime;
  const interval = Math.min(time, state.lastEvaluation === null ? time : now - state.lastEvaluation);
  const evaluations = interval > 0 ? Math.floor(time / interval) : 1;
  return Math.max(known, Math.min(known + 2 * parallel, (evaluations + 1) * parallel));
}

/**
 * Since when the node has been unneeded: as remembered, or from now on. Names are used again, so what is remembered from
 * before the node was there is of another one. On a first start the soft taint may tell.
 */
function since(node: Node, { state, options, now }: Scenario): EpochMs {
  const first = state.lastEvaluation === null && Object.keys(state.unneededSince).length === 0;
  const taint = first && options.nodeDeletionCandidateTtl > 0 ? candidateSince(node) : null;
  const known =
    state.unneededSince[node.name] ??
    (taint !== null && taint <= now && addTime(taint, options.nodeDeletionCandidateTtl) >= now ? taint : now);
  return node.createdAt !== null && known < node.createdAt ? now : known;
}
