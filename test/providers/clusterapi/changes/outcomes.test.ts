import { expect, test } from 'vitest';
import { machineFailure } from '../../../../providers/clusterapi/changes/outcomes.ts';
import { ApiError } from '../../../../providers/kubernetes/client/api-error.ts';
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

test.each([
  [apiError(418), 'HTTP 418'],
  [new ApiError('no answer', { kind: 'timeout', retryable: true }), 'timeout'],
])('a failure without a reason is named by its status, or by its kind where there is no response', (error, code) => {
  expect(machineFailure(error)).toMatchObject({ code });
});

test('a bug is no failure of a request, and is thrown on', () => {
  expect(() => machineFailure(new TypeError('a bug'))).toThrow('a bug');
});
