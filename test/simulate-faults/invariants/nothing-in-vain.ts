import type { Decision } from '../../../core/model/decision.ts';
import { type Disruption, replacedWithin } from '../../../core/model/disruption.ts';
import type { GroupName } from '../../../core/model/values/names.ts';
import type { Intent } from '../../../core/model/intent.ts';
import type { Scenario } from '../../../core/model/scenario.ts';
import type { State } from '../../../core/model/state.ts';
import { addTime, type EpochMs, epochMs, minutes } from '../../../core/model/values/time.ts';
import type { Node } from '../../../core/model/cluster/node.ts';
import { isNodeReady } from '../../../providers/simulated/node-readiness.ts';
import type { ScalingGroup } from '../../../providers/simulated/scaling-group.ts';
import type { SimulatedWorld } from '../../../providers/simulated/world.ts';
import { closedNodes, watchUnready } from '../closed-nodes.ts';
import { waitingCommands } from '../commands.ts';
import { cordonedNodes, leavingNodes, leavingPods, recommendedNodes } from '../leaving.ts';
import { mayHaveBeenHeld } from '../drawn-buffers.ts';
import { scheduledFor } from '../drawn-schedules.ts';
import { watchLingering } from '../lingering-volumes.ts';
import { watchLowerings } from '../lowerings.ts';
import { nodeUnits } from '../node-sizes.ts';
import { fits } from '../packing.ts';
import { isOf, poolOfNode, type Pool } from '../pools.ts';
import {
  displaced,
  inTheWay,
  isStale,
  type Known,
  LONGEST_PATIENCE_MS,
  members,
  pendingOf,
  placesOf,
  plannedSize,
  RECOVERED_MS,
  unitsOf,
  wantsNode,
  watchTrouble,
  withoutNodes,
} from '../truth.ts';
import { MAX_SKEW_MS } from '../runtime.ts';
import { priceRange } from '../drawn-prices.ts';
import { watchRequests } from '../request-histories.ts';
import { type Bought, boughtInVain, type SeenZones, subsetsOf, zonesAsSeen } from '../skewed-room.ts';
import { watchWhatIsSo } from '../what-is-so.ts';
import { isWholeGroup } from '../whole-groups.ts';
import { justifiedByRequests } from './justified-by-requests.ts';
import type { Invariant, Stage } from './invariant.ts';

/** After that, what a group is to have shows what was bought. */
const FOUND_AGAIN = minutes(2);
/** From a refusal of the cloud until an evaluation has learnt of it, at the longest. */
const LEARNED = minutes(2);

/** Where one node may be counted on for the sake of which another one helps. */
const GENEROUS: Partial<Known> = {
  failedAt: () => epochMs(0),
  lastTrouble: new Map(),
  patienceMs: LONGEST_PATIENCE_MS,
  despiteErrors: true,
  afterOthers: true,
};

/** By how much the time of a decision may be off, and how late what it decides may be done. */
const LONGER = { before: MAX_SKEW_MS, after: FOUND_AGAIN };

/** What was true when a decision was made, of one pool. */
interface Basis {
  readonly pool: Pool;
  /** Units of each pod that waited. */
  readonly waiting: readonly number[];
  readonly room: readonly number[];
  readonly planned: ReadonlyMap<GroupName, number>;
  /** What groups are to have whose nodes wait for others of the same group: their minimum, or what a schedule asks for, without these. */
  readonly replacing: ReadonlyMap<GroupName, number>;
  /** What groups were to have in any case: what is decided while a schedule asks for it may be set when that is over. */
  readonly least: ReadonlyMap<GroupName, number>;
  /** Nodes that it takes, or that are kept free, because kube-scheduler spreads pods, and that are known as such. */
  readonly spread: number;
  /** A group of the pool was in trouble: what it had been asked for does not count as room. */
  readonly troubled: boolean;
  /** What its zones may have had, where its pods are spread over them. */
  readonly zones: readonly SeenZones[];
  /** The sizes of the nodes that this decision has brought in the meantime, the largest first. */
  bought: readonly number[];
}

/**
 * What is bought is what the pods that wait justify: nothing is bought twice. When a size is raised, all pods that the
 * decision saw waiting must not have had room without the last of the new nodes – on what was there, on its way, asked
 * for or decided at the time, in truth and not as the function was told: of what it was told only what was so counts.
 */
