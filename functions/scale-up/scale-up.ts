import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { evaluate } from '../../core/evaluate.ts';
import { subjectOf } from '../../core/words/unexpected-errors.ts';
import type { Decision, UnexpectedError } from '../../core/model/decision.ts';
import type { ClusterName } from '../../core/model/values/names.ts';
import type { Scenario } from '../../core/model/scenario.ts';
import { longestWait } from '../../core/scaleup/pods/longest-wait.ts';
import { oldEnoughAt } from '../../core/scaleup/pods/pending.ts';
import { hasUnseenPods } from '../../core/scaleup/pods/unseen.ts';
import type { EpochMs } from '../../core/model/values/time.ts';
import { type EvaluationResult, withEvaluation } from '../../core/wakeups/spacing.ts';
import { secondsToPutOff, type WakeUp } from '../../core/wakeups/wake-up.ts';
import { isBeforeNextTick, leftMoreToBuy, recheckAfter, wantedBy } from '../../core/wakeups/wanted.ts';
import { parseWakeUp } from '../shared/wake-up.ts';
import type { Cluster, Work, World } from '../shared/world.ts';
import { withWatchedClocks } from '../../core/reconcile/unwatched-timers.ts';
import { dryRunOf, timersOf } from '../../core/reconcile/dry-run-state.ts';
import { hasNewPods, isUnchanged } from '../../core/reconcile/worth-writing.ts';
import { loadFor } from './dry-run.ts';
import { explain, pendingPods } from './explain.ts';
import { freeLeftovers } from './free-leftovers.ts';
import { intentsOf } from '../../core/actuation/intents-of.ts';
import { reportLastingFailures } from './lasting-failures.ts';
import { observeCluster } from './scenario.ts';
import { removeLeftoverMarks } from './leftover-marks.ts';
import { type Remembered, spacings } from './look-spacing.ts';
import { settle } from '../../core/reconcile/intents.ts';
import { decideBesideUpdates } from './updating-groups.ts';
import { updateSoftTaints } from './soft-taints.ts';
import { forgettable, hasNews, settleDrains } from '../../core/reconcile/drains.ts';

/** So often is a cluster looked at again when somebody else committed in between. */
const MAX_CONFLICTS = 3;
/** A failed evaluation is repeated after 2 s, 4 s, 8 s … at most this many seconds. */
const MAX_REDELIVERY_SECONDS = 60;

/** Wake-ups of one cluster that arrived together. */
interface Wanted {
  readonly cluster: Cluster;
  readonly wakeUps: WakeUp[];
  readonly records: SQSRecord[];
}

/**
 * Wake-ups in, larger node groups out. However many wake-ups of a cluster arrive together, it is looked at once.
 *
 * A message that cannot be read, or that names a cluster of no concern, is reported and dropped: redelivery would not
 * mend it, and would hold up the cluster's other messages. When a look fails (the API server is away, AWS throttles),
 * all of the cluster's messages are delivered again, soon; the schedule's next tick repairs whatever is left.
 */
export function createScaleUp(
  world: World,
  decide: (scenario: Scenario) => Decision = evaluate,
  memoryOf: (cluster: ClusterName) => Remembered = spacings(),
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
          await answer(world, decide, memoryOf(cluster.name), cluster, wakeUps, signal);
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
  memory: Remembered,
  cluster: Cluster,
  received: readonly WakeUp[],
  signal: AbortSignal,
): Promise<void> {
  const wanted = wantedBy(received, memory.history, world.now());
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
    memory.history = withEvaluation(memory.history, { ...seen, attempt });
    return;
  }
  throw new Error(
    `cluster ${cluster.name}: others were committed during ${MAX_CONFLICTS} evaluations in a row; does a second deployment look after it?`,
  );
}

/** What an evaluation has seen. */
interface Seen extends Omit<EvaluationResult, 'attempt'> {
  /** There may be more in a moment (`hasUnseenPods`). */
  readonly unsettled: boolean;
  /** When pods will be old enough that are too young now: no webhook tells of them then. */
  readonly due: EpochMs | null;
}

