import type { Decision } from '@outrigger/core/model/decision.ts';
import type { Scenario } from '@outrigger/core/model/scenario.ts';
import type { HealthProblem } from '@outrigger/core/model/health-problem.ts';
import { healthProblemsOf } from '@outrigger/core/wakeups/health-problems.ts';
import { healthProblemSentence } from '@outrigger/core/words/health-problems.ts';
import type { StoredCluster } from '../evaluate/load.ts';
import type { ClusterRun } from '../shared/services.ts';
import { reportSafely } from './report-safely.ts';

/** The problems of the cluster. The nodes of a dry run are drained by another autoscaler. */
export const healthProblemsIn = (
  run: ClusterRun,
  known: Pick<StoredCluster, 'drains'>,
  scenario: Scenario,
  decision: Decision,
): readonly HealthProblem[] =>
  reportSafely<readonly HealthProblem[]>(
    run,
    'what is wrong with the cluster',
    () => healthProblemsOf(scenario, decision, run.services.dryRun ? [] : known.drains, run.services.webhook === true),
    [],
  );

/** Raises the alarm about what is wrong with the cluster; the log says what. */
export function reportHealthProblems(
  { services: { log, metrics }, cluster }: ClusterRun,
  problems: readonly HealthProblem[],
): void {
  metrics.count('NeedsCorrection', problems.length);
  for (const problem of problems) {
    metrics.count(problem.kind, 1);
    log.error(`${cluster.name}: ${healthProblemSentence(problem)}`, { ...problem });
  }
}