export const nothingInVain: Invariant = {
  name: 'the sum of increases is what pending pods justify',
  assumes: ['lag', 'skew'],
  watch: (stage, violate, judge) => {
    const { scenario, world, orders, refusals, forgottenAt } = stage;
    const whatIsSo = watchWhatIsSo(stage);
    const lastTrouble = new Map<GroupName, EpochMs>();
    const isInTrouble = watchTrouble(scenario.provider);
    const unready = watchUnready(world);
    const lingering = watchLingering(world);
    const lowerings = watchLowerings(world);
    /** By the state that the decision leads to: it is committed as it is, while the decision itself is stored with more. */
    const deciding = new WeakMap<State, readonly Basis[]>();
    const byIntent = new Map<string, readonly Basis[]>();
    /** When an increase of each group was last given up, since the cloud could not be asked for it over and over. */
    const givenUpAt = new Map<GroupName, EpochMs>();
    const requests = watchRequests(world, scenario);
    const groupNamed = (name: GroupName): ScalingGroup => scenario.groups.find((group) => group.name === name)!;
    const leastOf = (group: GroupName): number =>
      Math.max(
        scenario.options.enforceNodeGroupMinSize ? minimumOf(world, group) : 0,
        scheduledFor(stage, group, LONGER),
      );
    /** What a decision buys for pods that are spread over zones has to let more of them run. */
    const judgeZones = (
      { pool, zones, planned, replacing, spread, troubled }: Basis,
      intents: readonly Intent[],
    ): void => {
      const { skew } = pool;
      if (skew === undefined) {
        return;
      }
      const bought = intents.flatMap((intent): Bought[] => {
        const { group } = intent;
        if (intent.kind !== 'SetSize' || !pool.groups.includes(group)) {
          return [];
        }
        const nodes = intent.to - Math.max(intent.from, planned.get(group)!, replacing.get(group) ?? 0, leastOf(group));
        return nodes > 0 ? [{ group: groupNamed(group), nodes, units: nodeUnits(pool, groupNamed(group)) }] : [];
      });
      bought.forEach(() => judge(troubled || spread > 0));
      const inVain = spread > 0 ? [] : boughtInVain(bought, zones, skew);
      if (inVain.length > 0) {
        violate(
          `${bought.map((one) => `${one.nodes} nodes of ${one.group.name}`).join(', ')} are bought for pods ` +
            `that are spread over zones by ${JSON.stringify(skew)}, and the last one of ${inVain.map(({ name }) => name).join(', ')} lets none of them run: ` +
            zones
              .flatMap((seen) =>
                seen.zones.map((one) => `${seen.waiting} beside ${JSON.stringify(Object.fromEntries(one))}`),
              )
              .join(' or '),
        );
      }
    };
    return {
      step: () => {
        for (const view of world.scaling.groups()) {
          const { name } = view.group;
          if (isInTrouble(view)) {
            lastTrouble.set(name, world.clock.now());
          }
        }
      },
      decided: (told, decision) => {
        const seen = whatIsSo(told);
        const { objects, state } = seen;
        // What was in hand when all was lost is done, and not known.
        if (decision.scaleUp.increases.length === 0 || world.clock.now() - orders.lostAt() < FOUND_AGAIN) {
          return;
        }
        const intents = orders.open();
        const { clock } = world;
        for (const { name } of scenario.groups) {
          // The cloud has said no to this group: an evaluation need not count on what it has not launched yet.
          if (clock.now() - refusals.lastLasting(name) < scenario.options.maxNodeGroupBackoffDuration + LEARNED) {
            lastTrouble.set(name, clock.now());
          }
        }
        // Nodes that wait for their replacement are planned for as nodes that leave.
        const commands = { disruptions: waitingCommands(seen, stage) };
        const leavingAnyway = [...leavingNodes(decision), ...recommendedNodes(decision, seen, stage)];
        const leaving = new Set([...leavingAnyway, ...commands.disruptions.flatMap(({ nodes }) => nodes)]);
        const cordoned = cordonedNodes(decision, seen, stage);
        const closed = closedNodes(seen, leaving.union(new Set(cordoned)), unready, world);
        const known: Known = {
          now: clock.now(),
          failedAt: (group) => addTime(epochMs(Math.max(refusals.last(group), givenUpAt.get(group) ?? 0)), LEARNED),
          lastTrouble,
          closed,
          unseenMs: RECOVERED_MS,
          lingering,
        };
        const planned = new Map(
          world.scaling.groups().map((view) => {
            const { name } = view.group;
            const size = plannedSize(view, intents, known);
            const desired = lowerings.before(name);
            // The group may have been described as it was before another client lowered its size.
            const asTold = desired === null ? 0 : plannedSize({ ...view, desired }, intents, known);
            return [name, Math.max(size, Math.min(asTold, targetOf(told, name)))] as const;
          }),
        );
        const least = new Map(world.scaling.groups().map(({ group: { name } }) => [name, leastOf(name)] as const));
        const replacing = new Map(
          seen.nodeGroups.flatMap((group) => {
            const { name } = group;
            const replaced = replacedWithin(group, commands);
            // What a schedule asks for is a minimum as well.
            const minimum = (): number => Math.max(minimumOf(world, name), scheduledFor(stage, name, LONGER));
            return replaced === 0 ? [] : [[name, minimum() + replaced] as const];
          }),
        );
        const pending = [...objects.pods.filter((pod) => wantsNode(pod, seen)), ...displaced(seen)];
        const wanting = [...pending, ...leavingPods(seen, leaving)];
        /** What the zones of a pool may have had, where the nodes of these commands wait for others, and all others stay. */
        const zonesBeside = (pool: Pool, some: readonly Disruption[]): SeenZones => {
          const gone = new Set([...leavingAnyway, ...some.flatMap(({ nodes }) => nodes)]);
          const waiting = [...pending, ...leavingPods(seen, gone)].filter((pod) => isOf(pool, pod));
          const pods = inTheWay(objects.pods, waiting, seen.options);
          const own = { ...known, closed: closedNodes(seen, gone.union(new Set(cordoned)), unready, world) };
          const generous = { ...own, ...GENEROUS, awaited: withoutNodes(world), forgottenAt };
          return {
            waiting: waiting.length,
            zones: zonesAsSeen({
              pool,
              pools: scenario.pools,
              world,
              nodes: objects.nodes,
              pods,
              waiting,
              closed: own.closed,
              places: [own, generous].map((these) => placesOf(world, pool, pods, intents, these)),
            }),
          };
        };
        deciding.set(
          decision.state,
          scenario.pools.map((pool) => {
            const waiting = wanting.filter((pod) => isOf(pool, pod));
            const pods = inTheWay(objects.pods, waiting, seen.options);
            const places = placesOf(world, pool, pods, intents, known);
            return {
              pool,
              waiting: [
                ...waiting.map(unitsOf),
                ...mayHaveBeenHeld(scenario, pool, clock.now()),
                ...justifiedByRequests(pool, pods, { requests, seen, decision, stage }),
              ],
              room: places.map(({ units }) => units),
              // Commands for which too much would be bought are left out of a decision.
              zones:
                pool.skew === undefined
                  ? []
                  : subsetsOf(
                      commands.disruptions.filter(({ nodes }) =>
                        nodes.some((node) => poolOfNode(scenario.pools, world.api.nodes.get(node)) === pool),
                      ),
                    ).map((some) => zonesBeside(pool, some)),
              planned,
              replacing,
              least,
              spread: Math.min(spreadOf(pool, state, decision), mostSpread(pool, stage, decision)),
              troubled: pool.groups.some(
                (name) => clock.now() - (lastTrouble.get(name) ?? Number.NEGATIVE_INFINITY) < RECOVERED_MS,
              ),
              bought: [],
            };
          }),
        );
      },
      committed: ({ state, intents }) => {
        const bases = deciding.get(state);
        for (const intent of intents) {
          // Where all that was stored is lost, versions begin anew, and with them the names of intents.
          byIntent.delete(intent.id);
          if (bases !== undefined && intent.kind === 'SetSize' && intent.to > intent.from) {
            byIntent.set(intent.id, bases);
          }
        }
        for (const basis of bases ?? []) {
          judgeZones(basis, intents);
        }
      },
      intentEnded: ({ group }, status) => {
        if (status === 'failed' && world.clock.now() - refusals.lastError(group) < LEARNED) {
          givenUpAt.set(group, world.clock.now());
        }
      },
      event: (event) => {
        if (event.kind === 'GroupCreated') {
          // What it is to have from the start was asked for by another client, as a size that one sets.
          lastTrouble.set(event.group, event.at);
        }
        if (event.kind === 'SizeSetElsewhere') {
          lastTrouble.set(event.group, event.at);
          const undone = pendingOf(event.group, orders.open()).find(
            (one) => one.kind === 'SetSize' && one.to === event.from && one.from === event.to,
          );
          const basis = byIntent.get(undone?.id ?? '')?.find(({ pool }) => pool.groups.includes(event.group));
          if (basis !== undefined) {
            // Another client has taken back what was bought, before it was known to have been: it is bought again.
            basis.bought = basis.bought.slice(event.from - event.to);
          }
        }
        if (event.kind !== 'SizeSet' || event.to <= event.from) {
          return;
        }
        const { group, from, to } = event;
        const intent = pendingOf(group, orders.open()).find((one) => one.kind === 'SetSize' && one.to === to);
        if (intent !== undefined && isStale(intent, event.at)) {
          // No evaluation counted on it any more: its pods were planned anew.
          lastTrouble.set(group, event.at);
        }
        const basis = (intent === undefined ? undefined : byIntent.get(intent.id))?.find(({ pool }) =>
          pool.groups.includes(group),
        );
        const more =
          basis === undefined
            ? 0
            : to -
              Math.max(
                from,
                basis.planned.get(group)!,
                basis.replacing.get(group) ?? 0,
                basis.least.get(group)!,
                leastOf(group),
              );
        judge(basis === undefined || basis.troubled || basis.spread > 0);
        if (basis === undefined || more <= 0) {
          return;
        }
        const { pool, waiting, room, spread } = basis;
        if (pool.skew !== undefined) {
          // Which of the nodes of a decision help is told of all of them together.
          return;
        }
        const size = nodeUnits(pool, groupNamed(group));
        basis.bought = [...basis.bought, ...Array.from({ length: more }, () => size)].sort((a, b) => b - a);
        // Which of them was bought last is not known: the largest at the most.
        const { bought } = basis;
        // A group that is all or nothing is bought for one pod that needs it: none of its nodes is looked at alone.
        const others = isWholeGroup(groupNamed(group)) ? [] : bought.slice(1 + spread);
        if (bought.length > spread && fits(waiting, [...room, ...others])) {
          violate(
            `${group} goes from ${from} to ${to} by ${intent!.id}: pods of ${waiting.join(', ') || 'no'} units waited, ` +
              `there was room of ${room.join(', ') || 'nothing'}, and nodes of ${bought.join(', ')} have been bought for them`,
          );
        }
      },
    };
  },
};

