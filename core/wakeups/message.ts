import type { ClusterName } from '../model/values/names.ts';
import { type DurationMs, type EpochMs, epochMs } from '../model/values/time.ts';
import { MAX_DELAY_MS, type WakeUp, WINDOW_MS } from './wake-up.ts';
import { presentItems } from '../model/values/optional.ts';
import { present } from '../model/values/present.ts';

/** A message for a FIFO queue. */
export interface WakeMessage {
  readonly body: string;
  readonly group: string;
  readonly deduplicationId: string;
}

const textOf = (ms: number): string => new Date(ms).toISOString();

const contentOf = (cluster: ClusterName, now: EpochMs, attempt: number) => ({
  cluster,
  at: textOf(now),
  attempt: attempt || undefined,
});

const idOf = (cluster: ClusterName, time: number | string, attempt: number): string =>
  presentItems([cluster, time, attempt > 0 && attempt]).join(':');

/** Writes a webhook notification (attempt 0), or a recheck after one. */
export const wakeMessage = (cluster: ClusterName, now: EpochMs, attempt = 0): WakeMessage => ({
  body: JSON.stringify(contentOf(cluster, now, attempt)),
  group: cluster,
  deduplicationId: idOf(cluster, Math.floor(now / WINDOW_MS), attempt),
});

/** The wake-up for a node that awaits its pods and is ready for them: one message for all nodes of a window. */
export const readyNodeMessage = (cluster: ClusterName, now: EpochMs): WakeMessage => ({
  body: JSON.stringify({ ...contentOf(cluster, now, 0), readyNode: true }),
  group: cluster,
  deduplicationId: `${cluster}:ready-node:${Math.floor(now / WINDOW_MS)}`,
});

/**
 * Writes a scan that the schedule has not sent. It has an ID of its own for each millisecond: one of the same window that
 * was received already may not answer it.
 */
export const scanMessage = (cluster: ClusterName, now: EpochMs): WakeMessage => ({
  body: JSON.stringify({ cluster, scan: textOf(now) }),
  group: cluster,
  deduplicationId: `${cluster}:at-once:${now}`,
});

/**
 * Writes a wake-up for later. SQS has no delay for a message of a FIFO queue, so it is received at once, and its
 * receiver puts it off (`secondsToPutOff`). Meanwhile its message group is blocked: hence each second has a message
 * group of its own.
 */
export function dueMessage(cluster: ClusterName, now: EpochMs, due: EpochMs, attempt = 0): WakeMessage {
  const second = Math.ceil(due / 1_000);
  const id = idOf(cluster, `due:${second}`, attempt);
  return {
    body: JSON.stringify({ ...contentOf(cluster, now, attempt), due: textOf(second * 1_000) }),
    group: id,
    deduplicationId: id,
  };
}

/**
 * Writes the scans between a scan of the schedule and the next one, a minute later, where scans are to be less than a minute
 * apart. They come at multiples of the interval, so that a scan that is delivered twice adds none. Each is put off by its
 * receiver and has a message group of its own, as a wake-up for later.
 */
export function scansBetween(cluster: ClusterName, now: EpochMs, interval: DurationMs): readonly WakeMessage[] {
  if (interval >= MAX_DELAY_MS) {
    return [];
  }
  const first = Math.floor(now / interval) + 1;
  return Array.from({ length: Math.ceil(MAX_DELAY_MS / interval) }, (_, i) => epochMs((first + i) * interval))
    .filter((due) => due < now + MAX_DELAY_MS)
    .map((due) => {
      const id = `${cluster}:scan:${due}`;
      return { body: JSON.stringify({ cluster, due: textOf(due) }), group: id, deduplicationId: id };
    });
}

/** The wake-up of a message, by its fields: a message that does not say when it was written is a scan. */
export function wakeUpOf(
  at: EpochMs | undefined,
  due: EpochMs | undefined,
  attempt: number,
  readyNode = false,
): WakeUp {
  if (at === undefined) {
    return { kind: 'scan', ...present({ due }) };
  }
  if (due !== undefined) {
    return { kind: 'scheduled', due, attempt };
  }
  if (readyNode) {
    return { kind: 'ready node', at };
  }
  return attempt === 0 ? { kind: 'webhook', at } : { kind: 'recheck', at, attempt };
}
