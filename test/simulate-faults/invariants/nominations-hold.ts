import { AWAITING_PODS_TAINT, type Node } from '../../../core/model/cluster/node.ts';
import { isBeingRemoved } from '../../../core/model/cluster/removal-taints.ts';
import { isDaemon, keyOf, type Pod } from '../../../core/model/cluster/pod.ts';
import type { NodeName, PodKey } from '../../../core/model/values/names.ts';
import { type EpochMs, minutes } from '../../../core/model/values/time.ts';
import { isSimulatedNodeReady } from '../../../simulation/cluster/node-readiness.ts';
import type { Invariant } from './invariant.ts';

/** A node opens immediately after its nominations. If that failed for so long, plans made since have nominated others. */
const PLAN_MS = minutes(1);

/**
 * A pod is nominated only to a node that fits it: when the node opens, kube-scheduler tries the node first and places
 * the pod. Exception: the capacity was taken in the meantime by a pod (not of a DaemonSet) that tolerates the taint, or
 * by any pod if another function opened the node before the nomination.
 */
export const nominationsHold: Invariant = {
  name: 'a nominated pod has its place on its node',
  watch: ({ scenario, world: { api, clock } }, violate, count) => {
    /** When the present nominations were made. */
    const nominatedAt = new Map<PodKey, EpochMs>();
    /** Nodes with pods that were not nominated to them, or with nominations made while the node was open. */
    const shared = new Set<NodeName>();
    const note = (pod: Pod, before: Pod | null): void => {
      const nominated = before?.nominatedNodeName ?? null;
      const comes = pod.nodeName !== null && before?.nodeName !== pod.nodeName;
      if (comes && nominated !== pod.nodeName && !isDaemon(pod)) {
        shared.add(pod.nodeName);
      }
      if (pod.nominatedNodeName === nominated) {
        return;
      }
      const key = keyOf(pod);
      const isOfThisPlan = clock.now() - (nominatedAt.get(key) ?? clock.now()) <= PLAN_MS;
      nominatedAt.set(key, clock.now());
      const target = pod.nominatedNodeName === null ? undefined : api.nodes.get(pod.nominatedNodeName);
      if (target !== undefined && isOpen(target)) shared.add(target.name);
      // A late request of a process that has died may nominate the pod to another node: no answer of kube-scheduler.
      const isAnswer = pod.nominatedNodeName === null || pod.nodeName !== null;
      const node = nominated === null || !isAnswer ? undefined : api.nodes.get(nominated);
      if (node === undefined || pod.deletedAt !== null || !isOpen(node)) {
        return;
      }
      const holds = pod.nodeName === node.name;
      const isArmed = isOfThisPlan && !shared.has(node.name);
      count(isArmed);
      if (!holds && isArmed) {
        violate(`${key} was nominated to ${node.name}, which is open and does not take it`);
      }
    };
    if (scenario.drawn.includes('plannedPlacement')) {
      api.watch({ pod: note, nodeDeleted: ({ name }) => shared.delete(name) });
    }
    return {};
  },
};

const isOpen = (node: Node): boolean =>
  isSimulatedNodeReady(node) &&
  !node.unschedulable &&
  !isBeingRemoved(node) &&
  !node.taints.some(({ key }) => key === AWAITING_PODS_TAINT);
