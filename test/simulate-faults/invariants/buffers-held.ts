import { withoutExpendable } from '../../../core/model/cluster/expendable.ts';
import { isConditionTrue } from '../../../core/model/cluster/status-condition.ts';
import { isFinished, type Pod } from '../../../core/model/cluster/pod.ts';
import type { GroupName, NodeName } from '../../../core/model/values/names.ts';
import { addTime, epochMs, type EpochMs, minutes } from '../../../core/model/values/time.ts';
import type { Decision } from '../../../core/model/decision.ts';
import { hasEnded } from '../../../core/model/drain.ts';
import type { Intent } from '../../../core/model/intent.ts';
import type { Scenario } from '../../../core/model/scenario.ts';
import { isNodeReady } from '../../../providers/simulated/node-readiness.ts';
import { closedNodes, watchUnready } from '../closed-nodes.ts';
import { type DrawnBuffer, sizesOf } from '../drawn-buffers.ts';
import { mayGrow } from '../limits.ts';
import { nodeUnits } from '../node-sizes.ts';
import { fits } from '../packing.ts';
import {
  displaced,
  inTheWay,
  type Known,
  LONGEST_PATIENCE_MS,
  members,
  roomOf,
  unitsOf,
  wantsNode,
  withoutNodes,
} from '../truth.ts';
import { isOf, type Pool } from '../pools.ts';
import type { Invariant, Stage } from './invariant.ts';
import { isChangeElsewhere } from './no-flapping.ts';

/** Where the cluster is at rest a change counts within five minutes (`idleEvaluationInterval`); then nodes are bought. */
const LONGEST = minutes(7);
/** What is short is bought by the evaluations of so long, which come every minute. */
const RETRIED = minutes(3);
/** From the creation of a buffer until every evaluation that decides has read it. */
const READ_AGE_MS = minutes(1);
const LOOKS_EVERY = minutes(0.5);

/**
 * While a CapacityBuffer is there, its pods have room on nodes that are there or on their way beside the pods that wait,
 * seven minutes after it has none and three after the last trouble at the latest, if a group of its pool may grow; if none may, its status does not say
 * that they have. And no removal that is decided takes room from them that they have.
 */
export const buffersHeld: Invariant = {
  name: 'buffers have the room that they ask for',
  assumes: ['lag', 'skew'],
  watch: (stage, violate, judge) => {
    const { scenario, world, strikes } = stage;
    const { buffers } = scenario;
    if (buffers.length === 0) {
      return {};
    }
    const { clock } = world;
    const roomFor = watchRoom(stage);
    const troubled = watchTrouble(stage);
    for (const buffer of buffers) {
      /** Since when it has had no room, or its pool has not been able to grow, without a break. */
      let shortSince: EpochMs | null = null;
      let closedSince: EpochMs | null = null;
      let openSince = buffer.from;
      const look = (): void => {
        const now = clock.now();
        const { sizes, room } = roomFor(buffer, world.api.objects().pods);
        const isShort = !fits(sizes, room);
        const isOpen = mayPoolGrow(stage, buffer);
        shortSince = isShort ? (shortSince ?? now) : null;
        closedSince = isOpen ? null : (closedSince ?? now);
        openSince = isOpen ? openSince : now;
        const since = shortSince ?? now;
        const isDue = now - since > LONGEST && now - Math.max(strikes.troubledUntil(), troubled(buffer)) > RETRIED;
        if (isShort && isDue && isOpen && now - openSince > RETRIED) {
          violate(
            `${buffer.name} has been without room for ${(now - since) / 1_000} s: pods of ${sizes.join(', ')} units are to have ` +
              `places, there is room of ${room.join(', ') || 'nothing'}, and its pool may grow`,
          );
        }
        if (isShort && isDue && now - (closedSince ?? now) > LONGEST && saysThere(stage, buffer)) {
          violate(`${buffer.name} has no room, and its pool cannot grow: its status says that it has`);
        }
      };
      for (let at = buffer.from; at < buffer.until; at = addTime(at, LOOKS_EVERY)) {
        clock.at(at, look);
      }
      clock.at(epochMs(buffer.until - 1), () => judge(shortSince !== null));
    }
    return {
      decided: (seen, decision) => {
        const now = clock.now();
        for (const buffer of buffers) {
          if (now < buffer.from + READ_AGE_MS || now >= buffer.until) {
            continue;
          }
          const going = new Set(
            decision.scaleDown.removals.flatMap(({ node, group }) => (buffer.pool.groups.includes(group) ? node : [])),
          );
          if (going.size === 0) {
            continue;
          }
          const bought = boughtFor(buffer, decision, stage);
          // What has been evicted and has its replacement needs no other place while it ends.
          const waiting = displaced(seen).filter((pod) => isOf(buffer.pool, pod) && pod.deletedAt === null);
          const moving = movingFrom(going, buffer.pool, seen);
          const before = roomFor(buffer, seen.objects.pods, { seen });
          const after = roomFor(buffer, seen.objects.pods, { seen, without: going });
          const wanted = [...before.sizes, ...waiting.map(unitsOf)];
          const had = fits(wanted, [...before.room, ...bought]);
          const isAwaited = awaitsInstances(stage, buffer);
          judge(!had || isAwaited);
          if (had && !isAwaited && !fits([...wanted, ...moving.map(unitsOf)], [...after.room, ...bought])) {
            violate(
              `${[...going].join(', ')} are to go with pods of ${moving.map(unitsOf).join(', ') || 'no'} units: ${buffer.name} ` +
                `and pods that wait want ${wanted.join(', ')}, and there is room of ${after.room.join(', ') || 'nothing'} without them`,
            );
          }
        }
      },
    };
  },
};

