import type { Pod } from '../../../core/model/cluster/pod.ts';
import { BEST_EFFORT_ATOMIC } from '../../../core/model/cluster/provisioning-request.ts';
import type { GroupName, InstanceId, NodeName } from '../../../core/model/values/names.ts';
import type { SetSizeIntent } from '../../../core/model/intent.ts';
import type { State } from '../../../core/model/state.ts';
import { addTime, durationMs, epochMs, type EpochMs, minutes } from '../../../core/model/values/time.ts';
import { isNodeReady } from '../../../providers/simulated/node-readiness.ts';
import type { GroupView } from '../../../providers/simulated/auto-scaling.ts';
import { workloadKey } from '../../../providers/simulated/workload.ts';
import type { WorldEvent } from '../../../providers/simulated/world-event.ts';
import { createAllowances } from '../allowances.ts';
import { watchCommands } from '../commands.ts';
import { AHEAD, scheduledFor, windowOf } from '../drawn-schedules.ts';
import { jobKey } from '../drawn-requests.ts';
import { isToBeReplaced, isToEnd } from '../deadlines.ts';
import { isOf, poolOfNode, poolsOfWorkloads, type Pool } from '../pools.ts';
import { type RequestHistory, watchRequests } from '../request-histories.ts';
import { members, watchLosses } from '../truth.ts';
import { watchPodsThere } from '../pods-there.ts';
import { MAX_SKEW_MS } from '../runtime.ts';
import type { Invariant, Stage } from './invariant.ts';
import { watchLateVolumes } from './late-volumes.ts';
import { watchLateZones } from './late-zones.ts';
import { watchOutgrown } from './outgrown.ts';
import { watchPlacesTaken } from './places-taken.ts';
import { watchPreemptions } from './preemptions.ts';
import { watchReplacedForLess } from './replaced-for-less.ts';
import { watchStranded } from './stranded.ts';
import { watchStrayed } from './strayed.ts';

const SOON = minutes(10);
/** From the read of the cluster to the decision that comes of it: what changes meanwhile is not in it. */
const READ_AGE_MS = 30_000;
/** By how much the clock of who decides may be off. */
const ALLOWED = { before: MAX_SKEW_MS, after: MAX_SKEW_MS };
const NOT_YET = Number.POSITIVE_INFINITY;

/** A decision to remove nodes whose pods have to move. */
interface Move {
  readonly at: EpochMs;
  readonly instances: readonly InstanceId[];
}

/** How many pods a workload was to have, and from when on. */
interface Wanted {
  readonly at: EpochMs;
  readonly pods: number;
}

/**
 * No node is bought for pods and removed for the same pods. From the decision that raised its group's size to the end of
 * its instance by a drain ten minutes have passed; or when its removal was decided, some workload of its pool was to have
 * fewer pods than at some time since it was bought, or than it had: controllers may be slow; or that was so when a drain of its pool was decided that has moved pods meanwhile,
 * which may have come to this node; or there was trouble in its pool in between, and what there was has
 * changed: a launch that had failed and was made all the same, an instance that went or never came, a node that was not ready, a drain that was given up or never begun,
 * an instance that the cloud takes back or recommends to replace, a replacement that was given up, or made for another reason than
 * what nodes cost; or larger nodes were bought after it for pods that came later, and its pods have room there (`outgrown.ts`); or it is replaced by one of a group that could not be had (`replaced-for-less.ts`); or pods made room for one of a higher priority that takes less than they had; or
 * a node of its pool was bought on a forecast of where pods will be put, and said to be, where the options allow that; or it was bought
 * for commands, and others have taken their place there (`places-taken.ts`); or it was bought for a pod, and one that had room elsewhere was put there (`strayed.ts`); or its zone takes no pods since what was bought in another one has not come (`stranded.ts`);
 * or its pods came to another zone before its own had a node (`late-zones.ts`); or volumes took up room, when it was bought, whose pods had gone
 * (`late-volumes.ts`); or nodes were bought after it for a capacity schedule, which have room for its pods.
 *
 * Each trouble excuses as many nodes as it was about, once.
 */
