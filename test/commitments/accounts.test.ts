import { expect, test } from 'vitest';
import { defaultOptions } from '../../core/model/options.ts';
import { record } from '../../simulation/recording/record.ts';
import { type Account, drawAccount, type Standing, standingAt } from './account.ts';

const ACCOUNTS = 12;
/** Pods of a kind do not fill nodes to the last, as those of the program do, and a scale-up is of one type. */
const COST_OF_LEAST = 1.25;

async function standingsOf(account: Account): Promise<readonly Standing[]> {
  const options = {
    ...defaultOptions(),
    ...account.load.options,
    expander: ['price'],
    consolidation: 'replace',
  } as const;
  const recording = await record({ ...account.load, options });
  return account.checkpoints.map((at) => standingAt(account, recording, at));
}

/** Use as a part of what the program uses: that is less where demand is smaller. */
const usedOf = (standing: Standing): number => Math.min(1, standing.used / Math.min(1, standing.leastUsed));

const sumOf = (standings: readonly Standing[], of: (standing: Standing) => number): number =>
  standings.reduce((all, one) => all + of(one), 0);

const costRatio = (standings: readonly Standing[]): number =>
  sumOf(standings, ({ cost }) => cost) / sumOf(standings, ({ least }) => least);

const meanOf = (shares: readonly number[]): number => shares.reduce((total, share) => total + share, 0) / shares.length;

const shareInFull = (used: readonly number[]): number => used.filter((share) => share >= 0.99).length / used.length;

test('instances that are paid for are used before anything else is launched', async () => {
  const standings: Standing[] = [];
  for (let seed = 101; seed < 101 + ACCOUNTS; seed++) {
    const account = drawAccount(seed);
    const commitments = account.commitments.filter(({ kind }) => kind !== 'SavingsPlan');
    standings.push(...(await standingsOf({ ...account, commitments, load: { ...account.load, commitments } })));
  }
  const used = standings.map(usedOf);
  // A reservation that the plans of a burst have left is used when a node of its size can go: in one of these accounts after hours.
  expect(shareInFull(used)).toBeGreaterThan(0.8);
  expect(meanOf(used)).toBeGreaterThan(0.95);
  expect(costRatio(standings)).toBeLessThan(COST_OF_LEAST);
});

test('so are savings plans beside them', async () => {
  const standings: Standing[] = [];
  for (let seed = 101; seed < 101 + ACCOUNTS; seed++) {
    standings.push(...(await standingsOf(drawAccount(seed))));
  }
  // All is well where nothing costs more.
  const used = standings.filter(({ cost }) => cost > 0.001).map(usedOf);
  expect(meanOf(used)).toBeGreaterThan(0.99);
  expect(shareInFull(used)).toBeGreaterThan(0.85);
  expect(Math.min(...used)).toBeGreaterThan(0.9);
  expect(costRatio(standings)).toBeLessThan(COST_OF_LEAST);
});
