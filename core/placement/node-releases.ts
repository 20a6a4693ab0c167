import { getExisting, getOwn } from '../model/values/existing.ts';
import { shareOf } from '../estimator/demand.ts';
import type { NodeRelease } from '../model/decision.ts';
import { about, readable } from '../model/fault.ts';
import { AWAITING_PODS_TAINT, type Node, ZONE_LABEL } from '../model/cluster/node.ts';
import { daemonSetsAmong } from '../model/cluster/controller-lists.ts';
import { podRequests } from '../model/cluster/pod-requests.ts';
import type { PodKind } from '../model/snapshot/pod-kind.ts';
import { valueOf } from '../model/values/records.ts';
import { isHeld } from '../model/cluster/node-condition.ts';
import { controllerKeyOf, keyOf, type Pod } from '../model/cluster/pod.ts';
import type { NodeName } from '../model/values/names.ts';
import type { ClusterObjects, Scenario } from '../model/scenario.ts';
import type { EpochMs } from '../model/values/time.ts';
import { sortedBy } from '../model/values/sorted.ts';
import { daemonsOf } from '../nodegroups/daemon-pods.ts';
import { homeOf } from '../scheduling/cluster-snapshot.ts';
import { toleratesAll } from '../scheduling/tolerations.ts';
import {
  groupsThatNominate,
  hasWaited,
  isReadyButAwaitingPods,
  isOverdue,
  withoutAwaitingPodsTaint,
} from './nodes-awaiting-pods.ts';
import { nominationsTo } from './nominations.ts';
import { hasRoom, isSpreadWide, type SchedulableNode, schedulableNodesIn } from './schedulable-nodes.ts';
import { type PlannedCluster, podsByNode } from './planned-pods.ts';

/** Decisions about the nodes that await their pods. */
interface Releases {
  readonly releases: readonly NodeRelease[];
  /** Nodes that stay closed until their devices are announced, by name. */
  readonly awaitingDevices: readonly NodeName[];
}

const NONE: Releases = { releases: [], awaitingDevices: [] };

/**
 * The nodes to release, and the pods that are nominated to each: the pods that the plan of this evaluation places on
 * the node. Of pods of one kind the first ones by name come first. A pod is nominated only where kube-scheduler's
 * filters let it onto the node as it really is, beside its own pods and the DaemonSet pods that are still to come.
 *
 * A node is released even if no pod is nominated to it, as where the option is off for its group, or the node has no
 * group. Nodes are opened in this order (`firstToOpen`); nodes whose pods are spread over zones and may be refused now
 * are opened later (`orderDependent`).
 *
 * A node with planned pods that ask for devices stays closed until the devices are announced (`awaitsDevices`), or the
 * node has been ready for too long.
 *
 * The snapshot is left as it is.
 */
export function nodeReleasesOf(scenario: Scenario, cluster: PlannedCluster): Releases {
  const { objects, options } = scenario;
  const nodes = objects.nodes.filter((node) => isReadyButAwaitingPods(node, options));
  if (nodes.length === 0) {
    return NONE;
  }
  const planned = podsByNode(cluster, new Set(nodes.map(({ name }) => name)));
  const nominating = groupsThatNominate(scenario);
  const awaitingDevices: NodeName[] = [];
  const openings = sortedBy(nodes, ({ name }) => name).flatMap((node): readonly ReleaseCandidate[] => {
    const info = cluster.snapshot.byName(node.name);
    const nominates = info !== undefined && info.group !== null && nominating.has(info.group) && !isHeld(info.node);
    const pods = nominates ? (planned.get(node.name) ?? []) : [];
    return about({ kind: 'node', node: node.name }, () => {
      if (!isOverdue(node, scenario.now) && waitsForDevices(node, pods, objects)) {
        awaitingDevices.push(node.name);
        return [];
      }
      return [{ node, nominates, pods }];
    });
  });
  const first = firstToOpen(openings, cluster, scenario.now);
  return { releases: nominated(withoutUncertain(first, cluster, scenario.now), cluster), awaitingDevices };
}

/** The nodes with the pods that are nominated to each; those without any are last. */
function nominated(openings: readonly ReleaseCandidate[], cluster: PlannedCluster): readonly NodeRelease[] {
  const nominating = openings.filter(({ nominates }) => nominates).map(({ node }) => node);
  const to = nominationsTo(cluster, nominating);
  const releases = openings.map(({ node: { name } }) => ({ node: name, pods: (to.get(name) ?? []).map(keyOf) }));
  return [...releases.filter(({ pods }) => pods.length > 0), ...releases.filter(({ pods }) => pods.length === 0)];
}

/** Without those that are left to a later evaluation for their pods that are spread over zones, for a while. */
function withoutUncertain(
  openings: readonly ReleaseCandidate[],
  cluster: PlannedCluster,
  now: EpochMs,
): readonly ReleaseCandidate[] {
  const waiting = openings.filter(({ node, nominates }) => nominates && !hasWaited(node, now));
  const later = orderDependent(
    cluster,
    waiting.map(({ node }) => node),
  );
  return openings.filter(({ node }) => !later.has(node.name));
}

/** A node that may be opened, and its planned pods. */
interface ReleaseCandidate {
  readonly node: Node;
  /** Whether pods may be nominated to it. */
  readonly nominates: boolean;
  readonly pods: readonly Pod[];
}