/**
 * The pods of a pool that are to have other places when these nodes go: those that are expendable end with their node, and in the
 * place of one without a controller none is made.
 */
export const movingFrom = (
  nodes: ReadonlySet<NodeName>,
  pool: Pool,
  { objects: { pods }, options }: Pick<Scenario, 'objects' | 'options'>,
): readonly Pod[] =>
  withoutExpendable(pods, options).filter(
    (pod) =>
      pod.nodeName !== null &&
      nodes.has(pod.nodeName) &&
      isOf(pool, pod) &&
      pod.controller !== null &&
      !isFinished(pod),
  );

/** Something that asks for room in a pool. */
type InPool = Pick<DrawnBuffer, 'pool'>;

/** What room is told of: with all nodes, for every evaluation, and with what is open now, unless told otherwise. */
interface AboutRoom {
  readonly without?: ReadonlySet<NodeName>;
  readonly seen?: Scenario;
  readonly intents?: readonly Intent[];
  /** Does what a MachineSet makes when other machines are gone count, too? */
  readonly afterOthers?: boolean;
}

/** What the pods of a buffer and those that wait in its pool want, and the room that there is or will be without some nodes. */
export function watchRoom(stage: Stage) {
  const {
    scenario: { options },
    world,
    orders,
    remembered,
    unread,
    forgottenAt,
  } = stage;
  const unready = watchUnready(world);
  /** The instances of a group that is discovered again are known from then on: for how long they had been awaited is not. */
  const taggedAt = new Map<GroupName, EpochMs>();
  world.onEvent((event) => {
    if (event.kind === 'Tagged') {
      taggedAt.set(event.group, event.at);
    }
  });
  return (
    { pool, ...buffer }: Pick<DrawnBuffer, 'pool' | 'units' | 'pods'>,
    pods: readonly Pod[],
    { without = new Set(), seen, intents = orders.open(), afterOthers = false }: AboutRoom = {},
  ): { readonly sizes: readonly number[]; readonly room: readonly number[] } => {
    const objects = world.api.objects();
    const waiting = pods.filter((pod) => isOf(pool, pod) && wantsNode(pod, { objects, options }));
    const remembers = remembered()?.state.deletionsInProgress ?? [];
    const state = { deletionsInProgress: seen === undefined ? remembers : underWay(remembers, seen, stage) };
    const known: Known = {
      now: world.clock.now(),
      failedAt: () => epochMs(0),
      lastTrouble: new Map(),
      closed: closedNodes({ objects, state }, new Set([...without, ...unread()]), unready, world),
      patienceMs: LONGEST_PATIENCE_MS,
      forgottenAt: (group) => Math.max(forgottenAt(), taggedAt.get(group) ?? 0),
      awaited: withoutNodes(world),
      afterOthers,
    };
    return {
      sizes: [...sizesOf(buffer), ...waiting.map(unitsOf)],
      room: roomOf(world, pool, inTheWay(pods, waiting, options), intents, known),
    };
  };
}

