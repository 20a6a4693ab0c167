import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { RECOMMENDED } from '../../scripts/docs/recommended.ts';

test.each(['README.md', 'docs/consolidation.md', 'docs/install.md', 'docs/many-clusters.md', 'docs/configuration.md'])(
  '%s recommends the options of the benches',
  (page) => {
    const text = readFileSync(page, 'utf8').replaceAll("'", '');
    expect(Object.entries(RECOMMENDED).filter(([name, value]) => !text.includes(`${name}: ${value}`))).toEqual([]);
  },
);
