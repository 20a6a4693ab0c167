import { describe, expect, it } from 'vitest';
import { ApiError } from '../../../../providers/kubernetes/client/api-error.ts';
import { apiRequest } from '../../../../providers/kubernetes/client/api-request.ts';
import type { Connection } from '../../../../providers/kubernetes/client/connection.ts';
import { NODES } from '../../../../providers/kubernetes/read/kinds.ts';
import { renewingTransport } from '../../../../providers/kubernetes/client/renewing-transport.ts';
import { type ApiServer, apiServer, type Handler, json, makeCertificate, refuse } from '../api-server.ts';

const QUICK = { deadlineMs: 5_000, firstPauseMs: 1, budgetMs: 20_000, maxAttempts: 2 };
const getNode = apiRequest('get', NODES.resource, { name: 'n1' });
const answer: Handler = (_seen, response) => json(response, 200, {});
const noOne: Handler = (_seen, response) => refuse(response, 401, 'Unauthorized', 'Unauthorized');

/** A cluster that is found at one connection after the other, the last of them from then on. */
function cluster(...found: readonly (Connection | Error)[]) {
  let time = 1_000_000;
  let described = 0;
  const transport = renewingTransport(
    async () => {
      const next = found[Math.min(described, found.length - 1)]!;
      described += 1;
      if (next instanceof Error) {
        throw next;
      }
      return next;
    },
    () => time,
    QUICK,
  );
  return {
    get: () => transport.send(getNode, ({ status }) => status),
    described: () => described,
    pass: (seconds: number) => {
      time += seconds * 1_000;
    },
    [Symbol.dispose]: () => transport.close(),
  };
}

/** The certificate of another authority than the server's own. */
async function withAnotherAuthority({ connection }: ApiServer): Promise<Connection> {
  return { ...connection, tls: { ...connection.tls, ca: (await makeCertificate()).cert } };
}
const elsewhere = ({ connection }: ApiServer): Connection => ({
  ...connection,
  server: new URL('https://gone.cluster.invalid'),
});

describe('the connection of a cluster', () => {
  it('is looked up when it is first used, and once', async () => {
    await using server = await apiServer(answer);
    using web = cluster(server.connection);
    expect(web.described()).toBe(0);
    expect(await Promise.all([web.get(), web.get(), web.get()])).toEqual([200, 200, 200]);
    expect(web.described()).toBe(1);
  });

  it('is looked up again by the next request when it could not be found', async () => {
    await using server = await apiServer(answer);
    using web = cluster(new Error('no such cluster'), server.connection);
    await expect(web.get()).rejects.toThrow('no such cluster');
    expect(await web.get()).toBe(200);
  });

  it('is looked up again, once for all requests, when the certificate authority has been rotated', async () => {
    await using server = await apiServer(answer);
    using web = cluster(await withAnotherAuthority(server), server.connection);
    // The first sight of it is old by then.
    await web.get().catch(() => {});
    expect(web.described()).toBe(1);
    web.pass(30);
    expect(await Promise.all([web.get(), web.get(), web.get()])).toEqual([200, 200, 200]);
    expect(web.described()).toBe(2);
  });

  it.each([
    ['has another endpoint', (server: ApiServer) => elsewhere(server)],
    ['refuses the credentials', (_: ApiServer, other: ApiServer) => other.connection],
  ])('is looked up again when the cluster %s', async (_, stale) => {
    await using server = await apiServer(answer);
    await using other = await apiServer(noOne);
    using web = cluster(stale(server, other), server.connection);
    await web.get().catch(() => {});
    web.pass(30);
    expect(await web.get()).toBe(200);
    expect(web.described()).toBe(2);
  });

  it('is not looked up more often than every 30 s, and what is no fault of it says what it was', async () => {
    await using server = await apiServer(noOne);
    using web = cluster(server.connection);
    for (const [wait, described] of [
      [0, 1],
      [29, 1],
      [1, 2],
      [29, 2],
      [1, 3],
    ] as const) {
      web.pass(wait);
      await expect(web.get()).rejects.toMatchObject({ status: 401 });
      expect(web.described()).toBe(described);
    }
    // Each request with the token it had, and with a new one.
    expect(server.seen).toHaveLength(10);
  });

  it('stays what it was where it cannot be looked up', async () => {
    await using server = await apiServer((_seen, response, count) =>
      count < 4 ? refuse(response, 401, 'Unauthorized', 'Unauthorized') : json(response, 200, {}),
    );
    using web = cluster(server.connection, new Error('EKS throttles'));
    await expect(web.get()).rejects.toBeInstanceOf(ApiError);
    web.pass(60);
    await expect(web.get()).rejects.toMatchObject({ status: 401 });
    expect(web.described()).toBe(2);
    expect(await web.get()).toBe(200);
  });

  it.each([403, 404, 409])('is not looked up again because of a %d', async (status) => {
    await using server = await apiServer((_seen, response) => refuse(response, status, 'Refused', 'no'));
    using web = cluster(server.connection);
    await expect(web.get()).rejects.toMatchObject({ status });
    web.pass(60);
    await expect(web.get()).rejects.toMatchObject({ status });
    expect(web.described()).toBe(1);
  });
});
