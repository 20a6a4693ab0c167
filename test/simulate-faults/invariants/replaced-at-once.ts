import { withoutExpendable } from '../../../core/model/cluster/expendable.ts';
import type { Decision } from '../../../core/model/decision.ts';
import type { Intent, IntentStatus } from '../../../core/model/intent.ts';
import { INSTANCE_TYPE_LABEL, ZONE_LABEL } from '../../../core/model/cluster/node.ts';
import { isFinished, type Pod } from '../../../core/model/cluster/pod.ts';
import { type GroupName, type InstanceId, instanceId, type NodeName } from '../../../core/model/values/names.ts';
import { type EpochMs, epochMs } from '../../../core/model/values/time.ts';
import type { Scenario } from '../../../core/model/scenario.ts';
import type { State } from '../../../core/model/state.ts';
import { isNodeReady } from '../../../providers/simulated/node-readiness.ts';
import { CLAIM } from '../../../functions/actuate/actuate.ts';
import type { SimulatedWorld } from '../../../providers/simulated/world.ts';
import type { WorldEvent } from '../../../providers/simulated/world-event.ts';
import { volumesByCpu } from '../attach-limits.ts';
import { closedNodes } from '../closed-nodes.ts';
import { leavingNodes, leavingPods } from '../leaving.ts';
import { NOTHING_PLANNED, openGroups, YOUNG_MS } from '../open-groups.ts';
import { nodeUnits } from '../node-sizes.ts';
import { fits } from '../packing.ts';
import { isOf, type Pool } from '../pools.ts';
import { wouldHelp, type Zones, zonesAsSeen } from '../skewed-room.ts';
import {
  displaced,
  type Known,
  LONGEST_PATIENCE_MS,
  type Place,
  placesOf,
  RECOVERED_MS,
  takenBy,
  unitsOf,
  wantsNode,
  watchLosses,
} from '../truth.ts';
import type { Invariant } from './invariant.ts';

/**
 * The evaluation that takes a node to leave buys what its pods need: with what it buys, there is room for them on what is
 * there, on its way, requested or decided, unless no group of their pool may grow.
 */
