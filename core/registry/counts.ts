import { getExisting } from '../model/values/existing.ts';
import { valueOf } from '../model/values/records.ts';
import { about } from '../model/fault.ts';
import { awaitsDevices, nodesWithPublishedDevices } from '../model/accelerators.ts';
import { awaitsDrivers, csiNodesByName, requiredDrivers } from '../model/csi-drivers.ts';
import type { InstanceId, NodeName } from '../model/values/names.ts';
import type { Node } from '../model/cluster/node.ts';
import {
  endingNodes,
  groupOption,
  heldInstances,
  type Instance,
  type InstanceError,
  type LaunchFailure,
  type NodeGroup,
} from '../model/node-group.ts';
import { isStopped } from '../model/cluster/node-condition.ts';
import { isBeingRemoved } from '../model/cluster/removal-taints.ts';
import { type ProviderName, providerOf } from '../model/provider.ts';
import type { Scenario } from '../model/scenario.ts';
import type { EpochMs } from '../model/values/time.ts';
import { isStarting, type Readiness, readinessOf } from './readiness.ts';

/** An instance that the cloud created with an error: it will not register as a node. */
interface ErroredInstance extends Instance {
  readonly error: InstanceError;
}

/** The nodes of one group by readiness, and its instances that are no nodes. */
export interface GroupCounts {
  readonly nodes: Readonly<Record<Readiness, readonly NodeName[]>>;
  readonly registered: number;
  readonly unregistered: readonly Instance[];
  readonly longUnregistered: readonly Instance[];
  readonly errored: readonly ErroredInstance[];
  /** Instances that the cloud did not create; the target size counts them. */
  readonly launchFailures: readonly LaunchFailure[];
  /**
   * Nodes that are not upcoming and whose instances are being terminated: the target does not count them any more.
   */
  readonly leaving: number;
}

/** Number of instances that the target size counts and that will not become nodes. */
export const givenUp = ({ errored, launchFailures }: GroupCounts): number =>
  errored.filter(({ node }) => node === null).length + launchFailures.length;

/**
 * Instances that will not become nodes, and that cannot be terminated, as others would come in their place. The target
 * goes on counting them.
 */
export const beyondRepair = ({ errored, longUnregistered }: GroupCounts): readonly Instance[] =>
  [...errored, ...longUnregistered].filter((instance) => !mayEnd(instance));

/** The instance can be taken out of its group. */
export const mayEnd = ({ stays }: Pick<Instance, 'stays'>): boolean => stays === undefined;

/** Every failure of a group: of instances with an error, then of launches without an instance. */
export const failuresOf = ({ errored, launchFailures }: GroupCounts): readonly LaunchFailure[] => [
  ...errored.map(({ id, zone, error }) => ({ id, zone, ...error })),
  ...launchFailures,
];

/** The number of nodes that the target counts and that are not upcoming. */
export const settledNodes = ({ nodes, longUnregistered, leaving }: GroupCounts): number =>
  nodes.Ready.length + nodes.Unready.length + nodes.Suspended.length + longUnregistered.length - leaving;

/** The counts of a group without nodes and instances, but for failed launches. */
const NONE: Omit<GroupCounts, 'launchFailures'> = Object.freeze({
  nodes: Object.freeze({ Deleted: [], Suspended: [], Ready: [], NotStarted: [], Unready: [] }),
  registered: 0,
  unregistered: [],
  longUnregistered: [],
  errored: [],
  leaving: 0,
});

/**
 * Is the node that of an instance which the group's latest scale-up has taken from the warm pool? It exists from before
 * the instance was stopped, and is not ready until the instance is up again.
 */
function startsAgain(node: Node, group: NodeGroup, { options, state, now }: Scenario): boolean {
  const asked = valueOf(state.groups, group.name)?.lastScaleUp ?? null;
  return (
    group.warmPool !== undefined &&
    isStopped(node) &&
    asked !== null &&
    now - asked < groupOption(options, group, 'maxNodeStartupTime')
  );
}

/**
 * Counts one group. Follows `updateReadinessStats` of Cluster Autoscaler's clusterstate.go.
 *
 * @param nodes all nodes of the cluster, by name.
 * @param unregisteredSince when each instance without a node was first seen (`updateUnregistered`).
 */
