import { printable } from '@outrigger/core/model/values/printable.ts';
import { page } from '../explain/show/page.ts';
import { columns, titled } from '../terminal/layout.ts';
import { columnTable } from '../terminal/table.ts';
import { cut, wrap } from '../terminal/wrap.ts';
import type { FlagTranslation, Translation } from './translate.ts';

const HEADINGS: readonly (readonly [FlagTranslation['verdict'], string])[] = [
  ['unknown', 'Not recognized'],
  ['differs', "Differs, or would differ with Outrigger's defaults"],
  ['none', 'No counterpart'],
  ['same', 'The same'],
];

const LONGEST_VALUE = 60;

/**
 * The outcome of each flag or setting for people, what a person must read first.
 *
 * @param width of the terminal in columns, to which texts are wrapped; `null`: a line for each flag
 */
export function reportOf(
  { origin, findings, notes }: Pick<Translation, 'origin' | 'findings' | 'notes'>,
  width: number | null,
): string {
  const sections = [
    ...HEADINGS.map(([verdict, heading]) => {
      const rows = findings.filter((finding) => finding.verdict === verdict).map(cells);
      return titled(heading, laidOut(rows, width));
    }),
    titled(
      'Also',
      notes.flatMap((note) => wrap(printable(note), (width ?? Infinity) - 2)),
    ),
  ];
  return page([[printable(origin)], ...sections]);
}

/** On a terminal each flag has its value, its counterpart and the reason below each other. */
function laidOut(rows: readonly (readonly string[])[], width: number | null): readonly string[] {
  if (width === null) {
    return columnTable(rows);
  }
  const narrow = rows.map(([flag = '', value = '', here = '', why = '']) => [
    flag,
    [[value, here].filter((part) => part !== '').join(' → '), why].filter((line) => line !== '').join('\n'),
  ]);
  return columns(narrow, width - 2);
}

const cells = ({ flag, value, here, why }: FlagTranslation): readonly string[] =>
  [flag, value === '' ? '""' : cut(value, LONGEST_VALUE), here, why].map(printable);
