import type { Scenario } from '@outrigger/core/model/scenario.ts';
import { sortedBy } from '@outrigger/core/model/values/sorted.ts';
import type { DemoLoad } from '@outrigger/simulation/load/load.ts';
import { type LayoutEstimate, estimateCost } from './estimate.ts';
import { type Layout, type PoolChange, withLayout } from './layouts.ts';
import { otherTypes, type Pool } from './pools.ts';

/** A layout that is estimated to cost less. */
export interface FoundLayout {
  readonly layout: Layout;
  /** Part of the estimated cost of the node groups as they are: 0.1 is 10 %. */
  readonly estimatedSaving: number;
}

/** Layouts, and how many were estimated. */
interface LayoutSearch {
  readonly found: readonly FoundLayout[];
  readonly estimated: number;
}

/** An estimate is no more exact than this. */
const LEAST_SAVING = 0.01;
/** The best single types of a pool are tried in pairs. */
const PAIRED = 4;

/**
 * Estimates instance types for each pool: each type in place of its own, beside its own, and the best types in pairs; then the best change
 * of each pool together.
 *
 * @param most the number of layouts to find
 * @returns the cheapest first, of those that have a place for each pod that has one now
 */
export function searchLayouts(
  load: DemoLoad,
  pools: readonly Pool[],
  scenes: readonly Scenario[],
  most: number,
): LayoutSearch {
  let estimated = 0;
  const estimate = (layout: Layout): LayoutEstimate => {
    estimated += 1;
    return estimateCost(withLayout(load, layout).groups, scenes);
  };
  const today = estimate([]);
  const judged = (layout: Layout): readonly FoundLayout[] => {
    const { usdPerHour, podsWithoutNode } = estimate(layout);
    const estimatedSaving = 1 - usdPerHour / today.usdPerHour;
    return podsWithoutNode <= today.podsWithoutNode && estimatedSaving >= LEAST_SAVING
      ? [{ layout, estimatedSaving }]
      : [];
  };
  const byPool = pools.map((pool) => {
    const judgedChange = (types: readonly string[]): readonly FoundLayout[] => judged([{ pool, types }]);
    const others = otherTypes(pool);
    const alone = best(others.flatMap((type) => judgedChange([type])));
    const good = alone.slice(0, PAIRED).flatMap(({ layout }) => layout.flatMap(({ types }) => types));
    return best([
      ...alone,
      ...others.flatMap((type) => judgedChange([...pool.types, type])),
      ...pairsOf(good).flatMap(judgedChange),
    ]);
  });
  const together: PoolChange[] = byPool.flatMap(([first]) => first?.layout ?? []);
  const all = [...byPool.flat(), ...(together.length > 1 ? judged(together) : [])];
  return { found: variedFirst(best(all)).slice(0, most), estimated };
}

const best = (found: readonly FoundLayout[]): readonly FoundLayout[] =>
  sortedBy(found, ({ layout }) => layout.map(({ types }) => types.join(' ')).join('\n')).toSorted(
    (a, b) => b.estimatedSaving - a.estimatedSaving,
  );

/** The best layout of each kind comes first: simulations may like another kind than the estimate does. */
function variedFirst(found: readonly FoundLayout[]): readonly FoundLayout[] {
  const kinds = Map.groupBy(found, ({ layout }) => layout.map(kindOf).join(' '));
  const firsts = [...kinds.values()].flatMap(([first]) => first ?? []);
  return [...firsts, ...found.filter((one) => !firsts.includes(one))];
}

/** How many types stay, and how many come. */
const kindOf = ({ pool, types }: PoolChange): string => {
  const staying = types.filter((type) => pool.types.includes(type)).length;
  return `${staying}+${types.length - staying}`;
};

const pairsOf = (types: readonly string[]): readonly (readonly string[])[] =>
  types.flatMap((one, index) => types.slice(index + 1).map((other) => [one, other]));
