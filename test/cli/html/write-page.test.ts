import { beforeAll, describe, expect, test } from 'vitest';
import { type Assets, pageAssets } from '../../../cli/html/assets.ts';
import type { Report } from '../../../cli/html/report.ts';
import { writePage } from '../../../cli/html/write-page.ts';
import { HOSTILE_NAMES } from './hostile.ts';
import { hashOf, readPage } from './read-page.ts';

/** A report in which every text is the name. */
const reportOf = (name: string): Report => ({
  title: name,
  about: name,
  start: null,
  facts: [[name, name]],
  picture: {
    groups: [
      {
        name,
        nodes: [
          { name, state: 'used', when: 'both', pods: [{ name, share: 1, when: 'both', note: name }], note: name },
        ],
      },
    ],
    pending: [],
  },
  charts: [
    {
      title: name,
      summary: name,
      kind: 'bars',
      unit: 'count',
      categories: [name],
      series: [{ name, tone: 'cost', points: [[0, 1]] }],
    },
  ],
  span: { from: 0, to: 10 },
  nodes: [{ name, group: name, phases: [{ state: 'used', from: 0, to: 10 }], note: name }],
  decisions: [
    {
      at: 1,
      name,
      kind: 'both',
      message: name,
      changes: true,
      picture: null,
      sections: [{ title: name, rows: [{ label: name, text: name, subjects: [name, name] }] }],
    },
  ],
});

let assets: Assets;
beforeAll(async () => {
  assets = await pageAssets();
});

describe.each(HOSTILE_NAMES)('a report with the name %j', (name) => {
  test('is a page of the same elements as with another name', () => {
    const shapeOf = (html: string): unknown =>
      readPage(html).elements.map(({ name, attributes }) => [name, Object.keys(attributes)]);
    expect(shapeOf(writePage(reportOf(name), assets, null))).toEqual(shapeOf(writePage(reportOf('web'), assets, null)));
  });

  test('comes out of the page as it was', () => {
    const { report, elements } = readPage(writePage(reportOf(name), assets, null));
    expect(report).toEqual(reportOf(name));
    expect(elements.find((one) => one.name === 'title')!.text).toBe(name);
  });
});

test('nothing runs but the script of the page, nothing is loaded, and text cannot be made into elements', () => {
  const { elements, policy } = readPage(writePage(reportOf('web'), assets, null));
  const textOf = (name: string): string =>
    elements.find((one) => one.name === name && one.attributes['type'] === undefined)!.text;
  expect(policy).toEqual({
    'default-src': ["'none'"],
    'script-src': [hashOf(textOf('script'))],
    'style-src': [hashOf(textOf('style'))],
    'base-uri': ["'none'"],
    'form-action': ["'none'"],
    'require-trusted-types-for': ["'script'"],
    'trusted-types': ["'none'"],
  });
  // Elements before the policy are not under it.
  expect(elements.slice(0, 4).map(({ name }) => name)).toEqual(['html', 'head', 'meta', 'meta']);
  const places = elements
    .flatMap(({ attributes }) => Object.keys(attributes))
    .filter((one) => /^(?:src|href|on.*|style)$/.test(one));
  expect(places).toEqual([]);
});

test('a page that is served may ask its own server, and knows where', () => {
  const { elements, policy } = readPage(writePage(reportOf('web'), assets, { url: 'report.json', everyMs: 5_000 }));
  expect(policy['connect-src']).toEqual(["'self'"]);
  expect(elements.find(({ attributes }) => attributes['id'] === 'report')!.attributes).toMatchObject({
    'data-live': 'report.json',
    'data-every': '5000',
  });
});

test('script and style are whole in the page, whatever they contain', () => {
  const { elements } = readPage(writePage(reportOf('web'), assets, null));
  expect(elements.findLast(({ name }) => name === 'script')!.text).toBe(assets.script);
  expect(elements.find(({ name }) => name === 'style')!.text).toBe(assets.style);
});
