import { clip } from '../../core/model/values/clip.ts';
import { printable } from '../../core/model/values/printable.ts';
import { table } from '../terminal/table.ts';
import type { Finding, Translation } from './translate.ts';

const HEADINGS: readonly (readonly [Finding['verdict'], string])[] = [
  ['same', 'The same'],
  ['differs', "Differs, or would differ with Outrigger's defaults"],
  ['none', 'No counterpart'],
];

const LONGEST_VALUE = 60;

/** The outcome of each flag or setting, as a table for people. */
export function reportOf({ origin, findings, notes }: Pick<Translation, 'origin' | 'findings' | 'notes'>): string {
  const parts = HEADINGS.flatMap(([verdict, heading]) => {
    const rows = findings.filter((finding) => finding.verdict === verdict).map(cells);
    return rows.length === 0 ? [] : ['', heading, ...table(rows, ['left', 'left', 'left', 'left']).map(indented)];
  });
  const others = notes.length === 0 ? [] : ['', 'Also', ...notes.map(printable).map(indented)];
  return `${[printable(origin), ...parts, ...others].join('\n')}\n`;
}

const cells = ({ flag, value, here, why }: Finding): readonly string[] =>
  [flag, value === '' ? '""' : clip(value, LONGEST_VALUE), here, why].map(printable);

const indented = (line: string): string => `  ${line}`;
