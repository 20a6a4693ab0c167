import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { anchorOf, documentedVersion, sectionsOf } from '../../../scripts/docs-site/contents.ts';

const docs = path.join(import.meta.dirname, '../../../docs');

describe('the sidebar of the site', () => {
  const sections = sectionsOf(readFileSync(path.join(docs, 'README.md'), 'utf8'));

  test('has every page once', () => {
    const listed = sections.flatMap(({ items }) => items.map(({ link }) => `${link.slice(1)}.md`));
    const pages = globSync('**/*.md', { cwd: docs }).filter((page) => page !== 'README.md');
    expect(listed.toSorted()).toEqual(pages.toSorted());
  });

  test('has the titles and numbers of the index', () => {
    const index =
      '# Pages\n\n## Use\n\n* [`a` and b](a.md): text.\n* [c](../c.md): text.\n\n## Decisions\n\n* 7: [d](e/f.md)\n';
    expect(sectionsOf(index)).toEqual([
      { text: 'Use', collapsed: false, items: [{ text: 'a and b', link: '/a' }] },
      { text: 'Decisions', collapsed: true, items: [{ text: '7. d', link: '/e/f' }] },
    ]);
  });
});

test.each([
  ['## [Unreleased]\n\n## [1.2.0]\n', '1.2.0'],
  ['## [Unreleased]\n\n### Added\n\n* A flag.\n\n## [1.2.0]\n', 'next'],
])('the version of the site with the changelog %j is %s', (changelog, version) => {
  expect(documentedVersion(changelog, '1.2.0')).toBe(version);
});

test('anchors are those of GitHub', () => {
  expect(anchorOf('1. What is needed')).toBe('1-what-is-needed');
  expect(anchorOf('From `outrigger local`, today')).toBe('from-outrigger-local-today');
});
