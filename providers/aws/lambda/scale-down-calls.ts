import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import type { Executions } from '@outrigger/core/ports/executions.ts';

/**
 * Starts scale-down on AWS before its next scan, which makes up for an invocation that is rejected.
 *
 * @param functionArn of the function `scale-down`; `null` for functions that do not start it.
 */
export const createScaleDownCalls = (
  functionArn: string | null,
  client = new LambdaClient({
    requestHandler: { requestTimeout: 5_000, connectionTimeout: 1_000, throwOnRequestTimeout: true },
  }),
): Pick<Executions, 'startScaleDown'> => ({
  startScaleDown: async (cluster) => {
    if (functionArn === null) {
      throw new Error('this function was deployed without a scale-down function to start: deploy the stack again');
    }
    // Started and not waited for.
    const Payload = JSON.stringify({ cluster });
    await client.send(new InvokeCommand({ FunctionName: functionArn, InvocationType: 'Event', Payload }));
  },
});
