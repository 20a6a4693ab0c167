import { messageOf } from '@outrigger/core/model/values/error-message.ts';
import type { EpochMs } from '@outrigger/core/model/values/time.ts';
import type { ClusterReader } from '@outrigger/core/ports/cluster.ts';
import type { Log } from '@outrigger/core/ports/observability.ts';
import { withErrorsAsDetails } from './log.ts';
import { ApiError } from '@outrigger/providers/kubernetes/client/api-error.ts';

/** Tells whether the API server answers. */
export interface ApiServerWatch {
  /** The reader whose requests show it. */
  readonly reader: ClusterReader;
  /** The log without errors that follow from an outage: each names another list, whichever failed first. */
  readonly log: Log;
  /** The beginning of the first request without an answer; `null`: the API server answers. */
  readonly awaySince: () => EpochMs | null;
}

/** Watches the API server by the requests of a reader, and logs when it stops to answer and when it answers again. */
export function watchApiServer(reader: ClusterReader, log: Log, now: () => EpochMs): ApiServerWatch {
  let since: EpochMs | null = null;
  const watched = async <T>(request: () => Promise<T>): Promise<T> => {
    const begun = now();
    try {
      const answer = await request();
      if (since !== null) {
        log.info(`The API server answers again, after ${Math.round((now() - since) / 1_000)} s`);
        since = null;
      }
      return answer;
    } catch (error) {
      const outage = outageIn(error);
      if (outage !== null && since === null) {
        since = begun;
        log.error(`${awayText(since)}; every scan tries again`, { reason: messageOf(outage.cause ?? outage) });
      }
      throw error;
    }
  };
  return {
    reader: {
      ...reader,
      hasPendingPods: (signal) => watched(() => reader.hasPendingPods(signal)),
      summarize: (signal) => watched(() => reader.summarize(signal)),
      read: (signal, scope) => watched(() => reader.read(signal, scope)),
      readNodes: (signal) => watched(() => reader.readNodes(signal)),
    },
    log: withErrorsAsDetails(log, (error) => since !== null && outageIn(error) !== null),
    awaySince: () => since,
  };
}

/** For people: `The API server does not answer since 16:27:44`, in UTC as all times of the log. */
export const awayText = (since: EpochMs): string =>
  `The API server does not answer since ${new Date(since).toISOString().slice(11, 19)}`;

function outageIn(error: unknown): ApiError | null {
  if (error instanceof ApiError) {
    return error.kind === 'unreachable' || error.kind === 'timeout' ? error : null;
  }
  return error instanceof Error ? outageIn(error.cause) : null;
}
