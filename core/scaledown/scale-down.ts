import { nonEmpty, present } from '../model/values/present.ts';
import { valueOf } from '../model/values/records.ts';
import { about } from '../model/fault.ts';
import type {
  NodeUtilization,
  Removal,
  ScaleDownDecision,
  ScaleUpDecision,
  UnexpectedError,
  Unremovable,
} from '../model/decision.ts';
import { byName, type NodeName } from '../model/values/names.ts';
import { type DisruptionReason, waitingNodes } from '../model/disruption.ts';
import type { Node } from '../model/cluster/node.ts';
import { groupOption } from '../model/node-group.ts';
import { withoutExpendable } from '../model/cluster/expendable.ts';
import { isLeaving } from '../model/cluster/node-condition.ts';
import { keyOf, type Pod } from '../model/cluster/pod.ts';
import type { Scenario } from '../model/scenario.ts';
import { sortedBy, sortedRecord } from '../model/values/sorted.ts';
import type { DeletionInProgress, ScaleDownRequest, State } from '../model/state.ts';
import { addTime, type EpochMs, minutes } from '../model/values/time.ts';
import { endedNodes } from '../registry/ended-nodes.ts';
import { isReady } from '../registry/readiness.ts';
import type { Registry } from '../registry/registry.ts';
import type { SimulatedCluster } from '../scheduling/simulated-cluster.ts';
import { NODE_MESSAGES } from '../words/node-messages.ts';
import { staysToTheEnd } from './drainability/stays-to-the-end.ts';
import { boundPods } from './bound-pods.ts';
import { type NodeBudgetTracker, allowanceIn, type BudgetHold } from './node-budgets/node-budget-tracker.ts';
import { type BudgetedNode, withinBudgets } from './budgets.ts';
import { type TrialCandidate, candidatesOf, isEmpty } from './candidates.ts';
import { cooldownOf } from './cooldown.ts';
import { createDisruptionBudgets } from './disruption-budgets.ts';
import { withPodGroupBudgets } from './pod-group-budgets.ts';
import { controllersOf } from './drainability/controllers.ts';
import { podsToMove } from './drainability/pods-to-move.ts';
import type { DrainContext } from './drainability/rule.ts';
import type { CandidateCheck, DisruptionStep, DisruptionResult, UnneededSearch } from './disrupt.ts';
import { type Eligibility, type Eligible, eligibilityCheck } from './eligibility.ts';
import { type EvenOrder, evenOrder, type RemovalQueue } from './even-groups.ts';
import { removableNow } from './removable.ts';
import type { NodeInfo, Snapshot } from '../model/snapshot/snapshot.ts';
import { withLearned } from './unneeded-time.ts';
import { findUnneeded, type RemovalCandidate } from './unneeded.ts';

export interface ScaleDownInput {
  /** With its lists in order (`model/ordered.ts`). */
  readonly scenario: Scenario;
  readonly registry: Registry;
  /** The decision of scale-up, the cluster with its increases, and the state after it. */
  readonly scaleUp: Pick<ScaleUpDecision, 'result' | 'increases'>;
  readonly cluster: SimulatedCluster;
  readonly state: State;
  /** Finds nodes to remove beyond unneeded ones; absent: only unneeded nodes are removed. */
  readonly disrupt?: DisruptionStep;
}

/**
 * How long the cloud may take to show that an instance ends. Cluster Autoscaler's `MaxCloudProviderNodeDeletionTime`.
 */
const DELETION_TIME = minutes(5);

/**
 * Decides which nodes are unneeded, and which of them to remove now.
 *
 * Pending pods and removals share one simulated cluster: it has the upcoming nodes with their pods, and the pending
 * pods that find a place on existing nodes. A node with such pods stays. Pods of removed nodes may move only to
 * existing nodes, as in Cluster Autoscaler: an upcoming node may never come.
 *
 * Follows Cluster Autoscaler's scaledown/planner. The snapshot is left with the unneeded nodes gone.
 */
