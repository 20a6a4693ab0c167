import { getExisting } from '../model/values/existing.ts';
import { valueOf } from '../model/values/records.ts';
import type { NodeUtilization, Unremovable } from '../model/decision.ts';
import { replacedWithin, waitingNodes } from '../model/disruption.ts';
import type { GroupName, NodeName } from '../model/values/names.ts';
import type { Node } from '../model/cluster/node.ts';
import { hasCloudAction, isUpdating } from '../model/cloud-action.ts';
import { endingNodes, groupOption, groupsByNode, type Instance, type NodeGroup } from '../model/node-group.ts';
import type { Pod } from '../model/cluster/pod.ts';
import { pausedBy, pausedUntil, pauseOf } from '../model/pause.ts';
import { isRemovalUnderWay } from '../model/cluster/removal-taints.ts';
import { providerOf } from '../model/provider.ts';
import type { Scenario } from '../model/scenario.ts';
import { nodesBeingRemoved } from '../model/state.ts';
import { shiftOf } from '../model/zonal-shift.ts';
import type { NodeInfo, Snapshot } from '../model/snapshot/snapshot.ts';
import type { HeldCapacity } from '../model/headroom.ts';
import { holdersOf } from '../words/headroom.ts';
import { isReady } from '../registry/readiness.ts';
import type { Registry } from '../registry/registry.ts';
import { whyNodeExcluded } from '../words/why-node-excluded.ts';
import { NODE_MESSAGES } from '../words/node-messages.ts';
import { protectionOf } from './protection.ts';
import { utilizationOf } from './utilization.ts';

/** A node that might go, as far as is known without its pods. */
export interface Eligible {
  readonly node: Node;
  readonly info: NodeInfo;
  readonly group: NodeGroup;
  readonly ready: boolean;
  readonly utilization: number;
  /** The same for people, of each resource. */
  readonly used: NodeUtilization;
  /** The pods of the cluster that are bound to the node. */
  readonly pods: readonly Pod[];
}

type Eligibility =
  | { readonly kind: 'eligible'; readonly candidate: Eligible }
  | { readonly kind: 'ineligible'; readonly unremovable: Unremovable };

/** Checks that a node is spared, or that differ from the options. */
export interface EligibilityOverrides {
  /** The share of the node that its pods may request. A node may be replaced though its pods had no other place lately. */
  readonly maxUtilization?: number;
  /** Its group may have its minimum, and the node need not be ready. */
  readonly ignoreMinSizeAndReadiness?: boolean;
}

interface EligibilityContext {
  readonly scenario: Scenario;
  readonly registry: Registry;
  readonly snapshot: Snapshot;
  readonly bound: ReadonlyMap<NodeName, readonly Pod[]>;
  /** The capacity that virtual pods hold on nodes; it counts as used. */
  readonly held: HeldCapacity | undefined;
}

/** Facts about the other nodes and about groups for the check of one node. */
export interface EligibilityFacts extends EligibilityContext {
  readonly groups: ReturnType<typeof groupsByNode>;
  /** The size of each group (`sizeOf`). */
  readonly sizes: ReadonlyMap<GroupName, number>;
  /** Nodes that drains remove. */
  readonly leaving: ReadonlySet<NodeName>;
  /** The nodes of `leaving` that only wait for their replacement. */
  readonly waiting: ReadonlySet<NodeName>;
  /** Nodes whose instances the cloud is terminating. */
  readonly terminating: ReadonlySet<NodeName>;
  readonly starting: ReadonlySet<NodeName>;
  /** Nodes that cannot be read, and why. */
  readonly excluded: ReadonlyMap<NodeName, string>;
  /** Why the instances of nodes cannot be taken out of their groups. */
  readonly fixed: ReadonlyMap<NodeName | null, Instance['stays']>;
}

/** Why a node stays; `null`: nothing that was checked speaks against its removal. */
type Objection = Omit<Unremovable, 'node'> | null;

