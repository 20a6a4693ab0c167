import { expect, it } from 'vitest';
import { drainSchema } from '../../../providers/dynamodb/schema/drain.ts';
import { drainOf } from '../drain-store.contract.ts';

it.each([
  ['Settling', 'Validating'],
  ['Delaying', 'DeletionDelay'],
  ['Verifying', 'AwaitingTermination'],
  ['Evicting', 'Evicting'],
  ['AwaitingTermination', 'AwaitingTermination'],
])('a drain that was stored in phase %s is in phase %s', (stored, phase) => {
  const given = { ...drainOf('n1'), phase: stored, fromANewerVersion: 1 };
  expect(drainSchema.parse(JSON.parse(JSON.stringify(given)))).toEqual({ ...given, phase });
});

it('a phase that is not known is refused', () => {
  expect(() => drainSchema.parse({ ...drainOf('n1'), phase: 'Waiting' })).toThrow('phase');
});