export function decideScaleDown(input: ScaleDownInput): {
  readonly scaleDown: ScaleDownDecision;
  readonly state: State;
  /** Drain rules that threw. */
  readonly faults: readonly UnexpectedError[];
} {
  const { scenario, registry, scaleUp, cluster, state } = input;
  const { options } = scenario;
  if (!options.scaleDownEnabled) {
    const { disruptions: _, ...rest } = state;
    return { faults: [], scaleDown: nothing('Disabled'), state: { ...rest, unneededSince: {}, unremovableUntil: {} } };
  }
  if (!registry.report.clusterHealthy) {
    return { faults: [], scaleDown: nothing('ClusterUnhealthy'), state: { ...state, unneededSince: {} } };
  }
  const cooldown = cooldownOf(scenario, state);
  const unknown = HELD_BY[scaleUp.result] ?? (state.lastScaleUp === scenario.now ? cooldown.whole : null);
  const held = unknown ?? cooldown.whole;
  const { ineligible, inVain, faults, searched } = searchIn(scenario, registry, cluster, held, waitingNodes(state));
  const disrupted = input.disrupt?.(searched);
  const unneeded = [...searched.unneeded, ...(disrupted?.nodes ?? [])];
  const removable = removableNow(unneeded, scenario, registry, cooldown, evenOrder(scenario, registry, cluster));
  // A node whose pods have places kept for them waits for no delay, nor does one that goes for another reason than its cost.
  const may = removable.nodes.filter(({ atOnce = 'Underutilized', replaced = false }) =>
    atOnce === 'Underutilized' && !replaced ? held === null : unknown === null,
  );
  const chosen = choose(may, scenario, searched.allowance);
  const removals = sortedBy(chosen.go.map(removalOf), ({ node }) => node);
  const planned = removals.length > 0;
  const unplanned = held !== null || removable.cooling ? 'Cooldown' : 'Nothing';
  const after: State = {
    ...state,
    unneededSince: sortedRecord(unneeded.map(({ candidate: { node }, since }) => [node.name, since] as const)),
    unremovableUntil: remembered(scenario, inVain),
    ...withRemovals(state, removals, scenario.now),
    ...withLearned(scenario, removals),
  };
  const settled = disrupted?.settled(after, chosen.go);
  // A node that is to go for another reason than that it is not needed has one row, too.
  const stay = [...removable.unremovable, ...chosen.stay];
  const said = new Set([...removals, ...stay].map(({ node }) => node));
  return {
    faults,
    scaleDown: {
      result: planned ? 'Planned' : unplanned,
      unneeded: unneeded.map(({ candidate: { node } }) => node.name).sort(byName),
      ...(searched.unneeded.length > 0 && { utilization: utilizationIn(searched.unneeded) }),
      removals,
      unremovable: sortedBy(
        [...[...ineligible, ...inVain].filter(({ node }) => !said.has(node)), ...stay].map((one) =>
          withMore(one, disrupted),
        ),
        ({ node }) => node,
      ),
      message: planned ? null : held,
      ...settled?.report,
      ...nonEmpty({ budgets: searched.allowance.reports }),
    },
    state: settled?.state ?? after,
  };
}

const utilizationIn = (unneeded: readonly RemovalCandidate[]): Readonly<Record<NodeName, NodeUtilization>> =>
  sortedRecord(unneeded.map(({ candidate: { node, used } }) => [node.name, used] as const));

function withMore(one: Unremovable, disrupted: DisruptionResult | undefined): Unremovable {
  const more = disrupted?.messages.get(one.node);
  if (more === undefined) {
    return one;
  }
  return { ...one, message: one.message === undefined ? more : `${one.message}; ${more}` };
}

/** Results of a scale-up after which it is not known which nodes pods will want. */
const HELD_BY: Partial<Record<ScaleUpDecision['result'], string>> = {
  Cooldown: 'pods have just come that may want a node',
  UnexpectedError: 'scale-up has failed, so it is not known which nodes pods will want',
};

const nothing = (result: ScaleDownDecision['result']): ScaleDownDecision => ({
  result,
  unneeded: [],
  removals: [],
  unremovable: [],
  message: null,
});

/**
 * Pods whose evictions have been decided, and pods that end with their instances: PodDisruptionBudgets count both until
 * their Nodes are gone.
 */
function draining({ objects, nodeGroups, state }: Scenario): readonly Pod[] {
  const waiting = waitingNodes(state);
  const nodes = new Set([
    ...state.deletionsInProgress.flatMap(({ node, kind }) => (kind === 'drain' && !waiting.has(node) ? node : [])),
    ...endedNodes(objects, state),
    ...nodeGroups.flatMap(({ instances }) =>
      instances.flatMap((one) => (one.state === 'Deleting' ? (one.node ?? []) : [])),
    ),
  ]);
  return nodes.size === 0 ? [] : objects.pods.filter(({ nodeName }) => nodeName !== null && nodes.has(nodeName));
}

/**
 * Looks at every node, and tries out those that might go.
 *
 * @param away nodes of all commands that wait for their replacements, including commands without planned places.
 */
