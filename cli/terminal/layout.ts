import { itemsIf } from '@outrigger/core/model/values/optional.ts';
import { itemAt, lastItem } from '@outrigger/core/model/values/existing.ts';
import { type Alignments, columnTable } from './table.ts';
import type { Colors } from './text.ts';
import { wrap, widest } from './wrap.ts';

/** Rows under a title; empty where there are no rows. */
export const titled = (title: string, rows: readonly string[]): readonly string[] =>
  itemsIf(rows.length > 0, [title, ...rows.map((row) => `  ${row}`)]);

/** Texts as items of a list, indented by a title, that wrap. */
export const bulleted = (texts: readonly string[], width: number): readonly string[] =>
  texts.flatMap((text) => wrap(text, width - 4).map((line, index) => `${index === 0 ? '* ' : '  '}${line}`));

/** Figures below bold heads, to the right of their names. */
export const figures = (
  head: readonly string[],
  rows: readonly (readonly string[])[],
  { bold }: Pick<Colors, 'bold'>,
): readonly string[] =>
  columnTable([head.map((name) => bold(name)), ...rows], ['left', ...head.slice(1).map(() => 'right' as const)]);

/** A table whose last column takes the remaining width and wraps. */
export function columns(
  rows: readonly (readonly string[])[],
  width: number,
  alignments: Alignments = [],
): readonly string[] {
  const before = rows[0]?.slice(0, -1) ?? [];
  const taken = before.reduce((sum, _, i) => sum + widest(rows.map((row) => itemAt(row, i))) + 2, 2);
  const left = Math.max(30, width - taken);
  return columnTable(
    rows.map((row) => [...row.slice(0, -1), wrap(lastItem(row), left).join('\n')]),
    alignments,
  );
}
