import type { Options } from './options.ts';

/**
 * Do decisions go by the prices of nodes? Where node groups alone ask for consolidation, their tags or `prices` must
 * state the prices.
 */
export const goesByPrices = ({ expander, consolidation }: Pick<Options, 'expander' | 'consolidation'>): boolean =>
  expander.includes('price') || consolidation !== 'off';
