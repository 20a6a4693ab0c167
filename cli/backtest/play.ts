import type { ProviderName } from '@outrigger/core/model/provider.ts';
import { record } from '@outrigger/simulation/recording/record.ts';
import { countRun, type PeriodFigures } from './figures.ts';
import type { PlayedLoad } from './load-of.ts';

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
