import type { Decision } from '../../../core/model/decision.ts';
import type { NodeGroup } from '../../../core/model/node-group.ts';
import { keyOf, type Pod } from '../../../core/model/cluster/pod.ts';
import type { Scenario } from '../../../core/model/scenario.ts';
import { scheduledAt } from '../drawn-schedules.ts';
import { NOTHING_PLANNED, openGroup, YOUNG_MS } from '../open-groups.ts';
import { isOf, type Pool } from '../pools.ts';
import { placeable, withMore, zonesWithPods } from '../skewed-room.ts';
import { unitsOf, wantsNode } from '../truth.ts';
import { zonesOf } from '../zones.ts';
import type { Invariant } from './invariant.ts';

/**
 * The evaluation that learns that instances could not be launched leaves their group alone, gives them back, and plans the
 * pods that waited for them on the other groups of their pool, if one of these may grow.
 */
export const failuresAnswered: Invariant = {
  name: 'failures are answered by the evaluation that learns of them',
  watch: ({ scenario, scenario: { pools } }, violate) => ({
    decided: (seen, decision) => {
      if (decision.evaluation === 'ScaleDown') {
        return;
      }
      for (const group of seen.nodeGroups) {
        const broken = group.launchFailures.length;
        if (broken === 0) {
          continue;
        }
        const ended = decision.registry.repairs.filter(
          (repair) => repair.kind === 'DeleteErrored' && repair.group === group.name,
        ).length;
        const { maxSize, minSize } = group;
        const own = { ...scenario.groups.find(({ name }) => name === group.name)!, maxSize };
        const least = Math.max(minSize, scheduledAt(scenario, own, seen.now));
        const may = Math.min(broken, group.targetSize - least);
        const resting = (seen.state.repairBackoff[group.name] ?? 0) > seen.now;
        const before = decision.registry.repairs.filter(
          (repair) => repair.kind === 'DeleteUnregistered' && repair.group === group.name,
        ).length;
        if (ended < may - before && !resting && decision.registry.clusterHealthy) {
          violate(`${group.name} counts ${broken} instances that could not be launched, and ${ended} are given back`);
        }
        if (!isNews(seen, group)) {
          continue;
        }
        if ((decision.state.backoff[group.name]?.until ?? 0) <= seen.now) {
          violate(`${group.name} has failed, and is not left alone`);
        }
        const left = waitsInVain(
          seen,
          decision,
          pools.find(({ groups }) => groups.includes(group.name))!,
          pools,
        );
        if (left !== null) {
          violate(`${group.name} has failed, and ${left}`);
        }
      }
    },
  }),
};

/** Some of these instances were requested, and no evaluation has acted on their failure before. */
const isNews = ({ state }: Scenario, { name, launchFailures }: NodeGroup): boolean =>
  state.scaleUpRequests.some(({ group }) => group === name) &&
  launchFailures.some(({ id }) => !(state.seenErrors[name] ?? []).includes(id));

/** A pod of the pool that is told to be without hope although a group may grow for it, in words; `null`: none is. */
function waitsInVain(seen: Scenario, decision: Decision, pool: Pool, pools: readonly Pool[]): string | null {
  const { objects, options, now } = seen;
  const { scaleUp } = decision;
  if (NOTHING_PLANNED.has(scaleUp.result) || !options.salvoScaleUp) {
    return null;
  }
  const open = openGroup(seen, decision, pool);
  if (open === null) {
    return null;
  }
  const outcomes = new Map(scaleUp.pods.map(({ pod, outcome }) => [pod, outcome]));
  const isPlaced = (pod: Pod): boolean => ['Triggered', 'Fits', 'Awaiting'].includes(outcomes.get(keyOf(pod)) ?? '');
  const own = objects.pods.filter((pod) => isOf(pool, pod));
  if (own.filter(isPlaced).length >= mostPlaced(seen, pool, pools)) {
    return null;
  }
  const left = own.find(
    (pod) =>
      wantsNode(pod, seen) &&
      (pod.unscheduled?.since ?? pod.createdAt ?? 0) < now - YOUNG_MS - options.newPodScaleUpDelay &&
      unitsOf(pod) <= pool.units &&
      !isPlaced(pod),
  );
  return left === undefined
    ? null
    : `${keyOf(left)} is ${outcomes.get(keyOf(left)) ?? 'not spoken of'}, though ${open} may grow`;
}

/** How many more pods of the pool may run, however many nodes it gets: those that are spread over zones may ask for more zones than it has. */
function mostPlaced({ objects: { nodes, pods } }: Scenario, pool: Pool, pools: readonly Pool[]): number {
  return pool.skew === undefined
    ? Number.POSITIVE_INFINITY
    : placeable(
        [...zonesOf(pool).keys()].reduce(
          (zones, zone) => withMore(zones, zone, Number.POSITIVE_INFINITY),
          zonesWithPods(pools, pool, nodes, pods),
        ),
        pool.skew,
      );
}
