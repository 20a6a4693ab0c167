import { intentsOf } from '../intents-of.ts';
import type { Decision } from '../../model/decision.ts';
import type { StoredDrain } from '../../model/drain.ts';
import type { PersistedCluster } from '../../model/intent.ts';
import type { Scenario } from '../../model/scenario.ts';
import { storedHealthProblems, type HealthProblem } from '../../model/health-problem.ts';
import { timersOf } from './dry-run-state.ts';
import { recorded } from './recorded.ts';
import type { CommitContent } from './worth-writing.ts';

/** A decision, and the scenario that it was made from. */
export interface DecidedScenario {
  readonly scenario: Scenario;
  readonly decision: Decision;
  /** Ids of ended intents that the decision has taken into account. */
  readonly settled: readonly string[];
  /** The problems that an evaluation of scale-up raises an alarm about: the next state has them. */
  readonly problems?: readonly HealthProblem[];
}

/**
 * The content of a decision's commit: the decision, the next state and its intents; of a dry run, the state's timers
 * alone.
 */
export function writingOf(
  { version, state, drains }: Pick<PersistedCluster, 'version' | 'state'> & { readonly drains: readonly StoredDrain[] },
  { scenario, decision, settled, problems }: DecidedScenario,
  dryRun: boolean,
): CommitContent & { readonly recorded: () => Decision } {
  const next =
    problems === undefined ? decision.state : { ...decision.state, problems: storedHealthProblems(problems) };
  const content = { recorded: () => recorded(decision, scenario) };
  if (dryRun) {
    return { ...content, before: timersOf(state), after: timersOf(next), intents: [], settled: [] };
  }
  return {
    ...content,
    before: state,
    after: next,
    intents: intentsOf(decision, scenario, version + 1, drains),
    settled,
  };
}
