import Table from 'cli-table3';
import type { Measured } from './measure.ts';

const COLUMNS: Readonly<Record<string, (row: Measured) => string>> = {
  load: ({ load }) => load,
  setting: ({ setting }) => setting,
  USD: ({ usd }) => usd.toFixed(0),
  '× bound': ({ bound }) => bound.toFixed(2),
  '× repacking': ({ repacking }) => repacking.toFixed(2),
  evictions: ({ evictions }) => `${evictions}`,
  'a removal': ({ evictions, removed }) => (evictions / Math.max(1, removed)).toFixed(2),
  'by consolidation': ({ evictionsFor }) => `${evictionsFor.consolidation ?? 0}`,
  'of Jobs': ({ evictedOfJobs }) => `${evictedOfJobs}`,
  'core-h lost': ({ lostCoreHours, lostShare }) => `${lostCoreHours.toFixed(0)} (${(lostShare * 100).toFixed(1)} %)`,
  'wait p50/p95 s': ({ waitP50, waitP95 }) => `${waitP50.toFixed(0)}/${waitP95.toFixed(0)}`,
  bought: ({ bought }) => `${bought}`,
  'gone ≤ 15 min': ({ goneWithin15m }) => `${goneWithin15m}`,
  'moved twice ≤ 1 h (by consolidation)': ({ movedTwiceWithin1h, consolidatedTwiceWithin1h }) =>
    `${movedTwiceWithin1h} (${consolidatedTwiceWithin1h})`,
};

const cellsOf = (row: Measured): string[] => Object.values(COLUMNS).map((cell) => cell(row));

/** For a terminal. */
export function asTable(rows: readonly Measured[]): string {
  const table = new Table({ head: Object.keys(COLUMNS) });
  table.push(...rows.map(cellsOf));
  return table.toString();
}

/** For a page of the documentation. */
export const asMarkdown = (rows: readonly Measured[]): string =>
  [Object.keys(COLUMNS), Object.keys(COLUMNS).map(() => '---'), ...rows.map(cellsOf)]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');
