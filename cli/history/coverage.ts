import { counted } from '@outrigger/core/model/values/counted.ts';
import { durationMs, type EpochMs } from '@outrigger/core/model/values/time.ts';
import { roughly } from '@outrigger/core/words/when.ts';
import type { FactRow } from '@outrigger/core/explanation/pages/page.ts';
import { dateTimeText } from '../terminal/text.ts';
import type { FoundPeriod } from './find-period.ts';
import type { ObservedPeriod } from './observed.ts';

/** How much of the wanted time the kept decisions are about. */
export interface Coverage {
  readonly wantedSeconds: number;
  readonly coveredSeconds: number;
  /** Decisions with what they were made from, and without. */
  readonly scenarios: number;
  readonly withoutScenario: number;
  readonly longestGapSeconds: number;
}

/** The first fields of a document about a period of a history. */
export interface CoveredPeriod {
  /** `null` of files. */
  readonly cluster: string | null;
  readonly since: EpochMs;
  readonly until: EpochMs;
  readonly coverage: Coverage;
}

export const coveredPeriod = (
  period: ObservedPeriod,
  { cluster, wanted }: Omit<FoundPeriod, 'period'>,
): CoveredPeriod => ({
  cluster,
  since: period.since,
  until: period.until,
  coverage: {
    wantedSeconds: (wanted.until - wanted.since) / 1_000,
    coveredSeconds: (period.until - period.since) / 1_000,
    scenarios: period.scenarios,
    withoutScenario: period.withoutScenario,
    longestGapSeconds: period.longestGap / 1_000,
  },
});

/** The time that the kept decisions are about, and the wanted time. */
export const coverageText = ({ wantedSeconds, coveredSeconds, scenarios, withoutScenario }: Coverage): string =>
  `${roughly(durationMs(coveredSeconds * 1_000))} of ${roughly(durationMs(wantedSeconds * 1_000))}, ${counted(scenarios + withoutScenario, 'decision')}, ${scenarios} with what they were made from`;

/** The first facts of a text about a period of a history. */
export const periodFacts = ({ cluster, since, until, coverage }: CoveredPeriod): readonly FactRow[] => [
  ['Cluster', cluster],
  ['Period', `${dateTimeText(since)} – ${dateTimeText(until)}`],
  ['Covered', coverageText(coverage)],
];
