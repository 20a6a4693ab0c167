import { priceOf } from '../limits.ts';
import type { Invariant } from './invariant.ts';

/**
 * The new nodes of a consolidation may cost less than its nodes do. A node costs no more than its list price or the stated price of its
 * type, whichever is higher.
 */
export const consolidationSaves: Invariant = {
  name: 'a consolidation lowers the cost at the known prices',
  on: ['aws'],
  watch: ({ scenario }, violate, count) => ({
    decided: (seen, { scaleDown: { disruptions = [] } }) => {
      for (const { nodes, reason, replacement, maxCost, basis, saving, since } of disruptions) {
        if (reason !== 'Underutilized' || replacement === null || basis !== 'price' || since !== seen.now) {
          continue;
        }
        const costs = nodes.map((node) => {
          const name = seen.nodeGroups.find((group) => group.nodes.includes(node))?.name;
          const group = scenario.groups.find((one) => one.name === name);
          return group === undefined || group.price === null
            ? Infinity
            : Math.max(group.price, priceOf(group, scenario.options));
        });
        const cost = costs.reduce((sum, one) => sum + one, 0);
        count(Number.isFinite(cost));
        if (maxCost >= cost || saving <= 0) {
          violate(`${nodes.join(', ')} cost ${cost}, and may be replaced for ${maxCost}, which saves ${saving}`);
        }
      }
    },
  }),
};
