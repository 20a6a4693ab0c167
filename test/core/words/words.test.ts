import { describe, expect, it } from 'vitest';
import { printableLine } from '../../../core/model/values/printable.ts';
import { wordTables } from './word-tables.ts';

const tables = await wordTables();
const rows = tables.flatMap(({ table, words }) =>
  Object.entries(words).map(([reason, row]) => ({ table, reason, ...row })),
);

it('there are tables', () => {
  expect(tables.map(({ table }) => table)).toEqual(expect.arrayContaining(['WHY_NODE_STAYS', 'DRAIN_PHASES']));
  expect(rows.length).toBeGreaterThan(100);
});

describe.each(rows)('$table, $reason', ({ short, sentence, advice }) => {
  it('has a short text that fits into a table', () => {
    expect(short.length).toBeGreaterThan(0);
    expect(short.length).toBeLessThanOrEqual(40);
    expect(short).toMatch(/^[^.]*[^.\s]$/);
  });

  it('has whole sentences', () => {
    for (const text of [sentence, ...(advice === undefined ? [] : [advice])]) {
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
