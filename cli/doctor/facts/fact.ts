import { messageOf } from '@outrigger/core/model/values/error-message.ts';
import { err, ok, type Result } from '@outrigger/core/model/values/result.ts';
import { type CallProblemKind, problemOf } from '@outrigger/providers/aws/api/call-problem.ts';
import { ApiError } from '@outrigger/providers/kubernetes/client/api-error.ts';

/** Why something is not known. */
export interface MissingFact {
  readonly reason: MissingReason;
  /** The call that was to find it out: an IAM action (`eks:DescribeCluster`), or a request to the API server. */
  readonly call: string;
  /** The message of AWS, the API server or the network. */
  readonly text: string;
  /** The next step, in sentences; `null`: the message says it. */
  readonly remedy: string | null;
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
export type Fact<T> = Result<T, MissingFact>;

/** The value of a fact, or another one where it is not known. */
export const factOr = <T, U>(fact: Fact<T>, other: U): T | U => (fact.ok ? fact.value : other);

/** Makes a call. Every failure is a value: it keeps no other call from being made. */
export async function factOf<T>(call: string, read: () => T | Promise<T>): Promise<Fact<T>> {
  try {
    return ok(await read());
  } catch (error) {
    return err(missingOf(call, error));
  }
}

/** A fact for which the call cannot be made. */
export const notCalled = (call: string, text: string): Fact<never> =>
  err({ reason: 'not called', call, text, remedy: null });

function missingOf(call: string, error: unknown): MissingFact {
  if (error instanceof ApiError) {
    const reason = reasonOfApi(error);
    const remedy = reason === 'denied' ? `Allow ${call}, or run the command as a user who has it.` : null;
    return { call, reason, text: error.message, remedy };
  }
  const problem = problemOf(error, call) ?? (error instanceof Error ? problemOf(error.cause, call) : null);
  if (problem === null) {
    return { call, reason: 'failed', text: messageOf(error), remedy: null };
  }
  return { call, reason: REASONS[problem.kind], text: problem.cause, remedy: problem.remedy };
}

const REASONS: Readonly<Record<CallProblemKind, MissingReason>> = {
  unauthenticated: 'unauthenticated',
  denied: 'denied',
  'no answer': 'no answer',
  'not found': 'failed',
  throttled: 'failed',
  failed: 'failed',
};

function reasonOfApi({ kind, status }: ApiError): MissingReason {
  if (kind === 'unreachable' || kind === 'timeout' || kind === 'untrusted') {
    return 'no answer';
  }
  if (status === 403) {
    return 'denied';
  }
  return status === 401 ? 'unauthenticated' : 'failed';
}
