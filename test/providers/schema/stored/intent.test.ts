import { expect, it } from 'vitest';
import type { Intent } from '../../../../core/model/intent.ts';
import { groupName, instanceId, nodeName } from '../../../../core/model/values/names.ts';
import { storedIntent, writeIntent } from '../../../../providers/schema/stored/intent.ts';
import { NOW } from '../../../scenario-builders.ts';

const common = {
  id: '7-web',
  group: groupName('web'),
  createdAt: NOW,
  status: 'pending',
  attempts: 1,
  claimedUntil: null,
  outcome: null,
} as const;
const instance = instanceId('i-1');

it.each<Intent>([
  { ...common, kind: 'SetSize', from: 1, to: 3, drained: [instance] },
  { ...common, kind: 'DeleteInstances', instances: [instance], force: true, status: 'refused' },
  {
    ...common,
    kind: 'RemoveNodes',
    nodes: [{ node: nodeName('n1'), uid: 'u1', instance, kind: 'drain', together: 2 }],
  },
])('an intent is read as it was written: $kind', (intent) => {
  const stored = writeIntent(intent);
  expect(stored).not.toHaveProperty('id');
  expect(storedIntent('7-web').parse(structuredClone(stored))).toEqual(intent);
});

it('a size that was stored before drains were noted counts as decided without any', () => {
  const { drained: _, ...older } = writeIntent({ ...common, kind: 'SetSize', from: 1, to: 3, drained: [] }) as {
    readonly drained?: readonly string[];
  };
  expect(storedIntent('7-web').parse(older)).toMatchObject({ from: 1, to: 3, drained: [] });
});
