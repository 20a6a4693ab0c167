import { firstItem } from '../../model/values/existing.ts';
import type { Disruption } from '../../model/disruption.ts';
import { about } from '../../model/fault.ts';
import { byName, type GroupName, type NodeName } from '../../model/values/names.ts';
import type { Node } from '../../model/cluster/node.ts';
import { groupOption, groupsByNode, type NodeGroup } from '../../model/node-group.ts';
import { nodesBeingRemoved } from '../../model/state.ts';
import { valueOf } from '../../model/values/records.ts';
import { rememberedOf } from '../../model/values/remembered.ts';
import type { Scenario } from '../../model/scenario.ts';
import { type TrialCandidate, isEmpty } from '../../scaledown/candidates.ts';
import { type EligibilityOverrides, sizeOf } from '../../scaledown/eligibility.ts';
import { checkCandidate } from '../../scaledown/removal-context.ts';
import type { RemovalCandidate } from '../../scaledown/unneeded.ts';
import { DISRUPTION_MESSAGES } from '../../words/disruption.ts';
import { whyTakesPods } from '../../words/headroom.ts';
import { NODE_MESSAGES } from '../../words/node-messages.ts';
import type { SimulatedMove } from '../consolidation/consolidation-simulator.ts';
import { replacementDue } from '../deadline.ts';
import {
  type DisruptionMethod,
  NO_PROPOSALS,
  type ProposalContext,
  type Proposals,
  type ProposalTools,
} from '../proposal-context.ts';
import type { Cause } from './cause.ts';
import { CAUSES } from './causes.ts';
import { areTooManyUnwell, UNHEALTHY } from './unhealthy.ts';

/** A node that is to be replaced. */
interface NodeToReplace {
  readonly node: Node;
  readonly group: NodeGroup;
  readonly cause: Cause;
  readonly why: string;
}

/** Nodes that are to be replaced, the most urgent first. */
interface ReplaceableNodes {
  readonly nodes: readonly NodeToReplace[];
  /** Why other nodes stay that are to be replaced, in words. */
  readonly messages: ReadonlyMap<NodeName, string>;
}

/** Replaces nodes for a cause of their own. */
export const REPLACEMENT: DisruptionMethod = {
  isNeeded: (context) => replaceableNodes(context).nodes.length > 0,
  propose: (context, tools) => replaceNodes(replaceableNodes(context), context, tools),
};

/**
 * Finds the nodes that are broken, not as their groups are now, or too old: in this order, and of each the oldest first.
 * Once per context, for both parts of the method.
 */
const replaceableNodes = rememberedOf(({ scenario, unneeded, underWay }: ProposalContext): ReplaceableNodes => {
  const groups = scenario.nodeGroups.filter(
    (group) => group.invalid === null && CAUSES.some((cause) => cause.isEnabled(group, scenario)),
  );
  if (groups.length === 0) {
    return { nodes: [], messages: new Map() };
  }
  const messages = new Map<NodeName, string>();
  const leaving = new Set([
    ...underWay,
    ...unneeded.map(({ candidate: { node } }) => node.name),
    ...nodesBeingRemoved(scenario.state),
  ]);
  const groupOf = groupsByNode(groups);
  const spared = groupsToSpare(scenario, groups);
  const wanted = scenario.objects.nodes.flatMap((node) => {
    const group = groupOf.get(node.name);
    if (group === undefined || leaving.has(node.name)) {
      return [];
    }
    return about({ kind: 'node', node: node.name }, () => wantedFor(node, group, scenario));
  });
  const nodes = wanted
    .filter(({ node, group, cause }) => {
      const isSpared = cause === UNHEALTHY && spared.has(group.name);
      if (isSpared) {
        messages.set(node.name, DISRUPTION_MESSAGES.tooManyUnhealthy());
      }
      return !isSpared;
    })
    .sort(
      (a, b) =>
        CAUSES.indexOf(a.cause) - CAUSES.indexOf(b.cause) ||
        (a.node.createdAt ?? 0) - (b.node.createdAt ?? 0) ||
        byName(a.node.name, b.node.name),
    );
  return { nodes, messages };
});

function wantedFor(node: Node, group: NodeGroup, scenario: Scenario): readonly NodeToReplace[] {
  for (const cause of CAUSES.filter(({ isEnabled }) => isEnabled(group, scenario))) {
    const why = cause.find(node, group, scenario);
    if (why !== null) {
      return [{ node, group, cause, why }];
    }
  }
  return [];
}

/** Groups that lose no node for being unhealthy: too many are, of theirs or of the cluster's. */
function groupsToSpare({ objects }: Scenario, groups: readonly NodeGroup[]): ReadonlySet<GroupName> {
  const everywhere = areTooManyUnwell(objects.nodes);
  const spared = groups.filter(({ nodes }) => {
    const own = new Set(nodes);
    return everywhere || areTooManyUnwell(objects.nodes.filter(({ name }) => own.has(name)));
  });
  return new Set(spared.map(({ name }) => name));
}

