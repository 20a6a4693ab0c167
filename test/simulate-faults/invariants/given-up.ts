import type { GroupName, InstanceId, NodeName } from '../../../core/model/values/names.ts';
import { type EpochMs, minutes } from '../../../core/model/values/time.ts';
import type { SimulatedInstance } from '../../../simulation/cloud/group-view.ts';
import { isToBeReplaced, isToEnd } from '../deadlines.ts';
import { leastOf } from '../drawn-schedules.ts';
import { lookEvery, members, takesMarkedFirst } from '../truth.ts';
import type { Invariant } from './invariant.ts';

/** `maxNodeProvisionTime`, and the time in which a removal that was not made is decided anew. */
const LONGEST = minutes(15 + 30);
/** An instance that is no node for so long is a case. */
const LATE = minutes(5);

/**
 * An instance that never becomes a node is terminated, in a group above its minimum, 45 minutes after the last fault of functions
 * and the last change of the group by others. At the minimum it is not, unless an option asks for that or the cloud ends it anyway:
 * another one would be launched in its place.
 */
export const givenUp: Invariant = {
  name: 'instances that never register are terminated, and not at the minimum',
  watch: (stage, violate, count) => {
    const { scenario, strikes, world } = stage;
    const { scaling, clock, api } = world;
    const { forceDeleteUnregisteredNodes, forceDeleteFailedNodes, capacitySchedules } = scenario.options;
    const mayForce = forceDeleteUnregisteredNodes || forceDeleteFailedNodes;
    const changedAt = new Map<GroupName, EpochMs>();
    const nodeLostAt = new Map<NodeName, EpochMs>();
    api.watch({ nodeDeleted: ({ name }) => nodeLostAt.set(name, clock.now()) });
    /** Another machine went in place of these, since a mark was lost. */
    const missed = new Set<InstanceId>();
    const lateFor = ({ launchedAt, node }: SimulatedInstance): number =>
      clock.now() - Math.max(launchedAt, node === null ? 0 : (nodeLostAt.get(node) ?? 0));
    const look = (): void => {
      for (const view of scaling.groups()) {
        const { name } = view.group;
        // Whether or not a schedule is in force at the moment.
        const least = Math.max(view.group.minSize, ...capacitySchedules.map((one) => leastOf(one, view.group)));
        const late = members(view).filter(
          (one) => (one.node === null || !api.nodes.has(one.node)) && lateFor(one) > LATE,
        );
        const mayGo =
          view.desired > least && takesMarkedFirst(view, world) && view.untagged !== true && view.paused !== true;
        if (!mayGo) changedAt.set(name, clock.now());
        const quiet = clock.now() - Math.max(changedAt.get(name) ?? 0, strikes.troubledUntil());
        for (const one of late) {
          count(quiet > LATE);
          if (quiet > LONGEST && lateFor(one) > LONGEST) {
            const age = Math.round(lateFor(one) / 60_000);
            violate(`${one.id} of ${name} has been no node for ${age} minutes, and is not terminated`);
          }
        }
      }
    };
    lookEvery(minutes(1), world, scenario.start, scenario.until, look);
    return {
      event: (event) => {
        if ('group' in event && /Elsewhere|Standby|agged|rotected|Process|Group/.test(event.kind)) {
          changedAt.set(event.group, event.at);
        }
        if (event.kind === 'TerminationMissed') {
          missed.add(event.instance);
        }
        if (
          event.kind === 'InstanceTerminated' &&
          !event.decrement &&
          !missed.has(event.instance) &&
          !mayForce &&
          !isToEnd(stage, event.instance) &&
          !isToBeReplaced(stage, event.instance)
        ) {
          violate(`${event.instance} of ${event.group} is terminated so that it is replaced, which was not requested`);
        }
      },
    };
  },
};
