import { presentItems } from '@outrigger/core/model/values/optional.ts';
import { columns, titled } from '../../terminal/layout.ts';
import type { Alignments } from '../../terminal/table.ts';
import type { Colors, Style } from '../../terminal/text.ts';
import { wrap } from '../../terminal/wrap.ts';

/** A part of the output; none where it has no lines. */
export type PageSection = readonly string[];

/** Sections with an empty line between them. */
export const page = (sections: readonly PageSection[]): string =>
  `${sections
    .filter((section) => section.length > 0)
    .map((section) => section.join('\n'))
    .join('\n\n')}\n`;

/** A fact in the form `name  value`; no line where the value is `null` or `false`. */
export type PageFact = readonly [name: string, value: string | null | false];

/** Facts under each other, their values in one column. */
export const facts = (rows: readonly PageFact[], { colors, width }: Style): PageSection =>
  columns(
    rows.flatMap(([name, text]) => presentItems([text]).map((value) => [colors.dim(name), value])),
    width,
  );

/** The style of a section, and how its title is painted: absent: bold alone. */
interface SectionStyle extends Style {
  readonly paint?: keyof Pick<Colors, 'bold' | 'red' | 'yellow'>;
}

/** Rows under a bold title, the last column as wide as there is room. */
export const listed = (
  title: string,
  rows: readonly (readonly string[])[],
  { colors, width, paint = 'bold' }: SectionStyle,
  alignments: Alignments = [],
): PageSection => titled(colors.bold(colors[paint](title)), columns(rows, width - 2, alignments));

/** The same for several titles, with all columns to the left. */
export const lists = (
  style: Style,
  sections: readonly (readonly [title: string, rows: readonly (readonly string[])[]])[],
): readonly PageSection[] => sections.map(([title, rows]) => listed(title, rows, style));

/** The row of an object that may be missing: its text alone. */
export const optionalRow = <T>(of: T | null, text: (of: T) => string): readonly (readonly string[])[] =>
  presentItems([of]).map((one) => [text(one)]);

/** Whole sentences; no lines where the text is `null` or `false`. */
export const prose = (text: string | null | false, { width }: Style): PageSection =>
  presentItems([text]).flatMap((sentences) => wrap(sentences, width));

/** A sentence, and what to do about it. */
export const withAdvice = (text: string, advice: string | null): string => presentItems([text, advice]).join('\n');