export const noFlapping: Invariant = {
  name: 'no node is bought and removed for the same pods',
  watch: (stage, violate, judge) => {
    const { scenario, world, drains } = stage;
    /** For what is found, and for the count of what could have been found: neither takes from the other. */
    const excuses = createAllowances(world.clock.now);
    const excusable = createAllowances(world.clock.now);
    /** Nodes that came for commands, and not for pods that wait: they are no cases. */
    const replacements = createAllowances(world.clock.now);
    const both = [excuses, excusable];
    const before = new Map<GroupName, GroupView>();
    /** When nodes of each group were last bought, and when those were that each instance came with. */
    const bought = new Map<GroupName, EpochMs>();
    const purchases = new Map<InstanceId, EpochMs>();
    /** When the removal of each instance was decided. */
    const removals = new Map<InstanceId, EpochMs>();
    /** When it was decided to remove nodes of each pool whose pods have to move, and their instances. */
    const moves = new Map<Pool, Move[]>();
    const endedAt = new Map<InstanceId, EpochMs>();
    /** Instances that have become nodes: no others are drained. */
    const joined = new Set<InstanceId>();
    const readyAt = new Map<InstanceId, EpochMs>();
    /** The nodes that are bought on a prediction, by the states that their decisions lead to. Which of all nodes these are is not known. */
    const forecasts = new WeakMap<State, number>();
    const changesOf = watchCommands(stage);
    const placesTaken = watchPlacesTaken(stage);
    const replacedForLess = watchReplacedForLess(stage);
    const stranded = watchStranded(stage);
    const strayed = watchStrayed(stage);
    const lateZones = watchLateZones(stage);
    const lateVolumes = watchLateVolumes(stage);
    const isLosing = watchLosses(scenario.provider);
    const wanted = new Map<string, Wanted[]>();
    const pools = new Map(poolsOfWorkloads(scenario));
    const podsThere = watchPodsThere(stage);
    const outgrown = watchOutgrown(stage, podsThere, pools, purchases);
    const poolOf = (group: GroupName): Pool => scenario.pools.find(({ groups }) => groups.includes(group))!;
    const troubled = (pool: Pool | undefined, nodes = 1): void => {
      if (pool !== undefined) {
        both.forEach((one) => one.allow(pool, nodes));
      }
    };
    const replaced = (pool: Pool, since: EpochMs): void => {
      excuses.allow(pool, 1, since);
      replacements.allow(pool, 1, since);
    };
    /** When the first of the nodes was bought that were on their way at a time: pods that wait for them may get what comes later. */
    const firstOnItsWay = ({ groups }: Pool, time: EpochMs): EpochMs =>
      world.scaling
        .groups()
        .flatMap((view) => (groups.includes(view.group.name) ? members(view) : []))
        .flatMap(({ id }) => ((readyAt.get(id) ?? NOT_YET) > time ? (purchases.get(id) ?? []) : []))
        .reduce((first, purchase) => (purchase < first ? purchase : first), time);
    const goesOn = (what: string, pool: Pool | undefined, nodes: number): void => {
      if (pool !== undefined) {
        both.forEach((one) => one.goesOn(what, pool, nodes));
      }
    };
    const noteWanted = (workload: string, pods: number): void => {
      wanted.set(workload, [...(wanted.get(workload) ?? []), { at: world.clock.now(), pods }]);
    };
    /** Something that is no workload asks for room as one does. */
    const wantBetween = (
      name: string,
      pool: Pool,
      { from, until, pods }: { readonly from: EpochMs; readonly until: EpochMs; readonly pods: number },
    ): void => {
      pools.set(name, pool);
      world.clock.at(from, () => noteWanted(name, pods));
      world.clock.at(until, () => noteWanted(name, 0));
    };
    for (const step of scenario.steps) {
      world.clock.at(step.at, () =>
        step.kind === 'apply'
          ? noteWanted(workloadKey(step.workload), step.workload.pods)
          : noteWanted(step.workload, 0),
      );
    }
    for (const schedule of scenario.options.capacitySchedules) {
      // It asks for nodes as a workload does, in each pool.
      const { from, until } = windowOf(schedule, scenario);
      for (const pool of scenario.pools) {
        wantBetween(`${pool.name} ${pool.zone} schedule`, pool, { from: epochMs(from - AHEAD), until, pods: 1 });
      }
    }
    for (const buffer of scenario.buffers) {
      wantBetween(buffer.name, buffer.pool, buffer);
    }
    // A queue asks for room as a workload does: until its job has come and gone, or the room is not held any more.
    const noteRequested = ({ drawn, provisionedAt, endedAt }: RequestHistory): void => {
      const key = jobKey(drawn);
      const asked = provisionedAt !== null || drawn.className === BEST_EFFORT_ATOMIC;
      // A request that is left without its job may be given room all the same.
      const last = wanted.get(key)?.at(-1);
      const isNew = last === undefined || (last.at <= drawn.until && (provisionedAt ?? 0) >= drawn.until);
      if (endedAt === null ? asked && isNew : world.controllers.workload(key) === null) {
        noteWanted(key, endedAt === null ? drawn.pods : 0);
      }
    };
    for (const history of watchRequests(world, scenario, noteRequested)) {
      const { drawn } = history;
      pools.set(jobKey(drawn), drawn.pool);
      world.clock.at(drawn.from, () => noteRequested(history));
      world.clock.at(drawn.until, () => noteWanted(jobKey(drawn), 0));
    }
    /** Is some workload of the pool to have fewer pods at a time than it was to have, or had, since another one, or at that one where it is later? */
    const hasFallen = (pool: Pool, then: EpochMs, now: EpochMs): boolean =>
      [...wanted].some(
        ([workload, history]) =>
          pools.get(workload) === pool &&
          Math.min(...wantedIn(history, now, now)) <
            Math.max(
              ...wantedIn(history, then, epochMs(Math.max(then, now))),
              podsThere.most(workload, then - READ_AGE_MS, Math.max(then, now)),
            ),
      );
    /** Nodes that are bought since a capacity schedule asks for them, whatever pods there are. */
    const forSchedule = ({ group, from, to }: SetSizeIntent): number =>
      Math.max(0, Math.min(to, scheduledFor(stage, group, ALLOWED)) - from);
    const clearsMore = watchPreemptions();
    const notePreempted = (pod: Pod | undefined, by: Pod | undefined, at: EpochMs): void => {
      if (pod !== undefined && by !== undefined && clearsMore(pod, by, at)) {
        troubled(scenario.pools.find((pool) => isOf(pool, by)));
      }
    };
    const wasReady = new Set<NodeName>();
    world.api.watch({
      nodeDeleted: ({ name, labels }) => {
        // Somebody has deleted it, and its instance stays.
        if (world.scaling.groups().some((view) => members(view).some(({ node }) => node === name))) {
          troubled(poolOfNode(scenario.pools, { labels }));
        }
      },
      node: (node, earlier) => {
        if (earlier !== null && isNodeReady(node) !== isNodeReady(earlier) && wasReady.has(node.name)) {
          const pool = poolOfNode(scenario.pools, node);
          goesOn(`unready ${node.name}`, pool, isNodeReady(node) ? 0 : 1);
        }
        if (isNodeReady(node)) {
          wasReady.add(node.name);
        }
      },
    });
    const unread = new Map<NodeName, Pool>();
    return {
      step: () => {
        const closed = stage.unread();
        for (const node of closed) {
          // It takes no pods meanwhile, and its pods keep it.
          const pool = unread.get(node) ?? poolOfNode(scenario.pools, world.api.nodes.get(node));
          if (pool !== undefined) {
            unread.set(node, pool);
            goesOn(`unread ${node}`, pool, 1);
          }
        }
        for (const [node, pool] of unread) {
          if (!closed.has(node)) {
            unread.delete(node);
            goesOn(`unread ${node}`, pool, 0);
          }
        }
        for (const view of world.scaling.groups()) {
          const { name } = view.group;
          // Its nodes are not counted on, and others are bought, until it is discovered again.
          goesOn(`discovery of ${name}`, poolOf(name), view.untagged === true ? Math.max(1, view.desired) : 0);
          const earlier = before.get(name);
          const lost = isLosing(view) && earlier !== undefined ? members(earlier).length - members(view).length : 0;
          troubled(poolOf(name), Math.max(0, lost));
          before.set(name, view);
        }
      },
      intentEnded: (intent, status) => {
        if (intent.kind === 'RemoveNodes' && status !== 'done') {
          troubled(poolOf(intent.group), intent.nodes.length);
        }
      },
      decided: (_seen, decision) => {
        if (scenario.options.predictedPlacementRatio > 1 && decision.scaleUp.predicted?.bought === true) {
          forecasts.set(decision.state, decision.scaleUp.predicted.nodes ?? 0);
        }
      },
      committed: (commit) => {
        placesTaken.committed(commit);
        outgrown.committed(commit);
        stranded.committed(commit);
        strayed.committed(commit);
        lateVolumes.committed(commit);
        const { state, intents } = commit;
        // The clock of who has decided may be off.
        const now = world.clock.now();
        const { givenUp, carriedOut } = changesOf(intents);
        replacedForLess.committed(commit, carriedOut);
        // What was bought for the former is not needed. By the latter a node was bought and another one goes in its place: if
        // one goes besides, it may be either of them; and where several are carried out at once, kube-scheduler mixes their pods.
        const rotated = carriedOut.flatMap(({ command }) =>
          command.reason === 'Underutilized' && carriedOut.length === 1 ? [] : command,
        );
        for (const { nodes, replacement, since } of [...givenUp, ...rotated]) {
          const pool = poolOfNode(scenario.pools, world.api.nodes.get(nodes[0]!));
          if (replacement !== null && pool !== undefined) {
            replaced(pool, firstOnItsWay(pool, since));
          }
        }
        for (const intent of intents) {
          if (intent.kind === 'SetSize' && intent.to > intent.from) {
            bought.set(intent.group, now);
            troubled(poolOf(intent.group), forecasts.get(state) ?? 0);
            troubled(poolOf(intent.group), forSchedule(intent));
          } else if (intent.kind === 'RemoveNodes') {
            intent.nodes.forEach(({ instance }) => removals.set(instance, now));
            if (intent.nodes.some(({ kind }) => kind === 'drain')) {
              const pool = poolOf(intent.group);
              const instances = intent.nodes.map(({ instance }) => instance);
              moves.set(pool, [...(moves.get(pool) ?? []), { at: now, instances }]);
            }
          }
        }
      },
      drain: ({ drain }, earlier) => {
        goesOn(`drain ${drain.id}`, poolOf(drain.group), drain.phase === 'RollingBack' ? 1 : 0);
        if (drain.phase === 'RolledBack' && earlier?.drain.phase !== 'RollingBack') {
          troubled(poolOf(drain.group));
        }
      },
      event: (event) => {
        placesTaken.event(event);
        outgrown.event(event);
        stranded.event(event);
        strayed.event(event);
        lateZones.event(event);
        if (lateVolumes.isLate(event)) {
          troubled(poolOfNode(scenario.pools, world.api.nodes.get(event.node)));
        }
        replacedForLess.event(event);
        if (isChangeElsewhere(event)) {
          troubled(poolOf(event.group), event.kind === 'SizeSetElsewhere' ? Math.abs(event.to - event.from) : 1);
        }
        if (event.kind === 'NodeRegistered') {
          joined.add(event.instance);
        }
        if (event.kind === 'NodeReady') {
          readyAt.set(event.instance, event.at);
        }
        if (event.kind === 'ReturnedToWarmPool') {
          joined.delete(event.instance);
          readyAt.delete(event.instance);
          purchases.delete(event.instance);
        }
        if (event.kind === 'PodPreempted') {
          notePreempted(world.api.pods.get(event.pod), world.api.pods.get(event.by), event.at);
        }
        if (event.kind === 'PodFinished' || event.kind === 'PodLost') {
          noteWanted(event.workload, (wanted.get(event.workload)?.at(-1)?.pods ?? 0) - 1);
        }
        if (event.kind === 'InstanceLaunched') {
          if ((before.get(event.group)?.error ?? null) !== null) {
            // The launch had failed before, and another node was bought in its place.
            troubled(poolOf(event.group));
          }
          const purchase = bought.get(event.group);
          if (purchase !== undefined) {
            purchases.set(event.instance, purchase);
            // Whether its removal within that time would have been found out.
            const pool = poolOf(event.group);
            world.clock.at(epochMs(Math.max(event.at, purchase + SOON)), () => {
              // One that came later than that, in the place of another one, is no case.
              const since = purchase - READ_AGE_MS;
              const isCase = joined.has(event.instance) && event.at < purchase + SOON;
              if (isCase && !replacements.take(pool, since, purchase)) {
                judge(excusable.take(pool, since, purchase));
              }
            });
          }
        }
        if (event.kind !== 'InstanceTerminated') {
          return;
        }
        const { group, instance, at } = event;
        endedAt.set(instance, at);
        const pool = poolOf(group);
        const own = drains().findLast(({ drain }) => drain.instance === instance);
        if (own === undefined) {
          troubled(pool);
          return;
        }
        const isRecommended = own.drain.notice !== undefined && isToBeReplaced(stage, instance);
        if (isToEnd(stage, instance) || isRecommended || isOutdated(stage, event)) {
          return;
        }
        const purchase = purchases.get(instance);
        const removal = removals.get(instance);
        if (purchase === undefined || removal === undefined || at - purchase >= SOON) {
          return;
        }
        const since = purchase - READ_AGE_MS;
        // What was decided before, and went on after that, counts too: the load had not risen yet then.
        const moved = (moves.get(pool) ?? []).filter(
          ({ at: decided, instances }) =>
            decided < removal && instances.some((id) => (endedAt.get(id) ?? removal) >= since),
        );
        const fallen = [removal, ...moved.map((move) => move.at)].some((time) => hasFallen(pool, purchase, time));
        const isReplaced = outgrown.isOutgrown(instance) || replacedForLess.isReplaced(instance);
        const isTaken = placesTaken.isTaken(instance) || strayed.isTaken(instance);
        const isUseless = isTaken || stranded.isStranded(instance, since);
        const isNeedless = fallen || isReplaced || isUseless || lateZones.take(group, since);
        if (!isNeedless && !excuses.take(pool, since, purchase)) {
          violate(
            `${instance} of ${group} is ended ${(at - purchase) / 1_000} s after it was decided to buy it, and as many ` +
              `pods are wanted as then`,
          );
        }
      },
    };
  },
};

