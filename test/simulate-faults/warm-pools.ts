import { WARM_POOL_STATES } from '../../core/model/node-group.ts';
import { chanceFor } from '../../providers/simulated/chance.ts';
import type { ScalingGroup } from '../../providers/simulated/scaling-group.ts';

/** The part of the groups that have a warm pool. */
const PART = 0.08;

/** The part of these that take in what a scale-in ends (`ReuseOnScaleIn`). */
const REUSED = 0.5;

/** What `--draw` calls it: every group has a warm pool that takes in what a scale-in ends. */
export const REUSING_WARM_POOLS = 'ReuseOnScaleIn';

/**
 * The scenario with warm pools of one to three instances beside some of its groups.
 *
 * @param always names of what a run has whatever the seed is
 */
export const withWarmPools = <Scenario extends { readonly seed: number; readonly groups: readonly ScalingGroup[] }>(
  scenario: Scenario,
  always: readonly string[] = [],
): Scenario => ({
  ...scenario,
  groups: scenario.groups.map((group) => {
    const chance = chanceFor(scenario.seed, `warm pool ${group.name}`);
    const state = WARM_POOL_STATES[chance.within({ min: 0, max: WARM_POOL_STATES.length - 1 })]!;
    const size = chance.within({ min: 1, max: 3 });
    const isAlways = always.includes(REUSING_WARM_POOLS);
    if (chance.next() >= PART && !isAlways) {
      return group;
    }
    const isReused = isAlways || chanceFor(scenario.seed, `reuse by ${group.name}`).next() < REUSED;
    return { ...group, warmPool: { size, state, reuse: isReused } };
  }),
});
