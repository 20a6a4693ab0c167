import { messageOf } from '../../../core/model/values/error-message.ts';
import { err, ok, type Result } from '../../../core/model/values/result.ts';
import { failureOf, UNAUTHENTICATED } from '../../../providers/aws/api/failures.ts';
import { namedProfile } from '../../live/profile.ts';
import { ApiError } from '../../../providers/kubernetes/client/api-error.ts';

/** Why something is not known. */
export interface Missing {
  readonly reason: MissingReason;
  /** The call that was to find it out: an IAM action (`eks:DescribeCluster`), or a request to the API server. */
  readonly call: string;
  /** The message of AWS, the API server or the network. */
  readonly text: string;
}

export type MissingReason =
  /** The user lacks a permission. */
  | 'denied'
  /** No credentials exist, or they are not accepted. */
  | 'unauthenticated'
  /** No connection, or no answer in time. */
  | 'no answer'
  /** Another answer than was expected. */
  | 'failed'
  /** The input of the call is unknown. */
  | 'not called';

/** The result of a call, or why it has none. */
export type Fact<T> = Result<T, Missing>;

/** Makes a call. Every failure is a value: it keeps no other call from being made. */
export async function factOf<T>(call: string, read: () => T | Promise<T>): Promise<Fact<T>> {
  try {
    return ok(await read());
  } catch (error) {
    return err({ call, ...missingOf(error) });
  }
}

/** A fact for which the call cannot be made. */
export const notCalled = (call: string, text: string): Fact<never> => err({ reason: 'not called', call, text });

/** Errors of the network, by their code. */
const NETWORK = /^(?:E[A-Z_]{2,}|UND_ERR_\w+|NetworkingError)$/;

function missingOf(error: unknown): Pick<Missing, 'reason' | 'text'> {
  const text = messageOf(error);
  if (error instanceof ApiError) {
    return { reason: reasonOfApi(error), text };
  }
  const failure = failureOf(error) ?? (error instanceof Error ? failureOf(error.cause) : null);
  if (failure === null) {
    return { reason: 'failed', text };
  }
  const profile = failure.code === 'CredentialsProviderError' ? namedProfile() : null;
  const of = profile === null ? '' : ` (profile ${profile})`;
  return { reason: reasonOfAws(failure), text: `${failure.code}: ${failure.message}${of}` };
}

function reasonOfApi({ kind, status }: ApiError): MissingReason {
  if (kind === 'unreachable' || kind === 'timeout' || kind === 'untrusted') {
    return 'no answer';
  }
  return status === 403 ? 'denied' : status === 401 ? 'unauthenticated' : 'failed';
}

function reasonOfAws({ class: failureClass, code }: NonNullable<ReturnType<typeof failureOf>>): MissingReason {
  if (failureClass === 'Authorization') {
    return UNAUTHENTICATED.has(code) ? 'unauthenticated' : 'denied';
  }
  return failureClass === 'Timeout' || NETWORK.test(code) ? 'no answer' : 'failed';
}
