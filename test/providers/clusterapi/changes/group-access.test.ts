import { describe, expect, test } from 'vitest';
import { type GroupWrites, createGroupWrites } from '../../../../providers/clusterapi/changes/group-access.ts';
import { ApiError } from '../../../../providers/kubernetes/client/api-error.ts';
import { createTransport } from '../../../../providers/kubernetes/client/transport.ts';
import { type Handler, apiServer, json, refuse } from '../../kubernetes/api-server.ts';
import { machine, scalable } from '../builders.ts';

const deployment = scalable('MachineDeployment', 'web');
const web1 = machine('web-1');

async function seenOf(write: (writes: GroupWrites) => Promise<void>, handler: Handler = (_, r) => json(r, 200, {})) {
  await using server = await apiServer(handler);
  const transport = createTransport(server.connection, { firstPauseMs: 1 });
  let error: unknown = null;
  try {
    await write(createGroupWrites(transport, 'cluster.x-k8s.io', 'v1beta2'));
  } catch (thrown) {
    error = thrown;
  }
  transport.close();
  const seen = server.seen.map(({ method, path, headers, body }) => ({
    request: `${method} ${path}`,
    type: headers['content-type'],
    body: JSON.parse(body) as unknown,
  }));
  return { seen, error };
}

const AT = '/apis/cluster.x-k8s.io/v1beta2/namespaces/default';

describe('each write applies to the object as it was read', () => {
  test('a size, by the subresource scale', async () => {
    const { seen } = await seenOf((writes) => writes.scale(deployment, 0));
    expect(seen).toEqual([
      {
        request: `PATCH ${AT}/machinedeployments/web/scale`,
        type: 'application/merge-patch+json',
        body: { metadata: { resourceVersion: '1' }, spec: { replicas: 0 } },
      },
    ]);
  });

  test('annotations of a Machine', async () => {
    const { seen } = await seenOf((writes) => writes.annotate(web1, { a: 'b', c: null }));
    expect(seen).toEqual([
      {
        request: `PATCH ${AT}/machines/web-1`,
        type: 'application/merge-patch+json',
        body: { metadata: { uid: 'Machine/web-1', resourceVersion: '1', annotations: { a: 'b', c: null } } },
      },
    ]);
  });

  test('the end of a Machine, whatever has changed of it, and of no other one of its name', async () => {
    const { seen } = await seenOf((writes) => writes.deleteMachine(web1));
    expect(seen).toEqual([
      {
        request: `DELETE ${AT}/machines/web-1`,
        type: 'application/json',
        body: { kind: 'DeleteOptions', apiVersion: 'v1', preconditions: { uid: 'Machine/web-1' } },
      },
    ]);
  });
});

test.each<readonly [string, (writes: GroupWrites) => Promise<void>]>([
  ['a size', (writes) => writes.scale(deployment, 2)],
  ['annotations', (writes) => writes.annotate(web1, {})],
  ['the end of a Machine', (writes) => writes.deleteMachine(web1)],
])('%s is asked for once: what has become of a request that failed is read', async (_, write) => {
  const { seen, error } = await seenOf(write, (_seen, response) => refuse(response, 503, 'ServiceUnavailable', 'busy'));
  expect(seen).toHaveLength(1);
  expect(error).toBeInstanceOf(ApiError);
});
