import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { clusterName, groupName } from '../../../../core/model/values/names.ts';
import { createLambdaExpander } from '../../../../providers/aws/lambda/external-expander.ts';
import { group } from '../../../scenario-builders.ts';

const FUNCTION = 'arn:aws:lambda:eu-west-1:123456789012:function:expander:live';
const OPTIONS = ['a', 'b'].map((name, i) => ({
  option: { group: groupName(name), nodes: 2 + i, pods: 7, waste: 0.25, price: 0.31, similarGroups: [] },
  group: group(name, { node: { cpu: 4, memory: '15893Mi' }, labels: { disk: 'ssd' }, target: 3 }),
}));

interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Lambda, as far as it is asked to invoke a function and to wait for its answer. */
async function choosing({ status = 200, headers = {}, body = '' }: Answer) {
  const asked: { path: string; type: unknown; payload: unknown }[] = [];
  const server = createServer((request, response) => {
    const take = async (): Promise<void> => {
      const payload: unknown = JSON.parse((await buffer(request)).toString());
      asked.push({ path: decodeURIComponent(request.url!), type: request.headers['x-amz-invocation-type'], payload });
      response.writeHead(status, headers).end(body);
    };
    void take();
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const expander = createLambdaExpander(FUNCTION, `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const chosen = await expander.choose(clusterName('web'), OPTIONS, new AbortController().signal);
  return { asked, chosen };
}

beforeEach(() => {
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'test');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'test');
  return () => vi.unstubAllEnvs();
});

describe('a function that chooses', () => {
  it('is invoked with the options, and waited for', async () => {
    const { asked, chosen } = await choosing({ body: '{"options":[{"nodeGroupId":"b","nodeCount":3}]}' });
    expect(chosen).toEqual({ ok: true, value: ['b'] });
    expect(asked).toMatchObject([
      {
        path: `/2015-03-31/functions/${FUNCTION}/invocations`,
        type: undefined,
        payload: {
          cluster: 'web',
          options: [
            {
              nodeGroupId: 'a',
              nodeCount: 2,
              podCount: 7,
              waste: 0.25,
              price: 0.31,
              similarNodeGroupIds: [],
              targetSize: 3,
              labels: { disk: 'ssd' },
            },
            { nodeGroupId: 'b', nodeCount: 3 },
          ],
        },
      },
    ]);
  });

  it.each<[string, Answer, string]>([
    ['is no JSON', { body: 'b' }, 'expected {"options": [{"nodeGroupId": …}]}, found b'],
    ['is another JSON', { body: '{"best":"b"}' }, 'expected {"options": [{"nodeGroupId": …}]}, found {"best":"b"}'],
    ['is empty', {}, 'expected {"options": [{"nodeGroupId": …}]}, found '],
    ['has none of the options', { body: '{"options":[]}' }, 'the function chose none of the options'],
    ['has another group', { body: '{"options":[{"nodeGroupId":"c"}]}' }, 'the node group c is none of the options'],
    [
      'is an error of the function',
      { headers: { 'x-amz-function-error': 'Unhandled' }, body: '{"errorMessage":"no"}' },
      'the function ended with an error (Unhandled)',
    ],
    [
      'is a refusal',
      { status: 403, headers: { 'x-amzn-errortype': 'AccessDeniedException' }, body: '{"Message":"not authorized"}' },
      'access is denied (AccessDeniedException: not authorized)',
    ],
  ])('whose answer %s has chosen nothing', async (_, answer, error) => {
    const { chosen, asked } = await choosing(answer);
    expect(chosen).toEqual({ ok: false, error });
    expect(asked).toHaveLength(1);
  });

  it('that cannot be reached has chosen nothing', async () => {
    const expander = createLambdaExpander(FUNCTION, 'http://127.0.0.1:1');
    const chosen = await expander.choose(clusterName('web'), OPTIONS, new AbortController().signal);
    expect(chosen).toEqual({ ok: false, error: expect.stringContaining('ECONNREFUSED') });
  });
});
