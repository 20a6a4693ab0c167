import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import type { Executions } from '@outrigger/core/ports/executions.ts';

/**
 * Starts scale-down on AWS before its next scan, which makes up for an invocation that is rejected.
 *
 * @param functionArn of the function `scale-down`.
 */
export const createScaleDownCalls = (
  functionArn: string,
  client = new LambdaClient({
    requestHandler: { requestTimeout: 5_000, connectionTimeout: 1_000, throwOnRequestTimeout: true },
  }),
): Pick<Executions, 'startScaleDown'> => ({
  startScaleDown: async (cluster) => {
    // Started and not waited for.
    const Payload = JSON.stringify({ cluster });
    await client.send(new InvokeCommand({ FunctionName: functionArn, InvocationType: 'Event', Payload }));
  },
});
