import type { CallFailed } from '@outrigger/core/model/answers.ts';
import type { FailureClass } from '@outrigger/core/model/node-group.ts';
import { ApiError } from '../../kubernetes/client/api-error.ts';
import { mapOptional } from '@outrigger/core/model/values/optional.ts';

const failure =
  (kind: FailureClass) =>
  (code: string, message: string): CallFailed => ({ kind: 'failed', class: kind, code, message });

/** Refused until the group is changed. */
export const refusedChange = failure('Configuration');

/** Refused for the moment: the same call may succeed a little later. */
export const later = failure('Throttled');

/** The change may have happened: the caller looks again before it concludes anything. */
export const unconfirmed = failure('Timeout');

/**
 * A failed request to the management cluster as an outcome. `Timeout` and `Other` are the classes of requests that may
 * have had their effect.
 *
 * @throws what is no failure of a request: a bug, or the caller's abort.
 */
export function machineFailure(error: unknown, signal?: AbortSignal): CallFailed {
  signal?.throwIfAborted();
  if (!(error instanceof ApiError)) {
    throw error;
  }
  const { kind, status, reason, message } = error;
  const unnamed = mapOptional(status, (known) => `HTTP ${known}`) ?? kind;
  return { kind: 'failed', class: classOf(error), code: reason || unnamed, message };
}

function classOf({ kind, status }: ApiError): FailureClass {
  if (kind === 'refused' && status !== null) {
    return classOfStatus(status);
  }
  if (kind === 'timeout') {
    return 'Timeout';
  }
  return kind === 'untrusted' ? 'Configuration' : 'Other';
}

function classOfStatus(status: number): FailureClass {
  if (status === 401 || status === 403) {
    return 'Authorization';
  }
  if (status === 409 || status === 429) {
    return 'Throttled';
  }
  return status >= 500 ? 'Other' : 'Configuration';
}
