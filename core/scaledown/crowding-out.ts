import { expendableAmong, isExpendable } from '../model/cluster/expendable.ts';
import { isDaemon, isFinished, type Pod } from '../model/cluster/pod.ts';
import { waitingNodes } from '../model/disruption.ts';
import type { NodeName } from '../model/values/names.ts';
import type { Scenario } from '../model/scenario.ts';

/**
 * For each node an expendable pod that would crowd out other pods if the node were removed. The controllers of
 * expendable pods create them anew, and kube-scheduler puts them onto the first node with capacity: a node launched for
 * the pods of a node that waits for its replacement, which are not pending yet. A pod of these that never preempts does
 * not get the place back, and another node is launched for it, which the expendable pods of the next node take in the
 * same way.
 */
export function crowdingOut(scenario: Pick<Scenario, 'objects' | 'options' | 'state'>): ReadonlyMap<NodeName, Pod> {
  const { objects, options, state } = scenario;
  const waiting = waitingNodes(state);
  const expendable = waiting.size === 0 ? [] : expendableAmong(objects.pods, options);
  const isCrowdedOut = (pod: Pod): boolean =>
    pod.spec.preemptionPolicy === 'Never' && on(waiting, pod) && !isExpendable(pod, options);
  return expendable.length === 0 || !objects.pods.some(isCrowdedOut)
    ? new Map()
    : new Map(
        expendable.flatMap((pod) =>
          pod.nodeName !== null && pod.controller !== null && runs(pod) ? [[pod.nodeName, pod] as const] : [],
        ),
      );
}

const on = (nodes: ReadonlySet<NodeName>, pod: Pod): boolean =>
  pod.nodeName !== null && nodes.has(pod.nodeName) && runs(pod);

const runs = (pod: Pod): boolean => pod.deletedAt === null && !isDaemon(pod) && !isFinished(pod);
