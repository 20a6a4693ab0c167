import { expect, test } from 'vitest';
import type { StatedPrice } from '../../core/model/price.ts';
import { groupName } from '../../core/model/values/names.ts';
import { chanceFor } from '../../providers/simulated/chance.ts';
import type { ScalingGroup } from '../../providers/simulated/scaling-group.ts';
import { drawnPrices } from './drawn-prices.ts';
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
