import {
  ResourceNotFoundException,
  TransactionCanceledException,
  TransactionConflictException,
} from '@aws-sdk/client-dynamodb';
import pRetry from 'p-retry';

/** Codes of a cancelled transaction that are about the moment, not about what was asked. */
const PASSING = new Set(['TransactionConflict', 'ThrottlingError', 'ProvisionedThroughputExceeded']);

/**
 * Runs one call, again while another transaction is at the same items: the SDK repeats neither that nor a throttled
 * transaction by itself. Errors that are left say what was tried; those that `expected` names are passed as they are.
 */
export async function call<T>(
  what: string,
  table: string,
  signal: AbortSignal | undefined,
  expected: (error: unknown) => boolean,
  send: (options: { readonly abortSignal?: AbortSignal }) => Promise<T>,
): Promise<T> {
  const options = signal === undefined ? {} : { abortSignal: signal };
  try {
    return await pRetry(async () => await send(options), {
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
    const advice =
      error instanceof ResourceNotFoundException
        ? 'there is no such table: deploy the stack, or check name, region and endpoint'
        : error instanceof Error
          ? error.message
          : String(error);
    throw new Error(`DynamoDB table ${table}: ${what}: ${advice}`, { cause: error });
  }
}

/** May the same call succeed in a moment? A failed condition never does, so it is not waited for. */
function isPassing(error: unknown): boolean {
  if (error instanceof TransactionCanceledException) {
    const codes = (error.CancellationReasons ?? []).map(({ Code }) => Code ?? 'None').filter((code) => code !== 'None');
    return codes.length > 0 && codes.every((code) => PASSING.has(code));
  }
  return error instanceof TransactionConflictException;
}
