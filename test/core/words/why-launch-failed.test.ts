import { expect, it } from 'vitest';
import { whyLaunchFailed } from '../../../core/words/why-launch-failed.ts';

it('why a launch failed, and what to do about it', () => {
  expect(whyLaunchFailed('Addresses')).toBe('A subnet has no free IP addresses. Add subnets, or free addresses.');
});