export const replacedAtOnce: Invariant = {
  name: 'what leaves is replaced by the same evaluation',
  judgesOn: ['aws'],
  assumes: ['lag', 'skew'],
  watch: ({ scenario, world, orders, forgottenAt }, violate, judge) => {
    const lastTrouble = new Map<GroupName, number>();
    /** Instances of a group that is without its tags are not known, and no longer for how long they had been awaited. */
    const untaggedUntil = new Map<GroupName, number>();
    const undone = watchUndone();
    const told = watchTold();
    const loses = watchLosses(scenario.provider);
    const placeIn = (pool: Pool, name: GroupName): Place => {
      const group = scenario.groups.find((one) => one.name === name)!;
      return { group, units: nodeUnits(pool, group) };
    };
    return {
      step: () => {
        for (const view of world.scaling.groups()) {
          const { name } = view.group;
          if (loses(view) || view.error !== null) {
            lastTrouble.set(name, world.clock.now());
          }
          if (view.untagged === true) {
            untaggedUntil.set(name, world.clock.now());
          }
        }
      },
      event: (event) => {
        undone.event(event);
        if (event.kind === 'GroupDeleted') {
          // Descriptions may show it with its nodes for a moment.
          lastTrouble.set(event.group, event.at);
        }
      },
      intentEnded: (intent, status) => undone.intentEnded(intent, status, world.clock.now()),
      committed: ({ state }) => told.committed(state),
      decided: (seen, decision) => {
        told.decided(seen, decision, world.clock.now());
        const leaving = leavingNodes(decision);
        if (decision.evaluation !== 'ScaleUp' || leaving.size === 0) {
          return;
        }
        const now = world.clock.now();
        const { objects } = seen;
        // A young node that is not ready is taken for one that starts, although it has been ready.
        const closed = closedNodes(seen, leaving, new Set(), world);
        const known: Known = {
          now,
          failedAt: (group) => decision.state.backoff[group]?.lastFailure ?? epochMs(0),
          lastTrouble: new Map(),
          closed,
          patienceMs: LONGEST_PATIENCE_MS,
          forgottenAt: (group) => Math.max(forgottenAt(), untaggedUntil.get(group) ?? 0),
          knownSince: (id) => told.since(id) ?? now,
          awaited: awaitedIn(decision, seen.now),
        };
        const intents = orders.openAsRead(now);
        for (const pool of scenario.pools) {
          const going = leavingPods(seen, leaving).filter(
            (pod) => isOf(pool, pod) && pod.deletedAt === null && !toleratesAll(pod),
          );
          if (going.length === 0) {
            continue;
          }
          const waiting = [
            ...objects.pods.filter(
              (pod) =>
                wantsNode(pod, seen) &&
                (pod.unscheduled?.since ?? pod.createdAt ?? 0) < seen.now - YOUNG_MS - seen.options.newPodScaleUpDelay,
            ),
            // What has been evicted and has its replacement needs no other place while it ends.
            ...displaced(seen).filter(({ deletedAt }) => deletedAt === null),
          ].filter((pod) => isOf(pool, pod) && !toleratesAll(pod));
          const wanting = [...new Set([...going, ...waiting])];
          const units = wanting.map(unitsOf);
          const bought = decision.scaleUp.increases
            .filter(({ group }) => pool.groups.includes(group))
            .flatMap(({ group, from, to }) => Array.from({ length: to - from }, () => placeIn(pool, group)));
          const pods = withoutExpendable(objects.pods, seen.options);
          const places = [
            ...placesOf(world, pool, pods, intents, known),
            ...unheardOf(world, seen, pool, closed),
            ...bought,
            ...replacedByGroups(seen, pool, leaving).map((group) => placeIn(pool, group)),
            ...pool.groups.flatMap((group) =>
              Array.from({ length: undone.of(group, now) }, () => placeIn(pool, group)),
            ),
          ];
          const isTold = ({ instanceType }: Place['group']): boolean =>
            objects.nodes.some(
              ({ name, labels }) =>
                labels[INSTANCE_TYPE_LABEL] === instanceType && objects.csiNodes.some((one) => one.name === name),
            );
          const room = places.map(({ group, units: known }) =>
            pool.ofVolumes === true && !isTold(group) ? volumesByCpu(group) : known,
          );
          const { skew } = pool;
          const zones =
            skew === undefined
              ? []
              : withTolerant(
                  zonesAsSeen({
                    pool,
                    pools: scenario.pools,
                    world,
                    nodes: objects.nodes,
                    pods,
                    waiting: wanting,
                    closed,
                    places: [places],
                  }),
                  objects.pods.filter((pod) => isOf(pool, pod) && toleratesAll(pod) && wantsNode(pod, seen)).length,
                  objects.nodes.flatMap(({ name, labels }) => (leaving.has(name) ? (labels[ZONE_LABEL] ?? []) : [])),
                );
          const open =
            skew === undefined
              ? mayGrow(seen, decision, pool)
              : mayGrow(seen, decision, pool, (group) => wouldHelp(placeIn(pool, group), wanting.length, zones, skew));
          const isEnough = fits(units, room);
          const isTroubled = pool.groups.some((name) => now - (lastTrouble.get(name) ?? -Infinity) < RECOVERED_MS);
          judge(!isEnough && (open === null || isTroubled));
          if (!isEnough && open !== null && !isTroubled) {
            violate(
              `${[...leaving].join(', ')} leave with pods of ${going.map(unitsOf).join(', ')} units, of ${units.join(', ')} ` +
                `in all${skew === undefined ? '' : `, spread over zones by ${JSON.stringify(skew)}`}; there is room of ${room.join(', ') || 'nothing'} with ${bought.length} nodes that are bought, and ${open} may grow`,
            );
          }
        }
      },
    };
  },
};

/**
 * Instances without a Node that are not given up yet. Whether one has had a Node cannot be told from outside: the kubelet of an
 * instance that restarts registers again.
 */
const awaitedIn = ({ state: { unregisteredSince } }: Decision, now: EpochMs): ReadonlySet<InstanceId> =>
  new Set(
    Object.entries(unregisteredSince).flatMap(([id, since]) =>
      now - since < LONGEST_PATIENCE_MS ? instanceId(id) : [],
    ),
  );

/**
 * Watches for what evaluations that buy are told of instances. They wait for one from the moment on that the first of them that is
 * committed has been told of it, however long ago it was launched: none of them may have run meanwhile.
 *
 * @returns `since`: when that was; `undefined` where they have not been told of the instance
 */
export function watchTold() {
  const told = new WeakMap<State, ReadonlyMap<InstanceId, EpochMs>>();
  let known: ReadonlyMap<InstanceId, EpochMs> = new Map();
  return {
    decided: (
      { nodeGroups }: Pick<Scenario, 'nodeGroups'>,
      { evaluation, state }: Pick<Decision, 'evaluation' | 'state'>,
      now: EpochMs,
    ): void => {
      if (evaluation === 'ScaleUp') {
        const shown = nodeGroups.flatMap(({ instances }) => instances);
        told.set(state, new Map(shown.map(({ id }) => [id, known.get(id) ?? now] as const)));
      }
    },
    committed: (state: State): void => {
      known = told.get(state) ?? known;
    },
    since: (instance: InstanceId): EpochMs | undefined => known.get(instance),
  };
}

