import { describe, expect, it } from 'vitest';
import { shownAfter, waitBeforeTry } from '../../../core/actuation/tries.ts';
import type { CallFailed } from '../../../core/model/answers.ts';
import type { FailureClass } from '../../../core/model/node-group.ts';
import { minutes, seconds } from '../../../core/model/values/time.ts';

const failure = (of: FailureClass): CallFailed => ({ kind: 'failed', class: of, code: 'C', message: 'm' });

describe('a call that has failed', () => {
  it.each<[FailureClass, readonly (number | null)[]]>([
    ['Throttled', [1_000, 2_000, 4_000, 8_000, null]],
    ['Timeout', [1_000, 3_000, 5_000, null]],
    ['Other', [1_000, 3_000, 5_000, null]],
    ['Quota', [null]],
  ])('with %s is tried again after %j ms', (of, waits) => {
    expect(waits.map((_, tries) => waitBeforeTry(failure(of), tries))).toEqual(waits);
  });
});

it('a change is waited for as long as a description may be older, and for a fifth of the claim at most', () => {
  expect(shownAfter(minutes(2))).toBe(5_000);
  expect(shownAfter(seconds(10))).toBe(2_000);
});
