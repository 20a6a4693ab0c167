import { clip } from '@outrigger/core/model/values/clip.ts';
import { printable } from '@outrigger/core/model/values/printable.ts';
import { columns } from '../terminal/layout.ts';
import { columnTable } from '../terminal/table.ts';
import { wrap } from '../terminal/wrap.ts';
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
  const parts = HEADINGS.flatMap(([verdict, heading]) => {
    const rows = findings.filter((finding) => finding.verdict === verdict).map(cells);
    return rows.length === 0 ? [] : ['', heading, ...laidOut(rows, width).map(indented)];
  });
  const others =
    notes.length === 0
      ? []
      : [
          '',
          'Also',
          ...notes.flatMap((note) => wrap(printable(note), width === null ? Infinity : width - 2)).map(indented),
        ];
  return `${[printable(origin), ...parts, ...others].join('\n')}\n`;
}

/** On a terminal each flag has its value, its counterpart and the reason below each other. */
function laidOut(rows: readonly (readonly string[])[], width: number | null): readonly string[] {
  return width === null
    ? columnTable(rows, ['left', 'left', 'left', 'left'])
    : columns(
        rows.map(([flag = '', value = '', here = '', why = '']) => [
          flag,
          [here === '' ? value : `${value} → ${here}`, ...(why === '' ? [] : [why])].join('\n'),
        ]),
        ['left'],
        width - 2,
      );
}

const cells = ({ flag, value, here, why }: FlagTranslation): readonly string[] =>
  [flag, value === '' ? '""' : clip(value, LONGEST_VALUE), here, why].map(printable);

const indented = (line: string): string => `  ${line}`;
