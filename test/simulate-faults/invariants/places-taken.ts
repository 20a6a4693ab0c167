import { withoutExpendable } from '../../../core/model/cluster/expendable.ts';
import { isDaemon, isFinished, type Pod } from '../../../core/model/cluster/pod.ts';
import type { GroupName, InstanceId, NodeName } from '../../../core/model/values/names.ts';
import { isBeingRemoved } from '../../../core/model/cluster/removal-taints.ts';
import { isNodeReady } from '../../../providers/simulated/node-readiness.ts';
import { nodeUnits } from '../node-sizes.ts';
import { fits } from '../packing.ts';
import { poolOfNode } from '../pools.ts';
import { inTheWay, takenBy, unitsOf } from '../truth.ts';
import type { Stage, Watch } from './invariant.ts';

export interface PlacesTaken extends Required<Pick<Watch, 'committed' | 'event'>> {
  /** Of an instance that is removed. */
  readonly isTaken: (instance: InstanceId) => boolean;
}

const roomBeside = (units: number, pods: readonly Pod[]): number =>
  units - pods.reduce((sum, pod) => sum + takenBy(pod), 0);

/**
 * Watches for nodes that were bought for commands, and on which kube-scheduler has put other pods: when their removal was
 * decided, or another node was bought for the same commands, the pods for which they were bought were still on the nodes that go, and none
 * of them had room beside these; or they had no places on the nodes of their pool together, as they would have had without these. Another node has to be bought for them, and the first one is needed no more than the pods that came to it need it.
 */
export function watchPlacesTaken({
  scenario,
  world: { api },
  remembered,
}: Pick<Stage, 'scenario' | 'remembered'> & {
  readonly world: { readonly api: Pick<Stage['world']['api'], 'nodes' | 'pods'> };
}): PlacesTaken {
  /** The nodes for whose pods each group was last raised, and those for whose pods each instance came. */
  const raised = new Map<GroupName, readonly NodeName[]>();
  const boughtFor = new Map<InstanceId, readonly NodeName[]>();
  const nodeOf = new Map<InstanceId, NodeName>();
  const taken = new Set<InstanceId>();
  const { options } = scenario;
  const podsOn = (nodes: readonly NodeName[]): readonly Pod[] =>
    [...api.pods.values()].filter(
      (pod) => pod.nodeName !== null && nodes.includes(pod.nodeName) && !isDaemon(pod) && !isFinished(pod),
    );
  const commands = () => remembered()?.state.disruptions ?? [];
  const hasNoRoom = (name: NodeName, instance: InstanceId): boolean => {
    const node = api.nodes.get(name);
    const pool = poolOfNode(scenario.pools, node);
    const waiting = new Set(commands().flatMap(({ nodes }) => nodes));
    const moving = withoutExpendable(
      podsOn((boughtFor.get(instance) ?? []).filter((one) => waiting.has(one))),
      options,
    );
    const others = inTheWay(podsOn([name]), moving, options, pool);
    if (node === undefined || pool === undefined || moving.length === 0 || others.length === 0) {
      return false;
    }
    const empty = nodeUnits(pool, node);
    const room = roomBeside(empty, others);
    const sizes = moving.map(unitsOf);
    if (sizes.every((units) => units > room)) {
      return true;
    }
    const elsewhere = [...api.nodes.values()]
      .filter((one) => one !== node && !waiting.has(one.name) && poolOfNode(scenario.pools, one) === pool)
      .filter((one) => isNodeReady(one) && !isBeingRemoved(one) && !one.unschedulable)
      .map((one) => roomBeside(nodeUnits(pool, one), inTheWay(podsOn([one.name]), moving, options, pool)));
    return !fits(sizes, [...elsewhere, room]) && fits(sizes, [...elsewhere, empty]);
  };
  return {
    committed: ({ intents }) => {
      for (const intent of intents) {
        if (intent.kind === 'SetSize' && intent.to > intent.from) {
          const nodes = commands().flatMap((one) => (one.replacement === intent.group ? one.nodes : []));
          // Of more nodes than that some are for pods that wait.
          raised.set(intent.group, intent.to - intent.from <= nodes.length ? nodes : []);
          for (const [instance, earlier] of boughtFor) {
            const name = nodeOf.get(instance);
            if (name !== undefined && earlier.some((one) => nodes.includes(one)) && hasNoRoom(name, instance)) {
              taken.add(instance);
            }
          }
        } else if (intent.kind === 'RemoveNodes') {
          intent.nodes
            .filter(({ node, instance }) => hasNoRoom(node, instance))
            .forEach(({ instance }) => taken.add(instance));
        }
      }
    },
    event: (event) => {
      if (event.kind === 'InstanceLaunched') {
        boughtFor.set(event.instance, raised.get(event.group) ?? []);
        nodeOf.delete(event.instance);
        taken.delete(event.instance);
      }
      if (event.kind === 'NodeRegistered') {
        nodeOf.set(event.instance, event.node);
      }
    },
    isTaken: (instance) => taken.has(instance),
  };
}
