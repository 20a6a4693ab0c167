import { printableData } from '@outrigger/core/model/values/printable.ts';
import { ok, err, type Result } from '@outrigger/core/model/values/result.ts';
import { loadOf } from '../backtest/load-of.ts';
import { awaitingPods } from '@outrigger/simulation/load/awaiting-pods.ts';
import { atStatedPrices } from '@outrigger/simulation/load/stated-prices.ts';
import { EXIT } from '../exit-codes.ts';
import { type AskedOfStored, print } from '../explain/stored.ts';
import { findPeriod, type FoundPeriod, type PeriodFlags } from '../history/find-period.ts';
import { momentOf } from '../history/period.ts';
import { progressOn } from '../terminal/progress.ts';
import { fail, type TerminalStreams } from '../terminal/streams.ts';
import { clockTime } from '../terminal/clock-time.ts';
import { type AdviceDocument, type Advice, writeAdvice } from './document.ts';
import { scenesOf } from './estimate.ts';
import { judgeLayouts, simulationsOf } from './judge.ts';
import { poolsOf } from './pools.ts';
import { searchLayouts } from './search.ts';
import { tellAdvice } from './text.ts';

export interface AdviseFlags extends PeriodFlags {
  readonly layouts: number;
  readonly runs: number;
  readonly seed: number;
}

/** Estimated layouts that are simulated once. */
const SCREENED = 6;

/**
 * Searches instance types that would have cost less for the history of a cluster, or for scenarios in files, and simulates the best.
 *
 * @returns the exit code: 0, 1 without a history or prices, or 2 when an option or a file is invalid.
 */
export async function adviseCommandLine(
  files: readonly string[],
  flags: AdviseFlags,
  streams: TerminalStreams,
  now?: AskedOfStored['now'],
): Promise<number> {
  const found = await findPeriod(files, flags, { now, usually: momentOf('7d') }, streams);
  if (!found.ok) {
    return found.error;
  }
  const advice = await adviceFor(found.value, flags, streams);
  if (!advice.ok) {
    return await fail(EXIT.failed, [`error: ${advice.error}`], streams);
  }
  const document = printableData(writeAdvice(advice.value)) as AdviceDocument;
  return await print(
    { kind: 'Advice', explanation: document, text: (style) => tellAdvice(document, style) },
    flags.output,
    streams,
  );
}

async function adviceFor(
  found: FoundPeriod,
  { layouts, runs, seed }: AdviseFlags,
  { stderr }: TerminalStreams,
): Promise<Result<Advice, string>> {
  const { period, cluster } = found;
  const { load: listed, ...read } = loadOf(period, cluster ?? period.last.name, seed);
  const load = awaitingPods(atStatedPrices(listed));
  const played = { ...read, load };
  const { pools, others } = poolsOf(load.groups.filter(({ name }) => !read.fixed.has(name)));
  if (pools.length === 0) {
    const reasons = others.map(({ group, why }) => `${group}: ${why}`).join('; ');
    return err(
      `There is no node group for which another instance type could be tried. ${reasons}. The option prices and tags state prices.`,
    );
  }
  const progress = progressOn(stderr);
  const lasts = (period.until - period.since) / 1_000;
  progress.say(() => 'Estimating layouts …');
  const { found: candidates, estimated } = searchLayouts(load, pools, scenesOf(period), SCREENED);
  const simulateAll = simulationsOf(played, period.last.provider, ({ seed: of }, at) =>
    progress.say(() => `Simulating seed ${of}, ${clockTime(at)} of ${clockTime(lasts)} of virtual time …`),
  );
  const seeds = Array.from({ length: 1 + runs }, (_, index) => seed + index);
  const judgement = await judgeLayouts(candidates, seeds, layouts, simulateAll);
  progress.clear();
  return ok({ found, seeds: seeds.slice(1), played, estimated, simulated: candidates.length, judgement, others });
}
