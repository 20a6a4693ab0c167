import { chunksOf } from '../model/values/chunks.ts';
import { type Drain, hasEnded, type StoredDrain } from '../model/drain.ts';
import { addTime, type DurationMs, durationMs, type EpochMs, seconds } from '../model/values/time.ts';

/** A driver takes all of its drains a step further within the time of one. */
const EMPTY_TOGETHER = 50;
/** A driver that has not written anything by then did not start. */
const START = seconds(60);

/** A drain as it is stored when a driver is started for it. */
export const forDriver = (drain: Drain, attempt: number, now: EpochMs): Omit<StoredDrain, 'revision'> => ({
  drain,
  attempt,
  drivenUntil: addTime(now, START),
});

/** Divides drains among drivers: one driver for many empty nodes, one driver for each other node. */
export function driversOf(drains: readonly Pick<Drain, 'id' | 'kind'>[]): readonly (readonly string[])[] {
  const empty = drains.filter(({ kind }) => kind === 'empty').map(({ id }) => id);
  return [...chunksOf(empty, EMPTY_TOGETHER), ...drains.filter(({ kind }) => kind === 'drain').map(({ id }) => [id])];
}

/** Has the drain's driver died? */
export const isWithoutDriver = ({ drain, drivenUntil }: StoredDrain, now: EpochMs): boolean =>
  !hasEnded(drain) && drivenUntil <= now;

/**
 * How long a drain belongs to its driver after a step is due. No part of a step takes longer than half of it: when another
 * driver takes over, the one before it has stopped.
 */
export const leaseOf = (stepMs: number): DurationMs => durationMs(2 * stepMs + 10_000);

/** Between two rounds of a driver, in milliseconds. */
const SHORTEST_WAIT_MS = 1_000;

/** How long a driver waits until the next of its drains is due, in milliseconds; 0 where none is left. */
export const untilNextStep = (drains: readonly { readonly dueAt: EpochMs }[], now: EpochMs): number =>
  drains.length === 0 ? 0 : Math.max(SHORTEST_WAIT_MS, Math.min(...drains.map(({ dueAt }) => dueAt)) - now);
