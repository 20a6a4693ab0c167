import type { Decision } from '../../../core/model/decision.ts';
import type { GroupName, InstanceId, NodeName } from '../../../core/model/names.ts';
import { type EpochMs, minutes } from '../../../core/model/time.ts';
import type { GroupView } from '../../../providers/simulated/auto-scaling.ts';
import { isNodeReady } from '../../../providers/simulated/node-readiness.ts';
import { type Pool, POOL_LABEL } from '../scenario.ts';
import { hasLost } from '../truth.ts';
import type { Invariant } from './invariant.ts';

const SOON = minutes(10);
/** From the look at the cluster to the decision that comes of it: what changes meanwhile is not in it. */
const LOOKED_MS = 30_000;

interface Bought {
  readonly at: EpochMs;
  /** Some of the nodes were bought because kube-scheduler spreads pods. */
  readonly onForecast: boolean;
}

/**
 * No node is bought for pods and removed for the same pods: from the decision that raised its group's size to the end of
 * its machine by a drain ten minutes have passed, or something has changed in its pool: what is wanted (a workload's
 * size, a Job's pod that has ended) or what there is (a launch that failed, a machine that went or never came, a node
 * that was not ready, a drain that was given up), or pods were moved by other drains: kube-scheduler puts them where it
 * likes, and what had room together may then have none, and have it again after the next move.
 */
export const noFlapping: Invariant = {
  name: 'no node is bought and removed for the same pods',
  watch: ({ scenario, world, drains }, violate) => {
    const lastChange = new Map<Pool, EpochMs>();
    const bought = new Map<GroupName, Bought>();
    /** With which decision each machine came. */
    const purchases = new Map<InstanceId, Bought>();
    /** When pods were last evicted, by the node that they were on. */
    const moves = new Map<NodeName, EpochMs>();
    const forecasts = new WeakSet<Decision>();
    const before = new Map<GroupName, GroupView>();
    const poolOf = (group: GroupName): Pool => scenario.pools.find(({ groups }) => groups.includes(group))!;
    const ofWorkload = (key: string): Pool | undefined =>
      scenario.pools.find(({ name }) => key.startsWith(`default/${name}-`));
    const changed = (pool: Pool | undefined): void => {
      if (pool !== undefined) {
        lastChange.set(pool, world.clock.now());
      }
    };
    for (const step of scenario.steps) {
      const pool = ofWorkload(step.kind === 'apply' ? `default/${step.workload.name}` : step.workload);
      world.clock.at(step.at, () => changed(pool));
    }
    const wasReady = new Set<NodeName>();
    world.api.watch({
      node: (node, earlier) => {
        if (earlier !== null && isNodeReady(node) !== isNodeReady(earlier) && wasReady.has(node.name)) {
          changed(scenario.pools.find(({ name }) => node.labels[POOL_LABEL] === name));
        }
        if (isNodeReady(node)) {
          wasReady.add(node.name);
        }
      },
    });
    return {
      step: () => {
        for (const view of world.scaling.groups()) {
          const { name } = view.group;
          if (view.error !== null || hasLost(view, before.get(name))) {
            changed(poolOf(name));
          }
          before.set(name, view);
        }
      },
      decided: (_seen, decision) => {
        if (decision.scaleUp.predicted?.bought === true) {
          forecasts.add(decision);
        }
      },
      committed: ({ decision, intents, now }) => {
        for (const intent of intents) {
          if (intent.kind === 'SetSize' && intent.to > intent.from) {
            bought.set(intent.group, { at: now, onForecast: forecasts.has(decision) });
          }
        }
      },
      drain: ({ drain }) => {
        if (drain.phase === 'RollingBack' || drain.phase === 'RolledBack') {
          changed(poolOf(drain.group));
        }
      },
      event: (event) => {
        if (event.kind === 'PodFinished') {
          changed(ofWorkload(event.workload));
        }
        if (event.kind === 'PodEvicted') {
          moves.set(event.node, event.at);
        }
        if (event.kind === 'InstanceLaunched') {
          const purchase = bought.get(event.group);
          if (purchase !== undefined) {
            purchases.set(event.instance, purchase);
          }
        }
        if (event.kind !== 'InstanceTerminated') {
          return;
        }
        const { group, instance, at } = event;
        if (!drains().some(({ drain }) => drain.instance === instance)) {
          changed(poolOf(group));
          return;
        }
        const purchase = purchases.get(instance);
        if (purchase === undefined || purchase.onForecast) {
          return;
        }
        const nodes = new Set(
          world.scaling
            .groups()
            .filter((view) => poolOf(view.group.name) === poolOf(group))
            .flatMap(({ machines }) => machines.map(({ node }) => node)),
        );
        const moved = [...moves].some(
          ([node, when]) =>
            node !== event.node && when >= purchase.at && (nodes.has(node) || !world.api.nodes.has(node)),
        );
        if (moved) {
          return;
        }
        const since = lastChange.get(poolOf(group)) ?? 0;
        if (at - purchase.at < SOON && since < purchase.at - LOOKED_MS) {
          violate(
            `${instance} of ${group} is ended ${(at - purchase.at) / 1_000} s after it was decided to buy it, and nothing ` +
              `else has changed in its pool`,
          );
        }
      },
    };
  },
};
