import type { GroupName } from '../../core/model/values/names.ts';
import { minutes } from '../../core/model/values/time.ts';
import { areZonesUneven, type GroupView } from '../../simulation/cloud/group-view.ts';
import type { AutoScaling } from '../../simulation/cloud/auto-scaling.ts';
import type { SimulatedAwsWorld, ClusterApiWorld, SimulatedWorld } from '../../simulation/world.ts';
import type { FaultSource } from './fault-source.ts';
import { forAWhile, membershipTrouble } from './membership.ts';
import { processTrouble } from './processes.ts';
import type { FaultScenario } from './fault-scenario.ts';

/** How often another client may come. */
const EVERY_MS = 20_000;
const RESIZED = 0.015;
/** On AWS, where more than that happens to groups. */
const RESIZED_ON_AWS = 0.005;
const PAUSED = 0.02;
const BOUNDS_SET = 0.01;
const BALANCED = 0.2;
const CREATED_OR_DELETED = 0.005;

/** Changes that other clients may make to groups. */
interface Elsewhere {
  readonly resize: (group: GroupName, size: number) => void;
  readonly setPaused: (group: GroupName, paused: boolean) => void;
}

type Around = Pick<SimulatedWorld, 'clock' | 'scaling'>;
type Times = Pick<FaultScenario, 'faultsUntil'>;

/**
 * Other clients of the management cluster: they scale a group, within its bounds, or pause it for a while. Machines that
 * they take are not drained by them.
 */
export function startClusterApiOutsiders(world: ClusterApiWorld, times: Times, faults: FaultSource): void {
  const { scaling } = world;
  const { resize, pause } = outsiders(world, times, faults, RESIZED, {
    resize: scaling.scaleElsewhere,
    setPaused: scaling.setPaused,
  });
  comeAgainAndAgain(world, faults, [resize, pause]);
}

/**
 * Other clients of Auto Scaling, and Auto Scaling itself: sizes and bounds are set, the process Launch is suspended for a
 * while, zones are balanced, groups are deleted and created. None of them
 * drains the nodes that they take.
 */
export function startAwsOutsiders(world: SimulatedAwsWorld, scenario: FaultScenario, faults: FaultSource): void {
  const { scaling } = world;
  const { resize, pause } = outsiders(world, scenario, faults, RESIZED_ON_AWS, {
    resize: (group, desired) => scaling.setElsewhere(group, { desired }),
    setPaused: scaling.setSuspended,
  });
  comeAgainAndAgain(world, faults, [
    resize,
    pause,
    () => setBounds(scaling, faults),
    () => balanceZones(world, scenario, faults),
    () => createOrDelete(scaling, scenario, faults),
    ...membershipTrouble(world, scenario, faults),
    ...processTrouble(world, scenario, faults),
  ]);
}

function comeAgainAndAgain({ clock }: Around, faults: FaultSource, all: readonly (() => void)[]): void {
  const come = (): void => {
    all.forEach((one) => one());
    if (!faults.stopped()) {
      clock.after(EVERY_MS, come);
    }
  };
  clock.after(EVERY_MS, come);
}

function outsiders(
  { clock, scaling }: Around,
  times: Times,
  faults: FaultSource,
  resized: number,
  elsewhere: Elsewhere,
) {
  const resize = (): void => {
    const change = faults.strike(
      'outsider',
      resized,
      (chance) => {
        const view = chance.oneOf<GroupView | undefined>(scaling.groups());
        const by = chance.within({ min: -2, max: 2 });
        if (view === undefined) {
          return null;
        }
        const { group, desired } = view;
        const to = Math.min(group.maxSize, Math.max(group.minSize, desired + by));
        return to === desired ? null : { group: group.name, to };
      },
      ({ group, to }) => `another client sets ${group} to ${to}`,
    );
    if (change !== null) {
      elsewhere.resize(change.group, change.to);
    }
  };
  const pause = forAWhile({ clock, scaling }, times, faults, {
    kind: 'pause',
    probability: PAUSED,
    longest: minutes(4),
    draw: () => null,
    words: () => 'is paused',
    set: elsewhere.setPaused,
  });
  return { resize, pause };
}

function setBounds(scaling: AutoScaling, faults: FaultSource): void {
  const change = faults.strike(
    'bounds',
    BOUNDS_SET,
    (chance) => {
      const group = chance.oneOf<GroupView | undefined>(scaling.groups())?.group;
      const [lower, upper] = [chance.within({ min: -1, max: 1 }), chance.within({ min: -2, max: 3 })];
      if (group === undefined) {
        return null;
      }
      const minSize = Math.max(0, group.minSize + lower);
      const maxSize = Math.max(1, minSize, group.maxSize + upper);
      return minSize === group.minSize && maxSize === group.maxSize ? null : { group: group.name, minSize, maxSize };
    },
    ({ group, minSize, maxSize }) => `another client has ${group} go from ${minSize} to ${maxSize}`,
  );
  if (change !== null) {
    scaling.setElsewhere(change.group, change);
  }
}

function balanceZones({ clock, scaling }: SimulatedAwsWorld, { faultsUntil }: Times, faults: FaultSource): void {
  const uneven = scaling.groups().filter(areZonesUneven);
  if (uneven.length === 0) {
    return;
  }
  faults.strike(
    'zone rebalance',
    BALANCED,
    (chance) => {
      const group = chance.oneOf(uneven).group.name;
      const after = Math.min(faultsUntil - clock.now(), chance.within({ min: 30_000, max: 240_000 }));
      return after > 0 && scaling.rebalance(group, after) ? { group, after } : null;
    },
    ({ group, after }) => `the zones of ${group} are balanced within ${after} ms`,
  );
}

function createOrDelete(scaling: AutoScaling, { groups }: FaultScenario, faults: FaultSource): void {
  const change = faults.strike(
    'group',
    CREATED_OR_DELETED,
    (chance) => {
      const there = new Set(scaling.groups().map((view: GroupView) => view.group.name));
      const absent = groups.flatMap(({ name }) => (there.has(name) ? [] : [name]));
      const isNew = absent.length > 0 && chance.next() < 0.7;
      const name = chance.oneOf<GroupName | undefined>(isNew ? absent : [...there]);
      return name === undefined ? null : { name, isNew };
    },
    ({ name, isNew }) => `another client ${isNew ? 'creates' : 'deletes'} ${name}`,
  );
  if (change?.isNew === true) {
    scaling.create(change.name);
  } else if (change !== null) {
    scaling.remove(change.name);
  }
}
