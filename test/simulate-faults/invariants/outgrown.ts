import { withoutExpendable } from '../../../core/model/cluster/expendable.ts';
import { isDaemon, isFinished } from '../../../core/model/cluster/pod.ts';
import type { GroupName, InstanceId } from '../../../core/model/values/names.ts';
import type { EpochMs } from '../../../core/model/values/time.ts';
import { fits } from '../packing.ts';
import type { PodsThere } from '../pods-there.ts';
import { nodeUnits } from '../node-sizes.ts';
import { isOf, type Pool } from '../pools.ts';
import { isWaiting, members, unitsOf } from '../truth.ts';
import type { Stage, Watch } from './invariant.ts';

/** From the read of the cluster to the decision that comes of it. */
const READ_AGE_MS = 30_000;

export interface Outgrown extends Required<Pick<Watch, 'committed' | 'event'>> {
  /** Of an instance that is removed. */
  readonly isOutgrown: (instance: InstanceId) => boolean;
}

/**
 * Tells which small nodes larger ones have made superfluous: pods came after a small node had been bought, or had waited all the time since no
 * other node was to be had, larger nodes were bought for them, and what these have to spare holds the pods of the small one. Without these the pods of the pool would
 * not fit on the other nodes, so that the small node was needed as long as they had not come.
 *
 * @param boughtAt when the nodes were bought that an instance came with.
 */
export function watchOutgrown(
  { scenario, world }: Stage,
  podsThere: PodsThere,
  pools: ReadonlyMap<string, Pool>,
  boughtAt: ReadonlyMap<InstanceId, EpochMs>,
): Outgrown {
  const { options } = scenario;
  const outgrown = new Set<InstanceId>();
  /** Since when a pod had waited that waited when each group was last raised, and when the nodes were bought that an instance came with. */
  const atRaise = new Map<GroupName, number>();
  const waitedSince = new Map<InstanceId, number>();
  const poolOf = (group: GroupName): Pool => scenario.pools.find(({ groups }) => groups.includes(group))!;
  /** Have pods of the pool come that one bought at a time was not for? */
  const hasRisen = (pool: Pool, from: EpochMs, to: EpochMs): boolean =>
    [...pools].some(
      ([workload, of]) =>
        of === pool &&
        podsThere.at(workload, to) > podsThere.at(workload, from - READ_AGE_MS - options.newPodScaleUpDelay),
    );
  const hasLargerOnes = (instance: InstanceId, name: GroupName): boolean => {
    const pool = poolOf(name);
    const views = world.scaling.groups().filter(({ group }) => pool.groups.includes(group.name));
    const own = views.find(({ group }) => group.name === name);
    if (own === undefined) {
      // Another client has deleted it, and its instances with it: no removal ends them.
      return false;
    }
    const size = nodeUnits(pool, own.group);
    const bought = boughtAt.get(instance);
    const others = views.flatMap((view) =>
      members(view).flatMap(({ id }) => (id === instance ? [] : { id, units: nodeUnits(pool, view.group) })),
    );
    const isLarger = ({ id, units }: (typeof others)[number]): boolean => {
      const then = boughtAt.get(id);
      const isLater = bought !== undefined && then !== undefined && then > bought;
      return units > size && isLater && (waitedSince.get(id)! <= bought || hasRisen(pool, bought, then));
    };
    const rest = others.filter((one) => !isLarger(one));
    const pods = [...world.api.pods.values()].filter(
      (pod) => isOf(pool, pod) && pod.deletedAt === null && !isDaemon(pod) && !isFinished(pod),
    );
    const sizes = withoutExpendable(pods, options).map(unitsOf);
    const room = rest.map(({ units }) => units);
    return rest.length < others.length && !fits(sizes, room);
  };
  return {
    committed: ({ intents }) => {
      for (const intent of intents) {
        if (intent.kind === 'SetSize' && intent.to > intent.from) {
          const pool = poolOf(intent.group);
          const waiting = [...world.api.pods.values()].filter((pod) => isWaiting(pod) && isOf(pool, pod));
          atRaise.set(intent.group, Math.min(...waiting.map(({ createdAt }) => createdAt ?? Number.POSITIVE_INFINITY)));
        } else if (intent.kind === 'RemoveNodes') {
          intent.nodes
            .filter(({ instance }) => hasLargerOnes(instance, intent.group))
            .forEach(({ instance }) => outgrown.add(instance));
        }
      }
    },
    event: (event) => {
      if (event.kind === 'InstanceLaunched') {
        waitedSince.set(event.instance, atRaise.get(event.group) ?? Number.POSITIVE_INFINITY);
      }
    },
    isOutgrown: (instance) => outgrown.has(instance),
  };
}
