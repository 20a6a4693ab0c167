import { mapOptional } from '../model/values/optional.ts';
import { present } from '../model/values/present.ts';
import type { DisruptionReason } from '../model/disruption.ts';
import { clip } from '../model/values/clip.ts';
import { getExisting } from '../model/values/existing.ts';
import { valueOf } from '../model/values/records.ts';
import { about, type FaultSubject } from '../model/fault.ts';
import type { Destination, Unremovable } from '../model/decision.ts';
import { SCHEDULER_CHECKS_PER_MS } from '../scheduling/budgeted-scheduler.ts';
import type { Node } from '../model/cluster/node.ts';
import { groupOption } from '../model/node-group.ts';
import { keyOf } from '../model/cluster/pod.ts';
import { candidateSince } from '../model/cluster/removal-taints.ts';
import { AUTO, LONGEST_UNNEEDED_TIME } from '../model/unneeded-time.ts';
import type { Scenario } from '../model/scenario.ts';
import type { PodKind } from '../model/snapshot/pod-kind.ts';
import type { NodeInfo } from '../model/snapshot/snapshot.ts';
import { addTime, type EpochMs } from '../model/values/time.ts';
import type { SimulatedCluster } from '../scheduling/simulated-cluster.ts';
import { whyTakesPods } from '../words/headroom.ts';
import { NODE_MESSAGES } from '../words/node-messages.ts';
import { fullestFirst } from './fullest-first.ts';
import type { TrialCandidate } from './candidates.ts';
import { evenList, type EvenOrder, removalQueue, type RemovalQueue } from './even-groups.ts';
import { Destinations } from './destinations.ts';
import type { PdbTracker } from './pdb-tracker.ts';
import { removalTaintToleration } from './removal-taint-toleration.ts';
import { tryRemoval } from './removal.ts';

/** A node without which the cluster would do. */
export interface RemovalCandidate {
  readonly candidate: TrialCandidate;
  readonly since: EpochMs;
  readonly destinations: readonly Destination[];
  /** Its pods need more of a budget than is left: some of them must wait for the replacement of others. */
  readonly risky: boolean;
  /** The node is not unneeded, but removed for this reason, without waiting for its time. */
  readonly reason?: DisruptionReason;
  /** Nodes were launched for the node's pods, which had no places. */
  readonly replaced?: boolean;
}

export interface Search {
  readonly scenario: Scenario;
  readonly cluster: SimulatedCluster;
  /** In the order in which the candidates are tried. */
  readonly candidates: readonly TrialCandidate[];
  /** Candidates of one class are alike (`Candidates.classes`). */
  readonly classes: ReadonlyMap<TrialCandidate, string>;
  /** The order among candidates that are alike. */
  readonly order: EvenOrder;
  /** Nodes that are no candidates and take pods. */
  readonly needed: readonly NodeInfo[];
  /** Evictions of pods on unneeded nodes are taken from these budgets. */
  readonly pdbs: PdbTracker;
}

export interface UnneededFindings {
  readonly unneeded: readonly RemovalCandidate[];
  readonly unremovable: readonly Unremovable[];
  /** Nodes to which pods of unneeded nodes would move. */
  readonly usedDestinations: ReadonlySet<NodeInfo>;
}

/**
 * Tries the candidates one after another: a node is unneeded when all its pods find places elsewhere, beside those of
 * the unneeded nodes before it. A node that has taken in pods stays.
 *
 * Follows `categorizeNodes` of Cluster Autoscaler's scaledown/planner.
 */
