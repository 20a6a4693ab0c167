import type { GroupName } from '@outrigger/core/model/values/names.ts';
import type { ProviderName } from '@outrigger/core/model/provider.ts';
import { CPU } from '@outrigger/core/model/values/resources.ts';
import { record } from '@outrigger/simulation/recording/record.ts';
import { countRun, type GroupRate, type PeriodFigures } from './figures.ts';
import type { HistoryLoad } from './load-of.ts';

/** A load whose node groups count, but for the fixed ones. */
export type PlayedLoad = Pick<HistoryLoad, 'load' | 'fixed'>;

/** Prices and CPUs of the nodes of groups that count. */
export const ratesOf = ({ load, fixed }: PlayedLoad): ReadonlyMap<GroupName, GroupRate> =>
  new Map(
    load.groups
      .filter(({ name }) => !fixed.has(name))
      .map(({ name, price, capacity }) => [name, { price, cpus: (capacity[CPU] ?? 0) / 1_000 }]),
  );

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
  return countRun(recording, ratesOf(played));
}
