import { isDaemon, isFinished, type Pod } from '../../../core/model/cluster/pod.ts';
import { isBeingRemoved } from '../../../core/model/cluster/removal-taints.ts';
import type { Intent } from '../../../core/model/intent.ts';
import { type EpochMs, minutes } from '../../../core/model/values/time.ts';
import { isSimulatedNodeReady } from '../../../simulation/cluster/node-readiness.ts';
import type { GroupView, SimulatedInstance } from '../../../simulation/cloud/group-view.ts';
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
 * A group does not grow for pods that have nodes on their way. Sizes of pods divide each other, so it can be told whether all that are
 * pending or about to move fit on the nodes that start or are ordered: where they do, no group of the pool is raised.
 */
export const nothingBoughtTwice: Invariant = {
  name: 'no node is launched for pods that have their nodes on the way',
  assumes: ['lag', 'skew'],
  watch: (stage, violate, count) => {
    const { scenario, world, forgottenAt } = stage;
    const { clock } = world;
    const quietSince = watchQuiet(stage, false);
    /** The units of the pods of a pool, as they were in the last minute. */
    const seen = new Map<Pool, { readonly at: EpochMs; readonly pods: readonly number[] }[]>();
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
          if (before.at(-1)?.pods.join() !== pods.join() || before.length === 0) {
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
          if (!isArmed) {
            continue;
          }
          const nodes = startingIn(stage, pool, intents);
          const lists = [pendingIn(stage, pool), ...(seen.get(pool) ?? []).map(({ pods }) => pods)];
          if (lists.every((pods) => doFit(pods, nodes))) {
            violate(
              `${intent.id} raises ${intent.group} from ${intent.from} to ${intent.to}, where nodes of ${nodes.join(', ')} units of ` +
                `its pool are on their way, and pods of ${lists[0]!.join(', ') || 'no'} units are pending or about to move`,
            );
          }
        }
      },
    };
  },
};

/** Do pods fit on nodes, by their units, the largest first? */
export function doFit(pods: readonly number[], nodes: readonly number[]): boolean {
  const left = [...nodes];
  return pods.every((units) => {
    const place = left.findIndex((free) => free >= units);
    left[place] = (left[place] ?? 0) - units;
    return place >= 0;
  });
}

/**
 * The units of the pods of a pool that are pending, that controllers are late to create, or that are on nodes that leave or
 * are not ready, the largest first.
 */
function pendingIn({ world: { api, scaling }, announcements, drains }: Stage, pool: Pool): readonly number[] {
  const own = new Map(scaling.groups().flatMap((view) => members(view).map((one) => [one.node, one.id] as const)));
  const leaving = new Set(drains().map(({ drain }) => drain.node));
  const pods = [...api.pods.values()].filter(
    (pod) => !isDaemon(pod) && !isFinished(pod) && isOf(pool, pod) && unitsOf(pod) <= pool.units,
  );
  const living = Map.groupBy(pods.filter(isLiving), ({ controller }) => controller?.uid);
  const late = api.objects().controllers.flatMap(({ uid, replicas }) => {
    const [first, ...others] = living.get(uid) ?? [];
    return first === undefined
      ? []
      : Array.from({ length: Math.max(0, (replicas ?? 0) - 1 - others.length) }, () => first);
  });
  return pods
    .filter((pod) => {
      const node = pod.nodeName === null ? undefined : api.nodes.get(pod.nodeName);
      const instance = node === undefined ? undefined : own.get(node.name);
      return (
        instance === undefined ||
        !isSimulatedNodeReady(node) ||
        node!.taints.some(({ effect }) => effect !== 'PreferNoSchedule') ||
        leaving.has(node!.name) ||
        announcements.of(instance).length > 0
      );
    })
    .concat(late)
    .map(unitsOf)
    .toSorted(descending);
}

const isLiving = ({ deletedAt }: Pod): boolean => deletedAt === null;

/** The units of the nodes of a pool that are ordered, or start and are young, the largest first. */
function startingIn(stage: Stage, pool: Pool, decided: readonly Intent[]): readonly number[] {
  const {
    orders,
    announcements,
    world: { api, clock, scaling },
  } = stage;
  const isStarting = ({ id, node: name, launchedAt, failed }: SimulatedInstance): boolean => {
    const node = name === null ? undefined : api.nodes.get(name);
    const isUsed = [...api.pods.values()].some((pod) => name !== null && pod.nodeName === name && !isDaemon(pod));
    return (
      failed !== true &&
      !isUsed &&
      clock.now() - launchedAt < AWAITED_MS &&
      announcements.of(id).length === 0 &&
      (name === null ||
        (node !== undefined && !isSimulatedNodeReady(node) && !isBeingRemoved(node) && !node.unschedulable))
    );
  };
  const orderedOf = ({ group: { name }, desired }: GroupView): readonly number[] =>
    orders
      .open()
      .flatMap((one) =>
        one.kind === 'SetSize' && one.group === name && one.from === desired && !decided.includes(one)
          ? one.to - one.from
          : [],
      );
  return scaling
    .groups()
    .filter(({ group, error, untagged }) => pool.groups.includes(group.name) && error === null && untagged !== true)
    .flatMap((view) => {
      const more = members(view).filter(isStarting).length + Math.max(0, ...orderedOf(view));
      return Array.from({ length: more }, () => nodeUnits(pool, view.group));
    })
    .toSorted(descending);
}

const descending = (a: number, b: number): number => b - a;
