import type { Decision } from '../../core/model/decision.ts';
import type { Scenario } from '../../core/model/scenario.ts';
import type { Trouble } from '../../core/model/trouble.ts';
import { troublesOf } from '../../core/reconcile/troubles.ts';
import { troubleText } from '../../core/words/troubles.ts';
import type { Known } from '../evaluate/load.ts';
import type { World } from '../shared/world.ts';
import { guarded } from './guarded.ts';

/**
 * Raises the alarm about what is wrong with the cluster; the log says what. A dry run's nodes are drained by another.
 *
 * @returns what is wrong, for the state
 */
export function reportTroubles(
  { log, metrics, dryRun, webhook = false }: Pick<World, 'log' | 'metrics' | 'dryRun' | 'webhook'>,
  known: Pick<Known, 'drains'>,
  scenario: Scenario,
  decision: Decision,
): readonly Trouble[] {
  const troubles = guarded<readonly Trouble[]>(
    { log },
    scenario.name,
    'what is wrong with the cluster',
    () => troublesOf(scenario, decision, dryRun ? [] : known.drains, webhook),
    [],
  );
  metrics.count('NeedsCorrection', troubles.length);
  for (const trouble of troubles) {
    metrics.count(trouble.kind, 1);
    log.error(`${scenario.name}: ${troubleText(trouble)}`, { ...trouble });
  }
  return troubles;
}
