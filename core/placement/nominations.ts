import { firstItem, lastItem } from '../model/values/existing.ts';
import { shareOf } from '../estimator/demand.ts';
import type { Node } from '../model/cluster/node.ts';
import { isHeld } from '../model/cluster/node-condition.ts';
import { type Pod, priorityOf } from '../model/cluster/pod.ts';
import { unboundPods } from '../model/cluster/unbound-pods.ts';
import { about, readable } from '../model/fault.ts';
import type { PodKind } from '../model/snapshot/pod-kind.ts';
import type { NodeInfo } from '../model/snapshot/snapshot.ts';
import type { NodeName } from '../model/values/names.ts';
import { mapOptional } from '../model/values/optional.ts';
import type { Resources } from '../model/values/resources.ts';
import { homeOf } from '../scheduling/cluster-snapshot.ts';
import {
  hasRoom,
  isSpread,
  isSpreadOverHosts,
  isSpreadWide,
  type SchedulableNode,
  schedulableNodesIn,
} from './schedulable-nodes.ts';
import { type PlannedCluster, podsByNode, pendingDemands } from './planned-pods.ts';

/** Pods of one kind that may be nominated to any node; the last ones go first. */
interface Candidates {
  readonly kind: PodKind;
  readonly pods: Pod[];
}

/** No more checks than this are spent on pods that have no place on the node by the plan, in one evaluation. */
const MOST_CHECKS = 100_000;
/** Withdrawn pods may leave capacity to pods that were refused beside them. */
const MOST_PASSES = 3;

/**
 * The pods that are nominated to each node, for nodes that open in this order. First the pods that the plan places on
 * the node. Then, in the remaining capacity of the node, pods without a place, and pods whose place is on a node that
 * opens later, is starting or is still to come: kube-scheduler would put some of them on the node anyway, and the plan
 * would be worth nothing to the pods that lose their capacity. The largest of the highest priority come first. Capacity
 * that is planned for pods which are not in the cluster yet is not given away.
 *
 * A pod is nominated only where kube-scheduler's filters let it onto the node as it is now, or kube-scheduler would
 * drop the nomination and choose any node: closed and starting nodes hold none of their planned pods, and count as
 * empty; upcoming nodes do not count; and any of a node's pods may be tried first. Whether a pod that is spread over
 * zones is let onto a node depends on all others: such a pod is nominated where it may run once all nominated pods run.
 */
export function nominationsTo(cluster: PlannedCluster, nodes: readonly Node[]): ReadonlyMap<NodeName, readonly Pod[]> {
  const { snapshot } = cluster;
  if (nodes.length === 0 || cluster.demands.length === 0) {
    return new Map();
  }
  const held = cluster.objects.nodes.filter((node) => readable(() => isHeld(node), false));
  const candidates = candidatesIn(cluster, held, firstItem(nodes).allocatable);
  snapshot.fork();
  const openings = schedulableNodesIn(cluster, held, nodes);
  const near = nearBound(cluster, openings);
  const nominator: Nominator = { snapshot, scheduler: cluster.scheduler, near, all: new Set(), checks: 0 };
  const independent = candidates.filter(({ kind }) => !isSpreadWide(kind));
  const fill = (among: readonly Candidates[]): void => {
    for (const opening of openings) {
      about({ kind: 'node', node: opening.name }, () => nominateOthers(nominator, opening, among));
    }
  };
  for (const opening of openings) {
    about({ kind: 'node', node: opening.name }, () => {
      nominatePlanned(nominator, opening);
      nominateOthers(nominator, opening, independent);
    });
  }
  withdrawRefused(nominator, openings);
  fill(independent);
  withdrawRefused(nominator, openings);
  fill(candidates);
  snapshot.revert();
  return new Map(openings.map(({ name, nominated }) => [name, [...nominated]]));
}

/** The checks by which nodes take pods, and the nominations so far. */
interface Nominator extends Pick<PlannedCluster, 'snapshot' | 'scheduler'> {
  readonly near: ReadonlyMap<PodKind, ReadonlySet<NodeName>>;
  readonly all: Set<Pod>;
  checks: number;
}

const isTaken = ({ scheduler, near }: Nominator, kind: PodKind, info: NodeInfo): boolean =>
  near.get(kind)?.has(info.name) !== false && scheduler.check(kind, info) === null;

/** The same of a pod that is there. */
function isStillTaken(nominator: Nominator, kind: PodKind, info: NodeInfo): boolean {
  nominator.snapshot.remove(kind, info);
  const taken = isTaken(nominator, kind, info);
  nominator.snapshot.place(kind, info);
  return taken;
}

