import { expect, test } from 'vitest';
import { goesByPrices } from '../../../core/model/goes-by-prices.ts';

test('prices are read where decisions go by them', () => {
  expect(goesByPrices({ expander: ['least-waste'], consolidation: 'off' })).toBe(false);
  expect(goesByPrices({ expander: ['least-waste', 'price'], consolidation: 'off' })).toBe(true);
  expect(goesByPrices({ expander: ['least-waste'], consolidation: 'delete' })).toBe(true);
});
