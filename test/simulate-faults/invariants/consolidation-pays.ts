import { workloadKey } from '../../../providers/simulated/workload.ts';
import { isExpendable } from '../../../core/model/cluster/expendable.ts';
import type { Disruption } from '../../../core/model/disruption.ts';
import type { Decision } from '../../../core/model/decision.ts';
import type { State } from '../../../core/model/state.ts';
import type { GroupName, InstanceId, NodeName } from '../../../core/model/values/names.ts';
import { epochMs, type EpochMs, minutes } from '../../../core/model/values/time.ts';
import { isNodeReady } from '../../../providers/simulated/node-readiness.ts';
import { watchCommands } from '../commands.ts';
import { costTogether } from '../drawn-prices.ts';
import { AHEAD, windowOf } from '../drawn-schedules.ts';
import { isOf, type Pool, poolOfNode, poolsOfWorkloads } from '../pools.ts';
import { mayBeBooked, mayBeTried, watchRequests } from '../request-histories.ts';
import { watchLosses } from '../truth.ts';
import { isChangeElsewhere } from './no-flapping.ts';
import type { Invariant } from './invariant.ts';

/** What is bought so long after a consolidation was ordered may be bought because of it. */
const SOON = minutes(10);
/** From the read of the cluster to the decision that comes of it, when every call is slow. */
const READ_AGE_MS = 60_000;

/** Nodes that were removed because the cluster costs less without them. */
interface Consolidated {
  readonly pool: Pool;
  readonly nodes: readonly NodeName[];
  /** Per hour. */
  readonly cost: number;
  /** When the command began; where nothing had to be bought, when the removal was ordered. */
  readonly from: EpochMs;
  readonly until: EpochMs;
}

/**
 * A consolidation lowers what the cluster costs per hour, or is taken back. In a pool whose load does not rise, where no schedule
 * asks for nodes, and where nothing else happens, less is bought than goes: from the beginning of the command to ten minutes after its nodes were
 * ordered to go, all sizes that are raised come to less than all nodes that were consolidated. An instance that never became a node
 * and is given up is taken off: another one is bought in its place. So is a node that was bought meanwhile and goes again, since it is not
 * needed: other pods may get the room of a replacement first, and leave it for room elsewhere when another one has come. By the sizes in the cloud and the prices that are
 * stated, the groups' own, or what their nodes come to at reference prices where there are none.
 */
