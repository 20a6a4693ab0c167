import { describe, expect, it } from 'vitest';
import { statusOf } from '../../../core/explanation/status.ts';
import { nodeName } from '../../../core/model/values/names.ts';
import { addTime, minutes, seconds } from '../../../core/model/values/time.ts';
import { evaluated, eventfulWorld, clusterRecordOf } from '../../explained.ts';
import { WEB } from '../../functions/test-world.ts';
import { NOW } from '../../scenario-builders.ts';
import { drainOf } from '../../providers/drain-store.contract.ts';

async function statusAfter(prepare: (world: ReturnType<typeof eventfulWorld>) => unknown = () => {}) {
  const world = eventfulWorld();
  await evaluated(world);
  await prepare(world);
  return statusOf(await clusterRecordOf(world));
}

describe('the status of a cluster', () => {
  it('has the result, the time and the last change of each part', async () => {
    expect(await statusAfter()).toMatchObject({
      cluster: 'web',
      mode: 'act',
      at: addTime(NOW, seconds(90)),
      scaleUp: { decidedAt: NOW, result: 'ScaledUp', meaning: 'node groups grow', lastChange: NOW },
      scaleDown: { decidedAt: NOW, result: 'Nothing', lastChange: null },
      healthy: true,
      nodes: { ready: 3 },
    });
  });

  it('has groups with their limits, and why they cannot grow', async () => {
    const { groups } = await statusAfter();
    expect(
      groups.map(({ group, min, max, target, increase, skipped }) => [
        group,
        min,
        max,
        target,
        increase,
        skipped?.reason,
      ]),
    ).toEqual([
      ['full', 0, 0, 0, null, 'MaxSizeReached'],
      ['web', 1, 10, 3, null, undefined],
      ['web-b', 0, 5, 0, { from: 0, to: 1 }, undefined],
      ['wrong', 0, 10, 0, null, 'Invalid'],
    ]);
  });

  it('counts pods by what they wait for, those that no group holds first', async () => {
    const { pods } = await statusAfter();
    expect(pods).toMatchObject([
      {
        outcome: 'Unschedulable',
        reasons: expect.arrayContaining(['2 groups: Insufficient cpu', 'full: max node group size reached']),
        pods: ['default/huge', 'default/huge-2'],
      },
      { outcome: 'Triggered', group: 'web-b', reasons: [], pods: ['default/waits'] },
    ]);
  });

  it('has unneeded nodes with their group and since when', async () => {
    expect((await statusAfter()).unneeded).toEqual([
      {
        node: 'n1',
        group: 'web',
        since: NOW,
        utilization: { cpu: 0, memory: 0, threshold: 0.5 },
        why: 'unneeded for 0s, and removed after 10m',
      },
    ]);
  });

  it('has the drains that go on, and what they wait for', async () => {
    const change = { attempt: 1, drivenUntil: addTime(NOW, minutes(2)) };
    const { drains } = await statusAfter(async ({ drains: store }) => {
      await store.create(WEB, {
        ...change,
        drain: drainOf('n2', { phase: 'Evicting', waitingFor: 'pod default/solo to end' }),
      });
      await store.create(WEB, { ...change, drain: drainOf('n3', { id: 'ended/n3', phase: 'Removed' }) });
    });
    expect(drains).toMatchObject([
      { node: 'n2', phase: 'Evicting', doing: 'pods are evicted', waitsFor: 'pod default/solo to end' },
    ]);
  });

  it('of a cluster that is observed alone has no drain of another deployment', async () => {
    const world = eventfulWorld({ dryRun: true });
    await evaluated(world);
    await world.drains.create(WEB, { drain: drainOf('n2'), attempt: 1, drivenUntil: NOW });
    const status = statusOf(await clusterRecordOf(world));
    expect(status).toMatchObject({ mode: 'observe', drains: [], unneeded: [{ node: nodeName('n1') }] });
  });
});
