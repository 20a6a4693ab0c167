import { expect, it } from 'vitest';
import { whySizeNotSet } from '../../../core/words/why-size-not-set.ts';

it.each([
  [{ kind: 'TargetChanged', now: 2, from: 0 }, 'the target is now 2, decided from 0'],
  [{ kind: 'AboveMaximum', now: 4, to: 5 }, 'the maximum is now 4, decided 5'],
  [{ kind: 'AlreadySet' }, 'that is the target already'],
  [{ kind: 'Superseded' }, 'the group has failed since: its pods are planned again'],
] as const)('why a size is not set: %j', (refusal, text) => {
  expect(whySizeNotSet(refusal)).toBe(text);
});
