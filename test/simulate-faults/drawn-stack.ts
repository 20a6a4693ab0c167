import { chanceFor } from '../../providers/simulated/chance.ts';
import type { FaultScenario } from './fault-scenario.ts';

/** Drains are driven by messages, each round by one, as with `drains: schedule`. */
export const DRAINS_BY_MESSAGES = 'drains: schedule';
/** The API server does not call the webhook. Only runs that are asked for have it: all others show how soon a pod gets its node. */
export const NO_WEBHOOK = 'webhook: none';

/** @param always names of settings that are drawn in any case. */
export function withStackSettings(scenario: FaultScenario, always: readonly string[]): FaultScenario {
  const byMessages = chanceFor(scenario.seed, 'drains by').next() < 0.3 || always.includes(DRAINS_BY_MESSAGES);
  const webhook = !always.includes(NO_WEBHOOK);
  return {
    ...scenario,
    drainsBy: byMessages ? 'messages' : 'executions',
    webhook,
    drawn: [...scenario.drawn, ...(byMessages ? [DRAINS_BY_MESSAGES] : []), ...(webhook ? [] : [NO_WEBHOOK])],
  };
}
