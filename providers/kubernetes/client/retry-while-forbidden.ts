import { setTimeout as delay } from 'node:timers/promises';
import { isRefusal } from './api-error.ts';

/**
 * Repeats a request that the API server refuses because it does not know the access entry yet, until the signal aborts:
 * the last refusal is the error then, also where a later request was cut off.
 */
export async function retryWhileForbidden<T>(
  request: () => Promise<T>,
  pauseMs: number,
  signal: AbortSignal,
): Promise<T> {
  let refusal: unknown = null;
  for (;;) {
    try {
      return await request();
    } catch (error) {
      if (!isRefusal(error, 401, 403)) {
        throw signal.aborted ? (refusal ?? error) : error;
      }
      refusal = error;
    }
    const refused = refusal;
    await delay(pauseMs, null, { signal }).catch(() => {
      throw refused;
    });
  }
}
