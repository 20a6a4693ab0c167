import { expect, test } from 'vitest';
import { scenesOf } from '../../../cli/advise/estimate.ts';
import { poolsOf } from '../../../cli/advise/pools.ts';
import { searchLayouts } from '../../../cli/advise/search.ts';
import { loadOf as loadOfPeriod } from '../../../cli/backtest/load-of.ts';
import type { DemoLoad } from '../../../simulation/load/load.ts';
import { playedHistory } from '../backtest/histories.ts';
import { loadOf } from './loads.ts';

async function searched(load: DemoLoad, most = 3) {
  const { period } = await playedHistory(load);
  const { load: played } = loadOfPeriod(period, 'shop', 1);
  return searchLayouts(played, poolsOf(played.groups).pools, scenesOf(period), most);
}

const typesOf = ({ found }: Awaited<ReturnType<typeof searched>>) =>
  found.map(({ layout }) => layout.map(({ types }) => types.join(' ')).join(', '));

test('pods of much CPU find types with less memory for it, and pods of much memory those with more', async () => {
  const cpu = await searched(loadOf(['m5.xlarge'], { cpu: '900m', memory: '512Mi' }));
  expect(typesOf(cpu)[0]).toMatch(/^c6a\./);
  expect(cpu.found[0]!.estimatedSaving).toBeGreaterThan(0.15);
  const memory = await searched(loadOf(['m5.xlarge'], { cpu: '400m', memory: '6Gi' }));
  expect(typesOf(memory)[0]).toMatch(/r6a\./);
});

test('layouts of different kinds come first', async () => {
  const { found } = await searched(loadOf(['m5.xlarge'], { cpu: '900m', memory: '512Mi' }));
  const counts = found.map(({ layout }) => layout.flatMap(({ types }) => types.map((type) => type === 'm5.xlarge')));
  expect(new Set(counts.map((types) => types.join(' '))).size).toBe(3);
});

test('nothing is found where pods ask for their instance type', async () => {
  const load = loadOf(
    ['m5.xlarge'],
    { cpu: '900m', memory: '512Mi' },
    { spec: { nodeSelector: { 'node.kubernetes.io/instance-type': 'm5.xlarge' } } },
  );
  // The pods go to their own type as before, whatever is beside it.
  expect((await searched(load)).found).toEqual([]);
});
