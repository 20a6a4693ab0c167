import { DurableExecutionAlreadyStartedException, InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { hash } from 'node:crypto';
import type { ClusterName } from '../../core/model/values/names.ts';
import type { World } from './world.ts';

/** What a durable execution is started with. */
export interface DrainRequest {
  readonly cluster: ClusterName;
  readonly ids: readonly string[];
  readonly attempt: number;
}

/**
 * Drivers of drains on AWS: durable executions, each with a name that its request alone determines, so that starting
 * one twice starts one.
 *
 * @param functionArn of a version or an alias of the function `drain`; `null` for functions that start none.
 */
export function createDrainExecutions(
  functionArn: string | null,
  client = new LambdaClient({
    requestHandler: { requestTimeout: 5_000, connectionTimeout: 1_000, throwOnRequestTimeout: true },
  }),
): Pick<World, 'startDrains'> {
  return {
    startDrains: async (cluster, ids, attempt) => {
      if (functionArn === null) {
        throw new Error('this function was deployed without a drain function to start: deploy the stack again');
      }
      const request: DrainRequest = { cluster, ids, attempt };
      const payload = JSON.stringify(request);
      try {
        await client.send(
          new InvokeCommand({
            FunctionName: functionArn,
            InvocationType: 'Event',
            DurableExecutionName: executionName(request, payload),
            Payload: payload,
          }),
        );
      } catch (error) {
        if (!(error instanceof DurableExecutionAlreadyStartedException)) {
          throw error;
        }
      }
    },
  };
}

/** Names are of letters, digits, `-` and `_`, at most 64 of them; a cluster's may be longer than that. */
const executionName = ({ cluster, attempt }: DrainRequest, payload: string): string =>
  `${cluster.replaceAll(/[^A-Za-z0-9_-]/g, '-').slice(0, 30)}-${hash('sha256', payload).slice(0, 24)}-${attempt}`;

/**
 * Starts scale-down on AWS before its next tick: one that is turned away is made up for by that.
 *
 * @param functionArn of the function `scale-down`; `null` for functions that do not start it.
 */
export function createScaleDownCalls(
  functionArn: string | null,
  client = new LambdaClient({
    requestHandler: { requestTimeout: 5_000, connectionTimeout: 1_000, throwOnRequestTimeout: true },
  }),
): Pick<World, 'startScaleDown'> {
  return {
    startScaleDown: async (cluster) => {
      if (functionArn === null) {
        throw new Error('this function was deployed without a scale-down function to start: deploy the stack again');
      }
      const Payload = JSON.stringify({ cluster });
      await client.send(new InvokeCommand({ FunctionName: functionArn, InvocationType: 'Event', Payload }));
    },
  };
}
