import { printableData } from '@outrigger/core/model/values/printable.ts';
import { errorsOf } from '@outrigger/core/model/values/result.ts';
import { EXIT } from '../exit-codes.ts';
import { type AskedOfStored, print } from '../explain/stored.ts';
import { findPeriod, type FoundPeriod, type PeriodFlags, sourceProblems } from '../history/find-period.ts';
import { momentOf } from '../history/period.ts';
import { writeReport } from '../html/write-report.ts';
import { ineffectiveSettings, readReplaySettings, type ReplaySettings } from '../replay/settings.ts';
import { progressOn } from '../terminal/progress.ts';
import { fail, type TerminalStreams } from '../terminal/streams.ts';
import { clockTime } from '../terminal/clock-time.ts';
import { backtest } from './backtest.ts';
import { writeBacktest, type BacktestDocument } from './document.ts';
import { objectionToKarpenter } from './karpenter-load.ts';
import { type Peer, titleOfOther } from './peer.ts';
import { backtestReport } from './report.ts';
import { tellBacktest } from './text.ts';

export interface BacktestFlags extends PeriodFlags {
  readonly set?: readonly string[];
  readonly peer?: Peer;
  readonly seed: number;
  readonly html?: string;
}

/**
 * Plays the history of a cluster, or scenarios in files, in the simulation: as it was, and with other options.
 *
 * @returns the exit code: 0, 1 without a history or a page, or 2 when an option or a file is invalid.
 */
export async function backtestCommandLine(
  files: readonly string[],
  flags: BacktestFlags,
  streams: TerminalStreams,
  now?: AskedOfStored['now'],
): Promise<number> {
  const settings = readReplaySettings(flags.set);
  const wrong = [...errorsOf(settings), ...sourceProblems(files, flags), ...peerProblems(flags)];
  if (!settings.ok || wrong.length > 0) {
    return await fail(
      EXIT.invalid,
      wrong.map((line) => `error: ${line}`),
      streams,
    );
  }
  const found = await findPeriod(files, flags, { now, usually: momentOf('7d') }, streams);
  if (!found.ok) {
    return found.error;
  }
  return await play(found.value, settings.value, flags, streams);
}

function peerProblems({ peer, set: [first] = [] }: BacktestFlags): readonly string[] {
  if (peer === 'karpenter' && first !== undefined) {
    return [`--set ${first}: Karpenter has no options of Outrigger. Leave out --set, or use --peer cluster-autoscaler`];
  }
  return [];
}

/** Runs the simulations, and prints and draws what came of them. */
async function play(
  { period, ...source }: FoundPeriod,
  settings: ReplaySettings,
  { seed, html, output, ...flags }: BacktestFlags,
  streams: TerminalStreams,
): Promise<number> {
  const { peer = null } = flags;
  const objection = peer === 'karpenter' ? objectionToKarpenter(period) : null;
  if (objection !== null) {
    return await fail(EXIT.invalid, [`error: --peer ${peer}: ${objection}`], streams);
  }
  ineffectiveSettings(period.last, settings).forEach((line) => streams.stderr.write(`Warning: ${line}\n`));
  const progress = progressOn(streams.stderr);
  const lasts = (period.until - period.since) / 1_000;
  const played = await backtest(period, {
    name: source.cluster ?? period.last.name,
    seed,
    settings,
    peer,
    onTime: (run, at) =>
      progress.say(() => `Simulating ${runText(run, peer)}: ${clockTime(at)} of ${clockTime(lasts)} of virtual time …`),
  });
  progress.clear();
  const document = printableData(writeBacktest(played, { ...source, settings, peer })) as BacktestDocument;
  const isWritten = html === undefined || (await writeReport(backtestReport(document, played), html, streams.stderr));
  const code = await print(
    { kind: 'Backtest', explanation: document, text: (style) => tellBacktest(document, played, style) },
    output,
    streams,
  );
  return isWritten ? code : EXIT.failed;
}

const runText = (run: 'base' | 'other', peer: Peer | null): string =>
  run === 'base' ? 'with its own options' : titleOfOther(peer);
