import { type InstanceId, instanceId } from '../../core/model/values/names.ts';
import { addTime, epochMs, type EpochMs, minutes } from '../../core/model/values/time.ts';
import { type Chance, HEX } from '../../simulation/chance.ts';
import type { SimulatedInstance } from '../../simulation/cloud/group-view.ts';
import type { SimulatedScalingGroup } from '../../simulation/cloud/scaling-group.ts';
import type { SimulatedAwsWorld } from '../../simulation/world.ts';
import type { AnnouncementEvent } from '../../simulation/world-event.ts';
import type { FaultSource } from './fault-source.ts';
import { CAPACITY_LABEL } from './notice-scenario.ts';
import { members } from './truth.ts';
import type { FaultScenario } from './fault-scenario.ts';

/** How often AWS may announce something. */
const EVERY_MS = 10_000;
const ANNOUNCED = 0.01;
const WARNING = minutes(2);
/** Announced days ahead: nothing is to be done about it in this run. */
const FAR = minutes(24 * 60);

/** An event that AWS causes for instances, and the announcements about the event. */
interface Situation {
  readonly words: string;
  /** Each at its time, in milliseconds from now. */
  readonly announced: readonly (Omit<AnnouncementEvent, 'time'> & { readonly after: number; readonly since: number })[];
  /** Instances that EC2 ends, in milliseconds from now. */
  readonly ended: readonly { readonly instance: InstanceId; readonly after: number }[];
  /** An instance that its group ends and replaces. */
  readonly replaced: InstanceId | null;
}

interface Candidate extends SimulatedInstance {
  readonly group: SimulatedScalingGroup;
}

/** Basis from which a situation is drawn. */
interface Draw {
  readonly chance: Chance;
  /** Instances that are not on their way out, nodes or not. */
  readonly candidates: readonly Candidate[];
  readonly now: EpochMs;
  /** In milliseconds: whatever is announced happens within it. */
  readonly left: number;
}

/**
 * AWS takes instances back, and announces it: one by one and in bursts, once and more often, in time and late, in any order,
 * for instances that are no nodes yet, and for those of other clusters. What it announces it does. Groups end instances
 * for reasons of their own, and wait for their lifecycle hooks.
 */
export function startNotices(
  { clock, scaling }: Pick<SimulatedAwsWorld, 'clock' | 'scaling'>,
  { faultsUntil }: Pick<FaultScenario, 'faultsUntil'>,
  faults: FaultSource,
): void {
  const happen = ({ announced, ended, replaced }: Situation): void => {
    const others = new Set(scaling.groups().flatMap((view) => (mayBeSpot(view.group) ? [] : idsOf(members(view)))));
    for (const { after, since, ...given } of announced) {
      const isFor = (instance: InstanceId): boolean =>
        given.what !== 'RebalanceRecommendation' || !others.has(instance);
      const announcement = { ...given, instances: given.instances.filter(isFor) };
      if (announcement.instances.length === 0) {
        continue;
      }
      const time = epochMs(clock.now() + since);
      clock.after(after, () => scaling.announce({ ...announcement, time }));
    }
    for (const { instance, after } of ended) {
      clock.after(after, () => scaling.fail(instance));
    }
    if (replaced !== null) {
      scaling.replaceElsewhere(replaced);
    }
  };
  const come = (): void => {
    const situation = faults.strike(
      'notice',
      ANNOUNCED,
      (chance) =>
        situationFrom({
          chance,
          candidates: scaling.groups().flatMap((view) => members(view).map((one) => ({ ...one, group: view.group }))),
          now: clock.now(),
          left: faultsUntil - clock.now(),
        }),
      ({ words }) => words,
    );
    if (situation !== null) {
      happen(situation);
    }
    if (!faults.stopped()) {
      clock.after(EVERY_MS, come);
    }
  };
  clock.after(EVERY_MS, come);
}

/** By how often they come, in parts of a hundred. */
const SITUATIONS: readonly (readonly [number, (draw: Draw) => Situation | null])[] = [
  [30, (draw) => interruption(draw, 1)],
  [12, (draw) => interruption(draw, draw.chance.within({ min: 2, max: 8 }))],
  [12, scheduledChange],
  [8, reservationEnd],
  [8, stopped],
  [17, replacement],
  [6, recommendation],
  [7, ofAnotherCluster],
];

function situationFrom(draw: Draw): Situation | null {
  let at = draw.chance.next() * 100;
  for (const [part, situation] of SITUATIONS) {
    at -= part;
    if (at < 0) {
      return situation(draw);
    }
  }
  return null;
}

const idFrom = (chance: Chance): string => `notice-${chance.text(12, HEX)}`;

/** Up to this many, each once. */
function picked(from: readonly Candidate[], count: number, chance: Chance): readonly Candidate[] {
  const left = [...from];
  return Array.from({ length: Math.min(count, left.length) }, () =>
    left.splice(Math.floor(chance.next() * left.length), 1),
  ).flat();
}

const situation = (words: string, given: Partial<Situation>): Situation => ({
  words,
  announced: [],
  ended: [],
  replaced: null,
  ...given,
});

/**
 * An announcement as it comes: late now and then, more than once, and followed or led by another one about the same
 * instances.
 *
 * @param since when it happens, in milliseconds from now
 */
