import { isDaemon, isFinished } from '../../../core/model/cluster/pod.ts';
import { type EpochMs, minutes } from '../../../core/model/values/time.ts';
import { isNodeReady } from '../../../providers/simulated/node-readiness.ts';
import type { GroupView } from '../../../providers/simulated/auto-scaling.ts';
import { nodeUnits } from '../node-sizes.ts';
import { isOf, type Pool } from '../pools.ts';
import { watchQuiet } from '../quiet-pools.ts';
import { members, unitsOf } from '../truth.ts';
import type { Invariant, Stage } from './invariant.ts';

/** Instances so young are counted on by every evaluation. */
const AWAITED_MS = minutes(10);
/** Options that launch nodes for pods of nodes that are to be replaced. */
const REPLACING: ReadonlySet<string> = new Set(['consolidation', 'driftReplacement', 'expireAfter', 'nodeRepair']);
/** A group that is left alone so long is read as it is. */
const READ_AGE_MS = minutes(1);

/**
 * A group does not grow for pods that have nodes on their way. Each starting node holds one pod at least: where as many nodes start
 * as pods of their pool are pending or about to move, all of these have a place, and no group of the pool is raised.
 */
export const nothingBoughtTwice: Invariant = {
  name: 'no node is launched where as many start as pods are pending',
  assumes: ['lag', 'skew'],
  watch: (stage, violate, count) => {
    const { scenario, world, forgottenAt } = stage;
    const { clock } = world;
    const quietSince = watchQuiet(stage, false);
    /** When pods of a pool last were more than now, in the last minute. */
    const seen = new Map<Pool, { readonly at: EpochMs; readonly pods: number }[]>();
    const pools = scenario.pools.filter(
      ({ zone, groups }) =>
        zone === undefined &&
        scenario.groups.every(({ name, options }) => !groups.includes(name) || options.zeroOrMaxNodeScaling !== true),
    );
    const isForPods =
      scenario.buffers.length === 0 &&
      scenario.requests.length === 0 &&
      scenario.options.capacitySchedules.length === 0 &&
      scenario.options.rebalanceRecommendation !== 'replace' &&
      !scenario.drawn.some((name) => REPLACING.has(name));
    if (!isForPods) {
      return {};
    }
    return {
      step: () => {
        for (const pool of pools) {
          const pods = pendingIn(stage, pool);
          const before = (seen.get(pool) ?? []).filter(({ at }) => clock.now() - at < READ_AGE_MS);
          if (before.at(-1)?.pods !== pods || before.length === 0) {
            seen.set(pool, [...before, { at: clock.now(), pods }]);
          }
        }
      },
      committed: ({ intents }) => {
        for (const intent of intents) {
          const pool = pools.find(({ groups }) => groups.includes(intent.group));
          const view = world.scaling.groups().find(({ group }) => group.name === intent.group);
          if (intent.kind !== 'SetSize' || intent.to <= intent.from || pool === undefined || view === undefined) {
            continue;
          }
          const now = clock.now();
          const isAlone = intent.from >= view.group.minSize && now - quietSince(pool) > READ_AGE_MS;
          const isArmed =
            isAlone &&
            now - Math.max(forgottenAt(), stage.orders.lostAt()) > AWAITED_MS &&
            now - stage.strikes.troubledUntil() > READ_AGE_MS;
          if (isAlone) {
            count(isArmed);
          }
          const pending = Math.max(pendingIn(stage, pool), ...(seen.get(pool) ?? []).map(({ pods }) => pods));
          const starting = startingIn(stage, pool);
          // A prediction of how kube-scheduler spreads pods may add some.
          const more = scenario.options.predictedPlacementRatio > 1 ? 2 : 0;
          if (isArmed && starting >= pending + more) {
            violate(
              `${intent.id} raises ${intent.group} from ${intent.from} to ${intent.to}, where ${starting} nodes of its pool ` +
                `start and ${pending} pods are pending or about to move`,
            );
          }
        }
      },
    };
  },
};

/** Pods of a pool that are pending, or on nodes that leave or are not ready. */
function pendingIn({ world: { api, scaling }, announcements, drains }: Stage, pool: Pool): number {
  const own = new Map(scaling.groups().flatMap((view) => members(view).map((one) => [one.node, one.id] as const)));
  const leaving = new Set(drains().map(({ drain }) => drain.node));
  return [...api.pods.values()].filter((pod) => {
    if (isDaemon(pod) || isFinished(pod) || !isOf(pool, pod) || unitsOf(pod) > pool.units) {
      return false;
    }
    const node = pod.nodeName === null ? undefined : api.nodes.get(pod.nodeName);
    const instance = node === undefined ? undefined : own.get(node.name);
    return (
      instance === undefined ||
      !isNodeReady(node!) ||
      node!.taints.some(({ effect }) => effect !== 'PreferNoSchedule') ||
      leaving.has(node!.name) ||
      announcements.of(instance).length > 0
    );
  }).length;
}

/** Instances of a pool that are young and no ready nodes yet, each of a size for any pod of the pool. */
function startingIn({ world: { api, clock, scaling } }: Stage, pool: Pool): number {
  const largest = Math.max(
    1,
    ...[...api.pods.values()].flatMap((pod) => (isOf(pool, pod) && pod.nodeName === null ? unitsOf(pod) : [])),
  );
  const isStarting = (view: GroupView, { node: name, launchedAt, failed }: GroupView['instances'][number]): boolean => {
    const node = name === null ? undefined : api.nodes.get(name);
    const isUsed = [...api.pods.values()].some((pod) => name !== null && pod.nodeName === name && !isDaemon(pod));
    return (
      failed !== true &&
      !isUsed &&
      clock.now() - launchedAt < AWAITED_MS &&
      (name === null || (node !== undefined && !isNodeReady(node))) &&
      nodeUnits(pool, view.group) >= largest
    );
  };
  return scaling
    .groups()
    .filter(({ group, error, untagged }) => pool.groups.includes(group.name) && error === null && untagged !== true)
    .reduce((sum, view) => sum + members(view).filter((one) => isStarting(view, one)).length, 0);
}
