import { describe, expect, test } from 'vitest';
import { defaultOptions } from '../../../core/model/options.ts';
import type { Backoff } from '../../../core/model/state.ts';
import { durationMs, epochMs, minutes } from '../../../core/model/values/time.ts';
import { backOff } from '../../../core/registry/backoff.ts';
import { NOW } from '../../scenario-builders.ts';

const options = defaultOptions();
const ago = (min: number) => epochMs(NOW - min * 60_000);
const before = (duration: number, lastFailure: number): Backoff => ({
  until: epochMs(ago(lastFailure) + minutes(duration)),
  duration: minutes(duration),
  lastFailure: ago(lastFailure),
  class: 'Other',
});

// Source: Cluster Autoscaler's utils/backoff/exponential_backoff.go; 5 minutes doubled up to 30, forgotten after 3 hours.
describe('backOff', () => {
  test.each([
    { name: 'the first failure', previous: undefined, expected: 5 },
    { name: 'a failure after the waiting time', previous: before(5, 6), expected: 10 },
    { name: 'and again', previous: before(10, 11), expected: 20 },
    { name: 'never longer than the longest', previous: before(20, 21), expected: 30 },
    { name: 'nor after that', previous: before(30, 31), expected: 30 },
    { name: 'a failure during the waiting time', previous: before(10, 3), expected: 10 },
    { name: 'a failure just as the waiting time ends', previous: before(5, 5), expected: 5 },
    { name: 'a failure a second after it has ended', previous: before(5, 5 + 1 / 60), expected: 10 },
    { name: 'the first failure after a long quiet time', previous: before(30, 181), expected: 5 },
    { name: 'one just within the quiet time', previous: before(30, 180), expected: 30 },
  ])('$name waits $expected minutes', ({ previous, expected }) => {
    const backoff = backOff(previous, 'OutOfResources', options, NOW);
    expect(backoff).toEqual({
      until: epochMs(NOW + minutes(expected)),
      duration: durationMs(minutes(expected)),
      lastFailure: NOW,
      class: 'OutOfResources',
    });
  });

  // No waiting mends these: they need a change of the configuration or of the permissions first.
  test.each([
    { failure: 'Configuration', previous: undefined, expected: 30 },
    { failure: 'Authorization', previous: undefined, expected: 30 },
    { failure: 'Configuration', previous: before(5, 2), expected: 30 },
    { failure: 'Quota', previous: undefined, expected: 5 },
    { failure: 'Addresses', previous: undefined, expected: 5 },
    { failure: 'Throttled', previous: undefined, expected: 5 },
    { failure: 'Timeout', previous: before(5, 6), expected: 10 },
    { failure: 'Other', previous: before(30, 31), expected: 30 },
  ] as const)('$failure waits $expected minutes', ({ failure, previous, expected }) => {
    expect(backOff(previous, failure, options, NOW)).toMatchObject({ class: failure, duration: minutes(expected) });
  });
});
