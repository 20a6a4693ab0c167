import type { CapacitySchedule } from '../../core/model/capacity-schedule.ts';
import { CPU } from '../../core/model/values/resources.ts';
import { addTime, type EpochMs, epochMs, minutes } from '../../core/model/values/time.ts';
import type { Chance } from '../../simulation/chance.ts';
import type { SimulatedScalingGroup } from '../../simulation/cloud/scaling-group.ts';
import { UNIT_CPU } from './node-sizes.ts';
import { isWholeGroup } from './whole-groups.ts';

/** How far the clocks of time zones are ahead of UTC in January, in minutes: stated here, and not asked of the functions. */
const ZONES = { UTC: 0, 'Europe/Berlin': 60, 'Asia/Kolkata': 330, 'America/New_York': -300 } as const;

interface Times {
  readonly start: EpochMs;
  readonly faultsUntil: EpochMs;
}

/** A time of the run in which every group has so much at least; it is over when faults are. */
export function drawnSchedules(chance: Chance, { start, faultsUntil }: Times): readonly CapacitySchedule[] {
  const zones = Object.keys(ZONES) as (keyof typeof ZONES)[];
  const timeZone = chance.oneOf(zones);
  const room = Math.floor((faultsUntil - start) / minutes(1));
  const from = chance.within({ min: 4, max: room - 12 });
  const lasts = chance.within({ min: 10, max: Math.min(40, room - from) });
  const wall = new Date(start + minutes(from + ZONES[timeZone]));
  const nodes = chance.within({ min: 1, max: 4 });
  const milli = nodes * 4 * UNIT_CPU;
  return [
    {
      least: chance.next() < 0.6 ? { nodes } : { resource: CPU, amount: milli, text: `${milli}m` },
      schedule: { cron: `${wall.getUTCMinutes()} ${wall.getUTCHours()} * * *`, duration: minutes(lasts), timeZone },
    },
  ];
}

/** When a drawn schedule is in force. */
export interface Window {
  readonly from: EpochMs;
  readonly until: EpochMs;
}

/** The time of the run in which a schedule is in force: it begins on the day of the run. */
export function windowOf({ schedule }: CapacitySchedule, { start }: Pick<Times, 'start'>): Window {
  const [minute = 0, hour = 0] = schedule.cron.split(' ').map(Number);
  const ofDay = hour * 60 + minute - ZONES[schedule.timeZone as keyof typeof ZONES] + DAY;
  const midnight = start - (start % minutes(DAY));
  const from = epochMs(midnight + minutes(ofDay % DAY));
  return { from, until: addTime(from, schedule.duration) };
}

/** In minutes. */
const DAY = 24 * 60;

/** How many nodes a group has at least while it is in force, within its maximum: one that is all or nothing has all. */
export function leastOf({ least }: CapacitySchedule, group: SimulatedScalingGroup): number {
  const { allocatable, maxSize } = group;
  const nodes = 'nodes' in least ? least.nodes : Math.ceil(least.amount / allocatable[least.resource]!);
  return nodes > 0 && isWholeGroup(group) ? maxSize : Math.min(nodes, maxSize);
}
