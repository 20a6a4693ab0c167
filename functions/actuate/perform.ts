import { messageOf } from '@outrigger/core/model/values/error-message.ts';
import { isLastAttempt } from '@outrigger/core/actuation/intent-age.ts';
import { isSuperseded, registeredSince } from '@outrigger/core/actuation/superseded.ts';
import { shownAfter, sizeShownBy } from '@outrigger/core/actuation/tries.ts';
import type { Intent, PersistedCluster } from '@outrigger/core/model/intent.ts';
import { clip } from '@outrigger/core/model/values/clip.ts';
import { addTime, type DurationMs, type EpochMs } from '@outrigger/core/model/values/time.ts';
import { MAX_RECHECKS } from '@outrigger/core/wakeups/wake-up.ts';
import { explainIntent } from '@outrigger/core/words/intents.ts';
import type { ActuationRun } from '../shared/services.ts';
import { deleteInstances } from './delete-instances.ts';
import { LONGEST_OUTCOME, type Outcome } from './outcome.ts';
import { removeNodes } from './remove-nodes.ts';
import { setSize } from './set-size.ts';

/** The stored version and state before an intent is taken up. */
type KnownState = Pick<PersistedCluster, 'version' | 'state'>;

/** A run over the intents of a cluster, which it claims for a time. */
export interface IntentRun extends ActuationRun {
  readonly claim: DurationMs;
}

type AttemptEnd = 'done' | 'refused' | 'failed' | 'claimed';

/**
 * Claims an intent, carries it out, and stores how it has ended.
 *
 * @param onProgress is called when a part of the intent has been carried out.
 * @returns `claimed`: another run has it.
 * @throws what was in the way, when a later attempt may still succeed.
 */
export async function performIntent(
  run: IntentRun,
  pending: Intent,
  known: KnownState,
  onProgress: () => void,
): Promise<AttemptEnd> {
  const { services, cluster, signal, claim } = run;
  const now = services.now();
  const until = addTime(now, claim);
  // So that the next delivery need not wait for the end of the claim; that of a call which failed may have been made.
  const release = async (failure: unknown): Promise<never> => {
    await services.store
      .releaseIntent(cluster.name, pending.id, until, signal)
      .catch((reason: unknown) =>
        services.log.warn(`Intent ${pending.id} stays claimed for a while`, { error: reason }),
      );
    throw failure;
  };
  const intent = await services.store.claimIntent(cluster.name, pending.id, { now, until }, signal).catch(release);
  if (intent === null) {
    return 'claimed';
  }
  const { status, failure, ...end } = await carryOut(run, intent, known, onProgress).catch(release);
  const message = clip(end.message, LONGEST_OUTCOME);
  const { id, group } = intent;
  const outcome = status === 'done' ? null : { message, class: failure };
  const shownBy = intent.kind === 'SetSize' && status === 'done' ? sizeShownBy(services.now(), until) : undefined;
  await services.store.endIntent(cluster.name, id, { status, outcome, shownBy }, signal);
  const { phrase, fields } = explainIntent(intent);
  const text = `${cluster.name}: ${group} ${phrase} ${status}: ${message}`;
  services.log[status === 'done' ? 'info' : 'warn'](text, { intent: id, group, status, ...fields });
  services.metrics.count(METRICS[intent.kind][status], 1);
  if (shownBy !== undefined) {
    await wakeWhenShown(run, shownBy);
  }
  return status;
}

/**
 * Has the cluster evaluated once the group shows the size that was set, or shows that another client has changed the size.
 * Best effort: the next scan sees the same.
 */
async function wakeWhenShown({ services, cluster: { name } }: ActuationRun, shownBy: EpochMs): Promise<void> {
  try {
    await services.wakeAt(name, shownBy, MAX_RECHECKS);
  } catch (error) {
    services.log.warn(`The wake-up of cluster ${name} for the size that was set could not be sent`, { error });
  }
}

const METRICS = {
  SetSize: { done: 'SizesSet', refused: 'SizesRefused', failed: 'SizesFailed' },
  DeleteInstances: { done: 'DeletionsDone', refused: 'DeletionsRefused', failed: 'DeletionsFailed' },
  RemoveNodes: { done: 'RemovalsStarted', refused: 'RemovalsRefused', failed: 'RemovalsFailed' },
} as const;

/** Rejects when a later attempt may still succeed. */
async function carryOut(run: IntentRun, intent: Intent, known: KnownState, onProgress: () => void): Promise<Outcome> {
  try {
    switch (intent.kind) {
      case 'SetSize':
        return await setSize(run, intent, isSuperseded(intent, known.state), shownAfter(run.claim));
      case 'DeleteInstances':
        return await deleteInstances(run, intent, registeredSince(intent, known), onProgress);
      case 'RemoveNodes':
        return await removeNodes(run, intent);
    }
  } catch (error) {
    if (!isLastAttempt(intent, run.services.now())) {
      throw error;
    }
    const message = `failed after ${intent.attempts} attempts: ${messageOf(error)}`;
    return { status: 'failed', message, failure: 'Other' };
  }
}
