import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');
const page = readFileSync(join(root, 'docs/troubleshooting.md'), 'utf8');
const table = page.slice(page.indexOf('## Metrics'));

const source = globSync('{functions,providers}/**/*.ts', { cwd: root })
  .map((file) => readFileSync(join(root, file), 'utf8'))
  .join('\n');

/** Lines that publish metrics, and those of the table by the end of an intent. */
const publishing = source
  .split('\n')
  .filter((line) => /metrics\.(?:count|milliseconds)\(|\bdone: '.*refused: '/.test(line));

/** The metrics that the functions publish by a name; those of phases are named by `Drain` and the phase. */
const published = publishing.flatMap((line) => [...line.matchAll(/'([A-Z]\w+)'/g)].map(([, name]) => name!));

test('every metric is explained, and no other one', () => {
  expect(published.length).toBeGreaterThan(30);
  expect(source).toContain('metrics.milliseconds(`Drain${from}`');
  const explained = [...table.matchAll(/^\| ((?:`\w+`(?:, | and )?)+)/gm)].flatMap(([, cell]) =>
    [...cell!.matchAll(/`(\w+)`/g)].map(([, name]) => name!),
  );
  expect([...new Set(explained)].toSorted()).toEqual([...new Set([...published, 'Drain'])].toSorted());
});
