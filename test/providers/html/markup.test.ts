import { type DefaultTreeAdapterTypes, parseFragment } from 'parse5';
import { describe, expect, test } from 'vitest';
import { dataScript, markup } from '../../../providers/html/markup.ts';

type Node = DefaultTreeAdapterTypes.ChildNode;

/** Names that mean something in HTML, in a script, or in an attribute. */
const HOSTILE = [
  '</script><img src=x onerror=alert(1)>',
  '</td></table><script>alert(1)</script>',
  '"><svg onload=alert(1)>',
  "' onmouseover='alert(1)",
  '<!--',
  '--><script>',
  '<!--<script>',
  ']]>',
  '&lt;b&gt;',
  '\u2028alert(1)\u2029',
  '${alert(1)}',
  '`',
  'a\\u003cb',
  '\u{1F4A5}<b>',
];

/** The elements, as a browser reads them: names with attributes, and texts. */
const tree = (nodes: readonly Node[]): unknown[] =>
  nodes.map((node) =>
    'tagName' in node
      ? [node.tagName, Object.fromEntries(node.attrs.map(({ name, value }) => [name, value])), ...tree(node.childNodes)]
      : 'value' in node
        ? node.value
        : node.nodeName,
  );

const parsed = (html: { toString(): string }): unknown[] => tree(parseFragment(html.toString()).childNodes);

describe.each(HOSTILE)('%j', (name) => {
  test('is text in an element and in a quoted attribute', () => {
    expect(parsed(markup`<p title="${name}" class='${name}'>${name}</p>`)).toEqual([
      ['p', { title: name, class: name }, name],
    ]);
  });

  test('is text in a list of markup that other markup contains', () => {
    const items = [name, name].map((one) => markup`<li>${one}</li>`);
    expect(parsed(markup`<ul>${items}</ul>`)).toEqual([['ul', {}, ['li', {}, name], ['li', {}, name]]]);
  });

  test('is the same value after it went through a script element, as a value and as a key', () => {
    const data = { name, list: [name], [name]: 1 };
    const [[element, attributes, text], after] = parsed(markup`${dataScript('data', data)}<p></p>`) as [
      [string, unknown, string],
      unknown,
    ];
    expect([element, attributes]).toEqual(['script', { type: 'application/json', id: 'data' }]);
    expect(JSON.parse(text)).toEqual(data);
    expect(after).toEqual(['p', {}]);
    expect(text).not.toMatch(/[<>&\u2028\u2029]/);
  });
});

test('numbers are printed, and null is nothing', () => {
  expect(markup`<b>${1.5}</b>${null}`.toString()).toBe('<b>1.5</b>');
});
