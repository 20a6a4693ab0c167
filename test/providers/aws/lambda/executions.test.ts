import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { describe, expect, it, onTestFinished } from 'vitest';
import { clusterName } from '../../../../core/model/values/names.ts';
import { createDrainExecutions } from '../../../../providers/aws/lambda/executions.ts';

const FUNCTION = 'arn:aws:lambda:eu-west-1:123456789012:function:drain:live';

interface Invocation {
  readonly path: string;
  readonly execution: string;
  readonly type: string;
  readonly payload: unknown;
}

/** Lambda, as far as it is asked to start executions. `error` is what it answers, by the exception's name. */
async function lambda(error: string | null, status = 400) {
  const invocations: Invocation[] = [];
  const server = createServer((request, response) => {
    const take = async (): Promise<void> => {
      const body = await buffer(request);
      invocations.push({
        path: decodeURIComponent(request.url!),
        execution: String(request.headers['x-amz-durable-execution-name']),
        type: String(request.headers['x-amz-invocation-type']),
        payload: JSON.parse(body.toString()),
      });
      response
        .writeHead(error === null ? 202 : status, error === null ? {} : { 'x-amzn-errortype': error })
        .end(error === null ? '' : '{"Message":"no"}');
    };
    void take();
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const client = new LambdaClient({
    region: 'eu-west-1',
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
    maxAttempts: 1,
  });
  onTestFinished(() => {
    client.destroy();
    server.closeAllConnections();
    server.close();
  });
  return { executions: createDrainExecutions(FUNCTION, client), invocations };
}

const WEB = clusterName('web.prod/eu');

describe('the driver of a drain', () => {
  it('is started without waiting for it, with a name that its request alone determines', async () => {
    const { executions, invocations } = await lambda(null);
    await executions.startDrains(WEB, ['7-a/n1'], 1);
    await executions.startDrains(WEB, ['7-a/n1'], 1);
    await executions.startDrains(WEB, ['7-a/n1'], 2);
    await executions.startDrains(WEB, ['7-a/n2'], 1);
    expect(invocations[0]).toMatchObject({
      path: expect.stringContaining(FUNCTION),
      type: 'Event',
      payload: { cluster: WEB, ids: ['7-a/n1'], attempt: 1 },
    });
    const names = invocations.map(({ execution }) => execution);
    expect(names[0]).toMatch(/^web-prod-eu-[0-9a-f]{24}-1$/);
    expect(names[1]).toBe(names[0]);
    expect(new Set(names).size).toBe(3);
  });

  it('has a name that Lambda takes, however long the cluster’s is', async () => {
    const { executions, invocations } = await lambda(null);
    await executions.startDrains(clusterName('x'.repeat(100)), ['7-a/n1'], 99);
    expect(invocations[0]!.execution).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
  });

  it('is there already where it was started before', async () => {
    const { executions } = await lambda('DurableExecutionAlreadyStartedException', 409);
    await expect(executions.startDrains(WEB, ['7-a/n1'], 1)).resolves.toBeUndefined();
  });

  it.each([
    ['TooManyRequestsException', 429],
    ['AccessDeniedException', 403],
    ['ResourceNotFoundException', 404],
    ['ServiceException', 500],
  ])('is not there where Lambda answers %s, and the call rejects', async (error, status) => {
    const { executions } = await lambda(error, status);
    await expect(executions.startDrains(WEB, ['7-a/n1'], 1)).rejects.toThrow('no');
  });

  it('cannot be started by a function that was deployed without it', async () => {
    await expect(createDrainExecutions(null).startDrains(WEB, ['7-a/n1'], 1)).rejects.toThrow('deploy the stack again');
  });
});