function announced(
  chance: Chance,
  { what, instances, endsAt }: Pick<AnnouncementEvent, 'what' | 'instances' | 'endsAt'>,
  since = 0,
): Situation['announced'] {
  const late = chance.next() < 0.12 ? chance.within({ min: 5_000, max: 200_000 }) : chance.within({ min: 0, max: 800 });
  const first = { id: idFrom(chance), what, instances, endsAt, since, after: since + late };
  const others: Situation['announced'][number][] = [];
  if (chance.next() < 0.2) {
    // The same event, or another one that says the same.
    const id = chance.next() < 0.5 ? first.id : idFrom(chance);
    others.push({ ...first, id, after: first.after + chance.within({ min: 0, max: 60_000 }) });
  }
  if (chance.next() < 0.15) {
    const about = { id: idFrom(chance), what: 'RebalanceRecommendation', endsAt: null } as const;
    others.push({ ...first, ...about, after: since + chance.within({ min: 0, max: 90_000 }) });
  }
  return [first, ...others];
}

/** A group that launches Spot instances can have no warm pool. */
export const mayBeSpot = ({ labels, warmPool }: Pick<SimulatedScalingGroup, 'labels' | 'warmPool'>): boolean =>
  !['ON_DEMAND', 'CAPACITY_BLOCK'].includes(labels[CAPACITY_LABEL] ?? '') && warmPool === undefined;

const idsOf = (some: readonly Pick<SimulatedInstance, 'id'>[]): readonly InstanceId[] => some.map(({ id }) => id);

/** EC2 interrupts Spot instances: several of them, if so, in one zone. */
function interruption({ chance, candidates, now, left }: Draw, count: number): Situation | null {
  const spot = candidates.filter(({ group }) => mayBeSpot(group));
  const [first] = picked(spot, 1, chance);
  if (first === undefined || left <= WARNING) {
    return null;
  }
  const others = spot.filter(({ id, zone }) => id !== first.id && zone === first.zone);
  const instances = idsOf([first, ...picked(others, count - 1, chance)]);
  const endsAt = addTime(now, WARNING);
  return situation(`EC2 takes back ${instances.join(', ')}`, {
    announced: instances.flatMap((id) => announced(chance, { what: 'SpotInterruption', instances: [id], endsAt })),
    ended: instances.map((instance) => ({ instance, after: WARNING })),
  });
}

/** AWS Health announces the retirement of a host, some time ahead or days. */
function scheduledChange({ chance, candidates, now, left }: Draw): Situation | null {
  const instances = idsOf(picked(candidates, chance.within({ min: 1, max: 3 }), chance));
  const isFar = chance.next() < 0.25;
  const after = isFar ? FAR : chance.within({ min: 300, max: 4_800 }) * 1_000;
  if (instances.length === 0 || (!isFar && after > left)) {
    return null;
  }
  const endsAt = epochMs(now + after);
  return situation(`AWS is to retire ${instances.join(', ')} in ${after / 1_000} s`, {
    announced: announced(chance, { what: 'ScheduledChange', instances, endsAt }),
    ended: isFar ? [] : instances.map((instance) => ({ instance, after })),
  });
}

function reservationEnd({ chance, candidates, now, left }: Draw): Situation | null {
  const instances = idsOf(picked(candidates, 1, chance));
  const isSaid = chance.next() < 0.7;
  const after = isSaid ? chance.within({ min: 120_000, max: 1_800_000 }) : WARNING;
  if (instances.length === 0 || after > left) {
    return null;
  }
  const endsAt = isSaid ? epochMs(now + after) : null;
  return situation(`the reservation of ${instances.join(', ')} ends in ${after / 1_000} s`, {
    announced: announced(chance, { what: 'CapacityReservationEnd', instances, endsAt }),
    ended: instances.map((instance) => ({ instance, after })),
  });
}

/** Somebody stops an instance: EC2 says so when it has begun. */
function stopped({ chance, candidates }: Draw): Situation | null {
  const [one] = picked(candidates, 1, chance);
  return one === undefined
    ? null
    : situation(`somebody terminates ${one.id}`, { ended: [{ instance: one.id, after: 0 }] });
}

/**
 * Replaces an instance because of a health check or a maximum lifetime, preferably in a group with a lifecycle hook.
 */
function replacement({ chance, candidates }: Draw): Situation | null {
  const hooked = candidates.filter(({ group }) => group.hooks !== undefined);
  const [one] = picked(hooked.length > 0 ? hooked : candidates, 1, chance);
  return one === undefined ? null : situation(`${one.group.name} replaces ${one.id}`, { replaced: one.id });
}

/** Half of the time the instance stays all the same. */
function recommendation({ chance, candidates, now, left }: Draw): Situation | null {
  const spot = candidates.filter(({ group }) => mayBeSpot(group));
  const instances = idsOf(picked(spot, 1, chance));
  if (instances.length === 0) {
    return null;
  }
  const said = announced(chance, { what: 'RebalanceRecommendation', instances, endsAt: null });
  const later = chance.within({ min: 1_000, max: 300_000 });
  if (chance.next() < 0.5 || later + WARNING > left) {
    return situation(`${instances.join(', ')} may be taken back`, { announced: said });
  }
  const endsAt = epochMs(now + later + WARNING);
  return situation(`${instances.join(', ')} may be taken back, and is after ${later} ms`, {
    announced: [...said, ...announced(chance, { what: 'SpotInterruption', instances, endsAt }, later)],
    ended: instances.map((instance) => ({ instance, after: later + WARNING })),
  });
}

function ofAnotherCluster({ chance, now }: Draw): Situation {
  const instances = Array.from({ length: chance.within({ min: 1, max: 5 }) }, () =>
    instanceId(`i-0${chance.text(16, HEX)}`),
  );
  const whats = ['SpotInterruption', 'ScheduledChange', 'RebalanceRecommendation', 'InstanceStopping'] as const;
  const what = chance.oneOf(whats);
  const endsAt = what === 'RebalanceRecommendation' ? null : addTime(now, WARNING);
  return situation(`EC2 announces the end of ${instances.join(', ')}, of another cluster`, {
    announced: instances.flatMap((id) => announced(chance, { what, instances: [id], endsAt })),
  });
}
