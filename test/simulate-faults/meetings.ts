import { isRemovalTaint } from '../../core/model/cluster/removal-taints.ts';
import type { GroupName } from '../../core/model/values/names.ts';
import { minutes } from '../../core/model/values/time.ts';
import type { ApiCall } from '../../providers/simulated/api-call.ts';
import type { AwsWorld, SimulatedWorld } from '../../providers/simulated/world.ts';
import type { FaultSource } from './fault-source.ts';
import { members } from './truth.ts';
import type { FaultScenario } from './fault-scenario.ts';

/** After the answer to a change of a size was lost. */
const AFTER_LOST = 0.5;
/** While a node is drained. */
const DURING_DRAIN = 0.1;
const SOON = { min: 200, max: 20_000 };

/** What follows a fault, or a change that functions make, so soon that it meets what they do next. */
export interface Meetings {
  /** The answer to this call has been lost. */
  readonly lost: (call: ApiCall) => void;
  readonly start: (world: SimulatedWorld) => void;
}

/**
 * Events of one group that seldom come together by chance: another client sets a size whose change was not answered; another client
 * raises the minimum of a group while one of its nodes is drained and none can be launched.
 */
export function createMeetings(faults: FaultSource, { faultsUntil }: Pick<FaultScenario, 'faultsUntil'>): Meetings {
  let world: SimulatedWorld | null = null;
  let last: { readonly group: GroupName; readonly from: number; readonly to: number } | null = null;
  const resize = (group: GroupName, desired: number): void => {
    if (world?.provider === 'aws') {
      (world as AwsWorld).scaling.setElsewhere(group, { desired });
    }
  };
  const raiseMinimum = ({ scaling, clock }: AwsWorld, name: GroupName): void => {
    const view = scaling.groups().find(({ group }) => group.name === name);
    const there = view === undefined ? 0 : members(view).length;
    if (view === undefined || view.paused === true || there + 1 > view.group.maxSize) {
      return;
    }
    scaling.setSuspended(name, true);
    scaling.setElsewhere(name, { minSize: there, desired: there + 1 });
    clock.after(Math.max(1, Math.min(minutes(4), faultsUntil - clock.now())), () => scaling.setSuspended(name, false));
  };
  return {
    lost: ({ operation }) => {
      const set = last;
      if (!/SetDesiredCapacity/.test(operation) || set === null || world === null) {
        return;
      }
      const after = faults.strike(
        'meeting',
        AFTER_LOST,
        (chance) => chance.within(SOON),
        (ms) => `another client sets ${set.group} to ${set.from} ${ms} ms after the lost answer`,
      );
      if (after !== null) {
        world.clock.after(after, () => resize(set.group, set.from));
      }
    },
    start: (one) => {
      world = one;
      one.onEvent((event) => {
        if (event.kind === 'SizeSet') {
          last = event;
        }
        const group =
          event.kind === 'NodeTainted' && isRemovalTaint(event.taint)
            ? one.scaling.groups().find(({ instances }) => instances.some(({ node }) => node === event.node))?.group
                .name
            : undefined;
        const after =
          group === undefined || one.provider !== 'aws'
            ? null
            : faults.strike(
                'meeting',
                DURING_DRAIN,
                (chance) => chance.within(SOON),
                (ms) => `${ms} ms from now another client raises the minimum of ${group}, which can launch nothing`,
              );
        if (after !== null) {
          one.clock.after(after, () => raiseMinimum(one as AwsWorld, group!));
        }
      });
    },
  };
}