/**
 * Says of a node whether its removal may be simulated, or the first reason why not. In Cluster Autoscaler's order (its
 * scaledown/eligibility, after its candidate processors); these leave nodes of no group and of groups at their minimum
 * out without a word.
 *
 * @param overrides make the check more lenient for nodes that are removed though they are needed.
 */
export function eligibilityOf(node: Node, facts: EligibilityFacts, overrides: EligibilityOverrides = {}): Eligibility {
  const group = facts.groups.get(node.name);
  if (facts.leaving.has(node.name)) {
    const reason = facts.waiting.has(node.name) ? 'ReplacementPending' : 'CurrentlyBeingDeleted';
    return ineligible(node, { reason });
  }
  if (group === undefined) {
    return ineligible(node, { reason: 'NotAutoscaled' });
  }
  const objection = objectionOfGroup(node, group, facts, overrides) ?? objectionOfNode(node, facts, overrides);
  if (objection !== null) {
    return ineligible(node, objection);
  }
  return byUtilization(node, group, facts, overrides);
}

/** The facts that `eligibilityOf` goes by. */
export function eligibilityFacts(context: EligibilityContext): EligibilityFacts {
  const { nodeGroups, state, objects } = context.scenario;
  return {
    ...context,
    groups: groupsByNode(nodeGroups),
    sizes: new Map(
      nodeGroups.map((group) => [group.name, sizeOf(group, context.registry) - replacedWithin(group, state)]),
    ),
    leaving: nodesBeingRemoved(state),
    waiting: waitingNodes(state),
    terminating: new Set(nodeGroups.flatMap(endingNodes)),
    starting: new Set(context.registry.groups.values().flatMap((status) => status.starting)),
    fixed: new Map(
      nodeGroups
        .flatMap(({ instances }) => instances.filter(({ stays }) => stays !== undefined))
        .map(({ node, stays }) => [node, stays] as const),
    ),
    excluded: new Map(objects.excludedNodes.map((one) => [one.node, whyNodeExcluded(one)])),
  };
}

const ineligible = ({ name }: Node, why: Omit<Unremovable, 'node'>): Eligibility => ({
  kind: 'ineligible',
  unremovable: { node: name, ...why },
});

/** Why the node stays for a reason other than its own: it cannot be read, or its whole group stays. */
function objectionOfGroup(
  node: Node,
  group: NodeGroup,
  { scenario, excluded, sizes }: EligibilityFacts,
  { ignoreMinSizeAndReadiness = false }: EligibilityOverrides,
): Objection {
  const unreadable = excluded.get(node.name);
  if (unreadable !== undefined) {
    return { reason: 'Unreadable', message: unreadable };
  }
  if (group.invalid !== null) {
    return { reason: 'UnexpectedError', message: NODE_MESSAGES.invalidGroup(group.name, group.invalid) };
  }
  if (!groupOption(scenario.options, group, 'scaleDownEnabled')) {
    const message = NODE_MESSAGES.scaleDownDisabled(group.name);
    return { reason: 'NodeGroupScaleDownDisabled', message };
  }
  const hold = holdOf(node, group, scenario);
  if (hold !== null || ignoreMinSizeAndReadiness || getExisting(sizes, group.name) > group.minSize) {
    return hold;
  }
  const message = NODE_MESSAGES.groupAtMinimum(group.name, group.minSize, group.scheduledMinimum);
  return { reason: 'NodeGroupMinSizeReached', message };
}

/** Is the node kept from every removal of Outrigger's own, by a hold or an annotation? */
export const isSpared = (node: Node, group: NodeGroup, scenario: Scenario): boolean =>
  holdOf(node, group, scenario) !== null || protectionOf(node, scenario.now) !== null;

