import * as z from 'zod';
import { type ClusterName, clusterName } from '../../core/model/names.ts';
import { type Result, err, ok } from '../../core/model/result.ts';
import { type EpochMs, epochMs } from '../../core/model/time.ts';

/** Doorbells of one window are one message. */
export const WINDOW_MS = 250;
/** A doorbell is followed by at most so many second looks. */
export const MAX_LOOKS = 3;

/** The farthest that a look is put off: the schedule's next tick comes no later. */
export const MAX_DELAY_MS = 60_000;

/** "Look at this cluster." `at` is `null` for ticks of the schedule, which ask for a full evaluation. */
export interface WakeUp {
  readonly cluster: ClusterName;
  readonly at: EpochMs | null;
  readonly look: number;
  /** Not before; `null` for at once. */
  readonly due: EpochMs | null;
}

/** A message for a FIFO queue. */
export interface WakeMessage {
  readonly body: string;
  readonly group: string;
  readonly deduplicationId: string;
}

const Body = z.object({
  cluster: z.string().min(1).max(100),
  at: z.iso.datetime().optional(),
  look: z.int().min(0).max(MAX_LOOKS).optional(),
  due: z.iso.datetime().optional(),
});

/** Writes a doorbell (look 0) or a second look after one. */
export function wakeMessage(cluster: ClusterName, now: EpochMs, look = 0): WakeMessage {
  const at = new Date(now).toISOString();
  return {
    body: JSON.stringify(look === 0 ? { cluster, at } : { cluster, at, look }),
    group: cluster,
    deduplicationId: `${cluster}:${Math.floor(now / WINDOW_MS)}${look === 0 ? '' : `:${look}`}`,
  };
}

/**
 * Writes a wake-up for later. SQS cannot keep a message of a FIFO queue back, so it is received at once and put off by its
 * receiver (`putOff`). Meanwhile its message group is blocked: hence it has one of its own, for each second.
 */
export function dueMessage(cluster: ClusterName, now: EpochMs, due: EpochMs, look = 0): WakeMessage {
  const second = Math.ceil(due / 1_000);
  const id = `${cluster}:due:${second}${look === 0 ? '' : `:${look}`}`;
  return {
    body: JSON.stringify({
      cluster,
      at: new Date(now).toISOString(),
      ...(look === 0 ? {} : { look }),
      due: new Date(second * 1_000).toISOString(),
    }),
    group: id,
    deduplicationId: id,
  };
}

/** For how many seconds a wake-up is to be put off; 0 when it is due. No message is trusted beyond `MAX_DELAY_MS`. */
export const putOff = ({ due }: WakeUp, now: EpochMs): number =>
  due === null || due <= now ? 0 : Math.ceil(Math.min(due - now, MAX_DELAY_MS) / 1_000);

/** Reads a message; the error says what was expected, without repeating what was found. */
export function parseWakeUp(body: string): Result<WakeUp, string> {
  let json: unknown;
  try {
    json = JSON.parse(body);
  } catch {
    return err('JSON');
  }
  const parsed = Body.safeParse(json);
  if (!parsed.success) {
    return err(z.prettifyError(parsed.error));
  }
  const { cluster, at, look, due } = parsed.data;
  return ok({
    cluster: clusterName(cluster),
    at: at === undefined ? null : epochMs(Date.parse(at)),
    look: look ?? 0,
    due: due === undefined ? null : epochMs(Date.parse(due)),
  });
}

/**
 * How long to wait before a cluster is looked at, in milliseconds, never more than one window.
 *
 * The queue drops a doorbell when one of the same window is already there, even if that one has been received: so the
 * one that was kept must not look before its window has ended. A second look keeps a window's distance. `at` is only
 * trusted that far: a clock that is ahead costs one window, one that is behind costs nothing.
 */
export function waitBeforeLook(wakeUps: readonly WakeUp[], now: EpochMs): number {
  let until: number = now;
  for (const wakeUp of wakeUps) {
    until = Math.max(until, readyAt({ ...wakeUp, due: null }) ?? now);
  }
  return Math.min(until - now, WINDOW_MS);
}

/** From when on a look answers a wake-up: what it tells of is in the API server by then. `null` for ticks. */
export function readyAt({ at, look, due }: WakeUp): EpochMs | null {
  if (at === null) {
    return null;
  }
  const windowEnds = look === 0 ? (Math.floor(at / WINDOW_MS) + 1) * WINDOW_MS : at + WINDOW_MS;
  return epochMs(Math.max(windowEnds, due ?? 0));
}
