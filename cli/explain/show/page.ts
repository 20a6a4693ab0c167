import { firstNames } from '@outrigger/core/model/values/clip.ts';
import { presentItems } from '@outrigger/core/model/values/optional.ts';
import {
  type FactRow,
  MOST_NAMES,
  type SubjectPage,
  type PagePart,
  type PageRow,
  pageText,
} from '@outrigger/core/explanation/pages/page.ts';
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

/** Facts under each other, their values in one column. */
export const facts = (rows: readonly FactRow[], { colors, width }: Style): PageSection =>
  columns(
    rows.flatMap(([name, text]) => presentItems([text]).map((value) => [colors.dim(name), pageText(value)])),
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

/** A page that the dashboard's widget has, too. */
export const textPage = (parts: SubjectPage, style: Style): string => page(parts.map((part) => partLines(part, style)));

function partLines(part: PagePart, style: Style): PageSection {
  if ('facts' in part) {
    return facts(part.facts, style);
  }
  return 'rows' in part ? listed(part.title, part.rows.map(cellsOf), style) : prose(part.sentences, style);
}

/** The cells of a row: names, node groups, and the text. */
export const cellsOf = ({ names, groups, lines, details }: PageRow): readonly string[] =>
  presentItems([
    names.length > 0 && firstNames(names, MOST_NAMES),
    groups,
    [...lines, ...presentItems([details]).map(pageText)].join('\n'),
  ]);

/** Whole sentences; no lines where the text is `null` or `false`. */
export const prose = (text: string | null | false, { width }: Style): PageSection =>
  presentItems([text]).flatMap((sentences) => wrap(sentences, width));
