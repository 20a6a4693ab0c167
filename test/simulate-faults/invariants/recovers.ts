import { isExpendable } from '../../../core/model/cluster/expendable.ts';
import { keyOf, type Pod } from '../../../core/model/cluster/pod.ts';
import { type EpochMs, minutes } from '../../../core/model/values/time.ts';
import type { GroupName } from '../../../core/model/values/names.ts';
import type { GroupView } from '../../../providers/simulated/auto-scaling.ts';
import { mayGrow } from '../limits.ts';
import { isOf } from '../pools.ts';
import { wouldTake } from '../skewed-zones.ts';
import { members, unitsOf } from '../truth.ts';
import type { Invariant, Stage } from './invariant.ts';

/** A size that was set so lately may not be there yet, nor an instance in the place of one that has ended; a pod so young may not have been seen. */
const MOMENT_MS = 10_000;

const RELAUNCH_MS = 70_000;

/** Where nodes expire, pods are moved as long as the run lasts: within that the node that a pod waits for is ready. */
const MOVED_MS = minutes(6);
export const isMoved = ({ createdAt }: Pod, { scenario, world }: Pick<Stage, 'scenario' | 'world'>): boolean =>
  scenario.drawn.includes('expireAfter') && world.clock.now() - (createdAt ?? 0) < MOVED_MS;

/**
 * When faults stop, three evaluations later every pod that some group could hold is running, or the stored decision says
 * what it waits for, and every group has the instances that it was told to have. In the end, when every instance that never
 * came has been given up and every group has been tried again, none of these pods waits while one of its groups may grow.
 */
export const recovers: Invariant = {
  name: 'the cluster recovers when faults stop',
  watch: ({ scenario, world, remembered }, violate, judge) => {
    const lastChanged = new Map<GroupName, EpochMs>();
    const poolOf = (pod: Pod) => scenario.pools.find((pool) => isOf(pool, pod) && unitsOf(pod) <= pool.units);
    const homeless = (): readonly Pod[] =>
      [...world.api.pods.values()].filter(
        (pod) => pod.nodeName === null && poolOf(pod) !== undefined && !isExpendable(pod, scenario.options),
      );
    const isExcused = ({ group, error }: GroupView): boolean =>
      world.clock.now() - (lastChanged.get(group.name) ?? 0) <= MOMENT_MS ||
      // After a launch that failed Auto Scaling lets a minute go by.
      (error !== null && world.clock.now() - error.at <= RELAUNCH_MS);
    const wrongSizes = (): readonly string[] =>
      world.scaling.groups().flatMap((view) => {
        // A machine keeps its place in a MachineSet until it is gone.
        const there = scenario.provider === 'clusterapi' ? view.instances : members(view);
        const isRight =
          there.length === view.desired || (there.length > view.desired && there.length > members(view).length);
        judge(!isRight && isExcused(view));
        return isRight || isExcused(view)
          ? []
          : [`${view.group.name} has ${members(view).length} instances and is to have ${view.desired}`];
      });
    return {
      event: (event) => {
        if (event.kind === 'SizeSet' || event.kind === 'InstanceStopping') {
          lastChanged.set(event.group, event.at);
        }
      },
      evaluatedAgain: () => {
        const decision = remembered()?.decisions.findLast(({ evaluation }) => evaluation !== 'ScaleDown');
        const told = new Set(decision?.scaleUp.pods.map(({ pod }) => pod));
        const untold = homeless().filter(
          (pod) =>
            !told.has(keyOf(pod)) &&
            world.clock.now() - (pod.createdAt ?? 0) > MOMENT_MS + scenario.options.newPodScaleUpDelay,
        );
        if (untold.length > 0) {
          violate(
            `three evaluations after the last fault ${untold.length} pods wait, and the stored decision does not say for what: ${untold.slice(0, 3).map(keyOf).join(', ')} …`,
          );
        }
        const wrong = wrongSizes();
        if (wrong.length > 0) {
          violate(`three evaluations after the last fault ${wrong.join('; ')}`);
        }
      },
      ended: () => {
        const wrong = wrongSizes();
        if (wrong.length > 0) {
          violate(`in the end ${wrong.join('; ')}`);
        }
        const views = new Map(world.scaling.groups().map((view) => [view.group.name, view]));
        for (const pod of homeless().filter((one) => !isMoved(one, { scenario, world }))) {
          const may = poolOf(pod)!.groups.filter((name) => {
            const view = views.get(name);
            return (
              view !== undefined &&
              mayGrow(view, world, scenario.options) &&
              wouldTake(view, poolOf(pod)!, scenario.pools, world)
            );
          });
          if (may.length > 0) {
            violate(`in the end ${keyOf(pod)} waits, though ${may.join(', ')} could grow`);
          }
        }
      },
    };
  },
};
