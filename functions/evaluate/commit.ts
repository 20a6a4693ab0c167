import { dryRunOf } from '../../core/reconcile/dry-run-state.ts';
import { type Decided, writingOf } from '../../core/reconcile/next-write.ts';
import { isWorthWriting } from '../../core/reconcile/worth-writing.ts';
import type { Cluster, World } from '../shared/world.ts';
import type { Known } from './load.ts';

/**
 * Commits a decision: next state and intents together, if nothing was committed since the state was loaded. What would
 * only write the time is not written. A dry run commits timers, beside the cluster.
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
  if (!isWorthWriting(writing, decision, scenario)) {
    return 'unchanged';
  }
  const { after: state, intents, settled } = writing;
  const { kind } = await store.commit(
    dryRun ? dryRunOf(name) : name,
    { expectedVersion: known.version, now: scenario.now, state, intents, settled, decision },
    signal,
  );
  return kind;
}
