import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { evaluateScaleUp } from '../../core/evaluate.ts';
import type { Decision } from '../../core/model/decision.ts';
import type { Scenario } from '../../core/model/scenario.ts';
import { withEvaluation } from '../../core/wakeups/spacing.ts';
import { secondsToPutOff, type WakeUp } from '../../core/wakeups/wake-up.ts';
import { isBeforeNextTick, leftMoreToBuy, recheckAfter, wantedBy } from '../../core/wakeups/wanted.ts';
import { parseWakeUp } from '../shared/wake-up.ts';
import type { Cluster, Work, World } from '../shared/world.ts';
import { evaluateOnce } from './evaluation.ts';
import { createHistories, type Histories } from './histories.ts';

/** Evaluations in a row that others were committed during, before the wake-up goes back to the queue. */
const MAX_CONFLICTS = 5;
/** A failed evaluation is repeated after 2 s, 4 s, 8 s … at most this many seconds. */
const MAX_REDELIVERY_SECONDS = 60;

/** Wake-ups of one cluster that arrived together. */
interface Wanted {
  readonly cluster: Cluster;
  readonly wakeUps: WakeUp[];
  readonly records: SQSRecord[];
}

/**
 * Wake-ups in, larger node groups out. However many wake-ups of a cluster arrive together, it is evaluated once.
 *
 * A message that cannot be read, or that names a cluster of no concern, is reported and dropped: redelivery would not
 * mend it, and would hold up the cluster's other messages. When an evaluation fails (the API server is away, AWS throttles),
 * all of the cluster's messages are delivered again, soon; the schedule's next tick repairs whatever is left.
 */
export function scaleUpHandler(
  world: World,
  decide: (scenario: Scenario) => Decision = evaluateScaleUp,
  histories: Histories = createHistories(),
): Work<SQSEvent, SQSBatchResponse> {
  return async ({ Records }, { signal }) => {
    const early = await postponed(world, Records);
    const failed = await Promise.all(
      [
        ...wanted(
          world,
          Records.filter((record) => !early.includes(record)),
        ),
      ].map(async ({ cluster, wakeUps, records }) => {
        try {
          await answer(world, decide, histories, cluster, wakeUps, signal);
          return [];
        } catch (error) {
          world.log.error(`Evaluating cluster ${cluster.name} failed; its wake-up will be delivered again`, { error });
          world.metrics.count('FailedEvaluations', 1);
          await redeliver(world, records);
          return records;
        }
      }),
    );
    return { batchItemFailures: [...early, ...failed.flat()].map(({ messageId }) => ({ itemIdentifier: messageId })) };
  };
}

/** Wake-ups that are not due yet: they go back to the queue until they are. */
async function postponed(world: World, records: readonly SQSRecord[]): Promise<readonly SQSRecord[]> {
  const now = world.now();
  const early = records.flatMap((record) => {
    const wakeUp = parseWakeUp(record.body);
    const after = wakeUp.ok ? secondsToPutOff(wakeUp.value.wakeUp, now) : 0;
    return after > 0 ? [{ record, after }] : [];
  });
  await Promise.allSettled(early.map(({ record, after }) => world.redeliverAfter(record.receiptHandle, after)));
  return early.map(({ record }) => record);
}

function wanted(world: World, records: readonly SQSRecord[]): Iterable<Wanted> {
  const byCluster = new Map<string, Wanted>();
  for (const record of records) {
    const wakeUp = parseWakeUp(record.body);
    const cluster = wakeUp.ok ? world.cluster(wakeUp.value.cluster) : null;
    if (!wakeUp.ok || cluster === null) {
      world.log.error('Dropped a wake-up', {
        messageId: record.messageId,
        reason: wakeUp.ok ? 'it names a cluster that this deployment does not look after' : `expected ${wakeUp.error}`,
      });
      world.metrics.count('MalformedWakeUps', 1);
      continue;
    }
    const known = byCluster.get(cluster.name);
    if (known === undefined) {
      byCluster.set(cluster.name, { cluster, wakeUps: [wakeUp.value.wakeUp], records: [record] });
    } else {
      known.wakeUps.push(wakeUp.value.wakeUp);
      known.records.push(record);
    }
  }
  return byCluster.values();
}

/** Best effort: without it the messages come back after the queue's visibility timeout. */
async function redeliver(world: World, records: readonly SQSRecord[]): Promise<void> {
  const outcomes = await Promise.allSettled(
    records.map(({ receiptHandle, attributes }) => {
      const received = Number(attributes.ApproximateReceiveCount) || 1;
      return world.redeliverAfter(receiptHandle, Math.min(2 ** received, MAX_REDELIVERY_SECONDS));
    }),
  );
  for (const outcome of outcomes) {
    if (outcome.status === 'rejected') {
      world.log.warn('A failed wake-up could not be brought forward', { error: outcome.reason });
    }
  }
}

async function answer(
  world: World,
  decide: (scenario: Scenario) => Decision,
  histories: Histories,
  cluster: Cluster,
  received: readonly WakeUp[],
  signal: AbortSignal,
): Promise<void> {
  const wanted = wantedBy(received, histories.of(cluster.name), world.now());
  switch (wanted.kind) {
    case 'answered':
      world.log.debug(`An evaluation of cluster ${cluster.name} has answered this wake-up already`);
      return;
    case 'put off':
      // The message is not kept back itself: the ticks of its group would wait behind it.
      await world.wakeAt(cluster.name, wanted.until, wanted.attempt);
      world.metrics.count('SpacedWakeUps', 1);
      return;
    case 'evaluate':
  }
  if (wanted.waitMs > 0) {
    await world.sleep(wanted.waitMs, signal);
  }
  const { attempt } = wanted;
  for (let conflicts = 0; conflicts < MAX_CONFLICTS; conflicts += 1) {
    const seen = await evaluateOnce(world, decide, cluster, attempt === null, signal);
    if (seen === 'conflict') {
      world.log.info(`Another evaluation of cluster ${cluster.name} was committed meanwhile; evaluating again`);
      world.metrics.count('VersionConflicts', 1);
      continue;
    }
    const recheck = recheckAfter(attempt, {
      unsettled: seen.unsettled,
      more: !world.dryRun && leftMoreToBuy(seen.decision),
    });
    if (recheck !== null) {
      await world.wake(cluster.name, recheck);
    }
    if (seen.due !== null && isBeforeNextTick(seen.due, world.now())) {
      await world.wakeAt(cluster.name, seen.due);
    }
    histories.keep(cluster.name, withEvaluation(histories.of(cluster.name), { ...seen, attempt }));
    return;
  }
  throw new Error(
    `cluster ${cluster.name}: others were committed during ${MAX_CONFLICTS} evaluations in a row; does a second deployment look after it?`,
  );
}
