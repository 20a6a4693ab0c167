import { expect, test } from 'vitest';
import { defaultOptions } from '../../core/model/options.ts';
import { record } from '../../simulation/recording/record.ts';
import { drawAccount, type Standing, standingAt } from './account.ts';

const ACCOUNTS = 12;
/** Pods of a kind do not fill nodes to the last, as those of the program do, and a scale-up is of one type. */
const COST_OF_LEAST = 1.25;

test('what is paid for is used before anything else is launched', async () => {
  const standings: Standing[] = [];
  for (let seed = 101; seed < 101 + ACCOUNTS; seed++) {
    const account = drawAccount(seed);
    const options = {
      ...defaultOptions(),
      ...account.load.options,
      expander: ['price'],
      consolidation: 'replace',
    } as const;
    const recording = await record({ ...account.load, options });
    standings.push(...account.checkpoints.map((at) => standingAt(account, recording, at)));
  }
  // As far as the program uses it: less where demand is smaller. All is well where nothing costs more.
  const used = standings
    .filter(({ cost }) => cost > 0.001)
    .map((standing) => Math.min(1, standing.used / Math.min(1, standing.leastUsed)));
  const sum = (of: (standing: Standing) => number): number => standings.reduce((all, one) => all + of(one), 0);
  expect(used.reduce((total, share) => total + share, 0) / used.length).toBeGreaterThan(0.99);
  expect(used.filter((share) => share >= 0.99).length / used.length).toBeGreaterThan(0.85);
  expect(Math.min(...used)).toBeGreaterThan(0.9);
  expect(sum(({ cost }) => cost) / sum(({ least }) => least)).toBeLessThan(COST_OF_LEAST);
});
