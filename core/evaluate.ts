import type { Decision } from './model/decision.ts';
import type { Scenario } from './model/scenario.ts';

/** Decides. Pure: the same scenario gives the same decision, whatever the order of its lists. */
export declare function evaluate(scenario: Scenario): Decision;
