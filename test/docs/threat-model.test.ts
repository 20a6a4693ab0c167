import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';

const ROOT = path.join(import.meta.dirname, '../..');
const page = readFileSync(path.join(ROOT, 'docs/threat-model.md'), 'utf8');
/** Rows of tables, without heads and rules. */
const rows = page.split('\n').filter((line) => /^\| (?!(?:They|It) cannot )/.test(line));
const SHOWN = /^\| (.+) \| `([^`]+)`: "([^"]+)" \|$/;

describe('docs/threat-model.md', () => {
  test('has a test for each row', () => {
    expect(rows.length).toBeGreaterThan(30);
    expect(rows.filter((row) => !SHOWN.test(row))).toEqual([]);
  });

  test.each(rows.map((row) => SHOWN.exec(row) ?? []).map(([, says, file, name]) => [says!, file!, name!] as const))(
    '%s: by %s',
    (_, file, name) => {
      expect(file).toMatch(/\.(?:test|e2e)\.ts$/);
      expect(existsSync(path.join(ROOT, file))).toBe(true);
      expect(readFileSync(path.join(ROOT, file), 'utf8')).toContain(name);
    },
  );

  test('has a section for each actor of SECURITY.md, which refers to it', () => {
    const security = readFileSync(path.join(ROOT, 'SECURITY.md'), 'utf8');
    const links = [...security.matchAll(/\(docs\/threat-model\.md#([a-z-]+)\)/g)].map(([, anchor]) => anchor!);
    const sections = new Set(
      [...page.matchAll(/^## (.+)$/gm)].map(([, title]) =>
        title!
          .toLowerCase()
          .replaceAll(/[^a-z ]/g, '')
          .replaceAll(' ', '-'),
      ),
    );
    expect(new Set(links).size).toBeGreaterThan(7);
    expect(links.filter((link) => !sections.has(link))).toEqual([]);
  });
});
