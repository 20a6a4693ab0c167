import { html, raw } from 'hono/html';
import type { HtmlEscapedString } from 'hono/utils/html';

/** HTML in which everything that was put in is escaped. Made by `markup` alone. */
export type Markup = HtmlEscapedString;

/**
 * The values that a template may contain: texts and numbers, which are escaped; markup and lists of values; `null` for
 * nothing.
 */
export type MarkupContent = string | number | null | Markup | readonly MarkupContent[];

/**
 * A piece of HTML from a template. A value is text, in an element or in a quoted attribute, whatever characters it has:
 *
 *     markup`<td title="${pod}">${pod}</td>`
 *
 * Values belong into neither unquoted attributes, nor URLs, nor `script` and `style` elements: there, escaping is not enough
 * (for data in a script see `dataScript`).
 */
export const markup = (template: TemplateStringsArray, ...values: readonly MarkupContent[]): Markup =>
  // Without promises among the values there is none in the result.
  html(template, ...values) as Markup;

/**
 * A value in a script element that is not run. A page reads it with `JSON.parse(document.getElementById(id).textContent)`.
 *
 * Nothing in it ends the element, begins a comment or a script in it, or is a line break that JavaScript knows and JSON does
 * not, as those characters are JSON escapes.
 *
 * @param id of the element.
 * @param data as for `JSON.stringify`.
 * @param attributes `data-` attributes of the element, by their names without that.
 */
export function dataScript(id: string, data: unknown, attributes: Readonly<Record<string, string>> = {}): Markup {
  const json = JSON.stringify(data).replaceAll(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  const more = Object.entries(attributes).map(([name, value]) => markup` data-${name}="${value}"`);
  return markup`<script type="application/json" id="${id}"${more}>${raw(json)}</script>`;
}