type Removals = Scenario['state']['deletionsInProgress'];

/**
 * The removals of a state, but for those that are over and that a decision did not count any more: their intents were refused, say,
 * and it has learned that before the state was written again. Their nodes stay.
 */
export function underWay(
  remembers: Removals,
  { state }: { readonly state: Pick<Scenario['state'], 'deletionsInProgress'> },
  stage: Pick<Stage, 'drains' | 'announcements'> & {
    readonly orders: Pick<Stage['orders'], 'open'>;
    readonly world: { readonly scaling: Pick<Stage['world']['scaling'], 'groups'> };
  },
): Removals {
  const { orders, drains, announcements, world } = stage;
  const counted = new Set(state.deletionsInProgress.map(({ node }) => node));
  const going = new Set([
    ...orders.open().flatMap((intent) => (intent.kind === 'RemoveNodes' ? intent.nodes.map(({ node }) => node) : [])),
    ...drains().flatMap(({ drain }) => (hasEnded(drain) ? [] : drain.node)),
    ...world.scaling
      .groups()
      .flatMap(({ instances }) =>
        instances.flatMap(({ id, node }) => (node !== null && announcements.of(id).length > 0 ? node : [])),
      ),
  ]);
  return remembers.filter(({ node }) => counted.has(node) || going.has(node));
}

/** The room on the nodes that a decision buys in the pool of a buffer. */
export const boughtFor = (
  { pool }: InPool,
  { scaleUp }: Decision,
  { scenario }: Pick<Stage, 'scenario'>,
): readonly number[] =>
  scaleUp.increases.flatMap(({ group: name, from, to }) => {
    const group = scenario.groups.find((one) => one.name === name)!;
    return pool.groups.includes(name) ? Array.from({ length: to - from }, () => nodeUnits(pool, group)) : [];
  });

/** When a launch has last failed in the groups of a pool, or others have changed these. */
export function watchTrouble({ world: { onEvent } }: Stage): (one: InPool) => number {
  const troubled = new Map<GroupName, EpochMs>();
  onEvent((event) => {
    if (event.kind === 'LaunchFailed' || event.kind === 'BoundsSetElsewhere' || isChangeElsewhere(event)) {
      troubled.set(event.group, event.at);
    }
  });
  return ({ pool }) => Math.max(0, ...pool.groups.map((group) => troubled.get(group) ?? 0));
}

/** May some group of its pool get one more node, and may functions know that? */
function mayPoolGrow({ scenario: { options }, world, remembered }: Stage, { pool }: DrawnBuffer): boolean {
  const { api, clock, scaling } = world;
  const unready = [...api.nodes.values()].filter((node) => !isNodeReady(node)).length;
  const views = scaling.groups();
  return (
    unready <= options.okTotalUnreadyCount &&
    views.some(
      (view) =>
        pool.groups.includes(view.group.name) &&
        view.error === null &&
        view.paused !== true &&
        view.untagged !== true &&
        mayGrow(view, world, options) &&
        (remembered()?.state.backoff[view.group.name]?.until ?? 0) <= clock.now(),
    )
  );
}

/** An instance of its pool may be counted on that the cloud has not launched, or whose Node has been deleted. */
export const awaitsInstances = ({ world: { api, scaling } }: Stage, { pool }: InPool): boolean =>
  scaling
    .groups()
    .some(
      (view) =>
        pool.groups.includes(view.group.name) &&
        (view.error !== null ||
          members(view).length < view.desired ||
          members(view).some(({ node }) => node !== null && !api.nodes.has(node))),
    );

const saysThere = ({ world: { api } }: Stage, { name }: DrawnBuffer): boolean =>
  api.roomAskers().capacityBuffers.some((buffer) => buffer.name === name && isConditionTrue(buffer, 'Provisioning'));
