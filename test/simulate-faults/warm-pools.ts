import { WARM_POOL_STATES } from '../../core/model/node-group.ts';
import { chanceFor } from '../../simulation/chance.ts';
import type { FaultScenario } from './fault-scenario.ts';

/** The part of the groups that have a warm pool. */
const PART = 0.08;

/** The part of these that take in what a scale-in ends (`ReuseOnScaleIn`). */
const REUSED = 0.5;

/** The scenario with warm pools of one to three instances beside some of its groups. */
export const withWarmPools = (scenario: FaultScenario): FaultScenario => ({
  ...scenario,
  groups: scenario.groups.map((group) => {
    const chance = chanceFor(scenario.seed, `warm pool ${group.name}`);
    const state = chance.oneOf(WARM_POOL_STATES);
    const size = chance.within({ min: 1, max: 3 });
    const reuse = chanceFor(scenario.seed, `reuse by ${group.name}`).next() < REUSED;
    return chance.next() < PART ? { ...group, warmPool: { size, state, reuse } } : group;
  }),
});
