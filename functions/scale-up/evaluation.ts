import { present } from '@outrigger/core/model/values/present.ts';
import type { Decision } from '@outrigger/core/model/decision.ts';
import type { Scenario } from '@outrigger/core/model/scenario.ts';
import { hasNoEnd } from '@outrigger/core/model/pause.ts';
import type { HealthProblem } from '@outrigger/core/model/health-problem.ts';
import { presentItems } from '@outrigger/core/model/values/optional.ts';
import { earliestOf, type EpochMs } from '@outrigger/core/model/values/time.ts';
import { withStatedPrices } from '@outrigger/core/nodegroups/stated-prices.ts';
import { figuresOf } from '@outrigger/core/registry/figures.ts';
import { settle } from '@outrigger/core/actuation/changes/intents.ts';
import type { DecidedScenario } from '@outrigger/core/actuation/commit/next-write.ts';
import { withGroupProvisionTime } from '@outrigger/core/actuation/changes/lost-requests.ts';
import { withNotification } from '@outrigger/core/wakeups/health-problems.ts';
import { settleDrains } from '@outrigger/core/actuation/changes/drains.ts';
import { cordonNoticed } from '@outrigger/providers/notices/cordon.ts';
import { longestWait } from '@outrigger/core/scaleup/pods/longest-wait.ts';
import { hasUnseenPods, oldEnoughAt } from '@outrigger/core/scaleup/pods/pending.ts';
import { arePressing } from '@outrigger/core/notices/pressing.ts';
import { nextEndOfBelief } from '@outrigger/core/wakeups/ends-of-beliefs.ts';
import { nextLookAtPods } from '@outrigger/core/wakeups/waiting-pods.ts';
import { isAnsweredBy } from '@outrigger/core/wakeups/wanted.ts';
import { detectIdle, idleRecordAfter } from '@outrigger/core/wakeups/idle-detection.ts';
import type { EvaluationResult } from '@outrigger/core/wakeups/spacing.ts';
import { pendingPodCount } from '@outrigger/core/words/explain.ts';
import { announce } from '../evaluate/announce.ts';
import { commitAndReport, type CommitFailure } from '../evaluate/commit.ts';
import { summarizeCluster } from '../evaluate/summarize-cluster.ts';
import { type StoredCluster, loadKnown } from '../evaluate/load.ts';
import { observeCluster } from '../evaluate/observe.ts';
import { releaseNodes } from '../evaluate/release-nodes.ts';
import { reportDecision, reportUnexpectedErrors } from '../evaluate/report.ts';
import type { ClusterRun } from '../shared/services.ts';
import { decideWithAnswers } from './external-choices.ts';
import { freeLeftovers } from './free-leftovers.ts';
import { reportSafely } from './report-safely.ts';
import { reportFailedLaunches } from './failed-launches.ts';
import { reportOverdueWork } from './overdue-work.ts';
import type { SandboxMemory } from './sandbox-memory.ts';
import { reportTimeToCapacity } from './time-to-capacity.ts';
import { reportHealthProblems, healthProblemsIn } from './health-problems.ts';

/** The result of an evaluation. */
export interface ScaleUpEvaluation extends Omit<EvaluationResult, 'attempt'> {
  /** More pods may appear in a moment (`hasUnseenPods`). */
  readonly unsettled: boolean;
  /** When pods will be old enough that are too young now: no webhook notification comes for them then. */
  readonly due: EpochMs | null;
  /** When pods that wait may have a place that they have not now, or have it no longer; no webhook notification tells. */
  readonly lookAgain: EpochMs | null;
}

/** Why it is evaluated. */
interface EvaluationKind {
  /** By the schedule, in full unless the cluster is idle. */
  readonly scan: boolean;
  /** Nodes may be awaiting their pods, whether or not a pod is pending. */
  readonly forNodes: boolean;
  /** The time that the wake-up waits for; `null` where it is for more than that. */
  readonly due: EpochMs | null;
}

/**
 * Evaluates scale-up once: loads, observes, decides, commits. Settles the intents that have ended, including those of
 * scale-down. A scan ends after a change check where the cluster is idle; another wake-up with no pod pending after one small
 * request.
 *
 * @returns `answered` where another evaluation has done what the wake-up asks for.
 * @param remembered rests of the scans before, which nodes were ready, and when the webhook last notified.
 */
