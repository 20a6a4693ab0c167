import { intentsOf } from '../../core/actuation/intents-of.ts';
import type { Decision } from '../../core/model/decision.ts';
import type { Scenario } from '../../core/model/scenario.ts';
import { dryRunOf, timersOf } from '../../core/reconcile/dry-run-state.ts';
import { isWorthWriting } from '../../core/reconcile/worth-writing.ts';
import type { Cluster, World } from '../shared/world.ts';
import type { Known } from './observe.ts';

/** What was decided, and from what. */
export interface Decided {
  readonly scenario: Scenario;
  readonly decision: Decision;
  /** Ids of ended intents that the decision has taken into account. */
  readonly settled: readonly string[];
}

/**
 * Commits a decision: next state and intents together, if nothing was committed since the state was loaded. What would
 * only write the time is not written. A dry run commits timers, beside the cluster.
 */
export async function commitDecision(
  { store, dryRun }: Pick<World, 'store' | 'dryRun'>,
  { name }: Pick<Cluster, 'name'>,
  known: Known,
  { scenario, decision, settled }: Decided,
  signal: AbortSignal,
): Promise<'committed' | 'unchanged' | 'conflict'> {
  const { version, state } = known;
  const { now } = scenario;
  const next = dryRun
    ? { before: timersOf(state), after: timersOf(decision.state), intents: [], settled: [] }
    : {
        before: state,
        after: decision.state,
        intents: intentsOf(decision, scenario, version + 1, known.drains),
        settled,
      };
  if (!isWorthWriting(next, decision, scenario)) {
    return 'unchanged';
  }
  const { kind } = await store.commit(
    dryRun ? dryRunOf(name) : name,
    { expectedVersion: version, now, state: next.after, intents: next.intents, settled: next.settled, decision },
    signal,
  );
  return kind;
}
