import { expect, it } from 'vitest';
import { drainSchema } from '../../../../providers/schema/stored/drain.ts';
import { drainOf } from '../../drain-store.contract.ts';

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

it.each([
  ['of this version', { blocker: 'PodNotEvicted' }, 'PodNotEvicted'],
  ['of an older version', {}, null],
  ['of a newer version', { blocker: 'NotYetInvented' }, null],
])('a drain %s that was rolled back is read, with what stopped it where that is known', (_, stored, blocker) => {
  const outcome = { kind: 'rolledBack', at: 1, failure: 'FailedToEvictPods', message: 'no', pod: null };
  const given = { ...drainOf('n1'), outcome: { ...outcome, ...stored } };
  expect(drainSchema.parse(JSON.parse(JSON.stringify(given))).outcome).toEqual({ ...outcome, blocker });
});
