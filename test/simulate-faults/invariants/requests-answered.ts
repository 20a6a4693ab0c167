import { isDaemon, isFinished, keyOf, type Pod } from '../../../core/model/cluster/pod.ts';
import {
  BEST_EFFORT_ATOMIC,
  CHECK_CAPACITY,
  consumedBy,
  type ProvisioningRequest,
} from '../../../core/model/cluster/provisioning-request.ts';
import { conditionOf } from '../../../core/model/cluster/status-condition.ts';
import type { Decision } from '../../../core/model/decision.ts';
import type { Intent } from '../../../core/model/intent.ts';
import { defaultOptions } from '../../../core/model/options.ts';
import type { Scenario } from '../../../core/model/scenario.ts';
import { addTime, type EpochMs, minutes, seconds } from '../../../core/model/values/time.ts';
import { isNodeReady } from '../../../providers/simulated/node-readiness.ts';
import type { GroupView } from '../../../providers/simulated/auto-scaling.ts';
import { sizesOf } from '../drawn-buffers.ts';
import { mayGrow } from '../limits.ts';
import { nodeUnits } from '../node-sizes.ts';
import { fits } from '../packing.ts';
import { isOf, poolOfNode, type Pool } from '../pools.ts';
import {
  BOOKED,
  consumersOf,
  isOver,
  mayBeBooked,
  missingOf,
  type RequestHistory,
  watchRequests,
} from '../request-histories.ts';
import { displaced, unitsOf, watchLosses } from '../truth.ts';
import { awaitsInstances, boughtFor, movingFrom, watchRoom, watchTrouble } from './buffers-held.ts';
import type { Invariant, Stage } from './invariant.ts';
import { isChangeElsewhere } from './no-flapping.ts';

const LOOKS_EVERY = minutes(0.5);
/** Where the cluster is at rest a new request counts within five minutes (`idleEvaluationInterval`). */
const FIRST_LOOK = minutes(7);
/** Then there are evaluations every minute. */
const NEXT_LOOKS = minutes(3);
/** When room that was not found is looked for again at the latest. */
const LAST_RETRY = minutes(10);
/** From the decision to buy a node to its being ready, and the time of its pods. */
const BOOT = minutes(6);
/** What has changed so lately may not be in what was read. */
const READ_AGE = seconds(60);

/**
 * Every ProvisioningRequest is answered, and what is said holds:
 *
 * * Room that is said to be there, or to come, is there for all of its pods.
 * * No removal that scale-down decides takes it, as long as it is held; and the pods of the request get it when they come.
 * * It is held no longer than ten minutes.
 * * Room that the cluster has, or that a group could have, is found within sixteen minutes.
 * * An answer is there seven minutes after the request at the latest, or three after the last trouble. None is taken back.
 *
 * What is bought for a request is a matter of `nothingInVain`.
 */
export const requestsAnswered: Invariant = {
  name: 'requests have the room that they are given',
  assumes: ['lag', 'skew'],
  watch: (stage, violate, judge) => {
    const { scenario, world, strikes } = stage;
    if (scenario.requests.length === 0) {
      return {};
    }
    const { clock, api } = world;
    const roomFor = watchRoom(stage);
    const changes = watchChanges(stage);
    const histories = watchRequests(world, scenario, ({ drawn }, before, after) => {
      const wrong = after === null ? null : takenBack(before, after);
      if (wrong !== null) {
        violate(`${drawn.name}: ${wrong}`);
      }
    });
    const isQuiet = (): boolean => clock.now() - strikes.troubledUntil() > NEXT_LOOKS;
    /** Since when each request could have been given room, without a break. */
    const couldSince = new Map<RequestHistory, EpochMs>();
    const look = (history: RequestHistory): void => {
      const { drawn, current } = history;
      const now = clock.now();
      if (current === null) {
        return;
      }
      const late = isQuiet() ? overdue(history, current, now) : null;
      const could =
        history.provisionedAt === null && !isOver(current) && couldBeProvisioned(stage, history, histories, roomFor);
      couldSince.set(history, could ? (couldSince.get(history) ?? now) : now);
      const since = now - couldSince.get(history)!;
      if (late !== null) {
        violate(`${drawn.name} ${late}`);
      } else if (isQuiet() && since > FIRST_LOOK + LAST_RETRY) {
        violate(`${drawn.name} has not been given room for ${since / 1_000} s, and there is room, or could be`);
      }
      if (missingOf(history, [...api.pods.values()]).length === 0) {
        judgeOnce(history, false);
      }
      const waiting = waitingTooLong(history, [...api.pods.values()], now, strikes.troubledUntil());
      if (waiting !== null) {
        judgeOnce(history, true);
      }
      if (waiting !== null && !changes.haveTaken(history)) {
        violate(`${keyOf(waiting)} waits for the room that ${drawn.name} was given, and nothing else has taken it`);
      }
    };
    const judged = new Set<RequestHistory>();
    /** When all of its pods have their nodes, or one has waited for too long: then something has taken the room. */
    const judgeOnce = (history: RequestHistory, isExcused: boolean): void => {
      if (!judged.has(history)) {
        judged.add(history);
        judge(isExcused);
      }
    };
    for (const history of histories) {
      const { from } = history.drawn;
      for (let at = from; at < scenario.until; at = addTime(at, LOOKS_EVERY)) {
        clock.at(at, () => look(history));
      }
    }
    return {
      step: changes.step,
      event: changes.event,
      decided: (seen, decision) => {
        for (const history of histories) {
          const claim = claimOf(history, decision);
          const wrong = claim === null ? null : unfounded(history, histories, { seen, decision, stage, roomFor });
          const isExcused = wrong !== null && changes.areRecent(history.drawn.pool);
          if (claim !== null) {
            judge(isExcused);
          }
          if (wrong !== null && !isExcused) {
            violate(`${history.drawn.name} is told ${claim}: ${wrong}`);
          }
          const taken = takenAway(history, histories, { seen, decision, stage, roomFor });
          if (taken !== null && !awaitsInstances(stage, history.drawn)) {
            violate(taken);
          }
        }
      },
    };
  },
};

