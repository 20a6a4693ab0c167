import { describe, expect, it } from 'vitest';
import { isLastAttempt, isOutdated } from '../../../core/actuation/intent-age.ts';
import { judgeDeletion } from '../../../core/actuation/judge-deletion.ts';
import { waitBeforeTry } from '../../../core/actuation/tries.ts';
import type { CallFailed } from '../../../core/model/answers.ts';
import type { FailureClass } from '../../../core/model/node-group.ts';
import { addTime, minutes, seconds } from '../../../core/model/values/time.ts';
import { NOW } from '../../scenario-builders.ts';

const size = (target: number) => ({ min: 1, max: 10, target, held: target });
const failure = (of: FailureClass): CallFailed => ({ kind: 'failed', class: of, code: 'C', message: 'm' });

describe('an instance to be deleted', () => {
  it('takes the target down with it above the minimum', () => {
    expect(judgeDeletion({ force: false }, size(2))).toEqual({ kind: 'terminate', lowersTarget: true });
  });

  it('is left alone at the minimum, and replaced where the intent says so', () => {
    expect(judgeDeletion({ force: false }, size(1))).toMatchObject({ kind: 'refused' });
    expect(judgeDeletion({ force: true }, size(1))).toEqual({ kind: 'terminate', lowersTarget: false });
  });

  it('is left alone without its group, whatever the intent says', () => {
    expect(judgeDeletion({ force: true }, null)).toMatchObject({ kind: 'refused' });
  });
});

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

describe('an intent', () => {
  it('is outdated after three minutes', () => {
    expect(isOutdated({ createdAt: NOW }, addTime(NOW, minutes(3)))).toBe(false);
    expect(isOutdated({ createdAt: NOW }, addTime(NOW, seconds(181)))).toBe(true);
  });

  it('fails for good after five attempts in five minutes, and not before both', () => {
    expect(isLastAttempt({ attempts: 5, createdAt: NOW }, addTime(NOW, minutes(5)))).toBe(true);
    expect(isLastAttempt({ attempts: 4, createdAt: NOW }, addTime(NOW, minutes(9)))).toBe(false);
    expect(isLastAttempt({ attempts: 9, createdAt: NOW }, addTime(NOW, minutes(4)))).toBe(false);
  });
});