/** Why the node stays for a time: the cloud updates its group, a person has paused it, or traffic is shifted away from its zone. */
function holdOf(node: Node, group: NodeGroup, scenario: Scenario): Objection {
  if (isUpdating(group)) {
    const isRefreshed = hasCloudAction(group, 'InstanceRefresh');
    const message = isRefreshed ? NODE_MESSAGES.groupRefreshed(group.name) : NODE_MESSAGES.groupUpdating(group.name);
    return { reason: 'NodeGroupUpdating', message };
  }
  const pause = pauseOf('ScaleDown', group, scenario);
  if (pause !== null) {
    return { reason: 'Paused', message: `${pausedBy(pause)}, ${pausedUntil(pause)}` };
  }
  if (group.paused !== null) {
    return { reason: 'NodeGroupUpdating', message: NODE_MESSAGES.groupPaused(group.name, group.paused) };
  }
  const shift = shiftOf(node, group);
  if (shift !== undefined) {
    return { reason: 'ZonalShift', message: NODE_MESSAGES.zonalShift(shift.zone, shift.until) };
  }
  return null;
}

/** Why the node itself stays, before its pods are considered. */
function objectionOfNode(
  node: Node,
  { scenario, starting, terminating, fixed }: EligibilityFacts,
  { maxUtilization }: EligibilityOverrides,
): Objection {
  const { name } = node;
  const { state, now } = scenario;
  const until = valueOf(state.unremovableUntil, name);
  if (maxUtilization === undefined && until !== undefined && until > now) {
    const message = NODE_MESSAGES.checkedRecently(until);
    return { reason: 'RecentlyUnremovable', message };
  }
  if (node.deletedAt !== null || terminating.has(name) || isRemovalUnderWay(node, now)) {
    return { reason: 'CurrentlyBeingDeleted' };
  }
  const stays = fixed.get(name);
  if (stays !== undefined) {
    return { reason: 'NodeGroupUpdating', message: stays };
  }
  const annotation = protectionOf(node, now);
  if (annotation !== null) {
    return { reason: 'ScaleDownDisabledAnnotation', message: annotation };
  }
  return starting.has(name) ? { reason: 'NotUnneededOtherReason', message: NODE_MESSAGES.starting() } : null;
}

/** Eligible are nodes whose pods request no more than a share of them (`scaleDownUtilizationThreshold`). */
function byUtilization(
  node: Node,
  group: NodeGroup,
  { scenario, snapshot, bound, held }: EligibilityFacts,
  { maxUtilization, ignoreMinSizeAndReadiness = false }: EligibilityOverrides,
): Eligibility {
  const { options, now } = scenario;
  const provider = providerOf(group, scenario);
  const info = snapshot.byName(node.name);
  if (info === undefined) {
    return ineligible(node, { reason: 'UnexpectedError', message: NODE_MESSAGES.notSimulated() });
  }
  const ready = isReady(node, options);
  if (!ready && !options.scaleDownUnreadyEnabled && !ignoreMinSizeAndReadiness) {
    return ineligible(node, { reason: 'ScaleDownUnreadyDisabled' });
  }
  const pods = bound.get(node.name) ?? [];
  const ignored = {
    daemons: groupOption(options, group, 'ignoreDaemonSetsUtilization'),
    mirrors: options.ignoreMirrorPodsUtilization,
  };
  const utilization = utilizationOf(info, pods, ignored, { provider, now });
  if (utilization === null) {
    const message = NODE_MESSAGES.allocatableUnknown();
    return ineligible(node, { reason: 'UnexpectedError', message });
  }
  const { share, resource, shares } = utilization;
  const option = resource === 'gpu' ? 'scaleDownGpuUtilizationThreshold' : 'scaleDownUtilizationThreshold';
  const threshold = maxUtilization ?? groupOption(options, group, option);
  if (share > threshold) {
    const message = NODE_MESSAGES.inUse(resource, share, threshold, holdersOf(node.name, held));
    return ineligible(node, { reason: 'NotUnderutilized', message });
  }
  const used = { ...shares, threshold };
  return { kind: 'eligible', candidate: { node, info, group, ready, utilization: share, used, pods } };
}

/**
 * The size of a group now or after its repairs, whichever is less, without the instances that will not become nodes
 * even so.
 */
export function sizeOf({ name, targetSize }: NodeGroup, { groups }: Registry): number {
  const status = groups.get(name);
  return status === undefined ? targetSize : Math.min(targetSize, status.target) - status.beyondRepair.length;
}
