import { expect, test } from 'vitest';
import { objectionToKarpenter, underKarpenter } from '../../../cli/backtest/karpenter-load.ts';
import type { DemoLoad } from '../../../simulation/load/load.ts';
import { defaultOptions } from '../../../core/model/options.ts';
import { groupName } from '../../../core/model/values/names.ts';
import { durationMs } from '../../../core/model/values/time.ts';
import { describeType } from '../../../simulation/load/instance-types.ts';
import { node } from '../../builders.ts';
import { group } from '../../scenario-builders.ts';
import { scalingGroup, START } from '../../simulation/builders.ts';
import { periodOf, seenAt } from '../history/minutes.ts';

const ofType = (name: string, instanceType: string, given: Parameters<typeof scalingGroup>[1] = {}) => {
  const { capacity, allocatable, price } = describeType(instanceType)!;
  return scalingGroup(name, { instanceType, capacity, allocatable, price: price * 0.9, ...given });
};
const SPOT = [{ key: 'spot', value: 'true', effect: 'NoSchedule' }];
const FIXED = groupName('in no node group 1');

const load: DemoLoad = {
  name: 'shop',
  seed: 1,
  options: defaultOptions('outrigger'),
  start: START,
  daemonSets: [],
  groups: [
    ofType('web', 'm5.xlarge', { zones: ['us-east-1a', 'us-east-1b'], desiredSize: 3, minSize: 2, maxSize: 5 }),
    ofType('big', 'm5.4xlarge', { labels: { 'eks.amazonaws.com/nodegroup': 'big' } }),
    ofType('spot', 'c5.xlarge', { taints: SPOT }),
    ofType('gpu', 'g5.xlarge', { desiredSize: 1 }),
    scalingGroup(FIXED, { desiredSize: 2 }),
  ],
  steps: [
    { at: durationMs(1_000), kind: 'interruption', group: groupName('web'), zone: 'us-east-1b', notice: durationMs(0) },
    { at: durationMs(2_000), kind: 'capacity', group: groupName('web'), available: 5 },
  ],
  until: durationMs(3_600_000),
};
const STATED = { type: null, zone: null, capacityType: null, price: 0.05, covered: null };
const under = underKarpenter({ load, fixed: new Set([FIXED]) });
const named = (name: string) => under.groups.find((one) => one.name === name);

test('node groups with the same labels and taints are a NodePool, of many types in all their zones', () => {
  const pools = Map.groupBy(under.karpenter!.pools, ([, pool]) => pool);
  const typesOf = (pool: string) => new Set(pools.get(pool)!.map(([name]) => named(name)!.instanceType));
  expect([...pools.keys()]).toEqual(['pool 1', 'pool 2', 'pool 3']);
  expect(typesOf('pool 1')).toContain('r6a.12xlarge');
  expect(typesOf('pool 1')).toContain('m5.4xlarge');
  expect(typesOf('pool 1')).not.toContain('m7g.xlarge');
  expect(typesOf('pool 1')).not.toContain('t3.large');
  expect(typesOf('pool 3')).toEqual(new Set(['g5.xlarge']));
  expect(named('r6a.large us-east-1b, pool 1')).toMatchObject({
    minSize: 0,
    desiredSize: 0,
    price: expect.closeTo(0.1134 * 0.9),
  });
  expect(named('c6a.xlarge us-east-1a, pool 2')!.taints).toEqual(SPOT);
});

test('goes by the prices that options state', () => {
  const { groups } = underKarpenter({
    load: { ...load, options: { ...load.options, prices: [{ ...STATED, type: 'm5.xlarge' }] } },
    fixed: new Set([FIXED]),
  });
  const priceOf = (name: string) => groups.find((one) => one.name === name)!.price;
  expect(priceOf('m5.xlarge us-east-1a, pool 1')).toBe(STATED.price);
  expect(priceOf('r6a.large us-east-1b, pool 1')).toBeCloseTo((0.1134 * STATED.price) / 0.192, 9);
});

test('begins with the nodes of the node groups, and leaves others alone', () => {
  const starting = under.groups.filter(({ desiredSize }) => desiredSize > 0);
  expect(starting.map(({ name, desiredSize }) => [name, desiredSize])).toEqual([
    [FIXED, 2],
    ['m5.xlarge us-east-1a, pool 1', 2],
    ['m5.xlarge us-east-1b, pool 1', 1],
    ['g5.xlarge us-east-1a, pool 3', 1],
  ]);
  expect(under.karpenter!.pools.has(FIXED)).toBe(false);
});

test('interruptions and shortages of a node group are of its type in its zones', () => {
  expect(under.steps).toMatchObject([
    { kind: 'interruption', group: 'm5.xlarge us-east-1b, pool 1' },
    { kind: 'capacity', group: 'm5.xlarge us-east-1a, pool 1', available: 3 },
    { kind: 'capacity', group: 'm5.xlarge us-east-1b, pool 1', available: 3 },
  ]);
});

test.each([
  ['is refused where a price is unknown', { price: null }, {}, /price of node group web is unknown.*option prices/],
  ['is refused for Cluster API', { price: 0.2 }, { provider: 'clusterapi' }, /Cluster API.*--peer cluster-autoscaler/],
  ['is possible with prices on AWS', { price: 0.2 }, {}, /^null$/],
  [
    'is possible with prices that options state',
    { price: null },
    { options: { ...load.options, prices: [STATED] } },
    /^null$/,
  ],
] as const)('Karpenter %s', async (_, given, last, expected) => {
  const nodes = [node('n1', { cpu: 4, memory: '16Gi' })];
  const web = group('web', { nodes: ['n1'] });
  const period = await periodOf(...[0, 30].map((at) => seenAt(at, { groups: [web], nodes })));
  const groups = new Map([[web.name, { ...web, ...given }]]);
  expect(String(objectionToKarpenter({ last: { ...period.last, ...last }, groups }))).toMatch(expected);
});