export function countGroup(
  group: NodeGroup,
  nodes: ReadonlyMap<NodeName, Node>,
  unregisteredSince: ReadonlyMap<InstanceId, EpochMs>,
  scenario: Scenario,
): GroupCounts {
  if (group.nodes.length === 0 && group.instances.length === 0) {
    // Most groups of most clusters are at zero.
    return { ...NONE, launchFailures: group.launchFailures };
  }
  const { objects, options, now } = scenario;
  const provider = providerOf(group, scenario);
  const excluded = new Set(objects.excludedNodes.map((one) => one.node));
  const known = new Set(group.instances.map(({ node }) => node));
  const ending = new Set(endingNodes(group));
  const template = group.template?.node ?? null;
  const byReadiness: Record<Readiness, NodeName[]> = {
    Deleted: [],
    Suspended: [],
    Ready: [],
    NotStarted: [],
    Unready: [],
  };
  const startupTime = groupOption(options, group, 'maxNodeStartupTime');
  const published = nodesWithPublishedDevices(objects.resourceSlices);
  const required = requiredDrivers(objects.csiDrivers);
  const awaits = (node: Node): boolean =>
    (!published.has(node.name) && awaitsDevices(node, template, provider)) ||
    (required.size > 0 && awaitsDrivers(node.name, group.nodes, required, csiNodesByName(objects.csiNodes)));
  let registered = 0;
  for (const name of group.nodes) {
    const node = nodes.get(name);
    if (node !== undefined) {
      about({ kind: 'node', node: name }, () => {
        const support = { deleted: isDeleted(node, known.has(name), provider), equipped: !awaits(node) };
        const readiness = readinessOf(node, support, isStarting(node, startupTime, now), options);
        byReadiness[readiness === 'Unready' && startsAgain(node, group, scenario) ? 'NotStarted' : readiness].push(
          name,
        );
      });
      registered += 1;
    } else if (excluded.has(name)) {
      // An unreadable node has registered all the same, and its group is not short of a node.
      byReadiness.Ready.push(name);
      registered += 1;
    }
  }
  const provisionTime = groupOption(options, group, 'maxNodeProvisionTime');
  const isLong = ({ id }: Instance): boolean => getExisting(unregisteredSince, id) + provisionTime < now;
  const awaited = heldInstances(group).filter(({ id }) => unregisteredSince.has(id));
  return {
    nodes: byReadiness,
    registered,
    unregistered: awaited.filter((instance) => !isLong(instance)),
    longUnregistered: awaited.filter(isLong),
    errored: group.instances.filter(isErrored),
    launchFailures: group.launchFailures,
    leaving: [...byReadiness.Ready, ...byReadiness.Unready, ...byReadiness.Suspended].filter((name) => ending.has(name))
      .length,
  };
}

const isErrored = (instance: Instance): instance is ErroredInstance =>
  instance.state === 'Creating' && instance.error !== null;

/**
 * On AWS a node whose instance is not in the cloud's list may simply be ahead of that list: it counts as deleted only
 * once it bears the taint of a removal.
 */
function isDeleted(node: Node, known: boolean, provider: ProviderName): boolean {
  return !known && (provider !== 'aws' || isBeingRemoved(node));
}

/**
 * When each instance without a node was first seen. Instances that registered, are gone or will not register
 * (`expectedToRegister`) are forgotten. Instances to be terminated are kept: if the termination is
 * refused, the instance keeps its age.
 */
export function updateUnregistered({ nodeGroups, objects, state, now }: Scenario): Map<InstanceId, EpochMs> {
  const registered = new Set([
    ...objects.nodes.map(({ name }) => name),
    ...objects.excludedNodes.map(({ node }) => node),
  ]);
  const since = new Map<InstanceId, EpochMs>();
  for (const group of nodeGroups) {
    for (const instance of group.instances) {
      const { id, node } = instance;
      if (!isErrored(instance) && (node === null || !registered.has(node))) {
        since.set(id, valueOf(state.unregisteredSince, id) ?? now);
      }
    }
  }
  return since;
}
