import { type Band, type Bands, isRecordedOn, ratcheted, type Recording, verdictOn } from './bands.ts';
import { type Interval, intervalOf, resamples } from '../../interval.ts';
import { MEASURES } from './measures.ts';
import type { Pattern } from '../fault-source.ts';
import type { RunQuality } from './observe.ts';

/** Fewer runs are measured and not judged. */
export const JUDGED_FROM = 500;

/** Runs of one provider with consecutive seeds. */
export interface Batch {
  readonly provider: string;
  readonly first: number;
  readonly seeds: number;
  /** Whether options were drawn for all runs: such a batch is compared with nothing. */
  readonly isDrawn: boolean;
  /** Runs that were not ended by a violation, in the order of their seeds. */
  readonly runs: readonly { readonly pattern: Pattern; readonly quality: RunQuality }[];
}

/** A measure of a part of the runs. */
export interface Measured extends Interval {
  readonly part: string;
  readonly measure: string;
  readonly words: string;
  readonly figure: number;
}

/**
 * Measures all runs, and those of each pattern of faults.
 *
 * @param size of the batches that the intervals are of; absent: the size of this one
 */
export function measured({ runs }: Batch, size = runs.length): readonly Measured[] {
  const patterns = Map.groupBy(runs, ({ pattern }) => pattern);
  const parts = [['all', runs] as const, ...[...patterns].toSorted(([a], [b]) => (a < b ? -1 : 1))];
  return parts.flatMap(([part, own]) => {
    const batches = resamples(own.length, Math.round((size * own.length) / runs.length));
    const once = own.map(() => 1);
    return MEASURES.map(({ name, words, over }): Measured => {
      const figure = over(own.map(({ quality }) => quality));
      return { part, measure: name, words, figure: figure(once), ...intervalOf(figure, batches) };
    });
  });
}

/**
 * The bands after a batch has been recorded. They are of the smallest batch that is judged, so that the bands of a larger batch
 * are more exact and not narrower: narrow bands would fail for chance.
 */
export function recorded(bands: Bands, batch: Batch, recording: Recording): Bands {
  const { provider, first, seeds } = batch;
  const own: Record<string, Record<string, Band>> = {};
  for (const { part, measure, low, high } of measured(batch, Math.min(JUDGED_FROM, batch.runs.length))) {
    const band = { low: rounded(low), high: rounded(high), first, seeds };
    own[part] = { ...own[part], [measure]: ratcheted(bands[provider]?.[part]?.[measure], band, recording) };
  }
  return { ...bands, [provider]: own };
}

const rounded = (figure: number): number => Number(figure.toPrecision(4));

export interface Judgment {
  /** A line for each measure. */
  readonly lines: readonly string[];
  /** Why the batch fails, if it does. */
  readonly failures: readonly string[];
}

/** Compares a batch with the bands. A run alone never fails, nor does a batch that is too small for an interval to tell. */
export function judged(bands: Bands, batch: Batch, all: readonly Measured[]): Judgment {
  const isJudged = !batch.isDrawn && batch.seeds >= JUDGED_FROM;
  const failures: string[] = [];
  const lines = all.map((one) => {
    const band = bands[batch.provider]?.[one.part]?.[one.measure];
    const about = `${one.part}, ${one.words}`;
    const text = `quality (${one.part}): ${shown(one.figure)}, 95 % ${intervalText(one)}: ${one.words}`;
    if (batch.isDrawn || band === undefined) {
      if (isJudged) {
        failures.push(`no band is recorded: ${about}`);
      }
      return `${text}; no band`;
    }
    const verdict = verdictOn(one, band);
    if (isJudged && isRecordedOn(band, batch)) {
      failures.push(`the band was recorded on seeds of this batch (${band.seeds} from ${band.first}): ${about}`);
    } else if (isJudged && verdict === 'worse') {
      failures.push(`worse than the band, ${intervalText(one)} instead of ${intervalText(band)}: ${about}`);
    }
    return `${text}; band ${intervalText(band)}${isJudged ? `: ${verdict}` : ''}`;
  });
  return { lines, failures };
}

const shown = (figure: number): string => (Number.isFinite(figure) ? figure.toPrecision(4) : '–');

const intervalText = ({ low, high }: Interval): string => `${shown(low)} to ${shown(high)}`;