/** Finds places for the pods of these nodes, on existing nodes or on new ones. */
function replaceNodes(wanted: ReplaceableNodes, context: ProposalContext, tools: ProposalTools): Proposals {
  const messages = new Map(wanted.messages);
  const nodes: RemovalCandidate[] = [];
  const disruptions: Disruption[] = [];
  for (const one of wanted.nodes) {
    const found = about({ kind: 'node', node: one.node.name }, () =>
      tryOne(one, context, { ...tools, room: tools.room - disruptions.length }),
    );
    if (typeof found === 'string') {
      messages.set(one.node.name, `${one.why}; ${found}`);
    } else if ('candidate' in found) {
      nodes.push(found);
      if (found.candidate.drain.waiting.length > 0) {
        messages.set(one.node.name, `${one.why}; ${DISRUPTION_MESSAGES.awaitsCompletion()}`);
      }
    } else {
      disruptions.push(found);
    }
  }
  return { ...NO_PROPOSALS, nodes, disruptions, messages };
}

/** The node is replaced: its group keeps its size, and the node need not be ready. */
const REPLACED: EligibilityOverrides = { maxUtilization: Number.POSITIVE_INFINITY, ignoreMinSizeAndReadiness: true };

/**
 * The node to be removed at once, or as soon as its pods that must complete have done so; the disruption to replace it; or why it
 * stays, in words.
 */
function tryOne(
  { node, group, cause }: NodeToReplace,
  context: ProposalContext,
  { simulator, costs, room }: ProposalTools,
): RemovalCandidate | Disruption | string {
  const { scenario, registry, pdbs, nodeBudgets } = context;
  const { now } = scenario;
  if (groupOption(scenario.options, group, 'zeroOrMaxNodeScaling')) {
    // The node cannot be removed alone, and nodes launched for its pods would be in vain.
    return DISRUPTION_MESSAGES.asAWhole(group.name);
  }
  const check = checkCandidate(context, node, REPLACED);
  if (check.kind === 'stays') {
    return DISRUPTION_MESSAGES.keptBy(check.unremovable);
  }
  const { candidate } = check;
  const leaving = [{ node: node.name, group: group.name }];
  const hold = nodeBudgets.blockedBy(leaving, cause.reason);
  const stays = (hold?.zero === true ? hold.message : null) ?? whyItStays(candidate, context);
  if (stays !== null) {
    return stays;
  }
  if (candidate.drain.waiting.length > 0) {
    // How long its pods take to complete is not known: until then no node is launched for it, and no places are taken.
    return { candidate, since: now, destinations: [], risky: false, reason: cause.reason };
  }
  const left = whyLeftAlone(node, scenario) ?? hold?.message;
  if (left !== undefined) {
    return left;
  }
  // At the minimum the new node makes up for the old one in its own group alone, wherever the pods go.
  const isBound = sizeOf(group, registry) <= group.minSize;
  const { move } = candidate.drain;
  const ask = {
    replace: room > 0,
    maxCost: Number.POSITIVE_INFINITY,
    suits: ({ name }: NodeGroup) => !isBound || name === group.name,
    alwaysLaunch: isBound,
  };
  const outcome = simulator.simulate([candidate], ask);
  switch (outcome.kind) {
    case 'none':
      return room === 0 ? DISRUPTION_MESSAGES.manyWait() : whyNoPlace(outcome, group);
    case 'delete': {
      const { blocked, inParallel } = pdbs.canTake(move);
      if (blocked !== null) {
        return blocked.reason;
      }
      pdbs.take(move);
      simulator.apply([candidate], ask);
      return { candidate, since: now, destinations: outcome.destinations, risky: !inParallel, reason: cause.reason };
    }
    case 'replace': {
      simulator.apply([candidate], ask);
      nodeBudgets.take(leaving, cause.reason);
      const growing = firstItem(scenario.nodeGroups.filter(({ name }) => name === outcome.group));
      return {
        nodes: [node.name],
        reason: cause.reason,
        replacement: outcome.group,
        maxCost: outcome.cost,
        basis: costs.basis,
        saving: costs.of(node, group) - outcome.cost,
        moves: move.length,
        since: now,
        deadline: replacementDue(growing, scenario),
      };
    }
  }
}

/** Why its pods would have no place, in words. */
const whyNoPlace = ({ of, short }: Extract<SimulatedMove, { readonly kind: 'none' }>, { name }: NodeGroup): string =>
  short ?? (of === null ? DISRUPTION_MESSAGES.groupWouldShrink(name) : DISRUPTION_MESSAGES.noPlace());

/** Why it is not tried again yet, in words. */
function whyLeftAlone(node: Node, { state, now }: Scenario): string | null {
  const until = valueOf(state.unremovableUntil, node.name);
  return until !== undefined && until > now ? NODE_MESSAGES.checkedRecently(until) : null;
}

/** Why the node is not replaced now, in words: pods of other nodes have their places on it. */
function whyItStays(candidate: TrialCandidate, { cluster, usedDestinations }: ProposalContext): string | null {
  const { info, node, pods } = candidate;
  if (usedDestinations.has(info)) {
    return DISRUPTION_MESSAGES.takesPods();
  }
  // Pods that are placed on an empty node, such as pods of a node that it replaces, are not among the pods that move.
  return isEmpty(candidate) ? whyTakesPods(node.name, info.podCount - pods.length, cluster.held) : null;
}
