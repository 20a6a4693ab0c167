import { type Schedule, scheduleText } from './schedule.ts';
import type { CPU, MEMORY } from './values/resources.ts';

/** A number of nodes, or as many as have so much of a resource for pods. */
export type LeastCapacity =
  | { readonly nodes: number }
  /** In milli-CPU or bytes, and as it was written. */
  | { readonly resource: typeof CPU | typeof MEMORY; readonly amount: number; readonly text: string };

/** The minimum of a node group while a schedule is in force. */
export interface CapacitySchedule {
  readonly least: LeastCapacity;
  readonly schedule: Schedule;
}

/** The minimum that the schedules in force ask for. */
export interface ScheduledMinimum {
  readonly nodes: number;
  /** The schedule in its short form. */
  readonly by: string;
  /** When it ends, on the clock of its time zone (`2026-03-30 18:00 Europe/Berlin`); `null` where no end is in sight. */
  readonly until: string | null;
}

/** In the short form, as `40 cpu from 0 8 * * 1-5 for 10h in Europe/Berlin`. */
export const capacityText = ({ least, schedule }: CapacitySchedule): string =>
  `${'nodes' in least ? least.nodes : `${least.text} ${least.resource}`} ${scheduleText(schedule)}`;
