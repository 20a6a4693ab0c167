import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { withFormats } from '../../scripts/docs/formats.ts';
import { constantIn, limitsPage } from '../../scripts/docs/limits.ts';

const page = async (name: string): Promise<string> =>
  await readFile(new URL(`../../docs/${name}`, import.meta.url), 'utf8');

describe('the documentation is that of the code (npm run docs writes it)', () => {
  it('docs/limits.md', async () => {
    expect(await page('limits.md')).toBe(limitsPage());
  });

  it('the formats in docs/upgrade.md', async () => {
    const written = await page('upgrade.md');
    expect(written).toContain('from providers/dynamodb');
    expect(withFormats(written)).toBe(written);
  });
});

describe('a constant of a source', () => {
  it.each([
    ['const A = 20_000;', 20_000],
    ['export const A = 64 * 1024;', 65_536],
    ['const A: Seconds = 5;', 5],
    ['const A = minutes(3);', 180_000],
    ['const A = seconds(7 * 2);', 14_000],
  ])('%s', (source, value) => {
    expect(constantIn(`const AB = 1;\n${source}\nconst B = 2;`, 'A')).toBe(value);
  });

  it.each(['const A = f(3);', 'const B = 3;', 'const A = "3";'])('is no number: %s', (source) => {
    expect(() => constantIn(source, 'A')).toThrow('no number in the constant A');
  });
});
