import { about } from '../model/fault.ts';
import type { ScaleUpDecision, Unremovable } from '../model/decision.ts';
import { waitingNodes } from '../model/disruption.ts';
import type { NodeName } from '../model/values/names.ts';
import { withoutExpendable } from '../model/cluster/expendable.ts';
import { listedController } from '../model/cluster/controller-lists.ts';
import type { Node } from '../model/cluster/node.ts';
import type { Pod } from '../model/cluster/pod.ts';
import type { Scenario } from '../model/scenario.ts';
import { endingNodes } from '../model/node-group.ts';
import { type State, withoutDeletions } from '../model/state.ts';
import { endedNodes } from '../registry/ended-nodes.ts';
import type { Registry } from '../registry/registry.ts';
import type { SimulatedCluster } from '../scheduling/simulated-cluster.ts';
import { boundPods } from './bound-pods.ts';
import { candidatesOf, type TrialCandidate } from './candidates.ts';
import { type Cooldown, cooldownOf } from './cooldown.ts';
import { createPdbTracker, type PdbTracker } from './pdb-tracker.ts';
import type { DrainContext } from './drainability/rule.ts';
import { toleratesDisruption } from './drainability/tolerates-disruption.ts';
import { type EligibilityFacts, eligibilityFacts, eligibilityOf, type EligibilityOverrides } from './eligibility.ts';
import { nodeBudgetsIn, type NodeBudgetTracker } from './node-budgets/node-budget-tracker.ts';
import { withPodGroupBudgets } from './pod-group-budgets.ts';

/** Why removals are held back, in words; `null`: they are not. */
interface RemovalHold {
  /** It is unknown which nodes pods will want: no node is removed, whatever the reason. */
  readonly unknown: string | null;
  /** No node is removed that is only unneeded. */
  readonly whole: string | null;
  /** The same for single groups. */
  readonly groups: Cooldown['groups'];
}

/** Results of a scale-up after which it is not known which nodes pods will want. */
const HELD_BY: Partial<Record<ScaleUpDecision['result'], string>> = {
  Cooldown: 'pods have just come that may want a node',
  UnexpectedError: 'scale-up has failed, so it is not known which nodes pods will want',
};

/** @param state as the scale-up decision leaves it. */
export function removalHold(
  scenario: Scenario,
  { result }: Pick<ScaleUpDecision, 'result'>,
  state: State,
): RemovalHold {
  const { whole, groups } = cooldownOf(scenario, state);
  const unknown = HELD_BY[result] ?? (state.lastScaleUp === scenario.now ? whole : null);
  return { unknown, whole: unknown ?? whole, groups };
}

/** The facts and trackers that the steps of a scale-down share. */
export interface RemovalContext {
  /** With its lists in order (`model/ordered.ts`). */
  readonly scenario: Scenario;
  readonly registry: Registry;
  /** The cluster as scale-up leaves it; each step takes out the nodes that it finds. */
  readonly cluster: SimulatedCluster;
  readonly hold: RemovalHold;
  readonly eligibility: EligibilityFacts;
  readonly drain: DrainContext;
  /** The evictions that PodDisruptionBudgets leave; each step takes the evictions of the nodes that it finds. */
  readonly pdbs: PdbTracker;
  /**
   * The removals that disruption budgets of the cluster and its groups allow; nodes that wait for their replacement
   * count as away.
   */
  readonly nodeBudgets: NodeBudgetTracker;
}

/** @param away nodes of all disruptions that wait for their replacement, including disruptions without planned places. */
export function removalContext(
  given: Pick<RemovalContext, 'scenario' | 'registry' | 'cluster' | 'hold'>,
  away: ReadonlySet<NodeName>,
): RemovalContext {
  const { scenario, registry, cluster } = given;
  const { objects, options, now } = scenario;
  const { snapshot, held } = cluster;
  const eligibility = eligibilityFacts({ scenario, registry, snapshot, bound: boundPods(cluster.objects.pods), held });
  const inProgress = draining(scenario);
  const pdbs = withPodGroupBudgets(
    createPdbTracker(objects.podDisruptionBudgets, inProgress, (pod) => toleratesDisruption(pod, options)),
    objects.podGroups,
    objects.pods,
    inProgress,
  );
  return {
    ...given,
    eligibility,
    drain: { options, now, controllers: (pod) => listedController(objects.controllers, pod), pdbs },
    pdbs,
    nodeBudgets: nodeBudgetsIn(scenario, registry, away),
  };
}

/** The context in which a node that waits for its replacement has its pods, and is not being removed. */
export function withWaitingNodes(context: RemovalContext): RemovalContext {
  const { scenario, eligibility } = context;
  const { state, objects, options } = scenario;
  return {
    ...context,
    eligibility: eligibilityFacts({
      ...eligibility,
      scenario: { ...scenario, state: withoutDeletions(state, waitingNodes(state)) },
      bound: boundPods(withoutExpendable(objects.pods, options)),
    }),
  };
}

/** May this node be removed, apart from whether its pods have places elsewhere? */
type CandidateCheck =
  | { readonly kind: 'candidate'; readonly candidate: TrialCandidate }
  | { readonly kind: 'stays'; readonly unremovable: Unremovable };

export function checkCandidate(
  { scenario: { state }, eligibility: facts, drain }: RemovalContext,
  node: Node,
  overrides: EligibilityOverrides,
): CandidateCheck {
  return about({ kind: 'node', node: node.name }, () => {
    const eligibility = eligibilityOf(node, facts, overrides);
    if (eligibility.kind === 'ineligible') {
      return { kind: 'stays', unremovable: eligibility.unremovable };
    }
    const {
      candidates: [candidate],
      blocked: [block],
    } = candidatesOf([eligibility.candidate], drain, state);
    return candidate === undefined ? { kind: 'stays', unremovable: block! } : { kind: 'candidate', candidate };
  });
}

/**
 * Pods whose evictions have been decided, and pods that end with their instances: PodDisruptionBudgets count both until
 * their Nodes are gone.
 */
function draining({ objects, nodeGroups, state }: Scenario): readonly Pod[] {
  const drains = state.deletionsInProgress.filter(({ kind }) => kind === 'drain').map(({ node }) => node);
  const nodes = new Set<NodeName | null>(drains)
    .difference(waitingNodes(state))
    .union(endedNodes(objects, state))
    .union(new Set(nodeGroups.flatMap(endingNodes)));
  return objects.pods.filter(({ nodeName }) => nodes.has(nodeName));
}
