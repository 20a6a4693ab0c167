import { describe, expect, it, test } from 'vitest';
import { bootsByGroup, simulatedGroups, spanOf } from '../../../cli/backtest/groups.ts';
import { INSTANCE_TYPE_LABEL, TO_BE_DELETED_TAINT, ZONE_LABEL } from '../../../core/model/cluster/node.ts';
import { groupName } from '../../../core/model/values/names.ts';
import { addTime, durationMs, seconds } from '../../../core/model/values/time.ts';
import { node, resources } from '../../builders.ts';
import { group } from '../../scenario-builders.ts';
import { minute, periodOf, seenAt } from '../history/minutes.ts';

const labels = { pool: 'web', [INSTANCE_TYPE_LABEL]: 'm7g.large', [ZONE_LABEL]: 'us-east-1b' };
const OF_WEB = { cpu: '1930m', memory: '7218992Ki' };

/** Registered and ready so many seconds after a minute. */
const booted = (name: string, at: number, registered: number, ready: number) =>
  node(name, OF_WEB, {
    labels,
    createdAt: addTime(minute(at), seconds(registered)),
    conditions: [{ type: 'Ready', status: 'True', reason: '', since: addTime(minute(at), seconds(ready)) }],
  });

const launched = async () =>
  await periodOf(
    seenAt(
      0,
      { groups: [group('web', { nodes: ['n0'], max: 7 }), group('idle')], nodes: [node('n0', OF_WEB, { labels })] },
      { increases: [{ group: groupName('web'), from: 1, to: 3 }] },
    ),
    seenAt(5, {
      groups: [{ ...group('web', { nodes: ['n0', 'n1', 'n2'], max: 7 }), price: 0.0816 }, group('idle')],
      nodes: [node('n0', OF_WEB, { labels }), booted('n1', 0, 42, 47), booted('n2', 0, 52, 61)],
    }),
  );

describe('boot times', () => {
  it('count from the decision to the registration, less the call, and from there to Ready', async () => {
    expect(bootsByGroup(await launched()).get(groupName('web'))).toEqual({
      boot: [40_000, 50_000],
      ready: [5_000, 9_000],
    });
  });

  it('of a group without launches are those of all groups', async () => {
    const { groups } = simulatedGroups(await launched());
    const [web, idle] = groups;
    expect(web!.boot).toEqual({ min: 36_340, max: 53_660 });
    expect(idle!.boot).toEqual(web!.boot);
  });

  it('of a node that nobody asked for are unknown', async () => {
    const period = await periodOf(
      seenAt(0, { groups: [group('web')] }),
      seenAt(5, { groups: [group('web', { nodes: ['n1'] })], nodes: [booted('n1', 0, 42, 47)] }),
    );
    expect(bootsByGroup(period).get(groupName('web'))!.boot).toEqual([]);
  });

  it('are drawn with their mean and deviation', () => {
    expect(spanOf([30, 30, 30].map(durationMs))).toEqual({ min: 30, max: 30 });
    expect(spanOf([])).toBeNull();
  });
});

test('a node group has the nodes that were seen, its size at the start, and its price', async () => {
  const { groups, leftOut } = simulatedGroups(await launched());
  expect(leftOut).toEqual([]);
  expect(groups.find(({ name }) => name === 'web')).toMatchObject({
    zones: ['us-east-1b'],
    instanceType: 'm7g.large',
    minSize: 0,
    maxSize: 7,
    desiredSize: 1,
    allocatable: resources({ ...OF_WEB, pods: 110 }),
    labels: { pool: 'web' },
    taints: [],
    price: 0.0816,
  });
});

test('a node group that nothing shows a node of is left out', async () => {
  const groups = [group('unknown', { template: null }), group('web')];
  const { groups: simulated, leftOut } = simulatedGroups(await periodOf(seenAt(0, { groups }), seenAt(5, { groups })));
  expect(leftOut).toEqual(['unknown']);
  expect(simulated.map(({ name }) => name)).toEqual(['web']);
});

test('nodes in no node group are groups that keep their size', async () => {
  const nodes = ['s1', 's2'].map((name) =>
    node(name, OF_WEB, { labels: { ...labels, 'kubernetes.io/hostname': name } }),
  );
  const { groups, fixed } = simulatedGroups(await periodOf(seenAt(0, { nodes }), seenAt(5, { nodes })));
  expect(groups).toMatchObject([{ minSize: 2, maxSize: 2, desiredSize: 2, price: null }]);
  expect([...fixed]).toEqual(groups.map(({ name }) => name));
});

test('taints of removals and conditions are not those of new nodes', async () => {
  const taint = (key: string) => ({ key, value: '', effect: 'NoSchedule' });
  const taints = ['gpu', TO_BE_DELETED_TAINT, 'node.kubernetes.io/not-ready'].map(taint);
  const observed = {
    groups: [group('web', { nodes: ['n1'] })],
    nodes: [node('n1', OF_WEB, { taints })],
  };
  const { groups } = simulatedGroups(await periodOf(seenAt(0, observed), seenAt(5, observed)));
  expect(groups[0]!.taints).toEqual([taint('gpu')]);
});
