import type { EventBridgeEvent } from 'aws-lambda';
import { expect, it } from 'vitest';
import { createWake } from '../../../functions/wake/wake.ts';
import { invocation, testWorld, WEB } from '../test-world.ts';

const event = { 'detail-type': 'EC2 Instance Launch Unsuccessful', detail: {} } as EventBridgeEvent<string, unknown>;

it('wakes the cluster, whatever has happened', async () => {
  const world = testWorld();
  await createWake(world, WEB)(event, invocation());
  expect(world.wakes).toEqual([{ cluster: 'web', attempt: 0 }]);
});

it('rejects when the wake-up cannot be sent, so that EventBridge tries again', async () => {
  const world = { ...testWorld(), wake: () => Promise.reject(new Error('queue away')) };
  await expect(createWake(world, WEB)(event, invocation())).rejects.toThrow('queue away');
});
