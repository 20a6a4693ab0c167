import { PutWarmPoolCommand, WarmPoolState } from '@aws-sdk/client-auto-scaling';
import { expect, test } from 'vitest';
import { openCluster } from './cluster.ts';
import type { LogLine } from './servers/outrigger.ts';

// The instances of a pool are not played, and so not how soon they join: what is tested is that pools are read from AWS'
// answers, and which group is chosen.
test('of groups that are alike the one with instances in its warm pool grows, and these are no nodes', async () => {
  const cluster = await openCluster('warm-pools');
  const groups: string[] = [];
  for (const name of ['a', 'b', 'c']) groups.push(...(await cluster.createGroups({ name, max: 3 })));
  const [cold, warm, stopped] = groups as [string, string, string];
  const put = (group: string, pool: object) =>
    cluster.aws.autoScaling.send(new PutWarmPoolCommand({ AutoScalingGroupName: group, ...pool }));
  await put(warm, { PoolState: WarmPoolState.Hibernated, MaxGroupPreparedCapacity: 1 });
  await put(stopped, { PoolState: WarmPoolState.Stopped, MaxGroupPreparedCapacity: 2 });
  cluster.bridge(0);
  const outrigger = await cluster.outriggerWithWebhook('warm', '--schedule=1s');

  await cluster.createDeployment('web', 1, { cpuMilli: 1_000, memoryMib: 512 });
  await cluster.untilRunning(1);
  expect(await cluster.sizes()).toEqual({ [cold]: 0, [warm]: 1, [stopped]: 0 });
  expect(choicesOf(outrigger.logged())).toMatchObject([
    {
      winner: warm,
      why: expect.stringContaining('warm pool: 1 of 1 from hibernated instances, the next best 1 of 1 from stopped'),
    },
  ]);

  // Its pool is empty now, by its prepared capacity.
  await cluster.createDeployment('more', 1, { cpuMilli: 1_500, memoryMib: 512 });
  await cluster.untilRunning(2);
  expect(await cluster.sizes()).toEqual({ [cold]: 0, [warm]: 1, [stopped]: 1 });
  expect(choicesOf(outrigger.logged()).at(-1)).toMatchObject({
    winner: stopped,
    why: expect.stringContaining('warm pool: 1 of 1 from stopped instances, the next best 0 of 1'),
  });
  await cluster.untilNodes(2);
});

const choicesOf = (lines: readonly LogLine[]): readonly object[] =>
  lines.flatMap((line) => (line['considered'] ?? []) as readonly object[]);
