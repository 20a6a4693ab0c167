import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { deadLinks, repositoryAddress } from '../../../scripts/docs-site/links.ts';

const repository = { address: 'https://example.org/o/r', revision: 'v1' };

test.each([
  ['../README.md#measured', 'faq.md', 'https://example.org/o/r/blob/v1/README.md#measured'],
  ['../../test/e2e', 'decisions/0001.md', 'https://example.org/o/r/tree/v1/test/e2e'],
  ['decisions', 'faq.md', 'https://example.org/o/r/tree/v1/docs/decisions'],
  ['pictures/a.png', 'faq.md', 'https://example.org/o/r/blob/v1/docs/pictures/a.png'],
  ['../drain.md#phases', 'decisions/0001.md', null],
  ['#top', 'faq.md', null],
  ['https://kubernetes.io/', 'faq.md', null],
])('the link %s on %s leads to %s', (link, page, address) => {
  expect(repositoryAddress(link, page, repository)).toBe(address);
});

test('finds links, anchors and pictures that are not in the site', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'site-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  mkdirSync(path.join(folder, 'deep'));
  const write = (file: string, body: string): void => writeFileSync(path.join(folder, file), body);
  write('index.html', '<h2 id="a-b">A</h2><a href="/v/deep/page.html#c">c</a><a href="/v/deep/page.html#d">d</a>');
  write(
    'deep/page.html',
    '<p id="c"><img src="../no.png"><a href="../#a-b">1</a><a href="/v/no.html">2</a><a href="/w/">3</a>',
  );
  expect(deadLinks(folder, '/v/').toSorted()).toEqual([
    'deep/page.html: ../no.png',
    'deep/page.html: /v/no.html',
    'index.html: /v/deep/page.html#d',
  ]);
});
