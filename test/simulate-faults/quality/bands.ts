import type { Interval } from '../../interval.ts';

/** The interval of a measure over a recorded batch. */
export interface Band extends Interval {
  /** The seeds of that batch: a batch with one of them proves nothing about the band. */
  readonly first: number;
  readonly seeds: number;
}

/** By provider, part of the runs and measure. */
export type Bands = Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, Band>>>>>>;

/** `better`: a band is recorded if there is none, or if it is better; `all`: every band is. */
export type Recording = 'better' | 'all';

export type Verdict = 'within' | 'worse' | 'better';

/** Only an interval that lies wholly outside of the band differs from it. */
export function verdictOn(measured: Interval, band: Interval): Verdict {
  if (measured.low > band.high) {
    return 'worse';
  }
  return measured.high < band.low ? 'better' : 'within';
}

/** The band to keep: the measured one replaces another only if it is better beyond chance, or if all are recorded. */
export const ratcheted = (before: Band | undefined, measured: Band, recording: Recording): Band =>
  before === undefined || recording === 'all' || verdictOn(measured, before) === 'better' ? measured : before;

/** Has a batch a seed of the batch that the band was recorded on? */
export const isRecordedOn = (
  { first, seeds }: Band,
  batch: { readonly first: number; readonly seeds: number },
): boolean => first < batch.first + batch.seeds && batch.first < first + seeds;

/** JSON with one line for each band. */
export const bandsText = (bands: Bands): string =>
  `${JSON.stringify(bands, null, 2).replaceAll(/\{\s+("low"[^}]*?)\s+\}/g, (_, inner: string) => `{ ${inner.replaceAll(/\s+/g, ' ')} }`)}\n`;
