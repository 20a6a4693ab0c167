import { describe, expect, it } from 'vitest';
import { isDeletionOutdated, isLastAttempt, isOutdated } from '../../../core/actuation/intent-age.ts';
import { addTime, minutes, seconds } from '../../../core/model/values/time.ts';
import { NOW } from '../../scenario-builders.ts';

describe('an intent', () => {
  it('is outdated after three minutes', () => {
    expect(isOutdated({ createdAt: NOW }, addTime(NOW, minutes(3)))).toBe(false);
    expect(isOutdated({ createdAt: NOW }, addTime(NOW, seconds(181)))).toBe(true);
  });

  it('to end instances that are no nodes is outdated after a minute', () => {
    expect(isDeletionOutdated({ createdAt: NOW }, addTime(NOW, minutes(1)))).toBe(false);
    expect(isDeletionOutdated({ createdAt: NOW }, addTime(NOW, seconds(61)))).toBe(true);
  });

  it('fails for good after five attempts in five minutes, and not before both', () => {
    expect(isLastAttempt({ attempts: 5, createdAt: NOW }, addTime(NOW, minutes(5)))).toBe(true);
    expect(isLastAttempt({ attempts: 4, createdAt: NOW }, addTime(NOW, minutes(9)))).toBe(false);
    expect(isLastAttempt({ attempts: 9, createdAt: NOW }, addTime(NOW, minutes(4)))).toBe(false);
  });
});