export const consolidationPays: Invariant = {
  name: 'a consolidation lowers what the cluster costs',
  assumes: ['lag', 'skew'],
  watch: (stage, violate, judge) => {
    const { scenario, world, orders, strikes } = stage;
    const { api, clock, scaling } = world;
    const changesOf = watchCommands(stage);
    const isLosing = watchLosses(scenario.provider);
    const deciding = new WeakMap<State, ReadonlySet<NodeName>>();
    const open = new Set<Consolidated>();
    const all: Consolidated[] = [];
    const bought: { readonly pool: Pool; readonly at: EpochMs; readonly cost: number; readonly since?: EpochMs }[] = [];
    const launched = new Map<InstanceId, EpochMs>();
    /** When the load of each pool rose, or something else happened in it. */
    const disturbed = new Map<Pool, EpochMs[]>(scenario.pools.map((pool) => [pool, []]));
    const poolOf = (group: GroupName): Pool => scenario.pools.find(({ groups }) => groups.includes(group))!;
    const sizeOf = (name: GroupName): number => scaling.groups().find(({ group }) => group.name === name)?.desired ?? 0;
    /** So many nodes of a group, the last that there are. */
    const savingOf = (name: GroupName, nodes: number): number =>
      costTogether(scenario, name, nodes, (other) => sizeOf(other) - (other === name ? nodes : 0));
    const groupOf = (node: NodeName): GroupName | undefined =>
      scaling.groups().find(({ instances }) => instances.some((one) => one.node === node))?.group.name;
    const poolOfInstance = (instance: InstanceId): Pool | undefined => {
      const view = scaling.groups().find(({ instances }) => instances.some(({ id }) => id === instance));
      return view === undefined ? undefined : poolOf(view.group.name);
    };
    const disturb = (pool: Pool | undefined): void => {
      if (pool !== undefined) {
        disturbed.get(pool)!.push(clock.now());
      }
    };
    const poolNamed = (name: NodeName): Pool | undefined => poolOfNode(scenario.pools, api.nodes.get(name));
    const isDisturbed = ({ pool, from, until }: Consolidated): boolean =>
      Math.max(orders.lostAt(), strikes.last('state')) >= from ||
      disturbed.get(pool)!.some((at) => at >= from - READ_AGE_MS && at <= until);
    const settle = (one: Consolidated): void => {
      if (!open.delete(one) || isDisturbed(one)) {
        return;
      }
      const meanwhile = all.filter((other) => other.pool === one.pool && other.until >= one.from);
      const from = Math.min(...meanwhile.map((other) => other.from));
      const spent = bought
        .filter(({ pool, at, since = at }) => pool === one.pool && since >= one.from && at <= one.until)
        .reduce((sum, { cost }) => sum + cost, 0);
      const saved = meanwhile.reduce((sum, { cost }) => sum + cost, 0);
      // Another one began earlier, and something happened then.
      judge(meanwhile.some(isDisturbed));
      if (spent >= saved && !meanwhile.some(isDisturbed)) {
        violate(
          `${one.nodes.join(', ')} went to save ${one.cost}: ${spent} was bought in ${one.pool.name} since ` +
            `${(one.from - scenario.start) / 1_000} s, and ${saved} went since ${(from - scenario.start) / 1_000} s`,
        );
      }
    };
    const consolidated = (nodes: readonly NodeName[], command: Disruption | null): void => {
      for (const [pool, own] of Map.groupBy(nodes, poolNamed)) {
        if (pool !== undefined) {
          const now = clock.now();
          const cost = [...Map.groupBy(own, groupOf)].reduce(
            (sum, [group, { length }]) => sum + (group === undefined ? 0 : savingOf(group, length)),
            0,
          );
          const one = { pool, nodes: own, cost, from: command?.since ?? now, until: epochMs(now + SOON) };
          open.add(one);
          all.push(one);
          clock.at(one.until, () => settle(one));
          if (mayBuyAnyway(pool, one.from)) {
            disturb(pool);
          }
        }
      }
    };
    /** Pods wait, or an increase is under way that was decided before. */
    const mayBuyAnyway = (pool: Pool, from: EpochMs): boolean =>
      api.pods
        .values()
        .some((pod) => pod.nodeName === null && isOf(pool, pod) && !isExpendable(pod, scenario.options)) ||
      orders
        .open()
        .some((intent) => intent.kind === 'SetSize' && pool.groups.includes(intent.group) && intent.createdAt < from);
    const pools = poolsOfWorkloads(scenario);
    const wanted = new Map<string, number>();
    for (const step of scenario.steps) {
      const workload = step.kind === 'apply' ? workloadKey(step.workload) : step.workload;
      const pods = step.kind === 'apply' ? step.workload.pods : 0;
      if (pods > (wanted.get(workload) ?? 0)) {
        clock.at(step.at, () => disturb(pools.get(workload)));
      }
      wanted.set(workload, pods);
    }
    for (const { pool, from } of scenario.buffers) {
      clock.at(from, () => disturb(pool));
    }
    // Nodes are added for a request whenever its room is looked for, and for other pods while room is held for it.
    const requests = watchRequests(world, scenario);
    for (const schedule of scenario.options.capacitySchedules) {
      const { from } = windowOf(schedule, scenario);
      clock.at(epochMs(from - AHEAD), () => scenario.pools.forEach(disturb));
    }
    api.watch({
      node: (node, before) => {
        if (before !== null && isNodeReady(before) && !isNodeReady(node)) {
          disturb(poolNamed(node.name));
        }
      },
    });
    return {
      step: () => {
        for (const view of scaling.groups()) {
          if (isLosing(view) || view.error !== null || view.untagged === true || view.paused === true) {
            disturb(poolOf(view.group.name));
          }
        }
      },
      decided: (_told, decision) => {
        deciding.set(decision.state, new Set(consolidatedBy(decision)));
        if (decision.scaleUp.predicted?.bought === true) {
          scenario.pools.forEach(disturb);
        }
      },
      committed: ({ state, intents }) => {
        const { begun, carriedOut, givenUp } = changesOf(intents);
        const others = [...begun, ...carriedOut.map(({ command }) => command)].filter(
          ({ reason }) => reason !== 'Underutilized',
        );
        [...givenUp, ...others].forEach(({ nodes }) => nodes.forEach((node) => disturb(poolNamed(node))));
        for (const { nodes, since } of begun) {
          // Until it is carried out they may have got what was bought for them.
          new Set(nodes.map(poolNamed)).forEach((pool) => {
            if (pool !== undefined && mayBuyAnyway(pool, since)) {
              disturb(pool);
            }
          });
        }
        for (const { command, nodes } of carriedOut) {
          if (command.reason === 'Underutilized') {
            consolidated(nodes, command);
          }
        }
        const waited = new Set(carriedOut.flatMap(({ nodes }) => nodes));
        const removed = intents.flatMap((intent) =>
          intent.kind === 'RemoveNodes' ? intent.nodes.map(({ node }) => node) : [],
        );
        consolidated(
          removed.filter((node) => deciding.get(state)?.has(node) === true && !waited.has(node)),
          null,
        );
      },
      drain: ({ drain }) => {
        if (drain.phase === 'RollingBack' || drain.phase === 'RolledBack' || drain.notice !== undefined) {
          disturb(poolOf(drain.group));
        }
      },
      event: (event) => {
        if (event.kind === 'SizeSet' && event.to > event.from) {
          const { group, from, to } = event;
          if (
            requests.some(
              (one) => one.drawn.pool === poolOf(group) && (mayBeTried(one, event.at) || mayBeBooked(one, event.at)),
            )
          ) {
            disturb(poolOf(group));
          }
          const cost = costTogether(scenario, group, to - from, (name) => (name === group ? from : sizeOf(name)));
          bought.push({ pool: poolOf(event.group), at: event.at, cost });
        } else if (event.kind === 'InstanceTerminated' && event.node === null && event.decrement) {
          const { group } = event;
          bought.push({ pool: poolOf(group), at: event.at, cost: -savingOf(group, 1) });
        } else if (event.kind === 'InstanceLaunched') {
          launched.set(event.instance, event.at);
        } else if (event.kind === 'InstanceTerminated' && event.decrement) {
          const { group, instance, node } = event;
          const since = launched.get(instance);
          // What consolidation has removed is counted as saved.
          if (since !== undefined && !all.some(({ nodes }) => nodes.includes(node!))) {
            bought.push({ pool: poolOf(group), at: event.at, cost: -savingOf(group, 1), since });
          }
        } else if (event.kind === 'BoundsSetElsewhere' || isChangeElsewhere(event)) {
          disturb(poolOf(event.group));
        } else if (event.kind === 'Announced') {
          event.instances.forEach((id) => disturb(poolOfInstance(id)));
        }
      },
      ended: () => {
        [...open].forEach(settle);
      },
    };
  },
};

const consolidatedBy = ({ scaleDown: { removals } }: Decision): readonly NodeName[] =>
  removals.flatMap(({ node, reason }) => (reason === 'Underutilized' ? node : []));
