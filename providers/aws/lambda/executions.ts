import {
  DurableExecutionAlreadyStartedException,
  InvokeCommand,
  type InvokeCommandInput,
  LambdaClient,
} from '@aws-sdk/client-lambda';
import { hash } from 'node:crypto';
import type { DrainRequest, Executions } from '@outrigger/core/ports/executions.ts';

/** Functions are started and not waited for. */
const newClient = (): LambdaClient =>
  new LambdaClient({
    requestHandler: { requestTimeout: 5_000, connectionTimeout: 1_000, throwOnRequestTimeout: true },
  });

/** @param functionArn `null` for functions that do not start it. */
async function start(
  client: LambdaClient,
  functionArn: string | null,
  kind: 'drain' | 'scale-down',
  input: Pick<InvokeCommandInput, 'Payload' | 'DurableExecutionName'>,
): Promise<void> {
  if (functionArn === null) {
    throw new Error(`this function was deployed without a ${kind} function to start: deploy the stack again`);
  }
  await client.send(new InvokeCommand({ FunctionName: functionArn, InvocationType: 'Event', ...input }));
}

/**
 * Drivers of drains on AWS: durable executions, each with a name that its request determines, so that a driver started
 * twice is one execution.
 *
 * @param functionArn of a version or an alias of the function `drain`; `null` for functions that start none.
 */
export const createDrainExecutions = (
  functionArn: string | null,
  client = newClient(),
): Pick<Executions, 'startDrains' | 'continueDrains'> => ({
  continueDrains: async () => {
    throw new Error('a durable execution waits itself');
  },
  startDrains: async (cluster, ids, attempt) => {
    const request: DrainRequest = { cluster, ids, attempt };
    const Payload = JSON.stringify(request);
    try {
      await start(client, functionArn, 'drain', { Payload, DurableExecutionName: executionName(request, Payload) });
    } catch (error) {
      if (!(error instanceof DurableExecutionAlreadyStartedException)) {
        throw error;
      }
    }
  },
});

/** Names are of letters, digits, `-` and `_`, at most 64 of them; a cluster's may be longer than that. */
const executionName = ({ cluster, attempt }: DrainRequest, payload: string): string =>
  `${cluster.replaceAll(/[^A-Za-z0-9_-]/g, '-').slice(0, 30)}-${hash('sha256', payload).slice(0, 24)}-${attempt}`;

/**
 * Starts scale-down on AWS before its next scan, which makes up for an invocation that is rejected.
 *
 * @param functionArn of the function `scale-down`; `null` for functions that do not start it.
 */
export const createScaleDownCalls = (
  functionArn: string | null,
  client = newClient(),
): Pick<Executions, 'startScaleDown'> => ({
  startScaleDown: async (cluster) =>
    await start(client, functionArn, 'scale-down', { Payload: JSON.stringify({ cluster }) }),
});
