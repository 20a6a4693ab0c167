import { describe, expect, test } from 'vitest';
import { withStatedPrices } from '../../../core/nodegroups/stated-prices.ts';
import { type NodeGroup, nodePricesOf } from '../../../core/model/node-group.ts';
import type { StatedPrice } from '../../../core/model/price.ts';
import type { Commitment, InstanceCommitment, SavingsPlan } from '../../../core/model/commitment.ts';
import { node } from '../../builders.ts';
import { group, scenario, times } from '../../scenario-builders.ts';

const TYPE = 'node.kubernetes.io/instance-type';

const stated = (given: Partial<StatedPrice>): StatedPrice => ({
  type: null,
  zone: null,
  capacityType: null,
  price: 0.05,
  covered: null,
  ...given,
});

/** The price and, if different, the saving of one node less. */
function priceOf(prices: readonly StatedPrice[], nodes = 0, others = 0): readonly unknown[] {
  const names = times(nodes, (i) => `n${i}`);
  const more = times(others, (i) => `o${i}`);
  const labels = { [TYPE]: 'm5.large' };
  const of = { ...group('web', { nodes: names, zone: 'eu-west-1a', labels }), price: 0.1, capacityType: 'on-demand' };
  const other = { ...group('other', { nodes: more, zone: 'eu-west-1b', labels }), price: 0.1, capacityType: 'spot' };
  const { nodeGroups } = withStatedPrices(
    scenario({
      groups: [of, other],
      nodes: [...names, ...more].map((name) => node(name, {}, { labels })),
      options: { prices },
    }),
  );
  const { price } = nodeGroups[0]!;
  const { saved } = nodePricesOf(nodeGroups[0]!);
  return saved === price ? [price] : [price, saved];
}

describe('prices that are stated', () => {
  const cases: readonly (readonly [string, readonly StatedPrice[], readonly unknown[]])[] = [
    ['none', [], [0.1]],
    ['of all nodes', [stated({})], [0.05]],
    ['of the type', [stated({ type: 'm5.large' })], [0.05]],
    ['of another type', [stated({ type: 'm5.xlarge' })], [0.1]],
    ['of the zone', [stated({ zone: 'eu-west-1a' })], [0.05]],
    ['of another zone', [stated({ zone: 'eu-west-1b' })], [0.1]],
    ['of how it is bought', [stated({ capacityType: 'on-demand' })], [0.05]],
    ['of another way', [stated({ capacityType: 'spot' })], [0.1]],
    ['the first that is about it', [stated({ zone: 'x' }), stated({ price: 0.07 }), stated({ price: 0.01 })], [0.07]],
  ];
  test.each(cases)('%s', (_, prices, expected) => {
    expect(priceOf(prices)).toEqual(expected);
  });

  const covered: readonly (readonly [string, number, number, readonly unknown[]])[] = [
    ['fewer nodes than are covered: one more costs so, and one less saves so', 2, 0, [0.05]],
    ['as many: one more costs the full price, one less saves the lower', 3, 0, [0.1, 0.05]],
    ['more: one more and one less are at the full price', 4, 0, [0.1]],
    ['nodes of other groups count', 1, 2, [0.1, 0.05]],
  ];
  test.each(covered)('%s', (_, nodes, others, expected) => {
    expect(priceOf([stated({ type: 'm5.large', covered: 3 })], nodes, others)).toEqual(expected);
  });

  test('nodes beyond what one covers may be covered by the next', () => {
    expect(priceOf([stated({ covered: 1, price: 0 }), stated({ price: 0.08 })], 2)).toEqual([0.08]);
  });

  test.each<{ title: string; prices: readonly StatedPrice[]; nodes: number; expected: readonly unknown[] }>([
    { title: 'fewer than the first covers', prices: [], nodes: 1, expected: [0] },
    { title: 'as many: one less saves the first', prices: [], nodes: 2, expected: [0.06, 0] },
    { title: 'some of the second', prices: [], nodes: 4, expected: [0.06] },
    { title: 'all of both', prices: [], nodes: 5, expected: [0.1, 0.06] },
    { title: 'more than both', prices: [], nodes: 6, expected: [0.1] },
    { title: 'a price of all nodes ends the list', prices: [stated({ price: 0.09 })], nodes: 3, expected: [0.09] },
  ])('prices of the list are used up in turn: $title', ({ prices, nodes, expected }) => {
    const both = [...prices, stated({ covered: 2, price: 0 }), stated({ covered: 3, price: 0.06 })];
    expect(priceOf(both, nodes)).toEqual(expected);
  });

  test('nodes that one price alone covers take it before others do', () => {
    const prices = [stated({ covered: 2, price: 0 }), stated({ capacityType: 'on-demand', covered: 2, price: 0.06 })];
    // Spot nodes have the first price alone.
    expect(priceOf(prices, 1, 2)).toEqual([0.06]);
    expect(priceOf(prices, 2, 2)).toEqual([0.1, 0.06]);
  });

  test('instances that are awaited are covered', () => {
    const of = { ...group('web', { target: 2 }), price: 0.1 };
    const { nodeGroups } = withStatedPrices(
      scenario({ groups: [of], options: { prices: [stated({ covered: 3, price: 0 })] } }),
    );
    expect(nodeGroups[0]!.prices?.covered).toEqual([{ pool: 'prices[0]', left: 1, each: 1, price: 0 }]);
  });
});

