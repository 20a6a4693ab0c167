import {
  ConditionalCheckFailedException,
  TransactionCanceledException,
  TransactionConflictException,
} from '@aws-sdk/client-dynamodb';
import pRetry from 'p-retry';
import { callFailed } from '../aws/api/call-problem.ts';
import { present } from '@outrigger/core/model/values/present.ts';

/** Cancellation codes of a transaction that are transient. */
const PASSING = new Set(['TransactionConflict', 'ThrottlingError', 'ProvisionedThroughputExceeded']);

/** A call to a table. */
interface TableCall {
  /** The operation, for errors: `read drain 1`. */
  readonly what: string;
  readonly table: string;
  readonly signal: AbortSignal | undefined;
  /** The errors that the caller handles; absent: none. */
  readonly expected?: (error: unknown) => boolean;
}

/**
 * Runs one call, and repeats it while another transaction uses the same items: the SDK retries neither that nor a
 * throttled transaction. Remaining errors contain the operation; those in `expected` are rethrown unchanged.
 */
export async function call<T>(
  { what, table, signal, expected = () => false }: TableCall,
  send: (options: { readonly abortSignal?: AbortSignal }) => Promise<T>,
): Promise<T> {
  try {
    return await pRetry(async () => await send(present({ abortSignal: signal })), {
      retries: 9,
      minTimeout: 20,
      maxTimeout: 500,
      randomize: true,
      shouldRetry: ({ error }) => isPassing(error),
      signal,
    });
  } catch (error) {
    if (expected(error) || signal?.aborted === true) {
      throw error;
    }
    throw callFailed(`DynamoDB table ${table}: ${what}`, error);
  }
}

/** Runs one call with a condition. @returns the answer; `null` where the condition does not hold */
export async function callOnCondition<T>(
  given: Omit<TableCall, 'expected'>,
  send: (options: { readonly abortSignal?: AbortSignal }) => Promise<T>,
): Promise<T | null> {
  try {
    return await call({ ...given, expected: isConditionFailed }, send);
  } catch (error) {
    if (isConditionFailed(error)) {
      return null;
    }
    throw error;
  }
}

export const isConditionFailed = (error: unknown): boolean => error instanceof ConditionalCheckFailedException;

/** Whether the same call may succeed shortly. A failed condition never does, so it is not retried. */
function isPassing(error: unknown): boolean {
  if (error instanceof TransactionCanceledException) {
    const codes = (error.CancellationReasons ?? []).map(({ Code }) => Code ?? 'None').filter((code) => code !== 'None');
    return codes.length > 0 && codes.every((code) => PASSING.has(code));
  }
  return error instanceof TransactionConflictException;
}
