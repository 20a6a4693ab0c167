import { describe, expect, it, test } from 'vitest';
import { nodeOfType, otherTypes, poolsOf } from '../../../cli/advise/pools.ts';
import { CPU, MEMORY, PODS } from '../../../core/model/values/resources.ts';
import { describeType } from '../../../simulation/load/instance-types.ts';
import { loadOf } from './loads.ts';

const WEB = { cpu: '1', memory: '1Gi' };
const [m5] = loadOf(['m5.xlarge'], WEB).groups;

describe('a pool', () => {
  it('has the groups of all zones and types whose labels and taints are equal', () => {
    const { groups } = loadOf(['m5.xlarge', 'm5.2xlarge'], WEB);
    const labels = { ...m5!.labels, 'eks.amazonaws.com/nodegroup': 'other', 'topology.k8s.aws/zone-id': 'use1-az4' };
    const { pools } = poolsOf([...groups, { ...m5!, labels }]);
    expect(pools.map(({ types, groups: { length } }) => [types, length])).toEqual([[['m5.2xlarge', 'm5.xlarge'], 7]]);
  });

  it('is another one for another label, taint or architecture', () => {
    const taints = [{ key: 'team', value: 'a', effect: 'NoSchedule' }];
    const [arm] = loadOf(['m7g.xlarge'], WEB).groups;
    const { pools } = poolsOf([m5!, { ...m5!, labels: { ...m5!.labels, team: 'a' } }, { ...m5!, taints }, arm!]);
    expect(pools).toHaveLength(4);
  });
});

test('groups without a price, with GPUs, or of an unlisted type are in no pool', () => {
  const [gpus] = loadOf(['g5.xlarge'], WEB).groups;
  expect(poolsOf([{ ...m5!, price: null }, gpus!, { ...m5!, instanceType: 'u7i-12tb.224xlarge' }])).toEqual({
    pools: [],
    others: [
      { group: 'm5-xlarge-a', why: 'its price is unknown' },
      { group: 'g5-xlarge-a', why: 'its nodes have GPUs' },
      { group: 'm5-xlarge-a', why: 'u7i-12tb.224xlarge is not in the list of instance types' },
    ],
  });
});

test('other types have the architecture of the pool, no GPUs, burst only where the pool does, and are the cheapest of equal ones', () => {
  const of = (type: string) => otherTypes(poolsOf(loadOf([type], WEB).groups).pools[0]!);
  expect(of('m5.xlarge')).toEqual(
    expect.arrayContaining(['m6a.large', 'm6a.xlarge', 'c6a.xlarge', 'r6a.48xlarge', 'c5.9xlarge']),
  );
  for (const type of ['m7g.large', 't3.large', 'g5.xlarge', 'm5.xlarge', 'm5.large', 'm7i.xlarge']) {
    expect(of('m5.xlarge')).not.toContain(type);
  }
  expect(of('t4g.large')).toEqual(expect.arrayContaining(['t4g.xlarge', 'm6g.large', 'm8g.48xlarge']));
});

describe('a node of another type', () => {
  it('has the discount of the pool on the list price', () => {
    expect(nodeOfType('c6a.2xlarge', { ...m5!, price: 0.192 * 0.4 }).price).toBeCloseTo(0.306 * 0.4, 9);
  });

  it('reserves what the nodes of the pool reserve, and keeps their own limit of pods', () => {
    const own = describeType('m5.xlarge')!;
    const other = describeType('m5.2xlarge')!;
    const allocatable = { ...m5!.allocatable, [CPU]: own.allocatable[CPU]! - 250, [PODS]: 110, 'hugepages-2Mi': 0 };
    const node = nodeOfType('m5.2xlarge', { ...m5!, allocatable });
    expect(node.allocatable).toMatchObject({
      [CPU]: other.allocatable[CPU]! - 250,
      [MEMORY]: other.allocatable[MEMORY],
      [PODS]: 110,
      'hugepages-2Mi': 0,
    });
    expect(nodeOfType('m5.2xlarge', m5!)).toMatchObject({ capacity: other.capacity, allocatable: other.allocatable });
  });

  it('has its type in labels that say so', () => {
    const labels = { 'beta.kubernetes.io/instance-type': 'm5.xlarge', team: 'a' };
    expect(nodeOfType('m5.large', { ...m5!, labels }).labels).toEqual({
      'beta.kubernetes.io/instance-type': 'm5.large',
      team: 'a',
    });
  });
});