/** Answers that were True stay so, and what is answered for good does not change. */
function takenBack(before: ProvisioningRequest, after: ProvisioningRequest): string | null {
  for (const { type, status } of before.conditions) {
    const now = conditionOf(after, type)?.status ?? 'gone';
    if (status === 'True' && now !== 'True') {
      return `condition ${type} was True, and is ${now}`;
    }
  }
  const { reason, message } = conditionOf(after, 'Provisioned') ?? { reason: 'none', message: 'none' };
  if (reason === '' || message === '') {
    return 'its answer gives no reason';
  }
  if (after.className === CHECK_CAPACITY && reason === 'CapacityIsProvisioned') {
    return 'nodes were added for a request that is to add none';
  }
  // A second evaluation may say the same again, in other words and with its own time.
  return isOver(before) && statusesOf(before) !== statusesOf(after)
    ? 'it was answered for good, and the answer has changed'
    : null;
}

const statusesOf = ({ conditions }: ProvisioningRequest): string =>
  conditions
    .map(({ type, status }) => `${type} ${status}`)
    .sort()
    .join();

/** What should have been said by now, in words. */
function overdue({ drawn, provisionedAt }: RequestHistory, current: ProvisioningRequest, now: EpochMs): string | null {
  if (isOver(current)) {
    return null;
  }
  if (provisionedAt !== null) {
    return now - provisionedAt > BOOKED + FIRST_LOOK
      ? `has held its room for ${(now - provisionedAt) / 1_000} s`
      : null;
  }
  const valid = drawn.className === BEST_EFFORT_ATOMIC ? drawn.parameters['ValidUntilSeconds'] : undefined;
  if (valid !== undefined && now - drawn.from > seconds(Number(valid)) + FIRST_LOOK) {
    return `has not failed ${(now - drawn.from) / 1_000} s after it was made`;
  }
  return conditionOf(current, 'Provisioned') === undefined && now - drawn.from > FIRST_LOOK
    ? `has had no answer for ${(now - drawn.from) / 1_000} s`
    : null;
}

type RoomFor = ReturnType<typeof watchRoom>;

/**
 * Does every evaluation that decides now hold its room? When its time is over it does not, whether that has been said yet or not;
 * by the clock of a function this may be sooner.
 */
export const isBooked = ({ provisionedAt, endedAt }: RequestHistory, now: EpochMs): boolean =>
  provisionedAt !== null && endedAt === null && now - provisionedAt < BOOKED - READ_AGE;

/** Is its time not over, and may an evaluation hold its room? */
const mayStillBeBooked = (history: RequestHistory, now: EpochMs): boolean =>
  mayBeBooked(history, now) && now - history.provisionedAt! < BOOKED - READ_AGE;

/** The room that other requests of the pool have been given and have, as far as it is there: units of each pod. */
function heldForOthers(
  { drawn }: RequestHistory,
  histories: readonly RequestHistory[],
  { room, pods, now }: { readonly room: readonly number[]; readonly pods: readonly Pod[]; readonly now: EpochMs },
  isHeld: (other: RequestHistory, now: EpochMs) => boolean = isBooked,
): readonly number[] {
  let held: readonly number[] = [];
  for (const other of histories) {
    if (other.drawn !== drawn && other.drawn.pool === drawn.pool && isHeld(other, now)) {
      for (const size of missingOf(other, pods)) {
        held = fits([...held, size], room) ? [...held, size] : held;
      }
    }
  }
  return held;
}