export async function evaluateOnce(
  run: ClusterRun,
  decide: (scenario: Scenario) => Decision,
  { rests, ready, notified }: Omit<SandboxMemory, 'histories'>,
  { scan, forNodes, due }: EvaluationKind,
): Promise<ScaleUpEvaluation | 'conflict' | 'answered'> {
  const { services, cluster, signal } = run;
  const startedAt = services.now();
  const [known, summary, pending] = await Promise.all([
    loadKnown(run),
    scan ? summarizeCluster(run, 'ScaleUp') : null,
    // A node that awaits its pods is released though none is pending any more.
    scan || (forNodes && cluster.options.plannedPlacement) ? true : cluster.reader.hasPendingPods(signal),
  ]);
  if (isAnsweredBy(known.state, due)) {
    return 'answered';
  }
  const pressing = arePressing(known, cluster.options, summary?.groups ?? null, startedAt);
  if (!pending && !pressing) {
    services.log.debug(`No pod of cluster ${cluster.name} is waiting for a node`);
    return { startedAt, decision: null, ended: false, unsettled: true, due: null, lookAgain: null };
  }
  const look = { evaluation: 'ScaleUp', startedAt, summary, stored: known } as const;
  if (scan && !pressing && detectIdle(rests.of(cluster.name), look).kind === 'idle') {
    services.log.debug(`Cluster ${cluster.name} is idle: there is nothing to add`);
    return { startedAt, decision: null, ended: false, unsettled: false, due: null, lookAgain: null };
  }
  reportOverdueWork(run, known, startedAt);
  const settled = settle(known.state, known.intents, cluster.options, startedAt);
  const drained = settleDrains(settled.state, known, cluster.options, startedAt);
  const state = withNotification(drained, notified.of(cluster.name));
  const observed = await observeCluster(run, { ...known, state }, 'ScaleUp');
  const given = await freeLeftovers(run, withGroupProvisionTime(observed, known.state), known);
  const { scenario, decision } = await decideWithAnswers(run, decide, given);
  const evaluationMs = services.now() - startedAt;
  reportUnexpectedErrors(run, decision);
  const problems = healthProblemsIn(run, known, scenario, decision);
  const decided = { scenario, decision, settled: settled.ids, problems };
  const say = (failed?: CommitFailure): void => report(run, known, { ...decided, evaluationMs }, failed);
  const outcome = await commitAndReport(run, known, decided, say);
  if (outcome === 'conflict') {
    return 'conflict';
  }
  const released = await releaseNodes(run, decided);
  reportTimeToCapacity(run, ready, scenario);
  await announce(run, known, decided, outcome);
  await cordonNoticed(services, cluster, scenario, signal);
  if (scan) {
    rests.keep(cluster.name, idleRecordAfter({ ...look, scenario, decision, cleansNodes: false }));
  }
  // The pods of planned nodes are nominated, and a ready node is reported.
  const looksAgain = !services.dryRun && !cluster.options.plannedPlacement;
  return {
    startedAt,
    decision,
    ended: !services.dryRun && settled.ids.length + released > 0,
    unsettled: hasUnseenPods(scenario),
    due: oldEnoughAt(scenario, decision.scaleUp.result),
    lookAgain: earliestOf(
      presentItems([nextEndOfBelief(decision.state, scenario.now), looksAgain && nextLookAtPods(scenario, decision)]),
    ),
  };
}

interface ReportedDecision extends Pick<DecidedScenario, 'scenario' | 'decision'> {
  readonly problems: readonly HealthProblem[];
  readonly evaluationMs: number;
}

function report(
  run: ClusterRun,
  known: StoredCluster,
  { scenario, decision, problems, evaluationMs }: ReportedDecision,
  failed: CommitFailure | undefined,
): void {
  const { log, metrics } = run.services;
  const { scaleUp, registry } = decision;
  const nodes = scaleUp.increases.reduce((sum, { from, to }) => sum + to - from, 0);
  const waited = nodes > 0 ? longestWait(scenario, scaleUp.pods) : null;
  const figures = {
    evaluationMs,
    ...reportSafely<object>(run, 'the size of the cluster', () => figuresOf(withStatedPrices(scenario), decision), {}),
    ...present({ pendingToDecisionMs: waited }),
  };
  reportDecision(run, decision, figures, failed);
  metrics.count('PendingPods', pendingPodCount(decision));
  if (failed === undefined) {
    metrics.count('ScaleUpNodes', nodes);
    metrics.count('Repairs', registry.repairs.length);
    if (waited !== null) {
      metrics.milliseconds('PendingToDecisionMs', waited);
    }
  }
  metrics.count('Paused', (decision.pauses ?? []).filter(hasNoEnd).length);
  reportHealthProblems(run, problems);
  reportFailedLaunches(run, known.state.backoff, decision.state.backoff, scenario);
  const deferred = decision.state.deferredPods?.length ?? 0;
  metrics.count('DeferredPods', deferred);
  if (deferred > 0) {
    log.warn(`${run.cluster.name}: there was no time for some pods; the next evaluation considers them first`);
  }
  const costLimited = scaleUp.skippedGroups.filter(({ reason }) => reason === 'MaxCostPerHourReached').length;
  metrics.count('CostLimited', costLimited);
  metrics.count('NeedsCorrection', costLimited);
}
