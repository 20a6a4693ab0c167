import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { everyNight, ofEveryChange } from '../../../scripts/ci/steps.ts';

const { scripts } = JSON.parse(readFileSync(path.join(import.meta.dirname, '../../../package.json'), 'utf8')) as {
  readonly scripts: Readonly<Record<string, string>>;
};

describe.each([
  ['of every change', ofEveryChange],
  ['of every night', everyNight],
])('the checks %s', (_, of) => {
  const steps = of(4_711);

  test('have a name each', () => {
    expect(new Set(steps.map(({ name }) => name)).size).toBe(steps.length);
  });

  test('need steps that are listed before them', () => {
    const names = steps.map(({ name }) => name);
    for (const { name, needs = [] } of steps) {
      for (const need of needs) expect(names.slice(0, names.indexOf(name))).toContain(need);
    }
  });

  test('run scripts that there are', () => {
    const run = steps.flatMap(({ command: [program, ...args] }) => (program === 'npm' ? [args[2]] : []));
    expect(run.filter((name) => scripts[name!] === undefined)).toEqual([]);
  });

  test('are drawn by the seed', () => {
    expect(of(4_711)).toEqual(steps);
    const others = JSON.stringify(of(4_712));
    const drawn = steps.filter((step) => !others.includes(JSON.stringify(step)));
    expect(drawn.length).toBeGreaterThan(4);
  });
});
