import type { Node } from '@outrigger/core/model/cluster/node.ts';
import { podRequests } from '@outrigger/core/model/cluster/pod-requests.ts';
import { isDaemon, isFinished, isMirror, type Pod } from '@outrigger/core/model/cluster/pod.ts';
import type { NodeInfo, Snapshot } from '@outrigger/core/model/snapshot/snapshot.ts';
import { getOrMake } from '@outrigger/core/model/values/get-or-make.ts';
import { byName, type NodeName } from '@outrigger/core/model/values/names.ts';
import { CPU, MEMORY } from '@outrigger/core/model/values/resources.ts';
import { boundPods } from '@outrigger/core/scaledown/bound-pods.ts';
import { clusterSnapshot } from '@outrigger/core/scheduling/cluster-snapshot.ts';
import { createScheduler, type Scheduler } from '@outrigger/core/scheduling/scheduler.ts';
import type { ApiServer } from '../cluster/api-server.ts';
import { isSimulatedNodeReady, NOT_READY_TAINT } from '../cluster/node-readiness.ts';
import type { Fleet } from './fleet.ts';
import { daemonPodsOn, type InstanceOffering } from './offerings.ts';

/** The cluster as Karpenter plans for it: without the nodes that leave, with the nodes that are launched. */
export interface PlanView {
  readonly snapshot: Snapshot;
  readonly scheduler: Scheduler;
  /** Nodes that take pods: those that are ready first, then by name. */
  readonly existing: readonly NodeInfo[];
  readonly ready: ReadonlySet<NodeInfo>;
  /** Pods that want a node, the largest first: pending pods, and pods of nodes that leave. */
  readonly waiting: readonly Pod[];
  readonly podsOn: (node: NodeName) => readonly Pod[];
  /** The pods of DaemonSets on a new node. */
  readonly daemonsOf: (offering: InstanceOffering) => readonly Pod[];
}

export function planView(
  api: Pick<ApiServer, 'objects'>,
  { upcoming }: Pick<Fleet, 'upcoming'>,
  leaving: ReadonlySet<NodeName>,
): PlanView {
  const objects = api.objects();
  const bound = boundPods(objects.pods);
  const nodes = objects.nodes.filter(({ name }) => !leaving.has(name)).map(withoutStartup);
  const known = new Map<string, readonly Pod[]>();
  const daemonsOf = ({ group, nodeNamed }: InstanceOffering): readonly Pod[] =>
    getOrMake(known, group, () => daemonPodsOn(nodeNamed('template' as NodeName), objects.controllers));
  const daemons = upcoming.flatMap(({ offering }) => daemonsOf(offering));
  const snapshot = clusterSnapshot({ ...objects, nodes }, daemons);
  for (const { name, offering } of upcoming) {
    const info = snapshot.addNode(offering.nodeNamed(name), null);
    daemonsOf(offering).forEach((pod) => snapshot.place(snapshot.kindOf(pod), info));
  }
  const ready = new Set(objects.nodes.filter(isSimulatedNodeReady).flatMap(({ name }) => snapshot.byName(name) ?? []));
  const moving = [...leaving].flatMap((node) => (bound.get(node) ?? []).filter(isMovable).map(unbound));
  return {
    snapshot,
    scheduler: createScheduler(snapshot, objects),
    existing: snapshot.nodes
      .filter((info) => info !== null)
      .toSorted((a, b) => Number(ready.has(b)) - Number(ready.has(a)) || byName(a.name, b.name)),
    ready,
    waiting: inOrder([...objects.pods.filter(isProvisionable), ...moving]),
    podsOn: (node) => bound.get(node) ?? [],
    daemonsOf,
  };
}

/** Karpenter reckons with the pods that a node takes once it is ready. */
function withoutStartup(node: Node): Node {
  if (node.taints.some(({ key }) => key === NOT_READY_TAINT.key)) {
    return { ...node, taints: node.taints.filter(({ key }) => key !== NOT_READY_TAINT.key) };
  }
  return node;
}

export const isProvisionable = (pod: Pod): boolean =>
  pod.nodeName === null &&
  pod.nominatedNodeName === null &&
  pod.deletedAt === null &&
  pod.unscheduled?.reason === 'Unschedulable' &&
  !isDaemon(pod);

/** A pod that needs another node when its node is ended. */
export const isMovable = (pod: Pod): boolean =>
  !isDaemon(pod) && !isMirror(pod) && !isFinished(pod) && pod.deletedAt === null;

export const unbound = (pod: Pod): Pod => ({ ...pod, nodeName: null, phase: 'Pending', startedAt: null, ready: false });

/** Karpenter's queue: by CPU, then memory, then age. */
export const inOrder = (pods: readonly Pod[]): readonly Pod[] =>
  pods.toSorted(
    (a, b) =>
      amountOf(b, CPU) - amountOf(a, CPU) ||
      amountOf(b, MEMORY) - amountOf(a, MEMORY) ||
      (a.createdAt ?? 0) - (b.createdAt ?? 0) ||
      byName(a.uid, b.uid),
  );

const amountOf = (pod: Pod, resource: string): number => podRequests(pod)[resource] ?? 0;
