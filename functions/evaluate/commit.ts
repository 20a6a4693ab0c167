import { dryRunOf } from '@outrigger/core/actuation/commit/dry-run-state.ts';
import { type DecidedScenario, writingOf } from '@outrigger/core/actuation/commit/next-write.ts';
import { whatToWrite } from '@outrigger/core/actuation/commit/worth-writing.ts';
import type { ClusterRun } from '../shared/services.ts';
import type { StoredCluster } from './load.ts';

/** Storing a decision has failed: whether it is stored is not known. */
export interface CommitFailure {
  readonly error: unknown;
}

/**
 * Commits a decision, and says it when it stands. One that another commit came before is made anew: saying both would count what
 * they have in common twice. Where storing it fails for another reason it is said all the same, with the error.
 *
 * @param say says the decision; its argument is absent where the decision stands.
 */
export async function commitAndReport(
  run: ClusterRun,
  known: StoredCluster,
  decided: DecidedScenario,
  say: (failed?: CommitFailure) => void,
): Promise<'committed' | 'unchanged' | 'conflict'> {
  const outcome = await commit(run, known, decided).catch((error: unknown) => {
    say({ error });
    throw error;
  });
  if (outcome !== 'conflict') {
    run.services.onStanding?.(decided.scenario, decided.decision);
    say();
  }
  return outcome;
}

/**
 * Commits a decision: next state and intents together, if nothing was committed since the state was loaded. What would
 * only write the time is written at most once a minute, and not tried again when another commit came first. A dry run
 * commits timers, beside the cluster.
 */
async function commit(
  { services, cluster: { name }, signal }: ClusterRun,
  known: StoredCluster,
  decided: DecidedScenario,
): ReturnType<typeof commitAndReport> {
  const { store, history, dryRun, log, metrics } = services;
  const { scenario, decision } = decided;
  const writing = writingOf(known, decided, dryRun);
  const toWrite = whatToWrite(writing, decision, scenario);
  if (toWrite === 'nothing') {
    return 'unchanged';
  }
  const { after: state, intents, settled, recorded } = writing;
  const of = dryRun ? dryRunOf(name) : name;
  const { kind } = await store.commit(
    of,
    { expectedVersion: known.version, now: scenario.now, state, intents, settled, decision: recorded() },
    signal,
  );
  if (kind === 'committed') {
    const kept = await history.add(of, { version: known.version + 1, scenario, decision }, signal);
    if (kept.kind === 'failed') {
      log.warn(`${name}: the decision is stored, and could not be kept in its history`, { error: kept.error });
      metrics.count('HistoryFailures', 1);
    }
  }
  // In an idle cluster both evaluations write their times, each minute: for that alone none is repeated.
  return kind === 'conflict' && toWrite === 'time' ? 'unchanged' : kind;
}