/** Up to this many nodes with pods open at once; of more nodes, a part is left to the next evaluation. */
const AT_ONCE = 4;
/** The part of more nodes that is. */
const LEFT = 1 / 4;

/**
 * Nodes with the largest pods come first, those without pods last; and of many nodes with pods only the first three quarters are
 * named, and those that wait for nothing or have waited for long: the next evaluation follows at once. kube-scheduler does not follow each
 * nomination, and the nodes that are still closed then, whose pods fit in elsewhere most easily, make up for what went another way.
 */
function firstToOpen(
  openings: readonly ReleaseCandidate[],
  { snapshot }: Pick<PlannedCluster, 'snapshot'>,
  now: EpochMs,
): readonly ReleaseCandidate[] {
  const taking = openings.filter(({ pods }) => pods.length > 0);
  const largest = new Map(
    taking.map((opening) => [
      opening,
      Math.max(...opening.pods.map((pod) => shareOf(snapshot.kindOf(pod), opening.node.allocatable))),
    ]),
  );
  const ordered = [
    ...taking.toSorted((a, b) => getExisting(largest, b) - getExisting(largest, a)),
    ...openings.filter(({ pods }) => pods.length === 0),
  ];
  const part = taking.length > AT_ONCE ? Math.ceil(taking.length * (1 - LEFT)) : ordered.length;
  return ordered.filter(({ node, nominates }, i) => i < part || !nominates || hasWaited(node, now));
}

/**
 * The nodes that are better opened later, since pods that are spread over zones and planned on them may be refused:
 * kube-scheduler tries pods in an order that is not known, and their zone may be ahead of the others by then. Pods
 * planned in the same zone are assumed to come before such a pod, and pods planned in other zones after it. Once the
 * certain pods have their nodes, the remaining pods are planned anew.
 *
 * Never all of the nodes: if no node is certain, waiting does not help.
 */
function orderDependent(cluster: PlannedCluster, nodes: readonly Node[]): ReadonlySet<NodeName> {
  const { snapshot, objects } = cluster;
  const planned = podsByNode(cluster, new Set(nodes.map(({ name }) => name)));
  const found = new Set<NodeName>();
  if (![...planned.values()].some((pods) => pods.some(isSpreadWide))) {
    return found;
  }
  const held = objects.nodes.filter((node) => readable(() => isHeld(node), false));
  for (const own of Map.groupBy(nodes, ({ labels }) => labels[ZONE_LABEL]).values()) {
    snapshot.fork();
    for (const opening of schedulableNodesIn(cluster, held, own)) {
      about({ kind: 'node', node: opening.name }, () => {
        if (!takesAll(cluster, opening)) {
          found.add(opening.name);
        }
      });
    }
    snapshot.revert();
  }
  return found.size < nodes.length ? found : new Set();
}

/** Does the node take all its planned pods? If so, the pods are placed on the node, else none is. */
function takesAll({ snapshot, scheduler }: PlannedCluster, { info, planned }: SchedulableNode): boolean {
  const kinds = planned.map((pod) => snapshot.kindOf(pod));
  const placed: PodKind[] = [];
  for (const kind of kinds.toSorted((a, b) => Number(isSpreadWide(a)) - Number(isSpreadWide(b)))) {
    if (isSpreadWide(kind) && scheduler.check(kind, info) !== null) {
      placed.forEach((one) => snapshot.remove(one, info));
      return false;
    }
    if (hasRoom(info, kind)) {
      snapshot.place(kind, info);
      placed.push(kind);
    }
  }
  return true;
}

/**
 * Does the node still await devices for its planned pods? A pod asks for a resource that another node of the group has,
 * and this node does not have yet: device plugins announce devices some time after the node is ready. Not where a
 * DaemonSet waits for the taint to go, which may be the plugin itself.
 */
const waitsForDevices = (
  node: Node,
  planned: readonly Pod[],
  objects: Pick<ClusterObjects, 'controllers' | 'pods'>,
): boolean => planned.some((pod) => lacksAllOfOne(node, pod)) && !keepsDaemonsOff(node, objects);

/** Has the node nothing at all of a resource that the pod asks for? */
function lacksAllOfOne({ allocatable }: Node, pod: Pod): boolean {
  const requests = podRequests(pod);
  for (const name in requests) {
    if (getOwn(requests, name) > 0 && !((valueOf(allocatable, name) ?? 0) > 0)) {
      return true;
    }
  }
  return false;
}

/** Is there a DaemonSet whose pod comes to the node only without the taint that awaits pods? */
function keepsDaemonsOff(node: Node, { controllers, pods }: Pick<ClusterObjects, 'controllers' | 'pods'>): boolean {
  const daemonSets = daemonSetsAmong(controllers);
  if (daemonSets.length === 0) {
    return false;
  }
  const there = new Set(pods.filter((pod) => homeOf(pod) === node.name).map(controllerKeyOf));
  const own = node.taints.filter(({ key }) => key === AWAITING_PODS_TAINT);
  return daemonsOf(withoutAwaitingPodsTaint(node), [], daemonSets).some(
    ({ pod, key }) => (key === null || !there.has(key)) && !toleratesAll(pod.spec.tolerations, own),
  );
}