/** It was made from another version of its launch template than its group has now, or is as old as nodes may become. */
function isOutdated(
  { scenario: { options }, world: { api, scaling } }: Pick<Stage, 'scenario' | 'world'>,
  { group, instance, node: name, at }: Extract<WorldEvent, { readonly kind: 'InstanceTerminated' }>,
): boolean {
  const view = scaling.groups().find((one) => one.group.name === group);
  const node = name === null ? undefined : api.nodes.get(name);
  const hasDrifted = view?.instances.find(({ id }) => id === instance)?.version !== view?.version;
  const isOld = options.expireAfter > 0 && at - (node?.createdAt ?? at) >= LEAST_OF_AGE * options.expireAfter;
  return (options.driftReplacement === 'replace' && hasDrifted) || isOld;
}

/** Nodes expire up to a tenth of the time earlier. */
const LEAST_OF_AGE = 0.9;

/** Others have changed what there is in a group, or what it is to have. */
export const isChangeElsewhere = (event: WorldEvent): event is Extract<WorldEvent, { readonly group: GroupName }> =>
  [
    'SizeSetElsewhere',
    'GroupDeleted',
    'GroupCreated',
    'ZonesBalanced',
    'StandbyEntered',
    'StandbyLeft',
    'Untagged',
    'Tagged',
  ].includes(event.kind);

/** What was wanted from one time to another, and while the cluster was read before. */
function wantedIn(history: readonly Wanted[], from: EpochMs, to: EpochMs): readonly number[] {
  const read = addTime(from, durationMs(-READ_AGE_MS));
  const before = history.findLast(({ at }) => at <= read)?.pods ?? 0;
  return [before, ...history.flatMap(({ at, pods }) => (at > read && at <= to ? [pods] : []))];
}
