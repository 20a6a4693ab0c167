import type { Decision } from '@outrigger/core/model/decision.ts';
import type { Scenario } from '@outrigger/core/model/scenario.ts';
import type { Trouble } from '@outrigger/core/model/trouble.ts';
import { troublesOf } from '@outrigger/core/wakeups/troubles.ts';
import { troubleSentence } from '@outrigger/core/words/troubles.ts';
import type { Known } from '../evaluate/load.ts';
import type { ClusterRun } from '../shared/world.ts';
import { guarded } from './guarded.ts';

/** The troubles of the cluster. The nodes of a dry run are drained by another autoscaler. */
export const troublesIn = (
  run: ClusterRun,
  known: Pick<Known, 'drains'>,
  scenario: Scenario,
  decision: Decision,
): readonly Trouble[] =>
  guarded<readonly Trouble[]>(
    run,
    'what is wrong with the cluster',
    () => troublesOf(scenario, decision, run.world.dryRun ? [] : known.drains, run.world.webhook === true),
    [],
  );

/** Raises the alarm about what is wrong with the cluster; the log says what. */
export function reportTroubles({ world: { log, metrics }, cluster }: ClusterRun, troubles: readonly Trouble[]): void {
  metrics.count('NeedsCorrection', troubles.length);
  for (const trouble of troubles) {
    metrics.count(trouble.kind, 1);
    log.error(`${cluster.name}: ${troubleSentence(trouble)}`, { ...trouble });
  }
}
