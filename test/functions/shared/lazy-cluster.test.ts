import { expect, it } from 'vitest';
import { nodeName } from '../../../core/model/names.ts';
import { NO_OBJECTS } from '../../../core/model/scenario.ts';
import { type ClusterAccess, lazyCluster } from '../../../functions/shared/lazy-cluster.ts';

const nothing = async () => ({ objects: NO_OBJECTS, rejected: [] });
const access: ClusterAccess = {
  reader: { hasPendingPods: async () => true, read: nothing, readNode: nothing, attachedVolumes: async () => [] },
  writer: {
    changeNode: async () => ({ kind: 'gone' }),
    evict: async () => ({ kind: 'throttled', retryAfterSeconds: 3 }),
    recordEvent: async () => {},
  },
};

it('connects when it is first asked, and once for reading and writing', async () => {
  let connections = 0;
  const { reader, writer } = lazyCluster(async () => {
    connections += 1;
    return access;
  });
  expect(connections).toBe(0);
  await Promise.all([
    reader.hasPendingPods(),
    reader.read(),
    reader.readNode(nodeName('n')),
    reader.attachedVolumes(nodeName('n')),
  ]);
  expect(await writer.evict({ namespace: 'default', name: 'web-1', uid: 'u' }, null)).toEqual({
    kind: 'throttled',
    retryAfterSeconds: 3,
  });
  expect(connections).toBe(1);
});

it('connects again when it could not', async () => {
  let tries = 0;
  const { reader } = lazyCluster(() => {
    tries += 1;
    return tries === 1 ? Promise.reject(new Error('no such cluster')) : Promise.resolve(access);
  });
  await expect(reader.hasPendingPods()).rejects.toThrow('no such cluster');
  expect(await reader.hasPendingPods()).toBe(true);
});
