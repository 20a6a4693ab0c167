import { readLoad } from '../../../simulation/load/read-load.ts';
import { record } from '../../../simulation/recording/record.ts';
import type { Recording } from '../../../simulation/recording/recording.ts';

const recordings = new Map<string, Promise<Recording>>();

/** The recording of a load. It is the same each time, so it is made once for all tests that look at it. */
export async function recordingOf(raw: unknown, seed?: number): Promise<Recording> {
  const load = readLoad(raw);
  if (!load.ok) {
    throw new Error(JSON.stringify(load.error));
  }
  const given = { ...load.value, seed: seed ?? load.value.seed };
  const key = JSON.stringify([raw, given.seed]);
  const known = recordings.get(key) ?? record(given);
  recordings.set(key, known);
  return await known;
}