async function evaluateOnce(
  world: World,
  decide: (scenario: Scenario) => Decision,
  cluster: Cluster,
  tick: boolean,
  signal: AbortSignal,
): Promise<Seen | 'conflict'> {
  const started = world.now();
  const [persisted, pending] = await Promise.all([
    loadFor(world, cluster.name, signal),
    tick ? true : cluster.reader.hasPendingPods(signal),
  ]);
  // After the state: a drain of which the state knows that it was started is in the store by then. Where nothing is on
  // its way out, a bell that rang for nothing costs no look at them.
  const drains =
    pending || persisted.state.deletionsInProgress.length > 0 ? await world.drains.list(cluster.name, signal) : [];
  if (!pending && !hasNews(persisted.state, drains)) {
    world.log.debug(`No pod of cluster ${cluster.name} is waiting for a node`);
    return { startedAt: started, decision: null, ended: false, unsettled: true, due: null };
  }
  const settled = settle(persisted.state, persisted.intents, cluster.options, started);
  const watched = withWatchedClocks(settled.state, started);
  const state = settleDrains(watched, drains, persisted.intents, cluster.options, started);
  const observed = await observeCluster(cluster, { ...persisted, state, drains }, world.now, signal);
  const { rejected } = observed;
  const known = { drains, intents: persisted.intents };
  const freed = await freeLeftovers(world, cluster, observed.scenario, known, signal);
  if (rejected.length > 0) {
    world.log.warn(`${rejected.length} objects could not be read; their nodes are closed`, {
      rejected: rejected.slice(0, 10),
    });
    world.metrics.count('RejectedObjects', rejected.length);
  }
  const { scenario, decision } = await decideBesideUpdates(decide, cluster.groups, freed, signal);
  const { now } = scenario;
  report(world, scenario, decision, world.now() - started);
  reportLastingFailures(world, cluster.name, persisted.state.backoff, decision.state.backoff, now);

  const next = world.dryRun
    ? { memory: dryRunOf(cluster.name), before: timersOf(persisted.state), after: timersOf(decision.state) }
    : { memory: cluster.name, before: persisted.state, after: decision.state };
  const intents = world.dryRun ? [] : intentsOf(decision, scenario, persisted.version + 1, drains);
  const ended = world.dryRun ? [] : settled.ids;
  const quiet =
    intents.length === 0 &&
    ended.length === 0 &&
    isUnchanged(next.before, next.after, 'lastEvaluation', now) &&
    !hasNewPods(scenario, scenario.state.lastEvaluation);
  if (!quiet) {
    const outcome = await world.store.commit(
      next.memory,
      { expectedVersion: persisted.version, now, state: next.after, intents, settled: ended, decision },
      signal,
    );
    if (outcome.kind === 'conflict') {
      return 'conflict';
    }
  }
  if (!world.dryRun) {
    await world.drains.remove(cluster.name, forgettable(drains, now), signal);
    await removeLeftoverMarks(world, cluster, scenario, signal);
    await updateSoftTaints(world, cluster, scenario, decision, signal);
  }
  return {
    startedAt: started,
    decision,
    ended: ended.length > 0 || hasNews(persisted.state, drains),
    unsettled: hasUnseenPods(scenario),
    due: oldEnoughAt(scenario, decision.scaleUp.result),
  };
}

function report(world: World, scenario: Scenario, decision: Decision, evaluationMs: number): void {
  const { message, fields } = explain(decision);
  const nodes = decision.scaleUp.increases.reduce((sum, { from, to }) => sum + to - from, 0);
  const waited = nodes > 0 ? longestWait(scenario, decision.scaleUp.pods) : null;
  const { clusterHealthy, repairs } = decision.registry;
  const { removals, unneeded } = decision.scaleDown;
  const remarkable =
    decision.scaleUp.pods.length > 0 || nodes > 0 || !clusterHealthy || repairs.length > 0 || removals.length > 0;
  for (const error of decision.unexpectedErrors ?? []) {
    world.log.error(`${scenario.name}: ${error.during} failed for ${subjectOf(error)}, and goes on without it`, {
      ...error,
      error: asError(error),
    });
  }
  world.metrics.count('UnexpectedErrors', decision.unexpectedErrors?.length ?? 0);
  world.log[remarkable ? 'info' : 'debug'](`${scenario.name}: ${message}${world.dryRun ? ' (dry run)' : ''}`, {
    ...fields,
    evaluationMs,
    ...(waited === null ? {} : { pendingToDecisionMs: waited }),
  });
  world.metrics.count('PendingPods', pendingPods(decision));
  world.metrics.count('ScaleUpNodes', nodes);
  world.metrics.count('Repairs', repairs.length);
  world.metrics.count('UnneededNodes', unneeded.length);
  world.metrics.count('ScaleDownNodes', removals.length);
  world.metrics.milliseconds('EvaluationMs', evaluationMs);
  if (waited !== null) {
    world.metrics.milliseconds('PendingToDecisionMs', waited);
  }
}

/** As the logs show errors: with the stack that it had. */
const asError = ({ message, stack }: UnexpectedError): Error =>
  Object.assign(new Error(message), { name: 'UnexpectedError', stack });