const NOTHING_ASKED = { units: 1, pods: 0 };

/** Is there room for all of its pods beside those that wait, or with the nodes that one of its groups may still get? */
function couldBeProvisioned(
  stage: Stage,
  history: RequestHistory,
  histories: readonly RequestHistory[],
  roomFor: RoomFor,
): boolean {
  const { drawn } = history;
  const { pool } = drawn;
  const { api, clock, scaling } = stage.world;
  const pods = [...api.pods.values()];
  const { sizes, room } = roomFor({ pool, ...NOTHING_ASKED }, pods);
  const wanted = [
    ...sizes,
    ...sizesOf(drawn),
    ...heldForOthers(history, histories, { room, pods, now: clock.now() }, mayStillBeBooked),
    ...stage.scenario.buffers.filter((buffer) => buffer.pool === pool).flatMap(sizesOf),
  ];
  const more =
    drawn.className === BEST_EFFORT_ATOMIC
      ? scaling.groups().filter((view) => pool.groups.includes(view.group.name) && isOpen(view, stage))
      : [];
  return [
    [],
    ...more.map(({ group, desired }) => Array.from({ length: group.maxSize - desired }, () => nodeUnits(pool, group))),
  ].some((nodes) => fits(wanted, [...room, ...nodes]));
}

/** May the group grow, and do functions know that? Not where limits of the cluster are shared. */
function isOpen(view: GroupView, { scenario: { options }, world, remembered }: Stage): boolean {
  const { api, clock } = world;
  const { maxNodesTotal, coresTotal, memoryTotal } = defaultOptions();
  const isLimited =
    options.maxNodesTotal !== maxNodesTotal ||
    options.coresTotal.max !== coresTotal.max ||
    options.memoryTotal.max !== memoryTotal.max;
  const unready = [...api.nodes.values()].filter((node) => !isNodeReady(node)).length;
  return (
    !isLimited &&
    unready <= options.okTotalUnreadyCount &&
    view.error === null &&
    view.paused !== true &&
    view.untagged !== true &&
    mayGrow(view, world, options) &&
    (remembered()?.state.backoff[view.group.name]?.until ?? 0) <= clock.now()
  );
}

/** What a decision tells a request of its room; `null`: nothing new. */
const claimOf = ({ drawn }: RequestHistory, { scaleUp: { provisioningRequests = [] } }: Decision): string | null =>
  provisioningRequests.find(
    ({ name, outcome }) =>
      name.endsWith(`/${drawn.name}`) && (outcome === 'CapacityIsFound' || outcome === 'CapacityIsProvisioned'),
  )?.outcome ?? null;

interface Deciding {
  readonly seen: Scenario;
  readonly decision: Decision;
  readonly stage: Stage;
  readonly roomFor: RoomFor;
}

/** Why a decision cannot say that a request has its room; `null` where it can. */
function unfounded(
  history: RequestHistory,
  histories: readonly RequestHistory[],
  { seen, decision, stage, roomFor }: Deciding,
): string | null {
  const { drawn } = history;
  const { orders, world } = stage;
  const { pods } = seen.objects;
  const now = world.clock.now();
  const bought = boughtFor(drawn, decision, stage);
  const lacks = (intents: readonly Intent[]): string | null => {
    const { room } = roomFor({ pool: drawn.pool, ...NOTHING_ASKED }, pods, { seen, intents, afterOthers: true });
    const others = heldForOthers(history, histories, { room, pods, now });
    return fits([...others, ...sizesOf(drawn)], [...room, ...bought])
      ? null
      : `${drawn.pods} pods of ${drawn.units} units beside ${others.join(', ') || 'nothing'} need room, there is room of ` +
          `${room.join(', ') || 'nothing'}, and nodes of ${bought.join(', ') || 'nothing'} are bought`;
  };
  // An increase that has been refused since may have been read before.
  return lacks(orders.openAsRead(now)) === null ? null : lacks(orders.open());
}