/** Nominates the pod unless a pod nominated before would then be refused. */
function nominate(
  nominator: Nominator,
  pod: Pod,
  kind: PodKind,
  { info, nominated, spread }: SchedulableNode,
): boolean {
  const { snapshot, all } = nominator;
  snapshot.place(kind, info);
  for (const other of spread) {
    if (!isStillTaken(nominator, other, info)) {
      snapshot.remove(kind, info);
      return false;
    }
  }
  if (isSpreadOverHosts(kind)) {
    spread.add(kind);
  }
  nominated.add(pod);
  all.add(pod);
  return true;
}

/** Pods that are spread over hosts come first; pods that are spread over zones only need capacity for now. */
function nominatePlanned(nominator: Nominator, opening: SchedulableNode): void {
  const left = opening.planned.filter((pod) => !nominator.all.has(pod));
  const overHosts = left.filter(isSpreadOverHosts);
  for (const pod of new Set([...overHosts, ...left.filter(isSpread), ...left])) {
    const kind = nominator.snapshot.kindOf(pod);
    if (isSpreadWide(kind) ? hasRoom(opening.info, kind) : isTaken(nominator, kind, opening.info)) {
      nominate(nominator, pod, kind, opening);
    }
  }
}

function nominateOthers(nominator: Nominator, opening: SchedulableNode, candidates: readonly Candidates[]): void {
  for (const { kind, pods } of candidates) {
    while (pods.length > 0 && hasRoom(opening.info, kind) && nominator.checks < MOST_CHECKS) {
      const pod = lastItem(pods);
      if (!nominator.all.has(pod)) {
        nominator.checks++;
        if (!isTaken(nominator, kind, opening.info) || !nominate(nominator, pod, kind, opening)) {
          break;
        }
      }
      pods.pop();
    }
  }
}

/** Withdraws nominations of pods that are spread over zones and refused now that other pods are nominated. */
function withdrawRefused(nominator: Nominator, openings: readonly SchedulableNode[]): void {
  const { snapshot, all } = nominator;
  for (let pass = 0, found = true; found && pass < MOST_PASSES; pass++) {
    found = false;
    for (const { info, nominated } of openings) {
      for (const pod of nominated) {
        const kind = snapshot.kindOf(pod);
        if (isSpreadWide(kind) && !isStillTaken(nominator, kind, info)) {
          snapshot.remove(kind, info);
          nominated.delete(pod);
          all.delete(pod);
          found = true;
        }
      }
    }
  }
}

/**
 * For each kind of pod with pod affinity, the nodes that take it if only bound pods count: a pod that is nominated
 * elsewhere may still go to another zone. Empty where no pod is nominated.
 */
function nearBound(
  { snapshot, scheduler, objects, demands }: PlannedCluster,
  openings: readonly SchedulableNode[],
): ReadonlyMap<PodKind, ReadonlySet<NodeName>> {
  const following = demands.filter(({ kind }) => kind.spec.podAffinity.length > 0);
  if (following.length === 0) {
    return new Map();
  }
  const nominated = unboundPods(objects.pods).filter((pod) => homeOf(pod) !== null);
  if (nominated.length === 0) {
    return new Map();
  }
  snapshot.fork();
  for (const pod of nominated) {
    const kind = snapshot.kindOf(pod);
    const info = mapOptional(homeOf(pod), (home) => snapshot.byName(home));
    if (info?.pods.has(kind) === true) {
      snapshot.remove(kind, info);
    }
  }
  const near = following.map(({ kind }) => {
    const taking = openings.filter(({ info }) => scheduler.check(kind, info) === null);
    return [kind, new Set(taking.map(({ name }) => name))] as const;
  });
  snapshot.revert();
  return new Map(near);
}

/**
 * The pending pods, the largest of the highest priority first. Pods whose place is on an open node come last of their
 * priority: they may be nominated, but kube-scheduler prefers the emptier node.
 */
function candidatesIn(cluster: PlannedCluster, held: readonly Node[], allocatable: Resources): readonly Candidates[] {
  const closed = new Set(held.map(({ name }) => name));
  const open = new Set(cluster.objects.nodes.map(({ name }) => name)).difference(closed);
  const settled = new Set([...podsByNode(cluster, open).values()].flat());
  const rows = pendingDemands(cluster).flatMap(({ kind, pods }) => {
    const size = shareOf(kind, allocatable);
    return [false, true].map((isSettled) => ({
      kind,
      pods: pods.filter((pod) => settled.has(pod) === isSettled),
      isSettled,
      size,
    }));
  });
  return rows.toSorted(
    (a, b) =>
      priorityOf(b.kind) - priorityOf(a.kind) ||
      Number(a.isSettled) - Number(b.isSettled) ||
      b.size - a.size ||
      a.kind.id - b.kind.id,
  );
}
