import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { METRICS } from '../../core/model/metrics.ts';
import { figuresOf } from '../../core/registry/figures.ts';
import { evaluateScaleUp } from '../../core/evaluate.ts';
import { metricsPage } from '../../scripts/docs/metrics.ts';
import { group, scenario } from '../scenario-builders.ts';

const root = join(import.meta.dirname, '../..');
const page = readFileSync(join(root, 'docs/metrics.md'), 'utf8');
const sourceOf = (pattern: string): string =>
  globSync(pattern, { cwd: root })
    .map((file) => readFileSync(join(root, file), 'utf8'))
    .join('\n');

test('docs/metrics.md is that of the code (npm run docs writes it)', () => {
  expect(page).toBe(metricsPage());
});

// That no other metric is published is a matter of types: `Metrics` takes no other name.
test.each(Object.entries(METRICS))('%s is published by the functions that the page names', (name, { of }) => {
  const shared = sourceOf('{functions/{shared,evaluate},providers}/**/*.ts') + sourceOf('core/model/health-problem.ts');
  for (const service of of) {
    expect(`${sourceOf(`functions/${service}/**/*.ts`)}\n${shared}`).toMatch(new RegExp(`['\`]${name}['\`]`));
  }
});

test('every field of the figures in the log is explained, and no other one', () => {
  const given = scenario({ groups: [group('web')] });
  const fields = Object.keys(figuresOf(given, evaluateScaleUp(given)));
  const section = page.slice(page.indexOf('## In the log'), page.indexOf('## Free of charge'));
  const explained = [...section.matchAll(/^\| ((?:`\w+`(?:, )?)+) \|/gm)].flatMap(([, cell]) =>
    [...cell!.matchAll(/`(\w+)`/g)].map(([, name]) => name!),
  );
  expect(explained.toSorted()).toEqual([...fields, 'evaluationMs', 'pendingToDecisionMs'].toSorted());
});
