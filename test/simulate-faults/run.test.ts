import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Invariant } from './invariants/invariant.ts';
import { simulateFaults } from './command.ts';
import { reportOf } from './report.ts';
import { run } from './run.ts';
import { shrink } from './shrink.ts';

const MAIN = join(import.meta.dirname, 'main.ts');
describe('a run', () => {
  test.each([
    { seed: 1, provider: 'aws' },
    { seed: 2, provider: 'aws' },
    { seed: 1, provider: 'clusterapi' },
  ] as const)('of seed $seed on $provider is the same each time, byte for byte', async ({ seed, provider }) => {
    const first = await run({ seed, provider });
    const second = await run({ seed, provider });
    expect(second.lines).toEqual(first.lines);
    expect(second.digest).toBe(first.digest);
    expect(first.violation).toBeNull();
    expect(second.quality).toEqual(first.quality);
    expect(first.quality.usedHours).toBeGreaterThanOrEqual(first.quality.neededHours);
  });

  test('is the same in another process', async () => {
    const { digest, lines } = await run({ seed: 7 });
    const printed = execFileSync(process.execPath, [MAIN, '--seeds', '1', '--seed', '7', '--log'], {
      encoding: 'utf8',
    });
    expect(printed).toContain(`digest ${digest}`);
    expect(printed.split('\n').slice(0, lines.length)).toEqual(lines);
  });

  test('with fewer faults is the same up to the first that is left out', async () => {
    const whole = await run({ seed: 2 });
    const { lines, faults } = await run({ seed: 2, limit: 5 });
    expect(faults).toBe(5);
    const sixth = whole.lines.findIndex((line) => line.includes('FAULT 6 '));
    expect(sixth).toBeGreaterThan(20);
    expect(lines.slice(0, sixth)).toEqual(whole.lines.slice(0, sixth));
    expect(lines[sixth]).not.toBe(whole.lines[sixth]);
  });
});

describe('a run that fails', () => {
  test('is shown with the shortest prefix of its faults that fails', async () => {
    let struck = 0;
    const thirdFailure: Invariant = {
      name: 'no third failure',
      watch: (_stage, violate) => {
        struck = 0;
        return {
          event: ({ kind }) => {
            struck += kind === 'LaunchFailed' ? 1 : 0;
            if (struck === 3) {
              violate('it is the third');
            }
          },
        };
      },
    };
    const options = { invariants: [thirdFailure] };
    const seed = 12;
    const whole = await run({ ...options, seed });
    expect(whole.violation).toMatchObject({ invariant: 'no third failure', what: 'it is the third' });
    const shortest = await shrink(whole, options);
    expect(shortest.violation?.invariant).toBe('no third failure');
    expect(shortest.faults).toBeLessThanOrEqual(whole.faults);
    const oneLess = await run({ ...options, seed, limit: shortest.faults - 1 });
    expect(oneLess.violation).toBeNull();
    const report = reportOf(shortest, whole.faults);
    expect(report).toContain(`npm run simulate-faults -- --seeds 1 --seed ${seed} --faults ${shortest.faults} --log`);
    expect(new Set(report.match(/ {2}FAULT \d+ /g)).size).toBe(shortest.faults);
  });
});

describe('the command', () => {
  test.each([
    [['--seeds', '0'], 'Expected a whole number above 0'],
    [['--seeds', 'many'], 'Expected a whole number'],
    [['--seed', '-1'], 'Expected a whole number'],
    [['--faults', '3'], 'give --seeds 1 as well'],
    [['7'], 'too many arguments'],
  ])('says what is wrong with %j', async (flags, said) => {
    const program = simulateFaults()
      .configureOutput({ writeErr: () => {} })
      .exitOverride((error) => {
        throw error;
      });
    await expect(program.parseAsync(flags, { from: 'user' })).rejects.toThrow(said);
  });
});