/** How the removals of a decision take room that is held; `null`: they do not. */
function takenAway(
  history: RequestHistory,
  histories: readonly RequestHistory[],
  { seen, decision, stage, roomFor }: Deciding,
): string | null {
  const { drawn, provisionedAt } = history;
  const now = stage.world.clock.now();
  const going = new Set(
    decision.scaleDown.removals.flatMap(({ node, group }) => (drawn.pool.groups.includes(group) ? node : [])),
  );
  const { pods } = seen.objects;
  const missing = missingOf(history, pods);
  if (going.size === 0 || missing.length === 0 || !isBooked(history, now) || now - provisionedAt! < READ_AGE) {
    return null;
  }
  const bought = boughtFor(drawn, decision, stage);
  const before = roomFor({ pool: drawn.pool, ...NOTHING_ASKED }, pods, { seen });
  const after = roomFor({ pool: drawn.pool, ...NOTHING_ASKED }, pods, { seen, without: going });
  const moving = movingFrom(going, drawn.pool, seen).filter(({ deletedAt }) => deletedAt === null);
  const wanted = [
    ...before.sizes,
    ...missing,
    ...heldForOthers(history, histories, { room: before.room, pods, now }),
    ...displaced(seen)
      .filter((pod) => isOf(drawn.pool, pod) && pod.deletedAt === null && !isFinished(pod))
      .map(unitsOf),
  ];
  return fits(wanted, [...before.room, ...bought]) &&
    !fits([...wanted, ...moving.map(unitsOf)], [...after.room, ...bought])
    ? `${[...going].join(', ')} are to go with pods of ${moving.map(unitsOf).join(', ') || 'no'} units: ${drawn.name} and others ` +
        `want ${wanted.join(', ')}, and there is room of ${after.room.join(', ') || 'nothing'} without them`
    : null;
}

/** A pod that has waited for its room for too long; `null`: none. */
function waitingTooLong(
  history: RequestHistory,
  pods: readonly Pod[],
  now: EpochMs,
  troubledUntil: number,
): Pod | null {
  const { provisionedAt } = history;
  return provisionedAt === null
    ? null
    : (consumersOf(history, pods).find(
        ({ nodeName, deletedAt, createdAt }) =>
          nodeName === null &&
          deletedAt === null &&
          (createdAt ?? 0) < provisionedAt + BOOKED - READ_AGE &&
          now - Math.max(provisionedAt, createdAt ?? 0, troubledUntil) > BOOT,
      ) ?? null);
}

/** What has happened to the rooms of the pools. */
function watchChanges(stage: Stage) {
  const {
    scenario,
    world: { api, clock, scaling },
  } = stage;
  const troubled = watchTrouble(stage);
  const loses = watchLosses(scenario.provider);
  const lost = new Map<Pool, EpochMs>();
  /** Pods that were put on nodes of each pool, with the request that each is for, if any. */
  const bound: {
    readonly pool: Pool;
    readonly request: string | null;
    readonly createdAt: number;
    readonly at: EpochMs;
  }[] = [];
  const loseIn = (pool: Pool | undefined): void => {
    if (pool !== undefined) {
      lost.set(pool, clock.now());
    }
  };
  api.watch({
    pod: (pod, before) => {
      const pool = scenario.pools.find((one) => isOf(one, pod));
      if (pod.nodeName !== null && before?.nodeName === null && pool !== undefined && !isDaemon(pod)) {
        bound.push({ pool, request: consumedBy(pod), createdAt: pod.createdAt ?? 0, at: clock.now() });
      }
    },
    node: (node, before) => {
      if (before !== null && isNodeReady(before) !== isNodeReady(node)) {
        loseIn(poolOfNode(scenario.pools, node));
      }
    },
    nodeDeleted: (node) => loseIn(poolOfNode(scenario.pools, node)),
  });
  const lastIn = (pool: Pool): number => Math.max(lost.get(pool) ?? 0, troubled({ pool }));
  return {
    step: (): void => {
      for (const view of scaling.groups()) {
        if (loses(view) || view.error !== null || view.untagged === true || view.paused === true) {
          loseIn(scenario.pools.find(({ groups }) => groups.includes(view.group.name)));
        }
      }
    },
    event: (event: Parameters<typeof isChangeElsewhere>[0]): void => {
      if (isChangeElsewhere(event)) {
        loseIn(scenario.pools.find(({ groups }) => groups.includes(event.group)));
      }
    },
    /** Has anything been lost in the pool that an evaluation may not have read yet? */
    areRecent: (pool: Pool): boolean => clock.now() - lastIn(pool) <= READ_AGE,
    /**
     * Has something been lost in its pool since it was given its room, or another pod been put there by kube-scheduler's choice?
     * One that waited before had a place of its own, and takes none where that of a pod of the request is as small.
     */
    haveTaken: ({ drawn, provisionedAt }: RequestHistory): boolean => {
      const since = (provisionedAt ?? 0) - READ_AGE;
      return (
        lastIn(drawn.pool) >= since ||
        bound.some(
          ({ pool, request, createdAt, at }) =>
            pool === drawn.pool &&
            request !== drawn.name &&
            at >= since &&
            (drawn.units > 1 || request !== null || createdAt >= since),
        )
      );
    },
  };
}
