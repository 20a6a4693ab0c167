import { keyOf, type Pod } from '../../core/model/cluster/pod.ts';
import type { Scenario } from '../../core/model/scenario.ts';
import type { InstanceId, NodeName } from '../../core/model/values/names.ts';
import { type EpochMs, seconds } from '../../core/model/values/time.ts';
import type { SimulatedWorld } from '../../providers/simulated/world.ts';
import type { Stage } from './invariants/invariant.ts';
import { isWaiting } from './truth.ts';

/** From the read of the cluster to the decision that comes of it, when every call is slow. */
export const READ_AGE_MS = seconds(60);

/**
 * Leaves out of what a decision was made from whatever was not so in the world when it can have been read: pods that did
 * not wait, or were not on their node; evictions that nobody has asked for; removals that nobody has
 * ordered, and no cloud has announced. What is
 * missing is not added: that would excuse more.
 */
export function watchWhatIsSo({
  world,
  orders,
  announcements,
}: Pick<Stage, 'world' | 'orders' | 'announcements'>): (seen: Scenario) => Scenario {
  const waited = new Map<string, EpochMs>();
  const was = new Map<string, EpochMs>();
  const evicted = new Set<string>();
  const instances = watchInstances(world);
  const { api, clock } = world;
  const on = ({ uid, nodeName }: Pod): string => `${uid} ${nodeName}`;
  const left = (pod: Pod): void => {
    if (isWaiting(pod)) {
      waited.set(pod.uid, clock.now());
    }
    if (pod.nodeName !== null) {
      was.set(on(pod), clock.now());
    }
  };
  api.watch({
    pod: (pod, before) => {
      if (before !== null && isWaiting(before) && !isWaiting(pod)) {
        waited.set(pod.uid, clock.now());
      }
      if (pod.deletedAt !== null) {
        evicted.add(pod.uid);
      }
    },
    podDeleted: (pod) => {
      left(pod);
      // It has gone by itself while it was asked to go, or with its node.
      evicted.add(pod.uid);
    },
  });
  const isLate = (time: EpochMs | undefined): boolean => time !== undefined && clock.now() - time <= READ_AGE_MS;
  const isSo = (pod: Pod): boolean => {
    const now = api.pods.get(keyOf(pod));
    const isThere = now?.uid === pod.uid;
    if (isThere && now.spec.priority !== pod.spec.priority) {
      return false;
    }
    if (pod.nodeName === null) {
      return !isWaiting(pod) || (isThere && isWaiting(now)) || isLate(waited.get(pod.uid));
    }
    return (isThere && now.nodeName === pod.nodeName) || isLate(was.get(on(pod)));
  };
  return (seen) => ({
    ...seen,
    objects: { ...seen.objects, pods: seen.objects.pods.filter(isSo) },
    state: {
      ...seen.state,
      deletionsInProgress: seen.state.deletionsInProgress.filter(({ node }) =>
        (instances.get(node) ?? []).some(
          (instance) => orders.removalsOf(instance) > 0 || announcements.of(instance).length > 0,
        ),
      ),
      recentEvictions: seen.state.recentEvictions.filter(({ uid }) => evicted.has(uid)),
    },
  });
}

/** The instances that nodes have been on: those that were there at the start, and those that came. */
function watchInstances({ scaling, onEvent }: Pick<SimulatedWorld, 'scaling' | 'onEvent'>) {
  const instances = new Map<NodeName, InstanceId[]>();
  const note = (node: NodeName | null, instance: InstanceId): void => {
    if (node !== null) {
      instances.set(node, [...(instances.get(node) ?? []), instance]);
    }
  };
  scaling.groups().forEach((view) => view.instances.forEach(({ node, id }) => note(node, id)));
  onEvent((event) => {
    if (event.kind === 'NodeRegistered') {
      note(event.node, event.instance);
    }
  });
  return instances;
}
