import { dryRunOf } from '../../core/reconcile/dry-run-state.ts';
import { type Decided, writingOf } from '../../core/reconcile/next-write.ts';
import { whatToWrite } from '../../core/reconcile/worth-writing.ts';
import type { Cluster, World } from '../shared/world.ts';
import type { Known } from './load.ts';

/**
 * Commits a decision: next state and intents together, if nothing was committed since the state was loaded. What would
 * only write the time is written at most once a minute, and not tried again when another commit came first. A dry run
 * commits timers, beside the cluster.
 */
export async function commitDecision(
  { store, dryRun }: Pick<World, 'store' | 'dryRun'>,
  { name }: Pick<Cluster, 'name'>,
  known: Known,
  decided: Decided,
  signal: AbortSignal,
): Promise<'committed' | 'unchanged' | 'conflict'> {
  const { scenario, decision } = decided;
  const writing = writingOf(known, decided, dryRun);
  const toWrite = whatToWrite(writing, decision, scenario);
  if (toWrite === 'nothing') {
    return 'unchanged';
  }
  const { after: state, intents, settled, recorded } = writing;
  const { kind } = await store.commit(
    dryRun ? dryRunOf(name) : name,
    { expectedVersion: known.version, now: scenario.now, state, intents, settled, decision: recorded() },
    signal,
  );
  // In an idle cluster both evaluations write their times, each minute: for that alone none is repeated.
  return kind === 'conflict' && toWrite === 'time' ? 'unchanged' : kind;
}
