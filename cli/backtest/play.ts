import type { ProviderName } from '@outrigger/core/model/provider.ts';
import { record } from '@outrigger/simulation/recording/record.ts';
import { inWorkers } from '../workers.ts';
import { countRun, type PeriodFigures } from './figures.ts';
import type { PlayedLoad } from './load-of.ts';

/** A load to play in a worker. */
export interface PlayTask {
  readonly played: PlayedLoad;
  readonly provider: ProviderName;
}

/** The worker is beside this module, in the sources and in the bundle. */
const WORKER = new URL(`play-worker${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url);

/**
 * Simulates loads side by side on the cores of the machine. A single load needs no worker.
 *
 * @param onTime told the virtual time of the load with this index again and again, in seconds from the start.
 */
export async function playAll(
  loads: readonly PlayedLoad[],
  provider: ProviderName,
  onTime: (index: number, seconds: number) => void,
): Promise<readonly PeriodFigures[]> {
  const [first, ...others] = loads;
  if (first === undefined) {
    return [];
  }
  if (others.length === 0) {
    return [await play(first, provider, (seconds) => onTime(0, seconds))];
  }
  const tasks = loads.map((played): PlayTask => ({ played, provider }));
  return await inWorkers(WORKER, tasks, { nameOf: () => 'a simulation', onProgress: onTime });
}

/**
 * Simulates a load, and counts what came of it.
 *
 * @param onTime told the virtual time again and again, in seconds from the start.
 */
export async function play(
  played: PlayedLoad,
  provider: ProviderName,
  onTime: (seconds: number) => void,
): Promise<PeriodFigures> {
  const recording = await record(played.load, { provider, onTime });
  return countRun(recording, played);
}
