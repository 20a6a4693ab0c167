import type { WidgetSubject } from '../../schema/widget-call.ts';
import { type MarkupContent, markup, type Markup } from '../markup.ts';

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

/** Names with commas, the first ones as links, and how many more there are. */
export function nameLinks(links: Links, subject: WidgetSubject, names: readonly string[], most: number): Markup {
  const shown = names.slice(0, most).map((name, i) => markup`${i === 0 ? '' : ', '}${nameLink(links, subject, name)}`);
  const more = names.length - shown.length;
  return markup`${shown}${more > 0 ? ` and ${more} more` : ''}`;
}

/** A heading and its content; nothing without content. */
export const section = (
  title: string,
  content: MarkupContent | null,
  look: 'plain' | 'alert' = 'plain',
): Markup | null =>
  content === null ? null : markup`<section class="og-section og-${look}"><h3>${title}</h3>${content}</section>`;

/** A fact in the form name, value; no row where the value is `null`. */
export type WidgetFact = readonly [name: string, value: MarkupContent | null];

export const factTable = (rows: readonly WidgetFact[]): Markup =>
  markup`<dl class="og-facts">${rows.map(([name, value]) => (value === null ? null : markup`<dt>${name}</dt><dd>${value}</dd>`))}</dl>`;

/** A table; `null` without rows. */
export function tableElement(headings: readonly string[], rows: readonly (readonly MarkupContent[])[]): Markup | null {
  if (rows.length === 0) {
    return null;
  }
  return markup`<table class="og-table">${headings.length === 0 ? null : markup`<thead><tr>${headings.map((title) => markup`<th>${title}</th>`)}</tr></thead>`}<tbody>${rows.map((row) => markup`<tr>${row.map((cell) => markup`<td>${cell}</td>`)}</tr>`)}</tbody></table>`;
}

/** Texts under each other; `null` where there are none. */
export const lines = (texts: readonly MarkupContent[]): Markup | null =>
  texts.length === 0 ? null : markup`${texts.map((text) => markup`<div>${text}</div>`)}`;

/** Text in smaller type: advice and details. */
export const note = (text: MarkupContent | null): Markup | null =>
  text === null || text === '' ? null : markup`<div class="og-note">${text}</div>`;