/**
 * The nodes of a pool that may be bought because kube-scheduler spreads pods: all of these may cost no more than the option
 * allows beside all that is on its way, and what is bought now.
 */
function mostSpread(
  { groups }: Pool,
  { scenario: { options }, world: { scaling, api }, orders }: Pick<Stage, 'scenario' | 'world' | 'orders'>,
  { scaleUp: { increases } }: Decision,
): number {
  const { predictedPlacementRatio: ratio, prices } = options;
  const sizes = [...increases, ...orders.open().flatMap((intent) => (intent.kind === 'SetSize' ? intent : []))];
  const coming = scaling.groups().reduce((sum, view) => {
    const ready = members(view).filter(({ node }) => node !== null && isReadyNode(api.nodes.get(node))).length;
    const size = Math.max(view.desired, ...sizes.flatMap(({ group, to }) => (group === view.group.name ? to : [])));
    return sum + Math.max(0, size - ready) * priceRange(prices, view.group).max;
  }, 0);
  const own = scaling
    .groups()
    .flatMap(({ group }) => (groups.includes(group.name) ? priceRange(prices, group).min : []));
  return Math.max(0, Math.floor(((ratio - 1) * coming) / Math.min(...own) + ROUNDING));
}

const ROUNDING = 1e-6;

const isReadyNode = (node: Node | undefined): boolean => node !== undefined && isNodeReady(node);

/** What a decision was told that a group is to have. */
const targetOf = ({ nodeGroups }: Scenario, group: GroupName): number =>
  nodeGroups.find(({ name }) => name === group)?.targetSize ?? 0;

/** What a group has to have without any pod: one that is all or nothing has all. */
function minimumOf({ scaling }: SimulatedWorld, name: GroupName): number {
  const group = scaling.groups().find((view) => view.group.name === name)?.group;
  if (group === undefined) {
    return 0;
  }
  return group.minSize > 0 && isWholeGroup(group) ? group.maxSize : group.minSize;
}

function spreadOf({ groups }: Pool, { reservedPacking }: State, { scaleUp: { predicted } }: Decision): number {
  const kept = groups.reduce((sum, group) => sum + (reservedPacking[group]?.spare ?? 0), 0);
  return kept + (predicted?.bought === true ? (predicted.nodes ?? 0) : 0);
}
