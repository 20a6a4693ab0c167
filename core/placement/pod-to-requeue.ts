import type { RequeuedPod } from '../model/decision.ts';
import type { Node } from '../model/cluster/node.ts';
import { keyOf, type Pod, priorityOf } from '../model/cluster/pod.ts';
import { readable } from '../model/fault.ts';
import type { Scenario } from '../model/scenario.ts';
import { byName } from '../model/values/names.ts';
import { mapOptional } from '../model/values/optional.ts';
import { addTime, type EpochMs, seconds } from '../model/values/time.ts';
import { groupsThatNominate, readySince } from './nodes-awaiting-pods.ts';
import { type PlannedCluster, podsByNode } from './planned-pods.ts';

/** Until then kube-scheduler, which tries a pod again after ten seconds at most, has had its time. */
const ITS_TIME = seconds(20);

/**
 * A pod that could run on an open node, and that kube-scheduler does not try again: it was refused the room there, for instance since
 * another pod was nominated to that node, which has been bound to a different one since. Of that kube-scheduler 1.35 tells no pod
 * that waits; it would try this one again after five minutes, or when something else changes (decision 32). Where nominations are
 * made by Outrigger, the pod of the highest priority is named: with it all others are tried again.
 *
 * Nodes that are still to come or to open are such a change, so this is about a cluster without any.
 *
 * @returns `null` when there is none.
 */
export function podToRequeue(scenario: Scenario, cluster: PlannedCluster): RequeuedPod | null {
  const { objects, now } = scenario;
  if (!cluster.demands.some(({ pods }) => pods.some((pod) => isForgotten(pod, now)))) {
    return null;
  }
  const nominating = groupsThatNominate(scenario);
  const open = objects.nodes.filter((node) => {
    const group = cluster.snapshot.byName(node.name)?.group ?? null;
    return group !== null && nominating.has(group) && readable(() => isOpen(node, now), false);
  });
  const planned = podsByNode(cluster, new Set(open.map(({ name }) => name)));
  const found = [...planned].flatMap(([node, pods]) =>
    pods.filter((pod) => isForgotten(pod, now)).map((pod) => ({ pod: keyOf(pod), node, priority: priorityOf(pod) })),
  );
  const [first] = found.toSorted((a, b) => b.priority - a.priority || byName(a.pod, b.pod));
  return mapOptional(first, ({ pod, node }) => ({ pod, node })) ?? null;
}

/** Was it refused every node so long ago? What is planned on a node waits for one, and is nominated to none. */
const isForgotten = ({ unscheduled }: Pod, now: EpochMs): boolean =>
  unscheduled !== null && isSince(unscheduled.since, now);

/** Has the node been ready for so long? Without upcoming nodes, the nodes with planned pods are open. */
const isOpen = (node: Node, now: EpochMs): boolean => isSince(readySince(node), now);

const isSince = (at: EpochMs | null, now: EpochMs): boolean => at !== null && addTime(at, ITS_TIME) <= now;
