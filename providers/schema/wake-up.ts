import * as z from 'zod';
import { type ClusterName, clusterName } from '@outrigger/core/model/values/names.ts';
import { type Result, err, ok } from '@outrigger/core/model/values/result.ts';
import { epochMs } from '@outrigger/core/model/values/time.ts';
import { wakeUpOf } from '@outrigger/core/wakeups/message.ts';
import { MAX_RECHECKS, type WakeUp } from '@outrigger/core/wakeups/wake-up.ts';

const time = z.iso.datetime().transform((text) => epochMs(Date.parse(text)));
const attempt = z.int().min(0).max(MAX_RECHECKS);

/**
 * `look` is what older versions write for `attempt`; a message without `at` is a scan. The schedule adds its own time in a
 * field that is not read.
 */
const Body = z.object({
  cluster: z.string().min(1).max(100).transform(clusterName),
  at: time.optional(),
  attempt: attempt.optional(),
  look: attempt.optional(),
  due: time.optional(),
  readyNode: z.boolean().optional(),
});

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
  const { cluster, at, due, readyNode, look, attempt: recheck = look ?? 0 } = parsed.data;
  return ok({ cluster, wakeUp: wakeUpOf(at, due, recheck, readyNode) });
}
