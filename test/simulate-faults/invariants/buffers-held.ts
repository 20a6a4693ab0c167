import { isExpendable } from '../../../core/model/cluster/expendable.ts';
import { isFinished } from '../../../core/model/cluster/pod.ts';
import { isBeingRemoved } from '../../../core/model/cluster/removal-taints.ts';
import type { NodeName } from '../../../core/model/values/names.ts';
import { addTime, type EpochMs, minutes } from '../../../core/model/values/time.ts';
import type { SimulatedInstance } from '../../../simulation/cloud/group-view.ts';
import { isSimulatedNodeReady } from '../../../simulation/cluster/node-readiness.ts';
import { mayBeBackedOff } from '../failed-launches.ts';
import { mayGrow } from '../limits.ts';
import { nodeUnits } from '../node-sizes.ts';
import { poolOfNode } from '../pools.ts';
import { watchQuiet } from '../quiet-pools.ts';
import { lookEvery, members, unitsOf } from '../truth.ts';
import type { Invariant, Stage } from './invariant.ts';
import type { DrawnBuffer, DrawnRequest } from '../fault-scenario.ts';

/** The cluster is evaluated every five minutes where nothing happens; then nodes are launched, and start within four. */
const LONGEST = minutes(10);

/**
 * While a CapacityBuffer is there, its pods would fit on the ready nodes of its pool, where expendable pods give way: ten minutes after its creation, the last change
 * of the pool, the last start of a node, and the last time that no group of the pool could grow.
 */
export const buffersHeld: Invariant = {
  name: 'buffers have the capacity that they ask for',
  assumes: ['lag', 'skew'],
  watch: (stage, violate, count) => {
    const { scenario, world } = stage;
    const { api, clock, scaling } = world;
    const quietSince = watchQuiet(stage, true);
    const isServing = ({ node: name }: SimulatedInstance): boolean => {
      const node = name === null ? undefined : api.nodes.get(name);
      return node !== undefined && isSimulatedNodeReady(node);
    };
    for (const buffer of scenario.buffers) {
      let changedAt: EpochMs = buffer.from;
      const look = (): void => {
        const now = clock.now();
        const views = scaling.groups().filter(({ group }) => buffer.pool.groups.includes(group.name));
        const isOpen = views.every(
          (view) =>
            view.error === null && view.paused !== true && view.untagged !== true && members(view).every(isServing),
        );
        const held = podsHeld(stage, buffer);
        const isClosed =
          !isOpen || (held < buffer.pods && !views.some((view) => mayGrow(view, world, scenario.options)));
        changedAt = isClosed ? now : changedAt;
        const quiet = now - Math.max(changedAt, quietSince(buffer.pool));
        const isAlone = quiet > LONGEST && !mayBeBackedOff(stage, now);
        const isArmed = isAlone && now - stage.strikes.troubledUntil() > LONGEST;
        if (isAlone) {
          count(isArmed);
        }
        if (isArmed && held < buffer.pods) {
          violate(
            `${buffer.name} asks for capacity for ${buffer.pods} pods of ${buffer.units} units, ready nodes have it for ${held}, ` +
              `and nothing has changed for ${Math.round(quiet / 60_000)} minutes`,
          );
        }
      };
      lookEvery(minutes(0.5), world, addTime(buffer.from, LONGEST), buffer.until, look);
    }
    return {};
  },
};

/**
 * How many pods like those of a buffer or request the ready nodes of its pool would hold, but for nodes that leave. A
 * node in Standby is no member of its group, and takes pods as any other node.
 */
export function podsHeld(
  { scenario, world: { api, scaling } }: Pick<Stage, 'scenario' | 'world'>,
  { pool, units }: Pick<DrawnBuffer | DrawnRequest, 'pool' | 'units'>,
  leaving: ReadonlySet<NodeName> = new Set(),
): number {
  const own = new Set(
    scaling.groups().flatMap((view) => [...members(view), ...(view.aside ?? [])].map(({ node }) => node)),
  );
  const pods = [...api.pods.values()].filter((pod) => !isFinished(pod) && !isExpendable(pod, scenario.options));
  return [...api.nodes.values()].reduce((sum, node) => {
    const isOpen =
      isSimulatedNodeReady(node) && !isBeingRemoved(node) && !node.unschedulable && !leaving.has(node.name);
    if (!isOpen || !own.has(node.name) || poolOfNode(scenario.pools, node) !== pool) {
      return sum;
    }
    const used = pods.reduce((total, pod) => total + (pod.nodeName === node.name ? unitsOf(pod) : 0), 0);
    return sum + Math.max(0, Math.floor((nodeUnits(pool, node) - used) / units));
  }, 0);
}
