import { isDaemon, isFinished, keyOf, type Pod } from '../../../core/model/cluster/pod.ts';
import { isBeingRemoved } from '../../../core/model/cluster/removal-taints.ts';
import type { GroupName, InstanceId, NodeName, PodKey } from '../../../core/model/values/names.ts';
import { isNodeReady } from '../../../providers/simulated/node-readiness.ts';
import { nodeUnits } from '../node-sizes.ts';
import { isOf, poolOfNode } from '../pools.ts';
import { isWaiting, takenBy, unitsOf } from '../truth.ts';
import type { Stage, Watch } from './invariant.ts';

export interface Strayed extends Required<Pick<Watch, 'committed' | 'event'>> {
  /** Of an instance that is removed. */
  readonly isTaken: (instance: InstanceId) => boolean;
}

const NONE: ReadonlySet<PodKey> = new Set();

/**
 * Watches for nodes that were bought for pods that wait, and on which kube-scheduler has put pods that came later and had room on other nodes:
 * when more was bought in their pool, one for which the node was bought still waited, and had room there but for these. Another node
 * has to be bought for it, and the first one is needed no more than the pods that came to it need it. So it goes with a pod that
 * tolerates the taint of a node which is not ready.
 */
export function watchStrayed({
  scenario: { pools },
  world: { api },
}: {
  readonly scenario: Pick<Stage['scenario'], 'pools'>;
  readonly world: { readonly api: Pick<Stage['world']['api'], 'nodes' | 'pods'> };
}): Strayed {
  /** The pods that waited when each group was last raised, and when it was for each instance. */
  const raised = new Map<GroupName, ReadonlySet<PodKey>>();
  const boughtFor = new Map<InstanceId, ReadonlySet<PodKey>>();
  const instances = new Map<NodeName, InstanceId>();
  const strayed = new Map<InstanceId, Set<PodKey>>();
  const taken = new Set<InstanceId>();
  const podsOn = (name: NodeName): readonly Pod[] =>
    [...api.pods.values()].filter((pod) => pod.nodeName === name && !isDaemon(pod) && !isFinished(pod));
  /** The units that a node has left beside its pods of which this is true. */
  const roomOn = (name: NodeName, counts: (pod: Pod) => boolean = () => true): number => {
    const node = api.nodes.get(name);
    const pool = poolOfNode(pools, node);
    const used = podsOn(name).filter(counts);
    return node === undefined || pool === undefined
      ? 0
      : used.reduce((room, pod) => room - takenBy(pod), nodeUnits(pool, node));
  };
  const hasRoomElsewhere = (pod: Pod, on: NodeName): boolean =>
    pod.spec.topologySpread.length === 0 &&
    [...api.nodes.values()].some(
      (node) =>
        node.name !== on &&
        poolOfNode(pools, node) === poolOfNode(pools, api.nodes.get(on)) &&
        isNodeReady(node) &&
        !isBeingRemoved(node) &&
        !node.unschedulable &&
        roomOn(node.name) >= unitsOf(pod),
    );
  /** Of a node that is there: is there a pod that waits for it still, and would have its room but for those that strayed there? */
  const hasTaken = (name: NodeName, instance: InstanceId): boolean => {
    const own = strayed.get(instance) ?? NONE;
    const room = { now: roomOn(name), before: roomOn(name, (pod) => !own.has(keyOf(pod))) };
    return [...(boughtFor.get(instance) ?? NONE)].some((key) => {
      const pod = api.pods.get(key);
      return pod !== undefined && isWaiting(pod) && unitsOf(pod) > room.now && unitsOf(pod) <= room.before;
    });
  };
  return {
    committed: ({ intents }) => {
      for (const intent of intents) {
        const pool = pools.find(({ groups }) => groups.includes(intent.group));
        if (intent.kind === 'SetSize' && intent.to > intent.from && pool !== undefined) {
          for (const [name, instance] of instances) {
            if (poolOfNode(pools, api.nodes.get(name)) === pool && hasTaken(name, instance)) {
              taken.add(instance);
            }
          }
          const waiting = [...api.pods.values()].filter((pod) => isOf(pool, pod) && isWaiting(pod));
          raised.set(intent.group, new Set(waiting.map(keyOf)));
        }
      }
    },
    event: (event) => {
      if (event.kind === 'InstanceLaunched') {
        boughtFor.set(event.instance, raised.get(event.group) ?? NONE);
        strayed.delete(event.instance);
        taken.delete(event.instance);
      } else if (event.kind === 'NodeRegistered') {
        instances.set(event.node, event.instance);
      } else if (event.kind === 'PodBound') {
        const instance = instances.get(event.node);
        const pod = api.pods.get(event.pod);
        const isAwaited = instance === undefined || boughtFor.get(instance)?.has(event.pod) !== false;
        if (!isAwaited && pod !== undefined && !isDaemon(pod) && hasRoomElsewhere(pod, event.node)) {
          strayed.set(instance, (strayed.get(instance) ?? new Set()).add(event.pod));
        }
      }
    },
    isTaken: (instance) => taken.has(instance),
  };
}
