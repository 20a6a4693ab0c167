import * as z from 'zod';
import { type ClusterName, clusterName } from '../../core/model/values/names.ts';
import { type Result, err, ok } from '../../core/model/values/result.ts';
import { type EpochMs, epochMs } from '../../core/model/values/time.ts';
import { MAX_RECHECKS, type WakeUp, WINDOW_MS } from '../../core/wakeups/wake-up.ts';

/** A message for a FIFO queue. */
export interface WakeMessage {
  readonly body: string;
  readonly group: string;
  readonly deduplicationId: string;
}

const time = z.iso.datetime().transform((text) => epochMs(Date.parse(text)));
const attempt = z.int().min(0).max(MAX_RECHECKS);

/**
 * `look` is what older versions write for `attempt`; a message without times is a tick of the schedule, which adds its own
 * time in a field that is not read.
 */
const Body = z.object({
  cluster: z.string().min(1).max(100).transform(clusterName),
  at: time.optional(),
  attempt: attempt.optional(),
  look: attempt.optional(),
  due: time.optional(),
});

/** Writes a webhook notification (attempt 0) or a recheck after one. */
export function wakeMessage(cluster: ClusterName, now: EpochMs, recheck = 0): WakeMessage {
  const at = new Date(now).toISOString();
  return {
    body: JSON.stringify(recheck === 0 ? { cluster, at } : { cluster, at, attempt: recheck }),
    group: cluster,
    deduplicationId: `${cluster}:${Math.floor(now / WINDOW_MS)}${recheck === 0 ? '' : `:${recheck}`}`,
  };
}

/**
 * Writes a wake-up for later. SQS cannot keep a message of a FIFO queue back, so it is received at once and put off by its
 * receiver (`secondsToPutOff`). Meanwhile its message group is blocked: hence it has one of its own, for each second.
 */
export function dueMessage(cluster: ClusterName, now: EpochMs, due: EpochMs, recheck = 0): WakeMessage {
  const second = Math.ceil(due / 1_000);
  const id = `${cluster}:due:${second}${recheck === 0 ? '' : `:${recheck}`}`;
  return {
    body: JSON.stringify({
      cluster,
      at: new Date(now).toISOString(),
      ...(recheck === 0 ? {} : { attempt: recheck }),
      due: new Date(second * 1_000).toISOString(),
    }),
    group: id,
    deduplicationId: id,
  };
}

/** Reads a message; the error says what was expected, without repeating what was found. */
export function parseWakeUp(body: string): Result<{ readonly cluster: ClusterName; readonly wakeUp: WakeUp }, string> {
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
  return ok({ cluster: parsed.data.cluster, wakeUp: wakeUpOf(parsed.data) });
}

function wakeUpOf({ at, look, due, attempt: recheck = look ?? 0 }: z.infer<typeof Body>): WakeUp {
  if (due !== undefined) {
    return { kind: 'scheduled', due, attempt: recheck };
  }
  if (at === undefined) {
    return { kind: 'tick' };
  }
  return recheck === 0 ? { kind: 'webhook', at } : { kind: 'recheck', at, attempt: recheck };
}
