import { chanceFor } from '../../simulation/chance.ts';
import type { FaultScenario } from './fault-scenario.ts';

/** Half of all lists are seconds old when they are there, as the reads of a stalled API server may be. */
export const OLD_LISTS = 'lists: old';
/** The API server does not call the webhook. Only runs that are asked for have it: all others show how soon a pod gets its node. */
export const NO_WEBHOOK = 'webhook: none';

/** The account has the quota of a new one. Only runs that are asked for have it: throttled calls of the webhook are no faults. */
export const NEW_ACCOUNT = 'concurrency: 10';

/** @param always names of settings that are drawn in any case. */
export function withStackSettings(scenario: FaultScenario, always: readonly string[]): FaultScenario {
  const oldLists = chanceFor(scenario.seed, 'old lists').next() < 0.06 || always.includes(OLD_LISTS);
  const webhook = !always.includes(NO_WEBHOOK);
  const concurrency = always.includes(NEW_ACCOUNT) ? 10 : null;
  const names = {
    [OLD_LISTS]: oldLists,
    [NO_WEBHOOK]: !webhook,
    [NEW_ACCOUNT]: concurrency !== null,
  };
  return {
    ...scenario,
    oldLists,
    webhook,
    concurrency,
    drawn: [...scenario.drawn, ...Object.entries(names).flatMap(([name, isDrawn]) => (isDrawn ? [name] : []))],
  };
}
