import { valueOf } from '../model/values/records.ts';
import { about } from '../model/fault.ts';
import type { UnexpectedError, Unremovable } from '../model/decision.ts';
import type { Node } from '../model/cluster/node.ts';
import { isLeaving } from '../model/cluster/node-condition.ts';
import { keyOf } from '../model/cluster/pod.ts';
import type { NodeInfo } from '../model/snapshot/snapshot.ts';
import { isReady } from '../registry/readiness.ts';
import { NODE_MESSAGES } from '../words/node-messages.ts';
import { candidatesOf } from './candidates.ts';
import { podsToMove } from './drainability/pods-to-move.ts';
import { type Eligible, eligibilityOf } from './eligibility.ts';
import { evenOrder } from './even-groups.ts';
import type { RemovalContext } from './removal-context.ts';
import { findUnneeded, type UnneededFindings } from './unneeded.ts';

/** Nodes without which the cluster would do, and why the others stay. */
export interface RemovalFindings extends Pick<UnneededFindings, 'unneeded' | 'usedDestinations'> {
  /** Nodes that were not tried. */
  readonly ineligible: readonly Unremovable[];
  /** Nodes that a pod keeps, or whose pods have no places elsewhere. */
  readonly unremovable: readonly Unremovable[];
  /** Nodes that are ready and stay: pods may go there. */
  readonly destinationNodes: readonly NodeInfo[];
  /** Drain rules that threw. */
  readonly faults: readonly UnexpectedError[];
}

/**
 * Looks at every node, and tries out the removal of those that might go. The snapshot is left with the unneeded nodes
 * gone.
 */
export function findRemovals(context: RemovalContext): RemovalFindings {
  const { scenario, cluster, drain, pdbs, nodeBudgets } = context;
  const { eligible, ineligible } = byEligibility(context);
  const { candidates, classes, blocked, faults } = candidatesOf(eligible, drain, scenario.state, nodeBudgets);
  const tried = new Set(candidates.map(({ info }) => info));
  const destinationNodes = destinationNodesIn(context);
  const { unneeded, unremovable, usedDestinations } = findUnneeded({
    scenario,
    cluster,
    candidates,
    classes,
    order: evenOrder(context),
    needed: destinationNodes.filter((info) => !tried.has(info)),
    pdbs,
  });
  const gone = new Set(unneeded.map(({ candidate: { info } }) => info));
  return {
    unneeded,
    usedDestinations,
    ineligible: ineligible.map((one) => explained(one, context)),
    unremovable: [...blocked, ...unremovable],
    destinationNodes: destinationNodes.filter((info) => !gone.has(info)),
    faults,
  };
}

/** The nodes that may go as far as they themselves are concerned, and why the others may not. */
function byEligibility({ scenario, eligibility: facts }: RemovalContext) {
  const eligible: Eligible[] = [];
  const ineligible: Unremovable[] = [];
  for (const node of scenario.objects.nodes) {
    const eligibility = about({ kind: 'node', node: node.name }, () => eligibilityOf(node, facts));
    if (eligibility.kind === 'eligible') {
      eligible.push(eligibility.candidate);
    } else {
      ineligible.push(eligibility.unremovable);
    }
  }
  return { eligible, ineligible };
}

/** Why the node was found unremovable is not remembered; a pod that keeps the node now most likely kept it before. */
function explained(one: Unremovable, { scenario, eligibility, drain }: RemovalContext): Unremovable {
  const until = valueOf(scenario.state.unremovableUntil, one.node);
  if (one.reason !== 'RecentlyUnremovable' || until === undefined) {
    return one;
  }
  const pods = podsToMove(eligibility.bound.get(one.node) ?? [], drain);
  if (pods.kind !== 'Blocked') {
    return one;
  }
  const { pod, reason, message } = pods;
  return { ...one, message: NODE_MESSAGES.checkedRecentlyAndBlocked(keyOf(pod), reason, message, until) };
}

/** The nodes that are ready for pods, and do not go. */
function destinationNodesIn({ scenario, eligibility, cluster: { snapshot } }: RemovalContext): readonly NodeInfo[] {
  const { leaving, starting, excluded } = eligibility;
  const takes = (node: Node): boolean =>
    isReady(node, scenario.options) &&
    !isLeaving(node) &&
    !leaving.has(node.name) &&
    !starting.has(node.name) &&
    !excluded.has(node.name);
  return scenario.objects.nodes.filter(takes).flatMap(({ name }) => snapshot.byName(name) ?? []);
}
