import type { GroupName } from '../../core/model/values/names.ts';
import { type DurationMs, minutes } from '../../core/model/values/time.ts';
import type { GroupView, SimulatedInstance } from '../../simulation/cloud/group-view.ts';
import type { Chance } from '../../simulation/chance.ts';
import type { SimulatedAwsWorld, SimulatedWorld } from '../../simulation/world.ts';
import type { FaultKind, FaultSource } from './fault-source.ts';
import { members } from './truth.ts';
import type { FaultScenario } from './fault-scenario.ts';

const STANDBY = 0.01;
const UNTAGGED = 0.006;
const PROTECTED = 0.01;
const LONGEST = minutes(15);

type Times = Pick<FaultScenario, 'faultsUntil'>;

/**
 * Other clients of Auto Scaling change which instances, and which groups, are the cluster's: instances are put into Standby,
 * where their nodes serve on and their groups do not count them; groups lose their tags of discovery; instances are
 * protected from scale-in. Each for a while.
 */
export function membershipTrouble(
  world: SimulatedAwsWorld,
  times: Times,
  faults: FaultSource,
): readonly (() => void)[] {
  const { scaling } = world;
  return [
    () => putIntoStandby(world, times, faults),
    forAWhile(world, times, faults, {
      kind: 'tags',
      probability: UNTAGGED,
      draw: () => null,
      words: () => 'is not discovered',
      set: (group, begins) => scaling.setTagged(group, !begins),
    }),
    forAWhile(world, times, faults, {
      kind: 'protection',
      probability: PROTECTED,
      draw: () => null,
      words: () => 'is protected from scale-in',
      set: (group, begins) => scaling.setProtected(group, begins),
    }),
  ];
}

/** Something that other clients do to a group for a while. */
interface Passing<T> {
  readonly kind: FaultKind;
  readonly probability: number;
  /** Absent: a quarter of an hour. */
  readonly longest?: DurationMs;
  /** Draws what exactly it is. */
  readonly draw: (chance: Chance) => T;
  readonly words: (drawn: T) => string;
  readonly set: (group: GroupName, begins: boolean, drawn: T) => void;
}

/** In milliseconds; 0: nothing may begin any more. */
const lengthOf = (
  chance: Chance,
  { clock }: Pick<SimulatedAwsWorld, 'clock'>,
  { faultsUntil }: Times,
  max: number = LONGEST,
): number => Math.max(0, Math.min(faultsUntil - clock.now(), chance.within({ min: 5_000, max })));

function putIntoStandby(world: SimulatedAwsWorld, times: Times, faults: FaultSource): void {
  const { clock, scaling } = world;
  const one = faults.strike(
    'standby',
    STANDBY,
    (chance) => {
      const instance = chance.oneOf<SimulatedInstance | undefined>(
        scaling.groups().flatMap((view) => members(view).filter(({ node }) => node !== null)),
      );
      const decrement = chance.next() < 0.6;
      const ms = lengthOf(chance, world, times);
      return instance !== undefined && ms > 0 && scaling.enterStandby(instance.id, decrement)
        ? { id: instance.id, decrement, ms }
        : null;
    },
    ({ id, decrement, ms }) => `${id} is in Standby for ${ms} ms${decrement ? '' : ', and replaced'}`,
  );
  if (one !== null) {
    clock.after(one.ms, () => scaling.exitStandby(one.id));
  }
}

export function forAWhile<T>(
  world: Pick<SimulatedWorld, 'clock' | 'scaling'>,
  times: Times,
  faults: FaultSource,
  { kind, probability, longest, draw, words, set }: Passing<T>,
): () => void {
  const { clock, scaling } = world;
  const under = new Set<GroupName>();
  return () => {
    const one = faults.strike(
      kind,
      probability,
      (chance) => {
        const name = chance.oneOf<GroupView | undefined>(scaling.groups())?.group.name;
        const ms = lengthOf(chance, world, times, longest);
        return name === undefined || under.has(name) || ms === 0 ? null : { name, ms, drawn: draw(chance) };
      },
      ({ name, ms, drawn }) => `${name} ${words(drawn)} for ${ms} ms`,
    );
    if (one !== null) {
      under.add(one.name);
      set(one.name, true, one.drawn);
      clock.after(one.ms, () => {
        under.delete(one.name);
        set(one.name, false, one.drawn);
      });
    }
  };
}
