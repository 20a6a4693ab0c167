import { expect, test } from 'vitest';
import { wastefulWorkloads } from '../../../cli/advise/unused-room.ts';
import { INSTANCE_TYPE_LABEL } from '../../../core/model/cluster/node.ts';
import { node, pod } from '../../builders.ts';
import { group } from '../../scenario-builders.ts';
import { minute, periodOf, seenAt } from '../history/minutes.ts';

const GIB = 2 ** 30;

/** Nodes of 8 CPUs and 32 GiB for an hour, at 0.40 USD. */
async function periodWith(...pods: Parameters<typeof pod>[]) {
  const names = [...new Set(pods.map(([, given]) => given?.node ?? ''))];
  const seen = (at: number) =>
    seenAt(at, {
      groups: [{ ...group('web', { nodes: names }), price: 0.4 }],
      nodes: names.map((name) =>
        node(name, { cpu: 8, memory: '32Gi' }, { labels: { [INSTANCE_TYPE_LABEL]: 'm5.2xlarge' } }),
      ),
      pods: pods.map(([name, given]) => pod(name, { createdAt: minute(0), ...given })),
    });
  return await periodOf(seen(0), seen(60));
}

test('a pod of more than half a node is named with the cost of what nothing uses beside it', async () => {
  const period = await periodWith(
    ['api-1', { node: 'n1', owner: 'ReplicaSet/api', requests: { cpu: 5, memory: '4Gi' } }],
    ['api-2', { node: 'n2', owner: 'ReplicaSet/api', requests: { cpu: 5, memory: '4Gi' } }],
    ['side', { node: 'n2', owner: 'ReplicaSet/side', requests: { cpu: 2, memory: '1Gi' } }],
  );
  const [only, ...others] = wastefulWorkloads(period);
  expect(others).toEqual([]);
  expect(only).toMatchObject({
    namespace: 'default',
    kind: 'ReplicaSet',
    names: ['api'],
    requests: { cpu: 5_000, memory: 4 * GIB },
    instanceType: 'm5.2xlarge',
    share: 0.625,
    toFitTwo: { cpu: 4_000, memory: 16 * GIB },
  });
  // 3 of 8 CPUs of one node, and 1 of 8 of the other, for an hour.
  expect(only!.unusedUsd).toBeCloseTo(0.4 * 0.375 + 0.4 * 0.125, 6);
});

test('Jobs that request the same are one workload', async () => {
  const requests = { cpu: 1, memory: '20Gi' };
  const period = await periodWith(
    ['a', { node: 'n1', owner: 'Job/night-2', requests }],
    ['b', { node: 'n2', owner: 'Job/night-1', requests }],
  );
  expect(wastefulWorkloads(period).map(({ names, share }) => [names, share])).toEqual([
    [['night-1', 'night-2'], 0.625],
  ]);
});

test('pods of which two fit, or which fill their nodes, are not named', async () => {
  const period = await periodWith(
    ['half', { node: 'n1', owner: 'ReplicaSet/half', requests: { cpu: 4 } }],
    ['full', { node: 'n2', owner: 'ReplicaSet/full', requests: { cpu: '7960m' } }],
  );
  expect(wastefulWorkloads(period)).toEqual([]);
});
