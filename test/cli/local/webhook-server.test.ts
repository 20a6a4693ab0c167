import https from 'node:https';
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type CallLimits, DEFAULT_LIMITS, startWebhookServer } from '../../../cli/local/webhook-server.ts';
import { MAX_BODY_BYTES } from '../../../providers/kubernetes/admission-review.ts';

/** No limit that a call of a test reaches, on a busy machine either. */
const PATIENT: CallLimits = { handshakeMs: 600_000, headersMs: 600_000, requestMs: 600_000, checkMs: 20 };

/** A server that admits `/token`, with the lengths of the bodies that it was called with, by their paths. */
async function webhookServer(limits: Partial<CallLimits> = {}) {
  const bodies: [string, number][] = [];
  const server = await startWebhookServer({ host: '127.0.0.1', port: 0 }, '127.0.0.1', {
    admits: (path) => path === '/token',
    answer: async ({ rawPath, body }) => {
      bodies.push([rawPath, body!.length]);
      return { statusCode: 200, body: 'allowed' };
    },
    limits: { ...PATIENT, ...limits },
  });
  onTestFinished(() => server.close());
  return { server, bodies };
}

type Server = Awaited<ReturnType<typeof webhookServer>>['server'];

/** Starts a request that announces a body, and sends as much of it. */
function call({ port, ca }: Server, path: string, announced: number, sent: number): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const request = https.request(
      { host: '127.0.0.1', port, ca, path, method: 'POST', agent: false, headers: { 'content-length': announced } },
      (response) => {
        resolve(response.resume().statusCode);
      },
    );
    request.on('error', reject);
    request.write('['.repeat(sent));
    onTestFinished(() => void request.destroy());
  });
}

/** Opens connections that never send a whole request; resolves when all are open. */
const opened = (sockets: readonly Socket[]): Promise<unknown> =>
  Promise.all(
    sockets.map(
      (socket) =>
        new Promise((resolve) => {
          onTestFinished(() => void socket.destroy());
          socket.on('error', resolve).once('connect', resolve);
        }),
    ),
  );

const closed = (socket: Socket): Promise<unknown> => new Promise((resolve) => socket.once('close', resolve).resume());

describe('the server of a local run', () => {
  it('answers a call that is not admitted before its body has come, and reads none of it', async () => {
    const { server, bodies } = await webhookServer();
    expect(await call(server, '/other', 3_000_000, 10)).toBe(200);
    expect(bodies).toEqual([['/other', 0]]);
  });

  it('stops reading where a body is too large, and answers', async () => {
    const { server, bodies } = await webhookServer();
    expect(await call(server, '/token', 3_000_000, MAX_BODY_BYTES + 1)).toBe(200);
    const [[, length] = ['', 0]] = bodies;
    expect(length).toBeGreaterThan(MAX_BODY_BYTES);
    expect(length).toBeLessThan(2 * MAX_BODY_BYTES);
  });

  it('lets a call in whatever the number of connections that send nothing', async () => {
    const { server } = await webhookServer();
    const silent = Array.from({ length: 300 }, () => connect(server.port, '127.0.0.1'));
    await opened(silent);
    expect(await call(server, '/token', 2, 2)).toBe(200);
    // The oldest connection is closed in favor of the call.
    await expect.poll(() => silent[0]!.resume().destroyed).toBe(true);
    expect(silent.at(-1)!.destroyed).toBe(false);
  });

  it('ends a connection with half a header', async () => {
    const { server } = await webhookServer({ headersMs: 50 });
    const socket = connectTls({ port: server.port, host: '127.0.0.1', ca: server.ca });
    await opened([socket]);
    socket.write('POST /token HTTP/1.1\r\nhost: a\r\n');
    await closed(socket);
    expect(socket.destroyed).toBe(true);
  });

  it('ends a connection that never begins to speak TLS', async () => {
    const { server } = await webhookServer({ handshakeMs: 50 });
    const socket = connect(server.port, '127.0.0.1');
    await opened([socket]);
    await closed(socket);
    expect(socket.destroyed).toBe(true);
  });

  it('gives callers no longer than an API server waits, and twice that for a body', () => {
    expect(DEFAULT_LIMITS).toEqual({ handshakeMs: 2_000, headersMs: 2_000, requestMs: 4_000, checkMs: 500 });
  });

  it('ends a call whose body does not come', async () => {
    const { server, bodies } = await webhookServer({ headersMs: 200, requestMs: 200 });
    expect(await call(server, '/token', 100, 10)).toBe(408);
    expect(bodies).toEqual([]);
  });
});
