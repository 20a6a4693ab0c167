import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { withDemo } from '../../scripts/docs/demo.ts';

it('the README shows what the demo shows (npm run docs writes it)', async () => {
  const readme = await readFile(new URL('../../README.md', import.meta.url), 'utf8');
  expect(await withDemo(readme)).toBe(readme);
});

it('a README without a place for it is refused, with what to do', async () => {
  await expect(withDemo('# Outrigger\n')).rejects.toThrow('README.md: no block of text after the line <!-- Written');
});
