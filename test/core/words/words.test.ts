import { globSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { printableLine } from '../../../core/model/printable.ts';
import type { Words } from '../../../core/words/words.ts';

const room = new URL('../../../core/words/', import.meta.url);

const isTable = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.values(value).every((row) => 'short' in (row as object));

/** Every table of words that there is, by its name. */
const tables = await Promise.all(
  globSync('*.ts', { cwd: room }).map(async (file) => (await import(new URL(file, room).href)) as object),
).then((modules) =>
  modules.flatMap((module) =>
    Object.entries(module).filter((entry): entry is [string, Readonly<Record<string, Words>>] => isTable(entry[1])),
  ),
);

const rows = tables.flatMap(([table, words]) =>
  Object.entries(words).map(([reason, row]) => ({ table, reason, ...row })),
);

it('there are tables', () => {
  expect(tables.map(([name]) => name)).toEqual(expect.arrayContaining(['WHY_NODE_STAYS', 'DRAIN_PHASES']));
  expect(rows.length).toBeGreaterThan(100);
});

describe.each(rows)('$table, $reason', ({ short, sentence, advice }) => {
  it('has a short text that fits into a table', () => {
    expect(short.length).toBeGreaterThan(0);
    expect(short.length).toBeLessThanOrEqual(40);
    expect(short).toMatch(/^[^.]*[^.\s]$/);
  });

  it('has whole sentences', () => {
    for (const text of [sentence, ...(advice === null ? [] : [advice])]) {
      expect(text).toMatch(/^[A-Z].*[^\s.]\.$/);
      expect(text).not.toMatch(/ {2}|\.\.|\. [a-z]/);
    }
  });

  it('has nothing that steers a terminal or breaks a line', () => {
    for (const text of [short, sentence, advice ?? '']) {
      expect(printableLine(text)).toBe(text);
    }
  });
});