function searchIn(
  scenario: Scenario,
  registry: Registry,
  cluster: SimulatedCluster,
  held: string | null,
  away: ReadonlySet<NodeName>,
) {
  const { objects, options, now, state } = scenario;
  const { snapshot } = cluster;
  const bound = boundPods(cluster.objects);
  const facts = { scenario, registry, snapshot, bound, held: cluster.held };
  const check = eligibilityCheck(facts);
  const { eligible, ineligible } = byEligibility(objects.nodes, check);
  const inProgress = draining(scenario);
  const budgets = withPodGroupBudgets(
    createDisruptionBudgets(objects.podDisruptionBudgets, inProgress, (pod) => staysToTheEnd(pod, options)),
    objects.podGroups,
    objects.pods,
    inProgress,
  );
  const context = { options, now, controllers: controllersOf(objects.controllers), budgets };
  /** Why the node was found unremovable is not remembered; a pod that keeps the node now most likely kept it before. */
  const explained = (one: Unremovable): Unremovable => {
    const drain = one.reason === 'RecentlyUnremovable' ? podsToMove(bound.get(one.node) ?? [], context) : null;
    const until = valueOf(state.unremovableUntil, one.node);
    return drain?.kind === 'Blocked' && until !== undefined
      ? {
          ...one,
          message: NODE_MESSAGES.checkedRecentlyAndBlocked(keyOf(drain.pod), drain.reason, drain.message, until),
        }
      : one;
  };
  const allowance = allowanceIn(scenario, registry, away);
  const { candidates, classOf, blocked, faults } = candidatesOf(eligible, context, state, isKeptBy(allowance));
  const tried = new Set(candidates.map(({ info }) => info));
  const takers = takersIn(scenario, registry, snapshot);
  const needed = takers.filter((info) => !tried.has(info));
  const queueOf = queueing(evenOrder(scenario, registry, cluster), classOf);
  const { unneeded, unremovable, taken } = findUnneeded({ scenario, cluster, candidates, queueOf, needed, budgets });
  const gone = new Set(unneeded.map(({ candidate: { info } }) => info));
  const waiting = waitingNodes(state);
  let checkOfWaiting: typeof check | null = null;
  /** With nodes that wait as they are: with their pods, and not being removed. */
  const waits = (): typeof check => {
    const deletionsInProgress = state.deletionsInProgress.filter(({ node }) => !waiting.has(node));
    checkOfWaiting ??= eligibilityCheck({
      ...facts,
      scenario: { ...scenario, state: { ...state, deletionsInProgress } },
      bound: boundPods({ pods: withoutExpendable(objects.pods, options) }),
    });
    return checkOfWaiting;
  };
  const searched: UnneededSearch = {
    scenario,
    registry,
    cluster,
    held,
    unneeded,
    takers: takers.filter((info) => !gone.has(info)),
    taken,
    budgets,
    allowance,
    consider: (node, leniency) =>
      about({ kind: 'node', node: node.name }, () =>
        considered((waiting.has(node.name) ? waits() : check)(node, leniency), context, state),
      ),
  };
  return { ineligible: ineligible.map(explained), inVain: [...blocked, ...unremovable], faults, searched };
}

const queueing =
  (evenly: EvenOrder, classOf: (candidate: TrialCandidate) => string) =>
  (candidates: readonly TrialCandidate[]): RemovalQueue<TrialCandidate> =>
    evenly(candidates, ({ group }) => group.name, classOf);

/** The nodes that may go as far as they themselves are concerned, and why the others may not. */
function byEligibility(nodes: readonly Node[], check: (node: Node) => Eligibility) {
  const eligible: Eligible[] = [];
  const ineligible: Unremovable[] = [];
  for (const node of nodes) {
    const eligibility = about({ kind: 'node', node: node.name }, () => check(node));
    if (eligibility.kind === 'eligible') {
      eligible.push(eligibility.candidate);
    } else {
      ineligible.push(eligibility.unremovable);
    }
  }
  return { eligible, ineligible };
}

/** Whether a disruption budget allows no such node to go now, however few are away. */
function isKeptBy({ objection, reports }: NodeBudgetTracker): (candidate: TrialCandidate) => boolean {
  const isLimited = reports.length > 0;
  return (candidate) => {
    const { node, group } = candidate;
    const reason = isEmpty(candidate) ? 'Empty' : 'Underutilized';
    return isLimited && objection([{ node: node.name, group: group.name }], reason)?.zero === true;
  };
}

function considered(eligibility: Eligibility, context: DrainContext, state: State): CandidateCheck {
  if (eligibility.kind === 'ineligible') {
    return { kind: 'stays', unremovable: eligibility.unremovable };
  }
  const {
    candidates: [candidate],
    blocked: [block],
  } = candidatesOf([eligibility.candidate], context, state);
  return candidate === undefined ? { kind: 'stays', unremovable: block! } : { kind: 'candidate', candidate };
}

/** The nodes that are ready for pods, and do not go. */
function takersIn({ objects, options, state }: Scenario, registry: Registry, snapshot: Snapshot): readonly NodeInfo[] {
  const removed = new Set(state.deletionsInProgress.map(({ node }) => node));
  const starting = new Set([...registry.groups.values()].flatMap((status) => status.starting));
  const closed = new Set(objects.closedNodes.map(({ node }) => node));
  return objects.nodes.flatMap((node) => {
    const { name } = node;
    const info = snapshot.byName(name);
    const takes =
      isReady(node, options) && !isLeaving(node) && !removed.has(name) && !starting.has(name) && !closed.has(name);
    return info !== undefined && takes ? info : [];
  });
}

