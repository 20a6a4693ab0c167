import { evaluateScaleDown } from '@outrigger/core/evaluate.ts';
import type { Decision } from '@outrigger/core/model/decision.ts';
import { clusterName } from '@outrigger/core/model/values/names.ts';
import type { Scenario } from '@outrigger/core/model/scenario.ts';
import type { TimeLimit } from '@outrigger/core/model/time-limit.ts';
import { wakeScaleUpAt } from '@outrigger/core/placement/due-releases.ts';
import { forgettable, settleDrains } from '@outrigger/core/actuation/changes/drains.ts';
import { endedRemovals } from '@outrigger/core/actuation/changes/intents.ts';
import { withPausedTimers } from '@outrigger/core/wakeups/unwatched-timers.ts';
import { detectIdle, type IdleRecord, idleRecordAfter } from '@outrigger/core/wakeups/idle-detection.ts';
import { MAX_RECHECKS } from '@outrigger/core/wakeups/wake-up.ts';
import { announce } from '../evaluate/announce.ts';
import { commitAndReport, type CommitFailure } from '../evaluate/commit.ts';
import { summarizeCluster } from '../evaluate/summarize-cluster.ts';
import { loadKnown } from '../evaluate/load.ts';
import { createMemory, type Memory } from '../evaluate/memory.ts';
import { observeCluster } from '../evaluate/observe.ts';
import { releaseOverdue } from '../evaluate/release-nodes.ts';
import { reportDecision, reportUnexpectedErrors } from '../evaluate/report.ts';
import { evaluationLimit } from '../shared/time-limit.ts';
import { type ClusterRun, managedCluster, type Work, type Services } from '../shared/services.ts';
import { updateSoftTaints } from './soft-taints.ts';
import { removeStrayMarkers } from './stray-markers.ts';
import { decideBesideCloudActions } from './cloud-actions.ts';

/** Number of version conflicts after which scale-down leaves the cluster to its next scan. */
const MAX_CONFLICTS = 2;

/** The event that the schedule sends, and a drain that has ended. */
export interface ScaleDownEvent {
  readonly cluster: string;
}

/**
 * Finds unneeded nodes, and starts the drain of those that have been unneeded for long enough. Shares nothing with
 * scale-up but the observed cluster and the stored state: after a version conflict it evaluates again, and after a second
 * one it yields, so that it never keeps scale-up from committing. Its next scan is a minute away. When everything is done, what cold
 * starts of both may begin with is stored.
 *
 * Rejects when the cluster cannot be evaluated; the next attempt is the next scan.
 */
export function scaleDownHandler(
  services: Services,
  decide: (scenario: Scenario, limit: TimeLimit) => Decision = evaluateScaleDown,
  rests: Memory<IdleRecord | null> = createMemory<IdleRecord | null>(null),
): Work<ScaleDownEvent, void> {
  return async ({ cluster: name }, { signal, ...invocation }) => {
    const limit = evaluationLimit(invocation);
    const decideInTime = (scenario: Scenario): Decision => decide(scenario, limit);
    const cluster = managedCluster(services, clusterName(name));
    if (cluster === null) {
      return;
    }
    for (let conflicts = 0; conflicts < MAX_CONFLICTS; conflicts += 1) {
      const outcome = await evaluateOnce({ services, cluster, signal }, decideInTime, rests);
      if (outcome === 'done') {
        // Scale-up reads nothing else, and is waited for: only this evaluation stores.
        await cluster.reader.saveSnapshots?.(signal);
      }
      if (outcome !== 'conflict') {
        return;
      }
      services.metrics.count('VersionConflicts', 1);
    }
    services.log.info(
      `Other evaluations of cluster ${name} were committed meanwhile; scale-down waits for its next scan`,
    );
    services.metrics.count('DeferredScaleDowns', 1);
  };
}

async function evaluateOnce(
  run: ClusterRun,
  decide: (scenario: Scenario) => Decision,
  rests: Memory<IdleRecord | null>,
): Promise<'done' | 'idle' | 'conflict'> {
  const { services, cluster, signal } = run;
  const started = services.now();
  const [known, summary] = await Promise.all([loadKnown(run), summarizeCluster(run, 'ScaleDown')]);
  const look = { evaluation: 'ScaleDown', startedAt: started, summary, stored: known } as const;
  if (detectIdle(rests.of(cluster.name), look).kind === 'idle') {
    services.log.debug(`Cluster ${cluster.name} is idle: no node is unneeded`);
    return 'idle';
  }
  const { drains, intents } = known;
  const watched = withPausedTimers(known.state, services.scanInterval, started);
  const state = settleDrains(watched, known, cluster.options, started);
  const observed = await observeCluster(run, { ...known, state }, 'ScaleDown');
  await releaseOverdue(run, observed.objects.nodes);
  const { scenario, decision } = await decideBesideCloudActions(run, decide, observed);
  const evaluationMs = services.now() - started;
  reportUnexpectedErrors(run, decision);
  const say = (failed?: CommitFailure): void => report(run, decision, evaluationMs, failed);
  const decided = { scenario, decision, settled: endedRemovals(intents) };
  const outcome = await commitAndReport(run, known, decided, say);
  if (outcome === 'conflict') {
    return 'conflict';
  }
  await announce(run, known, decided, outcome);
  let cleansNodes = false;
  if (!services.dryRun) {
    if (decision.scaleDown.awaitsScaleUp === true) {
      await services.wake(cluster.name);
    }
    // The wake-up that a function was answering when it ended blocks others until it is delivered again, but none for a time.
    const remind = wakeScaleUpAt(scenario.objects.nodes, cluster.options, scenario.now);
    if (remind !== null) {
      await services.wakeAt(cluster.name, remind, MAX_RECHECKS);
    }
    await services.drains.remove(cluster.name, forgettable(drains, scenario.now), signal);
    const marked = await removeStrayMarkers(run, scenario);
    const tainted = await updateSoftTaints(run, scenario, decision.state);
    cleansNodes = marked || tainted;
  }
  rests.keep(cluster.name, idleRecordAfter({ ...look, scenario, decision, cleansNodes }));
  return 'done';
}

function report(run: ClusterRun, decision: Decision, evaluationMs: number, failed: CommitFailure | undefined): void {
  const { unneeded, removals } = decision.scaleDown;
  const { metrics } = run.services;
  reportDecision(run, decision, { evaluationMs }, failed);
  metrics.count('UnneededNodes', unneeded.length);
  if (failed === undefined) {
    metrics.count('ScaleDownNodes', removals.length);
  }
}
