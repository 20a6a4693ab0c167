import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { anchorOf } from '../../scripts/docs-site/contents.ts';

const ROOT = path.join(import.meta.dirname, '../..');
const SHOWN = /^\| (.+) \| `([^`]+)`: "([^"]+)" \|$/;
const HEAD = /^\|.* (?:Shown by|By) \|$/;

export const pageOf = (file: string): string => readFileSync(path.join(ROOT, file), 'utf8');

/** Rows of the tables whose last column names a test. */
const rowsOf = (page: string): readonly string[] =>
  page.split('\n\n').flatMap((block) => {
    const [head = '', , ...rows] = block.split('\n');
    return HEAD.test(head) ? rows.filter((row) => row.startsWith('|')) : [];
  });

/**
 * Tests that each row of a page's tables names a test that exists.
 *
 * @param least the page has more rows
 */
export function eachRowIsShown(page: string, least: number): void {
  const rows = rowsOf(page);

  test('has a test for each row', () => {
    expect(rows.length).toBeGreaterThan(least);
    expect(rows.filter((row) => !SHOWN.test(row))).toEqual([]);
  });

  test.each(rows.map((row) => SHOWN.exec(row) ?? []).map(([, says, file, name]) => [says!, file!, name!] as const))(
    '%s: by %s',
    (_, file, name) => {
      expect(file).toMatch(/\.(?:test|e2e)\.ts$/);
      expect(existsSync(path.join(ROOT, file))).toBe(true);
      expect(pageOf(file)).toContain(name);
    },
  );
}

/** The anchors of the sections of a page. */
export const sectionsOf = (page: string): ReadonlySet<string> =>
  new Set([...page.matchAll(/^##+ (.+)$/gm)].map(([, title]) => anchorOf(title!)));
