import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { TRANSITIONS } from '../../core/drain/transitions.ts';

const root = join(import.meta.dirname, '../..');
const page = readFileSync(join(root, 'docs/troubleshooting.md'), 'utf8');
const table = page.slice(page.indexOf('## Metrics'));

const source = globSync('{functions,providers}/**/*.ts', { cwd: root })
  .map((file) => readFileSync(join(root, file), 'utf8'))
  .join('\n');

/** The metrics that the functions publish by a name of their own, and those by the end of an intent. */
const published = [
  ...[...source.matchAll(/metrics\.(?:count|milliseconds)\('(\w+)'/g)].map(([, name]) => name!),
  ...[...source.matchAll(/\b(?:done|refused|failed): '([A-Z]\w+)'/g)].map(([, name]) => name!),
];

test('every metric is explained, and no other one', () => {
  expect(published.length).toBeGreaterThan(30);
  const explained = [...table.matchAll(/^\| ((?:`\w+`(?:, | and )?)+)/gm)].flatMap(([, cell]) =>
    [...cell!.matchAll(/`(\w+)`/g)].map(([, name]) => name!),
  );
  expect([...new Set(explained)].toSorted()).toEqual([...new Set([...published, 'Drain'])].toSorted());
});

test('the metrics of a drain are named by its phases', () => {
  expect(source).toContain('metrics.milliseconds(`Drain${from}`');
  expect(TRANSITIONS.length).toBeGreaterThan(5);
});
