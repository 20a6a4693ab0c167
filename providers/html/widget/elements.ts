import type { WidgetSubject } from '../../schema/widget-call.ts';
import { type MarkupContent, markup, type Markup } from '../markup.ts';
import { mapOptional } from '@outrigger/core/model/values/optional.ts';

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
export const nameLink = (links: Links, subject: WidgetSubject, name: string): Markup =>
  link(links, name, { subject, name });

/** Names with commas, the first ones as links, and how many more there are; `null` without names. */
export function nameLinks(links: Links, subject: WidgetSubject, names: readonly string[], most: number): Markup | null {
  if (names.length === 0) {
    return null;
  }
  const shown = names.slice(0, most).map((name, i) => markup`${i === 0 ? '' : ', '}${nameLink(links, subject, name)}`);
  const more = names.length - shown.length;
  return markup`${shown}${more > 0 ? ` and ${more} more` : ''}`;
}

/** Content, or nothing. */
type Optional = MarkupContent | undefined;

/** A heading and its content; nothing without content. */
export const section = (title: string, content: Optional, look: 'plain' | 'alert' = 'plain'): Markup | null =>
  mapOptional(content, (given) => markup`<section class="og-section og-${look}"><h3>${title}</h3>${given}</section>`) ??
  null;

/** Facts in the form name, value; no row where a value is absent. */
export const factTable = (rows: readonly (readonly [name: string, value: Optional])[]): Markup =>
  markup`<dl class="og-facts">${rows.map(([name, value]) => mapOptional(value, (given) => markup`<dt>${name}</dt><dd>${given}</dd>`) ?? null)}</dl>`;

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

/** A sentence with details in smaller type. */
export const withDetails = (sentence: string, details: readonly (string | null | undefined)[]): readonly Markup[] =>
  [markup`<div>${sentence}</div>`, note(details.filter((one) => one != null).join(' '))].filter((one) => one !== null);
