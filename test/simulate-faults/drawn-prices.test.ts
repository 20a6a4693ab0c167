import { expect, test } from 'vitest';
import type { StatedPrice } from '../../core/model/price.ts';
import { groupName } from '../../core/model/values/names.ts';
import { chanceFor } from '../../providers/simulated/chance.ts';
import type { ScalingGroup } from '../../providers/simulated/scaling-group.ts';
import { costTogether, drawnPrices, priceRange } from './drawn-prices.ts';
import { scenarioFor } from './scenario.ts';

const { groups: some } = scenarioFor(1);
const named = (name: string, instanceType: string, price: number | null): ScalingGroup => ({
  ...some[0]!,
  name: groupName(name),
  instanceType,
  zones: ['us-east-1c'],
  price,
});
const groups = [named('a', 'm5.xlarge', 0.4), named('b', 'm5.xlarge', 0.4), named('c', 'r5.xlarge', 0.8)];
const price = (of: Partial<StatedPrice>): StatedPrice => ({
  type: null,
  zone: null,
  capacityType: null,
  price: 0.1,
  covered: null,
  ...of,
});
/** Of two nodes of each group, and so many more of one. */
const cost = (prices: readonly StatedPrice[], name: string, count: number): number =>
  costTogether({ options: { prices }, groups }, groupName(name), count, () => 2);

test('what is covered is cheaper for as many nodes as it covers, of all groups together', () => {
  const covered = [price({ type: 'm5.xlarge', covered: 5 })];
  expect([cost(covered, 'a', 1), cost(covered, 'b', 3), cost(covered, 'c', 2)].map((sum) => sum.toFixed(2))).toEqual([
    '0.10',
    '0.90',
    '1.60',
  ]);
});

test('the first price that is of a node holds', () => {
  const both = [price({ type: 'r5.xlarge', price: 0.3 }), price({ zone: 'us-east-1c', price: 0.2 })];
  expect([cost(both, 'a', 1), cost(both, 'c', 1)]).toEqual([0.2, 0.3]);
  expect([priceRange(both, groups[0]!), priceRange(both, groups[2]!)]).toEqual([
    { min: 0.2, max: 0.4 },
    { min: 0.2, max: 0.8 },
  ]);
});

test('some are drawn of a number of nodes, by type, zone and purchase option, some of nodes that no group has', () => {
  const drawn = Array.from({ length: 60 }, (_, seed) => drawnPrices(chanceFor(seed, 'prices'), groups)).flat();
  const has = (is: (one: StatedPrice) => boolean): boolean => drawn.some(is);
  expect([
    has(({ covered }) => covered !== null),
    has(({ type, covered }) => type === 'r5.xlarge' && covered === null),
    has(({ zone }) => zone === 'us-east-1c'),
    has(({ capacityType }) => capacityType === 'spot'),
    has(({ type }) => type === 'p4d.24xlarge'),
  ]).toEqual([true, true, true, true, true]);
});

test('every group has a price where they are drawn, and one has none by itself', () => {
  const unpriced = groups.map((group) => ({ ...group, price: null }));
  for (let seed = 1; seed <= 20; seed += 1) {
    const last = drawnPrices(chanceFor(seed, 'prices'), unpriced).at(-1)!;
    expect(last).toMatchObject({ type: null, zone: null, capacityType: null, covered: null });
  }
});
