import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { evaluateScaleUp } from '@outrigger/core/evaluate.ts';
import type { Decision } from '@outrigger/core/model/decision.ts';
import type { ClusterName } from '@outrigger/core/model/values/names.ts';
import type { Scenario } from '@outrigger/core/model/scenario.ts';
import type { TimeLimit } from '@outrigger/core/model/time-limit.ts';
import { MOST_DELIVERIES, secondsToRedelivery } from '@outrigger/core/wakeups/redelivery.ts';
import { withEvaluation } from '@outrigger/core/wakeups/spacing.ts';
import {
  isNotification,
  isOfSchedule,
  MAX_RECHECKS,
  secondsToPutOff,
  type WakeUp,
} from '@outrigger/core/wakeups/wake-up.ts';
import { isBeforeNextScan, leftMoreToBuy, recheckAfter, wantedBy } from '@outrigger/core/wakeups/wanted.ts';
import { parseWakeUp } from '@outrigger/providers/schema/wake-up.ts';
import { releaseOverdue } from '../evaluate/release-nodes.ts';
import { evaluationLimit } from '../shared/time-limit.ts';
import type { Cluster, ClusterRun, Work, Services } from '../shared/services.ts';
import { evaluateOnce } from './evaluation.ts';
import { type SandboxMemory, remembering } from './sandbox-memory.ts';
import { getOrMake } from '@outrigger/core/model/values/get-or-make.ts';

/** Evaluations in a row that others were committed during, before the wake-up goes back to the queue. */
const MAX_CONFLICTS = 5;

/** Wake-ups of one cluster that arrived together. */
interface ClusterWakeUps {
  readonly cluster: Cluster;
  readonly wakeUps: WakeUp[];
  readonly records: SQSRecord[];
}

/**
 * Wake-ups in, larger node groups out. However many wake-ups of a cluster arrive together, it is evaluated once.
 *
 * A message that cannot be read, or that names another cluster, is reported and dropped: redelivery would not mend it, and
 * would hold up the cluster's other messages. When an evaluation fails (the API server is away, AWS throttles),
 * all of the cluster's messages are delivered again, soon; the schedule's next scan repairs whatever is left.
 */
export function scaleUpHandler(
  services: Services,
  decide: (scenario: Scenario, limit: TimeLimit) => Decision = evaluateScaleUp,
  remembered: SandboxMemory = remembering(),
): Work<SQSEvent, SQSBatchResponse> {
  return async ({ Records }, { signal, ...invocation }) => {
    const limit = evaluationLimit(invocation);
    const decideInTime = (scenario: Scenario): Decision => decide(scenario, limit);
    const { early, wanted } = await sorted(services, Records);
    const failed = await Promise.all(
      wanted.map(async ({ cluster, wakeUps, records }) => {
        try {
          await answer({ services, cluster, signal }, decideInTime, remembered, wakeUps);
          return [];
        } catch (error) {
          services.log.error(`Evaluating cluster ${cluster.name} failed; its wake-up will be delivered again`, {
            error,
          });
          services.metrics.count('FailedEvaluations', 1);
          if (cluster.options.plannedPlacement) {
            await releaseOverdue({ services, cluster, signal });
          }
          reportGivenUp(services, cluster.name, records);
          await redeliver(services, records);
          return records;
        }
      }),
    );
    return { batchItemFailures: [...early, ...failed.flat()].map(({ messageId }) => ({ itemIdentifier: messageId })) };
  };
}

/** Puts wake-ups off that are not due yet, and groups the others by cluster. */
async function sorted(
  services: Services,
  records: readonly SQSRecord[],
): Promise<{ readonly early: readonly SQSRecord[]; readonly wanted: readonly ClusterWakeUps[] }> {
  const now = services.now();
  const early = new Map<SQSRecord, number>();
  const byCluster = new Map<string, ClusterWakeUps>();
  for (const record of records) {
    const message = parseWakeUp(record.body);
    if (!message.ok) {
      reportDropped(services, record, `expected ${message.error}`);
      continue;
    }
    const { wakeUp } = message.value;
    const cluster = services.cluster(message.value.cluster);
    const after = secondsToPutOff(wakeUp, now);
    if (after > 0) {
      early.set(record, after);
    } else if (cluster === null) {
      reportDropped(services, record, 'this deployment does not manage its cluster');
    } else {
      const wanted = getOrMake(byCluster, cluster.name, () => ({ cluster, wakeUps: [], records: [] }));
      wanted.wakeUps.push(wakeUp);
      wanted.records.push(record);
    }
  }
  await Promise.allSettled(
    [...early].map(([{ receiptHandle }, after]) => services.redeliverAfter(receiptHandle, after)),
  );
  return { early: [...early.keys()], wanted: [...byCluster.values()] };
}

