import { LambdaClient } from '@aws-sdk/client-lambda';
import { expect, it } from 'vitest';
import { clusterName } from '../../../../core/model/values/names.ts';
import { createScaleDownCalls } from '../../../../providers/aws/lambda/scale-down-calls.ts';
import { awsStandIn } from '../aws-stand-in.ts';

const WEB = clusterName('web');
const FUNCTION = 'arn:aws:lambda:eu-west-1:123456789012:function:scale-down';

async function scaleDown(status: number) {
  const { calls, settings } = await awsStandIn(() => ({ status, body: {} }));
  return { calls, start: createScaleDownCalls(FUNCTION, new LambdaClient({ ...settings, maxAttempts: 1 })) };
}

it('scale-down is started for a cluster', async () => {
  const { calls, start } = await scaleDown(202);
  await start.startScaleDown(WEB);
  expect(calls.map(({ input }) => input)).toEqual([{ cluster: WEB }]);
});

it.each([403, 404, 429, 500])('the call rejects where Lambda answers %i', async (status) => {
  const { start } = await scaleDown(status);
  await expect(start.startScaleDown(WEB)).rejects.toMatchObject({ $metadata: { httpStatusCode: status } });
});