export function findUnneeded(search: Search): UnneededFindings {
  const { scenario, cluster, needed, pdbs } = search;
  const { snapshot } = cluster;
  const destinations = new Destinations(cluster, byPreference(needed, evenList(queueOf(search))));
  const queue = queueOf(search);
  const budget = scenario.options.scaleDownSimulationTimeout * SCHEDULER_CHECKS_PER_MS;
  const enough = unneededLimit(scenario);
  const isLast = removalTaintToleration(scenario);
  const unneeded: RemovalCandidate[] = [];
  const unremovable: Unremovable[] = [];
  const usedDestinations = new Set<NodeInfo>();
  let counted = 0;

  const stays = (candidate: TrialCandidate, why: Omit<Unremovable, 'node'>): void => {
    queue.stays(candidate);
    unremovable.push({ node: candidate.node.name, ...why });
  };
  /** Why the candidate is not even tried, in words; `null` when it is. */
  const passedBy = ({ info, pods }: TrialCandidate): string | null => {
    if (usedDestinations.has(info)) {
      return NODE_MESSAGES.takesPodsOfOthers();
    }
    const takes = whyTakesPods(info.name, info.podCount - pods.length, cluster.held);
    if (takes !== null) {
      return takes;
    }
    if (counted >= enough) {
      return NODE_MESSAGES.enoughUnneeded(counted);
    }
    return destinations.schedulerChecks >= budget ? NODE_MESSAGES.timeUsedUp() : null;
  };

  for (let candidate = queue.next(); candidate !== undefined; candidate = queue.next()) {
    const { move } = candidate.drain;
    const message = passedBy(candidate);
    if (message !== null) {
      stays(candidate, { reason: 'NotUnneededOtherReason', message });
      continue;
    }
    const of: FaultSubject = { kind: 'node', node: candidate.node.name };
    const { blocked, inParallel } = about(of, () => pdbs.canTake(move));
    if (blocked !== null) {
      const { pod, reason } = blocked;
      stays(candidate, { reason: 'BlockedByPod', pod: keyOf(pod), podReason: 'NotEnoughPdb', message: reason });
      continue;
    }
    const trial = about(of, () => tryRemoval(snapshot, candidate, destinations, isLast));
    if (trial.kind === 'noPlace') {
      const pod = move.find((of) => snapshot.kindOf(of) === trial.of);
      stays(candidate, {
        reason: 'NoPlaceToMovePods',
        ...present({ pod: pod && keyOf(pod) }),
        ...hopelessness(trial.of, cluster),
      });
      continue;
    }
    pdbs.take(move);
    for (const to of trial.infos) {
      usedDestinations.add(to);
    }
    unneeded.push({
      candidate,
      since: since(candidate.node, scenario),
      destinations: trial.destinations,
      risky: !inParallel,
    });
    counted += Number(!groupOption(scenario.options, candidate.group, 'zeroOrMaxNodeScaling'));
  }
  return { unneeded, unremovable, usedDestinations };
}

const queueOf = ({ order, candidates, classes }: Search): RemovalQueue<TrialCandidate> =>
  removalQueue(
    order,
    candidates,
    ({ group }) => group.name,
    (candidate) => getExisting(classes, candidate),
  );

/** Why pods of a kind find a place on no node, whatever it is like, in kube-scheduler's words. */
function hopelessness(kind: PodKind, { scheduler }: SimulatedCluster): Pick<Unremovable, 'message'> {
  if (kind.tooMany !== null) {
    return { message: NODE_MESSAGES.podNotSimulated(kind.tooMany) };
  }
  return present({ message: mapOptional(scheduler.everywhere(kind), ({ reasons }) => clip(reasons.join(', '))) });
}

/**
 * The order in which nodes take pods: needed nodes first, the fullest of them first; then candidates, the last one
 * first, as the least likely to be removed.
 */
const byPreference = (needed: readonly NodeInfo[], candidates: readonly TrialCandidate[]): readonly NodeInfo[] => [
  ...fullestFirst(needed),
  ...candidates
    .filter(({ ready }) => ready)
    .map(({ info }) => info)
    .toReversed(),
];

/**
 * The number of unneeded nodes to find: no more are removed in one evaluation than `maxScaleDownParallelism`, so it
 * pays to know as many again, and no more than can be removed while a node's time runs. Nodes that were unneeded before
 * are tried in any case, so that their clocks go on. Follows `unneededNodesLimit` of Cluster Autoscaler's
 * scaledown/planner.
 */
function unneededLimit({ options, state, now }: Scenario): number {
  const parallel = options.maxScaleDownParallelism;
  const known = Object.keys(state.unneededSince).length;
  const given = options.scaleDownUnneededTime;
  const time = given === AUTO ? LONGEST_UNNEEDED_TIME : given;
  const interval = Math.min(time, state.lastEvaluation === null ? time : now - state.lastEvaluation);
  const forever = time > 0 ? Number.MAX_SAFE_INTEGER : 1;
  const evaluations = interval > 0 ? Math.floor(time / interval) : forever;
  return Math.max(known, Math.min(known + 2 * parallel, (evaluations + 1) * parallel));
}

/**
 * Since when the node has been unneeded: as remembered, or from now on. Names are used again, so what is remembered
 * from before the node was there is of another one. On a first start the soft taint may say.
 */
function since(node: Node, { state, options, now }: Scenario): EpochMs {
  const first = state.lastEvaluation === null && Object.keys(state.unneededSince).length === 0;
  const taint = first ? candidateSince(node) : null;
  const isRecent = taint !== null && taint <= now && addTime(taint, options.nodeDeletionCandidateTtl) >= now;
  const known = valueOf(state.unneededSince, node.name) ?? (isRecent ? taint : now);
  return known < (node.createdAt ?? known) ? now : known;
}
