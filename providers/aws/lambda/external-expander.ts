import { itemAt } from '@outrigger/core/model/values/existing.ts';
import { present } from '@outrigger/core/model/values/present.ts';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { messageOf } from '@outrigger/core/model/values/error-message.ts';
import { err } from '@outrigger/core/model/values/result.ts';
import type { ExternalExpander } from '@outrigger/core/ports/external-expander.ts';
import { parseExpanderResponse, writeExpanderRequest } from '../../schema/external-expander.ts';
import { problemOf } from '../api/call-problem.ts';

/** Pods wait for the answer. */
const TIMEOUT_MS = 5_000;

/**
 * A Lambda function of the user that chooses among node groups: it is invoked with the options, and its answer is waited
 * for. Not tried again: the next expander of the chain chooses in its place.
 *
 * @param functionArn in any region of the partition
 * @param endpoint of a local stand-in
 */
export function createLambdaExpander(functionArn: string, endpoint?: string): ExternalExpander {
  const client = new LambdaClient({
    region: itemAt(functionArn.split(':'), 3),
    maxAttempts: 1,
    requestHandler: { requestTimeout: TIMEOUT_MS, connectionTimeout: 1_000, throwOnRequestTimeout: true },
    ...present({ endpoint }),
  });
  return {
    choose: async (cluster, options, signal) => {
      try {
        const { FunctionError, Payload } = await client.send(
          new InvokeCommand({ FunctionName: functionArn, Payload: writeExpanderRequest(cluster, options) }),
          { abortSignal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]) },
        );
        if (FunctionError !== undefined) {
          return err(`the function ended with an error (${FunctionError})`);
        }
        return parseExpanderResponse(Payload?.transformToString() ?? '', options);
      } catch (error) {
        return err(problemOf(error, 'lambda:InvokeFunction')?.cause ?? messageOf(error));
      }
    },
  };
}
