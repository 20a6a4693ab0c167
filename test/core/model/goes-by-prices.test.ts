import { expect, test } from 'vitest';
import { choosesByPrices, goesByPrices } from '../../../core/model/goes-by-prices.ts';
import { defaultOptions, type Options } from '../../../core/model/options.ts';

test.each<[Partial<Options>, { goes: boolean; chooses: boolean }]>([
  [{}, { goes: false, chooses: false }],
  [{ expander: ['least-waste', 'price'] }, { goes: true, chooses: true }],
  [{ consolidation: 'delete' }, { goes: true, chooses: true }],
  [{ maxCostPerHour: 5 }, { goes: true, chooses: false }],
])(
  'decisions go by prices for the expander price, for consolidation and for a limit of the cost: %j',
  (given, expected) => {
    const options = { ...defaultOptions('outrigger'), ...given };
    expect({ goes: goesByPrices(options), chooses: choosesByPrices(options) }).toEqual(expected);
  },
);