describe('capacity that is paid for', () => {
  const RESERVED: InstanceCommitment = {
    kind: 'ReservedInstances',
    type: 'm5.xlarge',
    zone: null,
    count: 3,
    available: null,
    coversSizes: true,
  };
  const OPEN: InstanceCommitment = {
    kind: 'CapacityReservation',
    type: 'm5.xlarge',
    zone: 'eu-west-1a',
    count: 10,
    available: 2,
    coversSizes: false,
  };

  /** Price, saving, and nodes that a group with so many nodes of a type could still get for nothing. */
  function seen(
    commitments: readonly Commitment[],
    { type = 'm5.xlarge', zone = 'eu-west-1a', nodes = 0, capacityType = 'on-demand', os = 'linux' },
    prices: readonly StatedPrice[] = [],
  ): readonly unknown[] {
    const names = times(nodes, (i) => `n${i}`);
    const labels = { [TYPE]: type, 'topology.kubernetes.io/zone': zone, 'kubernetes.io/os': os };
    const of = { ...group('web', { nodes: names, zone, labels }), price: 0.192, capacityType };
    const { nodeGroups } = withStatedPrices({
      ...scenario({ groups: [of], nodes: names.map((name) => node(name, {}, { labels })), options: { prices } }),
      commitments,
    });
    const [priced] = nodeGroups as [NodeGroup];
    const { saved, covered } = nodePricesOf(priced);
    return [priced.price, saved, ...covered.map(({ left, each }) => Math.floor(left / each))];
  }

  test.each([
    { title: 'none in use', given: {}, expected: [0, 0, 3] },
    { title: 'one in use', given: { nodes: 1 }, expected: [0, 0, 2] },
    { title: 'all in use', given: { nodes: 3 }, expected: [0.192, 0] },
    { title: 'more nodes than are reserved', given: { nodes: 4 }, expected: [0.192, 0.192] },
    { title: 'nodes of half the size', given: { type: 'm5.large', nodes: 1 }, expected: [0, 0, 5] },
    { title: 'nodes of twice the size', given: { type: 'm5.2xlarge' }, expected: [0, 0, 1] },
    { title: 'nodes that are too large', given: { type: 'm5.4xlarge' }, expected: [0.192, 0.192] },
    { title: 'nodes of another family', given: { type: 'm6i.xlarge' }, expected: [0.192, 0.192] },
    { title: 'Spot nodes', given: { capacityType: 'spot' }, expected: [0.192, 0.192] },
    { title: 'Windows nodes', given: { os: 'windows' }, expected: [0.192, 0.192] },
  ])('by reserved instances, for $title', ({ given, expected }) => {
    expect(seen([RESERVED], given)).toEqual(expected);
  });

  test.each([
    { title: 'what nobody uses', given: {}, expected: [0, 0, 2] },
    { title: 'beside nodes that use a part', given: { nodes: 5 }, expected: [0, 0, 2] },
    { title: 'in another zone', given: { zone: 'eu-west-1b' }, expected: [0.192, 0.192] },
    { title: 'for another size', given: { type: 'm5.large' }, expected: [0.192, 0.192] },
  ])('by a capacity reservation: $title', ({ given, expected }) => {
    expect(seen([OPEN], given)).toEqual(expected);
  });

  test('of a capacity reservation that all are in use, nodes save nothing', () => {
    expect(seen([{ ...OPEN, count: 4, available: 0 }], { nodes: 4 })).toEqual([0.192, 0]);
    expect(seen([{ ...OPEN, count: 4, available: 0 }], { nodes: 5 })).toEqual([0.192, 0.192]);
  });

  test('by a capacity block, for nodes that are launched into blocks', () => {
    const block: InstanceCommitment = { ...OPEN, kind: 'CapacityBlock', count: 4, available: 4 };
    expect(seen([block], { capacityType: 'capacity-block' })).toEqual([0, 0, 4]);
    expect(seen([block], {})).toEqual([0.192, 0.192]);
    expect(seen([OPEN, RESERVED], { capacityType: 'capacity-block' })).toEqual([0.192, 0.192]);
  });

  const COMPUTE: SavingsPlan = {
    kind: 'SavingsPlan',
    family: null,
    // Seven nodes at 0.0869, and the seventh by whole numbers alone: the quotient is 6.999999999999999.
    commitment: 0.6083,
    rates: { 'm5.large': 0.0869, 'm5.xlarge': 0.1738, 'c5.2xlarge': 0.61 },
  };
  const OF_FAMILY: SavingsPlan = { ...COMPUTE, family: 'm5', commitment: 0.333, rates: { 'm5.xlarge': 0.1504 } };

  test.each([
    { title: 'none in use', given: { type: 'm5.large' }, expected: [0, 0, 7] },
    { title: 'some in use', given: { type: 'm5.large', nodes: 4 }, expected: [0, 0, 3] },
    { title: 'all in use', given: { type: 'm5.large', nodes: 7 }, expected: [0.192, 0] },
    { title: 'more nodes than it covers', given: { type: 'm5.large', nodes: 8 }, expected: [0.192, 0.192] },
    { title: 'nodes that take more of it', given: { nodes: 1 }, expected: [0, 0, 2] },
    { title: 'a node that would fit in part', given: { nodes: 3 }, expected: [0.192, 0] },
    { title: 'nodes that are too large', given: { type: 'c5.2xlarge' }, expected: [0.192, 0.192] },
    { title: 'a type without a rate', given: { type: 'r5.large' }, expected: [0.192, 0.192] },
    { title: 'Spot nodes', given: { type: 'm5.large', capacityType: 'spot' }, expected: [0.192, 0.192] },
    { title: 'Windows nodes', given: { type: 'm5.large', os: 'windows' }, expected: [0.192, 0.192] },
  ])('by a savings plan: $title', ({ given, expected }) => {
    expect(seen([COMPUTE], given)).toEqual(expected);
  });

  test('is used in the order of AWS, whatever the order of the commitments', () => {
    const all = [COMPUTE, OF_FAMILY, OPEN, RESERVED];
    expect(seen([COMPUTE, OF_FAMILY, RESERVED], {})).toEqual([0, 0, 3, 2, 3]);
    expect(seen([COMPUTE, OF_FAMILY, RESERVED], { nodes: 4 })).toEqual([0, 0, 1, 3]);
    expect(seen(all.toReversed(), { zone: 'eu-west-1b', nodes: 1 })).toEqual(
      seen(all, { zone: 'eu-west-1b', nodes: 1 }),
    );
  });

  test.each<[title: string, commitments: readonly Commitment[], nodes: readonly number[]]>([
    ['savings plans', [{ ...OPEN, count: 2 }, COMPUTE], [1]],
    ['the plan of a family first', [{ ...OPEN, count: 2 }, COMPUTE, OF_FAMILY], [3]],
    ['all that a plan covers', [OPEN, COMPUTE], []],
    ['regional reserved instances', [{ ...OPEN, count: 2 }, RESERVED], [1]],
    ['nothing of zonal reserved instances', [OPEN, { ...RESERVED, zone: 'eu-west-1b', coversSizes: false }], [3]],
  ])('a capacity reservation takes %s from nodes of other zones', (_, commitments, nodes) => {
    const [, , ...left] = seen(commitments, { zone: 'eu-west-1b' });
    expect(left).toEqual(nodes);
  });

  test('a capacity reservation takes nothing of reserved instances of its zone', () => {
    expect(seen([OPEN, { ...RESERVED, zone: 'eu-west-1a', coversSizes: false }], {})).toEqual([0, 0, 2, 3]);
  });

  test('what reservations take saves nothing of nodes that cost a stated price', () => {
    const price = stated({ price: 0.1, covered: 3 });
    expect(seen([{ ...OPEN, count: 2 }, COMPUTE], { zone: 'eu-west-1b', nodes: 2 }, [price])).toEqual([0.1, 0.1, 1, 1]);
  });

  test('the rest of a plan is for smaller nodes of other groups', () => {
    const of = (name: string, type: string, nodes: readonly string[]) => ({
      ...group(name, { nodes, labels: { [TYPE]: type } }),
      price: 0.3,
      capacityType: 'on-demand',
    });
    const names = ['n0', 'n1', 'n2'];
    const { nodeGroups } = withStatedPrices({
      ...scenario({
        groups: [of('large', 'm5.large', []), of('xlarge', 'm5.xlarge', names)],
        nodes: names.map((name) => node(name, {}, { labels: { [TYPE]: 'm5.xlarge' } })),
      }),
      commitments: [COMPUTE],
    });
    // 0.6083 less three times 0.1738.
    expect(nodeGroups.map(({ price }) => price)).toEqual([0, 0.3]);
  });

  test('comes after what the option says', () => {
    expect(seen([RESERVED], {}, [stated({ price: 0.1 })])).toEqual([0.1, 0.1]);
    expect(seen([RESERVED], {}, [stated({ price: 0.1, covered: 1 })])).toEqual([0.1, 0.1, 1, 3]);
  });

  test.each<[title: string, nodes: number, prices: readonly StatedPrice[], mean: number]>([
    ['at list price where reserved instances cover them', 2, [], 0.192],
    ['the same before there are any', 0, [], 0.192],
    ['at the mean of what is stated and of the list price', 4, [stated({ price: 0.1, covered: 1 })], 0.169],
    ['at what is stated of all', 4, [stated({ price: 0.1 })], 0.1],
  ])('nodes count for limits and reports %s', (_, nodes, prices, mean) => {
    const names = times(nodes, (i) => `n${i}`);
    const labels = { [TYPE]: 'm5.xlarge' };
    const of = { ...group('web', { nodes: names, labels }), price: 0.192, capacityType: 'on-demand' };
    const given = scenario({
      groups: [of],
      nodes: names.map((name) => node(name, {}, { labels })),
      options: { prices },
    });
    const { nodeGroups } = withStatedPrices({ ...given, commitments: [RESERVED] });
    expect(nodePricesOf(nodeGroups[0]!).mean).toBe(mean);
  });
});
