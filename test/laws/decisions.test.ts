import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { evaluate, evaluateScaleDown, evaluateScaleUp } from '../../core/evaluate.ts';
import type { Decision } from '../../core/model/decision.ts';
import type { Scenario } from '../../core/model/scenario.ts';
import { random } from '../conformance/random.ts';
import { permuted } from './permuted.ts';
import { RUNS, scenarios } from './recorded.ts';
import { withoutUnrelated, withUnrelatedGroup, withUnusedObjects } from './unrelated.ts';

const root = join(import.meta.dirname, '../..');

let known: Awaited<ReturnType<typeof scenarios>> = [];
beforeAll(async () => {
  known = await scenarios();
});

type Evaluate = (scenario: Scenario) => Decision;
const EVALUATIONS = { evaluate, evaluateScaleUp, evaluateScaleDown };

/** The scenarios that are decided otherwise when they are changed like this, with the place where the decisions differ. */
function differing(
  decide: Evaluate,
  change: (scenario: Scenario, n: number) => Scenario,
  show = asIs,
): readonly string[] {
  expect(known.length).toBeGreaterThan(RUNS * 5);
  return known.flatMap(([name, scenario], n) => {
    const before = JSON.stringify(show(decide(scenario)));
    const after = JSON.stringify(show(decide(change(scenario, n))));
    return after === before ? [] : `${name}: ${firstDifference(before, after)}`;
  });
}

function firstDifference(before: string, after: string): string {
  let at = 0;
  while (before[at] === after[at]) {
    at += 1;
  }
  const [from, to] = [before, after].map((text) => text.slice(Math.max(0, at - 200), at + 200));
  return `${from}\nis now ${to}`;
}

const asIs = (decision: unknown): unknown => decision;

test('among the scenarios are some that add nodes, that remove nodes, and that do neither', () => {
  const decisions = known.map(([, scenario]) => evaluate(scenario));
  expect(decisions.some(({ scaleUp }) => scaleUp.increases.length > 0)).toBe(true);
  expect(decisions.some(({ scaleDown }) => scaleDown.removals.length > 0)).toBe(true);
  const isIdle = ({ scaleUp, scaleDown }: Decision) => scaleUp.increases.length + scaleDown.removals.length === 0;
  expect(decisions.some(isIdle)).toBe(true);
});

describe.each(Object.entries(EVALUATIONS))('%s decides the same, byte for byte,', (_, decide) => {
  test('whatever the order of the lists of a scenario', () => {
    expect(differing(decide, (scenario, n) => permuted(scenario, random(n)))).toEqual([]);
  });

  test('beside a pod that has completed, and a namespace, a class, a budget and a ConfigMap that no pod uses', () => {
    expect(differing(decide, withUnusedObjects)).toEqual([]);
  });

  test('beside a node group that no other pod may run on, but for what it says of this group', () => {
    expect(differing(decide, withUnrelatedGroup, withoutUnrelated)).toEqual([]);
  });

  test('a second time, and from a copy', () => {
    expect(differing(decide, (scenario, n) => (n % 2 === 0 ? scenario : structuredClone(scenario)))).toEqual([]);
  });
});

test('another process decides the same, byte for byte', () => {
  const input = known.slice(-10).map(([, scenario]) => JSON.stringify(scenario));
  const script = `
    import { readFileSync } from 'node:fs';
    import { evaluate } from './core/evaluate.ts';
    for (const line of readFileSync(0, 'utf8').split('\\n')) console.log(JSON.stringify(evaluate(JSON.parse(line))));
  `;
  const output = execFileSync(process.execPath, ['--input-type=module', '--eval', script], {
    cwd: root,
    input: input.join('\n'),
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  expect(output.trimEnd().split('\n')).toEqual(
    input.map((line) => JSON.stringify(evaluate(JSON.parse(line) as Scenario))),
  );
});
