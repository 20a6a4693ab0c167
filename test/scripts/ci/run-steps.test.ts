import { describe, expect, test } from 'vitest';
import { type Outcome, runSteps } from '../../../scripts/ci/run-steps.ts';
import type { Step } from '../../../scripts/ci/steps.ts';

const step = (name: string, more: Partial<Step> = {}): Step => ({
  name,
  command: ['true'],
  counts: 'once',
  cores: 1,
  ...more,
});

/** Runs steps of which each takes so many turns; gives what was running at a time, and what was reported. */
async function running(
  steps: readonly Step[],
  turns: Readonly<Record<string, number>>,
  failing: readonly string[] = [],
) {
  const now = new Set<string>();
  const seen = new Set<string>();
  const reported: string[] = [];
  const run = async ({ name }: Step): Promise<Outcome> => {
    now.add(name);
    for (let turn = 0; turn < (turns[name] ?? 1); turn += 1) {
      seen.add([...now].join(' '));
      await Promise.resolve();
    }
    now.delete(name);
    return failing.includes(name) ? { passed: 0, failed: 1 } : { passed: 1, failed: 0 };
  };
  await runSteps(steps, 2, run, ({ name }, outcome) => {
    reported.push(outcome === null ? `${name} not run` : name);
  });
  return { seen: [...seen], reported };
}

describe('steps', () => {
  test('begin in their order, as many as there are cores', async () => {
    const { seen, reported } = await running([step('a'), step('b'), step('c')], { a: 20, b: 3, c: 3 });
    expect(seen).toEqual(['a', 'a b', 'a c']);
    expect(reported).toEqual(['b', 'c', 'a']);
  });

  test('that want more cores than are idle let a later one begin', async () => {
    const { seen } = await running([step('a'), step('both', { cores: 2 }), step('c')], { a: 10, c: 10 });
    expect(seen).toEqual(['a', 'a c', 'both']);
  });

  test('that want more cores than the machine has run alone', async () => {
    const { seen } = await running([step('a'), step('many', { cores: 8 })], { a: 3 });
    expect(seen).toEqual(['a', 'many']);
  });

  test('begin when what they need has passed', async () => {
    const { reported } = await running([step('tests', { needs: ['servers'] }), step('servers'), step('lint')], {
      servers: 9,
    });
    expect(reported).toEqual(['lint', 'servers', 'tests']);
  });

  test('are not run when what they need has failed, nor are those that need them; all others are', async () => {
    const steps = [
      step('servers'),
      step('tests', { needs: ['servers'] }),
      step('after', { needs: ['tests'] }),
      step('lint'),
    ];
    const { reported } = await running(steps, { lint: 5 }, ['servers']);
    expect(reported).toEqual(['servers', 'tests not run', 'after not run', 'lint']);
  });

  test('that need what is no step are an error', async () => {
    await expect(running([step('tests', { needs: ['server'] })], {})).rejects.toThrow('tests needs what is no step');
  });
});
