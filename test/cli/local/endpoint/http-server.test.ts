import http from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isOwnHost, plainAnswer, startHttpServer } from '../../../../cli/local/endpoint/http-server.ts';
import type { HttpServer } from '../../../../cli/local/listening.ts';

let server: HttpServer;
let calls = 0;
beforeAll(async () => {
  server = await startHttpServer(
    { host: '127.0.0.1', port: 0 },
    {
      '/metrics': () => {
        calls += 1;
        return plainAnswer(200, 'a 1');
      },
      '/broken': () => {
        throw new Error('a password');
      },
    },
  );
});
afterAll(() => server.close());

interface Reply {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: string;
}

const ask = (path: string, headers: http.OutgoingHttpHeaders = {}, method = 'GET'): Promise<Reply> =>
  new Promise((resolve, reject) => {
    const request = http.request({ port: server.port, path, method, headers, agent: false }, (response) => {
      let body = '';
      response.on('data', (chunk: Buffer) => (body += chunk.toString()));
      response.on('end', () => resolve({ status: response.statusCode!, headers: response.headers, body }));
    });
    request.on('error', reject);
    request.end();
  });

test('what there is to read is answered, whatever the query', async () => {
  expect(await ask('/metrics?x=1')).toMatchObject({ status: 200, body: 'a 1\n' });
});

test('a name that may be made to resolve to this computer reads nothing', async () => {
  const before = calls;
  for (const host of ['evil.example', 'evil.example:8085', 'localhost.evil.example', '127.0.0.1.evil.example']) {
    expect([host, (await ask('/metrics', { host })).status]).toEqual([host, 421]);
  }
  expect(calls).toBe(before);
});

test.each(['POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH'])('%s is refused: nothing can be changed', async (method) => {
  expect(await ask('/metrics', {}, method)).toMatchObject({ status: 405, headers: { allow: 'GET, HEAD' } });
});

test('an unknown path says which there are, and a name of every object is none', async () => {
  expect((await ask('/')).body).toBe('Not found. There are: /metrics, /broken\n');
  expect((await ask('/constructor')).status).toBe(404);
  expect((await ask('/__proto__')).status).toBe(404);
});

test('who has what is there is told so, with nothing sent again', async () => {
  const { headers } = await ask('/metrics');
  expect(await ask('/metrics', { 'if-none-match': headers.etag })).toMatchObject({ status: 304, body: '' });
  expect(await ask('/metrics', { 'if-none-match': '"other"' })).toMatchObject({ status: 200, body: 'a 1\n' });
});

test('what fails tells the caller nothing', async () => {
  await expect(ask('/broken')).rejects.toThrow(/socket hang up|ECONNRESET/);
});

test('other sites can neither frame nor embed an answer', async () => {
  expect((await ask('/metrics')).headers).toMatchObject({
    'x-frame-options': 'DENY',
    'x-content-type-options': 'nosniff',
    'cross-origin-resource-policy': 'same-origin',
  });
});

test('an address that is taken is named, with what to do', async () => {
  await expect(startHttpServer({ host: '127.0.0.1', port: server.port }, {})).rejects.toThrow(
    `the endpoint cannot listen on 127.0.0.1:${server.port}; choose another --address`,
  );
});

describe('the host of a request', () => {
  test.each([
    ['127.0.0.1:8085', '127.0.0.1', true],
    ['10.0.0.5:8085', '0.0.0.0', true],
    ['[::1]:8085', '::1', true],
    ['[fd00::1]', '::', true],
    ['LOCALHOST:8085', '127.0.0.1', true],
    ['outrigger.internal:8085', 'outrigger.internal', true],
    ['outrigger.internal', '0.0.0.0', false],
    ['0x7f.1', '127.0.0.1', false],
    ['2130706433', '127.0.0.1', false],
    ['localhost.', '127.0.0.1', false],
    ['a b', '127.0.0.1', false],
    [undefined, '127.0.0.1', false],
  ])('%s, where %s is listened on: %s', (header, host, own) => {
    expect(isOwnHost(header, host)).toBe(own);
  });
});