function choose(nodes: readonly RemovalCandidate[], scenario: Scenario, allowance: NodeBudgetTracker) {
  const rows = nodes.map((unneeded) => ({
    unneeded,
    node: unneeded.candidate.node.name,
    group: unneeded.candidate.group.name,
    empty: isEmpty(unneeded.candidate),
    atomic: groupOption(scenario.options, unneeded.candidate.group, 'zeroOrMaxNodeScaling'),
  }));
  const held = heldRows(rows, allowance);
  const allowed = rows.filter((row) => !held.has(row));
  const go = new Set(withinBudgets(allowed, scenario.options, scenario.state));
  return {
    go: allowed.filter((row) => go.has(row)).map(({ unneeded }) => unneeded),
    stay: rows
      .filter((row) => !go.has(row))
      .map((row): Unremovable => {
        const { node, empty } = row;
        const hold = held.get(row);
        return hold === undefined
          ? { node, reason: 'NodeGroupMaxDeletionCountReached', message: NODE_MESSAGES.maxDeletions(empty) }
          : { node, reason: hold.reason, message: hold.message };
      }),
  };
}

interface Row extends BudgetedNode {
  readonly node: NodeName;
  readonly unneeded: RemovalCandidate;
}

/**
 * The rows that a disruption budget holds, and why. Groups that are removed as a whole need the budget for all of their
 * nodes, and ask first, as for the number of parallel removals.
 */
function heldRows<T extends Row>(rows: readonly T[], allowance: NodeBudgetTracker): ReadonlyMap<T, BudgetHold> {
  const held = new Map<T, BudgetHold>();
  const ask = (together: readonly T[]): void => {
    const hold = allowance.take(together, reasonOf(together));
    if (hold !== null) {
      together.forEach((row) => held.set(row, hold));
    }
  };
  const wholes = Map.groupBy(
    rows.filter(({ atomic }) => atomic),
    ({ group }) => group,
  );
  for (const whole of wholes.values()) {
    ask(whole);
  }
  for (const row of rows.filter(({ atomic }) => !atomic)) {
    ask([row]);
  }
  return held;
}

/** Why these are removed: ordinary scale-down has no other reasons than the two. */
const reasonOf = ([first, ...others]: readonly Row[]): DisruptionReason =>
  first?.unneeded.atOnce ?? (first?.empty === true && others.every(({ empty }) => empty) ? 'Empty' : 'Underutilized');

const removalOf = ({ candidate, destinations, atOnce }: RemovalCandidate): Removal => ({
  node: candidate.node.name,
  group: candidate.group.name,
  kind: isEmpty(candidate) ? 'empty' : 'drain',
  ...present({ reason: atOnce }),
  pods: candidate.drain.move.map(keyOf),
  destinations,
});

/**
 * The nodes not to try again for a while: remembered nodes that still exist, and nodes whose pods cannot move. Reasons
 * that depend on other removals, such as disruption budgets, are checked every time.
 */
function remembered(
  { options, state, objects, now }: Scenario,
  inVain: readonly Unremovable[],
): State['unremovableUntil'] {
  const there = new Set(objects.nodes.map(({ name }) => name));
  const before = (Object.entries(state.unremovableUntil) as [NodeName, EpochMs][]).filter(
    ([name, until]) => until > now && there.has(name),
  );
  const until = addTime(now, options.unremovableNodeRecheckTimeout);
  const fresh = inVain.flatMap(({ node, reason, podReason }): [NodeName, EpochMs][] =>
    until <= now || reason === 'NotUnneededOtherReason' || podReason === 'NotEnoughPdb' ? [] : [[node, until]],
  );
  return sortedRecord([...before, ...fresh]);
}

function withRemovals(
  { deletionsInProgress, scaleDownRequests }: State,
  removals: readonly Removal[],
  now: EpochMs,
): Pick<State, 'deletionsInProgress' | 'scaleDownRequests'> {
  const deletions = removals.map(({ node, group, kind }): DeletionInProgress => ({ node, group, kind, since: now }));
  const requests = removals.map(({ node, group }): ScaleDownRequest => ({
    group,
    node,
    time: now,
    expectedDeleteTime: addTime(now, DELETION_TIME),
  }));
  return {
    deletionsInProgress: sortedBy([...deletionsInProgress, ...deletions], ({ node }) => node),
    scaleDownRequests: sortedBy([...scaleDownRequests, ...requests], ({ node }) => node),
  };
}