/**
 * Watches for increases that another client takes back as soon as they are made. A description that shows the size from before
 * is taken for one that is older than the increase, for as long as its claim lasts.
 *
 * @returns `of`: the number of nodes that a group is taken to have requested, and has not
 */
function watchUndone() {
  const made = new Map<GroupName, { readonly at: EpochMs; readonly from: number; readonly to: number }>();
  const undone = new Map<GroupName, { readonly until: number; readonly nodes: number }>();
  return {
    intentEnded: (intent: Intent, status: IntentStatus, at: EpochMs): void => {
      if (intent.kind === 'SetSize' && intent.to > intent.from && status === 'done') {
        made.set(intent.group, { at, from: intent.from, to: intent.to });
      }
    },
    event: (event: WorldEvent): void => {
      const last = event.kind === 'SizeSetElsewhere' ? made.get(event.group) : undefined;
      if (event.kind === 'SizeSetElsewhere') {
        undone.delete(event.group);
        if (last !== undefined && event.from === last.to && event.to === last.from) {
          undone.set(event.group, { until: last.at + CLAIM, nodes: last.to - last.from });
        }
      }
    },
    of: (group: GroupName, now: EpochMs): number => {
      const one = undone.get(group);
      return one === undefined || now > one.until ? 0 : one.nodes;
    },
  };
}

/** The room on nodes that leave, and of which no function has heard it yet. */
function unheardOf(
  { scaling }: Pick<SimulatedWorld, 'scaling'>,
  { objects }: Scenario,
  pool: Pool,
  closed: ReadonlySet<NodeName>,
): readonly Place[] {
  return scaling
    .groups()
    .filter(({ group }) => pool.groups.includes(group.name))
    .flatMap(({ group, instances }) =>
      instances
        .filter(({ state, node }) => state === 'Deleting' && node !== null && !closed.has(node))
        .filter(({ node }) => objects.nodes.some((one) => one.name === node && isNodeReady(one)))
        .map(({ node }) => {
          const there = objects.pods.filter((pod) => pod.nodeName === node && !isFinished(pod));
          return { group, units: nodeUnits(pool, group) - there.reduce((sum, pod) => sum + takenBy(pod), 0) };
        }),
    );
}

/** It may be put on a node that leaves, once more. */
const toleratesAll = ({ spec }: Pod): boolean => spec.tolerations.length > 0;

/** kube-scheduler may put pods that tolerate all taints onto nodes that leave, in whose zones they count then. */
const withTolerant = (alternatives: readonly Zones[], pods: number, zones: readonly string[]): readonly Zones[] =>
  Array.from({ length: pods + 1 }, (_, more) => more).flatMap((more) =>
    alternatives.map(
      (one) =>
        new Map([...one].map(([zone, of]) => [zone, { ...of, pods: of.pods + (zones.includes(zone) ? more : 0) }])),
    ),
  );

/** A group at its minimum launches another instance in the place of one that ends. */
const replacedByGroups = ({ nodeGroups }: Scenario, pool: Pool, leaving: ReadonlySet<NodeName>): readonly GroupName[] =>
  nodeGroups
    .filter(({ name }) => pool.groups.includes(name))
    .flatMap(({ name, nodes, targetSize, minSize }) => {
      const going = nodes.filter((node) => leaving.has(node)).length;
      const replaced = Math.max(0, going - Math.max(0, targetSize - minSize));
      return Array.from({ length: replaced }, () => name);
    });

/**
 * A group of the pool that may grow further, by what is known; `null`: none. One group at a time, where the options want that: where it
 * is of a pool whose pods are spread over zones, the groups of its other zones are left to the next evaluation.
 *
 * @param helps would one more node of the group let more pods run, where that depends on its zone?
 */
export function mayGrow(
  seen: Pick<Scenario, 'nodeGroups' | 'now' | 'options'>,
  decision: Pick<Decision, 'scaleUp' | 'state'>,
  pool: Pool,
  helps: (group: GroupName) => boolean = () => true,
): GroupName | null {
  const { scaleUp } = decision;
  const raised = scaleUp.increases.map(({ group }) => group);
  const isOneOnly = !seen.options.salvoScaleUp && raised.length > 0;
  // One of another pool, or one that has its maximum with it.
  const isTaken =
    isOneOnly &&
    scaleUp.increases.some(
      ({ group, to }) =>
        !pool.groups.includes(group) || to >= (seen.nodeGroups.find(({ name }) => name === group)?.maxSize ?? 0),
    );
  if (NOTHING_PLANNED.has(scaleUp.result) || isTaken) {
    return null;
  }
  const open = openGroups(seen, decision, pool);
  return open.find((group) => (!isOneOnly || raised.includes(group)) && helps(group)) ?? null;
}
