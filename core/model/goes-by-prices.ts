import type { Options } from './options.ts';

/** Do decisions choose nodes by their prices? */
export const choosesByPrices = ({ expander, consolidation }: Pick<Options, 'expander' | 'consolidation'>): boolean =>
  expander.includes('price') || consolidation !== 'off';

/**
 * Do decisions choose nodes by their prices, or limit their cost? Where node groups alone do, their tags or `prices` must state
 * the prices.
 */
export const goesByPrices = (options: Pick<Options, 'expander' | 'consolidation' | 'maxCostPerHour'>): boolean =>
  choosesByPrices(options) || options.maxCostPerHour > 0;
