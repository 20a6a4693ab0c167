import type { Decision } from '../model/decision.ts';
import type { State } from '../model/state.ts';
import { addTime, durationMs, type EpochMs, epochMs, seconds } from '../model/values/time.ts';
import { type EvaluationHistory, notBefore, unanswered } from './spacing.ts';
import { attemptOf, MAX_DELAY_MS, MAX_RECHECKS, waitBeforeEvaluation, type WakeUp, WINDOW_MS } from './wake-up.ts';

/** The evaluation that wake-ups of one cluster ask for together. */
type WantedEvaluation =
  /** An evaluation that began after the reported events has answered the wake-ups. */
  | { readonly kind: 'answered' }
  /** Evaluations have been in vain lately: not before `until`. */
  | { readonly kind: 'put off'; readonly until: EpochMs; readonly attempt: number }
  /**
   * Evaluate after `waitMs` milliseconds. `attempt`: the number of the recheck; `null` after a scan. `forNodes`: nodes may
   * be awaiting their pods, whether or not a pod is pending. `due`: the time that all of the wake-ups wait for; `null` where
   * one of them stands for a notification or a scan.
   */
  | {
      readonly kind: 'evaluate';
      readonly waitMs: number;
      readonly attempt: number | null;
      readonly forNodes: boolean;
      readonly due: EpochMs | null;
    };

export function wantedBy(received: readonly WakeUp[], history: EvaluationHistory, now: EpochMs): WantedEvaluation {
  const wakeUps = unanswered(history, received);
  if (wakeUps.length === 0) {
    return { kind: 'answered' };
  }
  if (wakeUps.some(({ kind }) => kind === 'scan')) {
    return { kind: 'evaluate', waitMs: waitBeforeEvaluation(wakeUps, now), attempt: null, forNodes: true, due: null };
  }
  const attempt = Math.min(...wakeUps.map(attemptOf));
  const forNodes = wakeUps.some(({ kind }) => kind === 'ready node' || kind === 'scheduled');
  const until = wakeUps.some(({ kind }) => kind === 'ready node') ? now : notBefore(history, now);
  if (until - now > WINDOW_MS) {
    return { kind: 'put off', until, attempt };
  }
  const due = attempt === MAX_RECHECKS ? latestDue(wakeUps) : null;
  return {
    kind: 'evaluate',
    waitMs: Math.max(waitBeforeEvaluation(wakeUps, now), until - now),
    attempt,
    forNodes,
    due,
  };
}

/** The latest of the times that wake-ups wait for; `null` where one of them waits for none. */
function latestDue(wakeUps: readonly WakeUp[]): EpochMs | null {
  const dues = wakeUps.filter((wakeUp) => wakeUp.kind === 'scheduled').map(({ due }) => due);
  return dues.length === wakeUps.length ? epochMs(Math.max(...dues)) : null;
}

/** The reading of the objects takes up to this in most clusters. An evaluation has its time after it. */
const READING = seconds(1);

/**
 * Has another scale-up, in whichever sandbox, decided after the time that wake-ups wait for? It has done all that they ask
 * for, and has itself asked for the next evaluation. Without this, wake-ups for a time have evaluations run beside those of
 * the cluster's notifications, and each commit of one has the other ones read and decide again.
 */
export const isAnsweredBy = ({ lastScaleUpEvaluation }: State, due: EpochMs | null): boolean =>
  due !== null && lastScaleUpEvaluation !== undefined && lastScaleUpEvaluation >= addTime(due, READING);

/**
 * The recheck that is to follow an evaluation, 0 for one like after a webhook notification; `null` where none is.
 *
 * @param unsettled there may be more in a moment
 * @param more something is left to launch, and a dry run would not decide the same again
 */
export function recheckAfter(
  attempt: number | null,
  { unsettled, more }: { readonly unsettled: boolean; readonly more: boolean },
): number | null {
  if (more) {
    return 0;
  }
  return attempt !== null && attempt < MAX_RECHECKS && unsettled ? attempt + 1 : null;
}

/**
 * Had an evaluation no time for some pods? Or did it launch nodes, and leave pods that some group would hold for the next one?
 * Then it has met a limit of one evaluation (`maxNodesPerScaleup`, `salvoScaleUpBudget`). Evaluations follow each other for as
 * long as each of them launches nodes.
 */
export const leftMoreToBuy = (decision: Decision | null): boolean =>
  decision !== null &&
  (decision.state.deferredPods !== undefined ||
    (decision.scaleUp.increases.length > 0 && decision.scaleUp.pods.some(({ outcome }) => outcome === 'Awaiting')));

/** Is this worth an evaluation of its own, or does the next scan come first? */
export const isBeforeNextScan = (due: EpochMs, now: EpochMs): boolean => due < addTime(now, durationMs(MAX_DELAY_MS));
