import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { CLUSTER_OPTIONS, GROUP_OPTIONS } from '../../core/model/options.ts';
import { optionTables } from '../../scripts/docs/options.ts';

it('the documentation of options is that of the code (npm run docs writes it)', async () => {
  expect(await readFile(new URL('../../docs/options.md', import.meta.url), 'utf8')).toBe(optionTables());
});

it('every option has a row', () => {
  const rows = optionTables()
    .split('\n')
    .map((line) => /^\| `(\w+)` \|.*\|.*\|/.exec(line)?.[1]);
  for (const name of Object.keys({ ...CLUSTER_OPTIONS, ...GROUP_OPTIONS })) {
    expect(rows).toContain(name);
  }
});
