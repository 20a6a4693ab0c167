import { expect, test } from 'vitest';
import { machineFailure } from '../../../../providers/clusterapi/changes/outcomes.ts';
import { apiError } from './group-stand-in.ts';

test.each([
  [401, 'Authorization'],
  [403, 'Authorization'],
  [404, 'Configuration'],
  [409, 'Throttled'],
  [422, 'Configuration'],
  [429, 'Throttled'],
  [500, 'Other'],
  [503, 'Other'],
])('a request that is refused with HTTP %i is of the class %s', (status, expected) => {
  expect(machineFailure(apiError(status, 'Reason'))).toMatchObject({ kind: 'failed', class: expected, code: 'Reason' });
});

test('a bug is no failure of a request', () => {
  expect(machineFailure(new TypeError('a bug'))).toBeNull();
});
