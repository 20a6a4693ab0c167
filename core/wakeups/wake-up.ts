import { type EpochMs, epochMs } from '../model/values/time.ts';

/** Webhook notifications of one window are one message. */
export const WINDOW_MS = 250;
/** The largest number of rechecks that follow a webhook notification. */
export const MAX_RECHECKS = 3;
/** The farthest that an evaluation is put off: the schedule's next scan comes no later. */
export const MAX_DELAY_MS = 60_000;

/** Why a cluster is to be evaluated. Nothing is decided by it but when, and how much is read first. */
export type WakeUp =
  /** A scan of the schedule: at once, and in full unless the cluster is idle. With `due`, a scan between two of them. */
  | { readonly kind: 'scan'; readonly due?: EpochMs }
  /** kube-scheduler found no node for a pod, or the cloud reports something about an instance. */
  | { readonly kind: 'webhook'; readonly at: EpochMs }
  /** The pods' node is ready: never put off, for the node holds nothing until then. */
  | { readonly kind: 'ready node'; readonly at: EpochMs }
  /** The evaluation before this one, asked for at this time, may have come too early. */
  | { readonly kind: 'recheck'; readonly at: EpochMs; readonly attempt: number }
  /** Not before `due`. `attempt` is that of the wake-up that was put off. */
  | { readonly kind: 'scheduled'; readonly due: EpochMs; readonly attempt: number };

/** Number of the recheck; 0 where it is none. A scan has none to follow. */
export const attemptOf = (wakeUp: WakeUp): number =>
  wakeUp.kind === 'recheck' || wakeUp.kind === 'scheduled' ? wakeUp.attempt : 0;

/** Does a notification of a pod without a node stand behind it, put off or not? */
export const isNotification = (wakeUp: WakeUp): boolean =>
  wakeUp.kind === 'webhook' || (wakeUp.kind === 'scheduled' && wakeUp.attempt === 0);

/** Is the wake-up a scan that the schedule has sent, and not one between two such scans? */
export const isOfSchedule = (wakeUp: WakeUp): boolean => wakeUp.kind === 'scan' && wakeUp.due === undefined;

/** For how many seconds a wake-up is to be put off; 0 when it is due. No message is trusted beyond `MAX_DELAY_MS`. */
export function secondsToPutOff(wakeUp: WakeUp, now: EpochMs): number {
  const { due = now } = wakeUp.kind === 'scan' || wakeUp.kind === 'scheduled' ? wakeUp : {};
  return Math.max(0, Math.ceil(Math.min(due - now, MAX_DELAY_MS) / 1_000));
}

/**
 * How long to wait before a cluster is observed, in milliseconds, never more than one window.
 *
 * The queue drops a webhook notification if it holds a notification of the same window, even a received one: so the
 * kept notification must not be answered before its window has ended. A recheck keeps a window's distance. `at` is only
 * trusted that far: a fast clock costs one window, a slow clock costs nothing.
 */
export function waitBeforeEvaluation(wakeUps: readonly WakeUp[], now: EpochMs): number {
  const until = wakeUps.map((wakeUp) => (wakeUp.kind === 'scheduled' ? now : (readyAt(wakeUp) ?? now)));
  return Math.min(Math.max(now, ...until) - now, WINDOW_MS);
}

/** From when on an evaluation answers a wake-up: what it reports is in the API server by then. `null` for scans. */
export function readyAt(wakeUp: WakeUp): EpochMs | null {
  switch (wakeUp.kind) {
    case 'scan':
      return null;
    case 'webhook':
    case 'ready node':
      return epochMs((Math.floor(wakeUp.at / WINDOW_MS) + 1) * WINDOW_MS);
    case 'recheck':
      return epochMs(wakeUp.at + WINDOW_MS);
    case 'scheduled':
      return wakeUp.due;
  }
}
