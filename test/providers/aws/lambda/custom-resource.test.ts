import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { cloudFormationOrigins, customResource } from '../../../../providers/aws/lambda/custom-resource.ts';

const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const inTime = { getRemainingTimeInMillis: () => 60_000 };

interface Put {
  readonly method: string | undefined;
  readonly type: string | undefined;
  readonly body: Readonly<Record<string, unknown>>;
}

/** A server in the place of the presigned URLs; it fails `failures` times before it takes an answer. */
async function answers(failures = 0): Promise<{ readonly url: string; readonly puts: readonly Put[] }> {
  const puts: Put[] = [];
  let left = failures;
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => (body += String(chunk)));
    request.on('end', () => {
      if (left > 0) {
        left -= 1;
        response.writeHead(503).end();
        return;
      }
      puts.push({
        method: request.method,
        type: request.headers['content-type'],
        body: JSON.parse(body) as Put['body'],
      });
      response.end();
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, puts };
}

const request = (url: string, fields: object) => ({
  ResponseURL: url,
  StackId: 'stack',
  RequestId: 'request',
  LogicalResourceId: 'Thing',
  RequestType: 'Create',
  ResourceProperties: { Kind: 'token' },
  ...fields,
});

const at = (url: string) => ({ log: silent, stack: 'stack', origins: [new URL(url).origin] });

const IDS = { StackId: 'stack', RequestId: 'request', LogicalResourceId: 'Thing' };

describe('a custom resource', () => {
  it('is answered with its id and its attributes, which are not shown', async () => {
    const { url, puts } = await answers();
    const handler = customResource(at(url), async () => ({ physicalId: 'id', data: { Token: 't' } }));
    await handler(request(url, {}), inTime);
    expect(puts).toEqual([
      {
        method: 'PUT',
        type: '',
        body: { ...IDS, Status: 'SUCCESS', PhysicalResourceId: 'id', Data: { Token: 't' }, NoEcho: true },
      },
    ]);
  });

  it('that fails is answered with the reason, under the id that it has', async () => {
    const { url, puts } = await answers();
    const handler = customResource(at(url), async () => {
      throw new Error('the API server is away');
    });
    await handler(request(url, {}), inTime);
    await handler(request(url, { RequestType: 'Update', PhysicalResourceId: 'id' }), inTime);
    expect(puts.map(({ body }) => body)).toEqual([
      { ...IDS, Status: 'FAILED', PhysicalResourceId: 'not-created', Reason: 'the API server is away' },
      { ...IDS, Status: 'FAILED', PhysicalResourceId: 'id', Reason: 'the API server is away' },
    ]);
  });

  it('that takes too long is answered in time, and told to stop', async () => {
    const { url, puts } = await answers();
    let stopped = false;
    const handler = customResource(
      at(url),
      async (_change, signal) =>
        await new Promise(() => {
          signal.addEventListener('abort', () => {
            stopped = true;
          });
        }),
    );
    await handler(request(url, {}), { getRemainingTimeInMillis: () => 10_050 });
    expect(puts[0]?.body).toMatchObject({ Status: 'FAILED', Reason: 'there was no time left' });
    expect(stopped).toBe(true);
  });

  it('of an unknown type of request is answered', async () => {
    const { url, puts } = await answers();
    const handler = customResource(at(url), async () => ({ physicalId: 'id', data: {} }));
    await handler(request(url, { RequestType: 'Rename', PhysicalResourceId: 'id' }), inTime);
    expect(puts[0]?.body).toMatchObject({ Status: 'FAILED', PhysicalResourceId: 'id' });
  });

  it('whose deletion fails is answered as deleted: a stack must not hang on it', async () => {
    const { url, puts } = await answers();
    const errors: string[] = [];
    const handler = customResource(
      { ...at(url), log: { ...silent, error: (message) => errors.push(message) } },
      async () => {
        throw new Error('the cluster is gone');
      },
    );
    await handler(request(url, { RequestType: 'Delete', PhysicalResourceId: 'id' }), inTime);
    expect(puts[0]?.body).toMatchObject({ Status: 'SUCCESS', PhysicalResourceId: 'id' });
    expect(errors).toEqual(['What was applied could not be removed']);
  });

  it('sends its answer again where it is not taken at once', async () => {
    const { url, puts } = await answers(2);
    const handler = customResource(at(url), async () => ({ physicalId: 'id', data: {} }));
    await handler(request(url, {}), inTime);
    expect(puts).toHaveLength(1);
  });

  it('of another stack is not changed, and is answered with the reason', async () => {
    const { url, puts } = await answers();
    let changes = 0;
    const handler = customResource(at(url), async () => {
      changes += 1;
      return { physicalId: 'id', data: {} };
    });
    for (const RequestType of ['Create', 'Update', 'Delete']) {
      await handler(request(url, { StackId: 'other', RequestType, PhysicalResourceId: 'id' }), inTime);
    }
    expect(changes).toBe(0);
    expect(puts.map(({ body }) => body['Reason'])).toEqual(Array(3).fill('The function is of another stack.'));
  });

  it('is neither changed nor answered at another place than CloudFormation has', async () => {
    const { url, puts } = await answers();
    let changes = 0;
    const handler = customResource({ ...at(url), origins: cloudFormationOrigins('eu-west-1') }, async () => {
      changes += 1;
      return { physicalId: 'id', data: {} };
    });
    await expect(handler(request(url, {}), inTime)).rejects.toThrow('another place');
    expect([changes, puts]).toEqual([0, []]);
  });

  it.each([
    ['us-east-1', 'https://cloudformation-custom-resource-response-useast1.s3.amazonaws.com/a?b=c', true],
    ['eu-west-1', 'https://cloudformation-custom-resource-response-euwest1.s3.eu-west-1.amazonaws.com/a', true],
    ['eu-west-1', 'https://cloudformation-custom-resource-response-euwest1.s3-eu-west-1.amazonaws.com/a', true],
    ['cn-north-1', 'https://cloudformation-custom-resource-response-cnnorth1.s3.cn-north-1.amazonaws.com.cn/a', true],
    [
      'eusc-de-east-1',
      'https://cloudformation-custom-resource-response-euscdeeast1.s3.eusc-de-east-1.amazonaws.eu/a',
      true,
    ],
    ['eu-west-1', 'https://cloudformation-custom-resource-response-evil.s3.eu-west-1.amazonaws.com/a', false],
    ['eu-west-1', 'https://cloudformation-custom-resource-response-useast1.s3.us-east-1.amazonaws.com/a', false],
    ['eu-west-1', 'http://cloudformation-custom-resource-response-euwest1.s3.eu-west-1.amazonaws.com/a', false],
    [
      'eu-west-1',
      'https://cloudformation-custom-resource-response-euwest1.s3.eu-west-1.amazonaws.com.evil.example/',
      false,
    ],
    [
      'eu-west-1',
      'https://cloudformation-custom-resource-response-euwest1.s3.eu-west-1.amazonaws.com@evil.example/',
      false,
    ],
  ])('in %s is answered at %s: %s', (region, url, isAnswered) => {
    expect(cloudFormationOrigins(region).includes(new URL(url).origin)).toBe(isAnswered);
  });
});
