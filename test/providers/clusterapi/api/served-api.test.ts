import { expect, test } from 'vitest';
import { createServedApi } from '../../../../providers/clusterapi/api/served-api.ts';
import { createTransport } from '../../../../providers/kubernetes/client/transport.ts';
import { epochMs, minutes } from '../../../../core/model/values/time.ts';
import { apiServer, json } from '../../kubernetes/api-server.ts';

const GROUP = { versions: [{ version: 'v1beta2' }], preferredVersion: { version: 'v1beta2' } };

test('a call gets its answer after another call, which has asked for both, is aborted', async () => {
  const { promise: asked, resolve: isAsked } = Promise.withResolvers<void>();
  let requests = 0;
  await using server = await apiServer((request, response) => {
    requests += 1;
    if (requests === 1) {
      isAsked();
      return;
    }
    json(response, 200, request.path.endsWith('v1beta2') ? { resources: [{ name: 'machines' }] } : GROUP);
  });
  const transport = createTransport(server.connection, { firstPauseMs: 1 });
  const served = createServedApi(transport, 'cluster.x-k8s.io', () => epochMs(minutes(1)));
  const first = new AbortController();
  const aborted = served.resourceOf('Machine', first.signal);
  const other = served.resourceOf('Machine');
  await asked;
  first.abort(new Error('no longer needed'));

  await expect(aborted).rejects.toThrow('no longer needed');
  await expect(other).resolves.toMatchObject({ version: 'v1beta2', resource: 'machines' });
  // The second call's answer is kept.
  expect(requests).toBe(3);
  await served.resourceOf('Machine');
  expect(requests).toBe(3);
  transport.close();
});