function reportDropped({ log, metrics }: Services, { messageId }: SQSRecord, reason: string): void {
  log.error('Dropped a wake-up', { messageId, reason });
  metrics.count('MalformedWakeUps', 1);
}

/** A wake-up that fails for the last time is a dead letter: the alarm is raised, though others may succeed. */
function reportGivenUp({ log, metrics }: Services, cluster: ClusterName, records: readonly SQSRecord[]): void {
  const dead = records.filter(({ attributes }) => Number(attributes.ApproximateReceiveCount) >= MOST_DELIVERIES);
  metrics.count('DeadLetters', dead.length);
  metrics.count('NeedsCorrection', dead.length);
  if (dead.length > 0) {
    log.error(`Evaluating cluster ${cluster} has failed ${MOST_DELIVERIES} times for one wake-up, which is dropped`);
  }
}

/** Best effort: without it the messages come back after the queue's visibility timeout. */
async function redeliver(services: Services, records: readonly SQSRecord[]): Promise<void> {
  const outcomes = await Promise.allSettled(
    records.map(({ receiptHandle, attributes }) => {
      const received = Number(attributes.ApproximateReceiveCount) || 1;
      return services.redeliverAfter(receiptHandle, secondsToRedelivery(received));
    }),
  );
  for (const outcome of outcomes) {
    if (outcome.status === 'rejected') {
      services.log.warn('A failed wake-up could not be brought forward', { error: outcome.reason });
    }
  }
}

/** Best effort: the schedule's next scan sends others. */
async function scanUntilNext({ services, cluster }: ClusterRun): Promise<void> {
  try {
    await services.scanUntilNext(cluster.name);
  } catch (error) {
    services.log.warn(`The scans of cluster ${cluster.name} until the next minute could not be sent`, { error });
  }
}

async function answer(
  run: ClusterRun,
  decide: (scenario: Scenario) => Decision,
  remembered: SandboxMemory,
  received: readonly WakeUp[],
): Promise<void> {
  const { services, cluster } = run;
  const { histories, notified } = remembered;
  if (received.some(isNotification)) {
    notified.keep(cluster.name, services.now());
  }
  if (received.some(isOfSchedule)) {
    await scanUntilNext(run);
  }
  const wanted = wantedBy(received, histories.of(cluster.name), services.now());
  switch (wanted.kind) {
    case 'answered':
      services.log.debug(`An evaluation of cluster ${cluster.name} has answered this wake-up already`);
      return;
    case 'put off':
      // The message is not kept back itself: the scans of its group would wait behind it.
      await services.wakeAt(cluster.name, wanted.until, wanted.attempt);
      services.metrics.count('DelayedWakeUps', 1);
      return;
    case 'evaluate':
  }
  if (wanted.waitMs > 0) {
    await services.sleep(wanted.waitMs, run.signal);
  }
  const { attempt, forNodes, due } = wanted;
  const why = { scan: attempt === null, forNodes, due };
  for (let conflicts = 0; conflicts < MAX_CONFLICTS; conflicts += 1) {
    const seen = await evaluateOnce(run, decide, remembered, why);
    if (seen === 'answered') {
      services.log.debug(`Another evaluation of cluster ${cluster.name} has answered this wake-up meanwhile`);
      return;
    }
    if (seen === 'conflict') {
      services.log.info(`Another evaluation of cluster ${cluster.name} was committed meanwhile; evaluating again`);
      services.metrics.count('VersionConflicts', 1);
      continue;
    }
    const recheck = recheckAfter(attempt, {
      unsettled: seen.unsettled,
      more: !services.dryRun && leftMoreToBuy(seen.decision),
    });
    if (recheck !== null) {
      await services.wake(cluster.name, recheck);
    }
    if (seen.due !== null && isBeforeNextScan(seen.due, services.now())) {
      await services.wakeAt(cluster.name, seen.due);
    }
    if (seen.lookAgain !== null && isBeforeNextScan(seen.lookAgain, services.now())) {
      // No notification of a pod stands behind it.
      await services.wakeAt(cluster.name, seen.lookAgain, MAX_RECHECKS);
    }
    histories.keep(cluster.name, withEvaluation(histories.of(cluster.name), { ...seen, attempt }));
    return;
  }
  throw new Error(
    `cluster ${cluster.name}: others were committed during ${MAX_CONFLICTS} evaluations in a row; does a second deployment manage it?`,
  );
}
