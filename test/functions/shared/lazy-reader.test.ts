import { expect, it } from 'vitest';
import { NO_OBJECTS } from '../../../core/model/scenario.ts';
import { lazyReader } from '../../../functions/shared/lazy-reader.ts';

const reader = { hasPendingPods: async () => true, read: async () => ({ objects: NO_OBJECTS, rejected: [] }) };

it('connects when it is first asked, and once', async () => {
  let connections = 0;
  const lazy = lazyReader(async () => {
    connections += 1;
    return reader;
  });
  expect(connections).toBe(0);
  await Promise.all([lazy.hasPendingPods(), lazy.read()]);
  expect(await lazy.hasPendingPods()).toBe(true);
  expect(connections).toBe(1);
});

it('connects again when it could not', async () => {
  let tries = 0;
  const lazy = lazyReader(() => {
    tries += 1;
    return tries === 1 ? Promise.reject(new Error('no such cluster')) : Promise.resolve(reader);
  });
  await expect(lazy.hasPendingPods()).rejects.toThrow('no such cluster');
  expect(await lazy.hasPendingPods()).toBe(true);
});
