import {
  MOST_NAMES,
  type FactRow,
  type NamedObjects,
  type SubjectPage,
  type PageRow,
  type PageText,
  type Subject,
} from '@outrigger/core/explanation/pages/page.ts';
import { type MarkupContent, markup, type Markup } from '../markup.ts';
import { mapOptional, presentItems } from '@outrigger/core/model/values/optional.ts';

/** The target of the widget's links: the widget's function, by its ARN. */
export interface Links {
  readonly endpoint: string;
}

/**
 * A link that shows another page of the widget. CloudWatch allows no scripts: an element `cwdb-action` says what a click on
 * the element before it does.
 *
 * @param parameters of the call, as `parseWidgetCall` reads them.
 */
export const link = ({ endpoint }: Links, text: MarkupContent, parameters: object, look = 'og-link'): Markup =>
  markup`<a class="${look}">${text}</a><cwdb-action action="call" display="widget" endpoint="${endpoint}">${JSON.stringify(parameters)}</cwdb-action>`;

/** The name of a pod, node or node group, which leads to what is known of it. */
export const nameLink = (links: Links, subject: Subject, name: string): Markup => link(links, name, { subject, name });

/** Names with commas, the first ones as links, and how many more there are; `null` without names. */
export function nameLinks(links: Links, { kind, names, after }: NamedObjects, most = MOST_NAMES): Markup {
  const shown = names.slice(0, most).map((name, i) => markup`${i === 0 ? '' : ', '}${nameLink(links, kind, name)}`);
  const more = names.length - shown.length;
  return markup`${shown}${more > 0 ? ` and ${more} more` : ''}${after}`;
}

const textElement = (text: PageText, links: Links): MarkupContent =>
  typeof text === 'string' ? text : nameLinks(links, text);

/** Content, or nothing. */
type Optional = MarkupContent | undefined;

/** A heading and its content; nothing without content. */
export const section = (title: string, content: Optional, look: 'plain' | 'alert' = 'plain'): Markup | null =>
  mapOptional(content, (given) => markup`<section class="og-section og-${look}"><h3>${title}</h3>${given}</section>`) ??
  null;

/** Facts in the form name, value; no row where a value is absent. */
export const factTable = (facts: readonly FactRow[], links: Links): Markup =>
  markup`<dl class="og-facts">${facts.map(([name, value]) => presentItems([value]).map((given) => markup`<dt>${name}</dt><dd>${textElement(given, links)}</dd>`))}</dl>`;

type TableRows = readonly (readonly MarkupContent[])[];

/** A table; `null` without rows. */
export function tableElement(rows: TableRows, headings: readonly string[] = []): Markup | null {
  if (rows.length === 0) {
    return null;
  }
  const head = markup`<thead><tr>${headings.map((title) => markup`<th>${title}</th>`)}</tr></thead>`;
  return markup`<table class="og-table">${headings.length === 0 ? null : head}<tbody>${rows.map((row) => markup`<tr>${row.map((cell) => markup`<td>${cell}</td>`)}</tr>`)}</tbody></table>`;
}

/** A table under a heading; nothing without rows. */
export const tableSection = (title: string, rows: TableRows): Markup | null => section(title, tableElement(rows));

/** Texts under each other; `null` where there are none. */
export const lines = (texts: readonly MarkupContent[]): Markup | null =>
  texts.length === 0 ? null : markup`${texts.map((text) => markup`<div>${text}</div>`)}`;

/** Text in smaller type: advice and details. */
export const note = (text: Optional): Markup | null =>
  text === undefined || text === null || text === '' ? null : markup`<div class="og-note">${text}</div>`;

/** The first rows of a part; names of objects lead to what is known of them. */
export const rowTable = (rows: readonly PageRow[], links: Links, most = Infinity): Markup | null =>
  tableElement(
    rows
      .slice(0, most)
      .map((row) => [
        ...namesIn(row, links),
        [
          row.lines.length > 1 ? lines(row.lines) : row.lines,
          note(row.groups),
          presentItems([row.details]).map((text) => note(textElement(text, links))),
        ],
      ]),
  );

function namesIn({ kind, names }: PageRow, links: Links): readonly MarkupContent[] {
  if (names.length === 0) {
    return [];
  }
  return [kind === null ? names.join(', ') : nameLinks(links, { kind, names, after: '' })];
}

/** A page that the terminal has, too. */
export const markupPage = (parts: SubjectPage, links: Links): MarkupContent =>
  parts.map((part) => {
    if ('facts' in part) {
      return factTable(part.facts, links);
    }
    return 'rows' in part
      ? section(part.title, rowTable(part.rows, links))
      : presentItems([part.sentences]).map((text) => note(text));
  });
