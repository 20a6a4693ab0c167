import { describe, expect, it } from 'vitest';
import { groupName } from '../../../core/model/values/names.ts';
import { whyGroupCannotHelp, whyGroupSkipped } from '../../../core/words/why-group-skipped.ts';
import { NOW } from '../../scenario-builders.ts';

const group = groupName('web');

describe('why a node group is skipped', () => {
  it.each([
    [{ reason: 'Unhealthy' }, 'not ready for scale-up'],
    [{ reason: 'Unhealthy', message: '2 of 9 nodes are ready' }, 'not ready for scale-up: 2 of 9 nodes are ready'],
    [
      { reason: 'BackedOff', class: 'Quota', until: NOW },
      'in backoff after failed scale-up: Quota, until 2026-01-01T12:00:00Z',
    ],
    [
      { reason: 'BackedOff', class: 'OutOfResources', message: 'no m5.large in a', until: NOW },
      'no m5.large in a, until 2026-01-01T12:00:00Z',
    ],
    [{ reason: 'MaxSizeReached', message: 'maxSize 3' }, 'max node group size reached: maxSize 3'],
  ] as const)('%j', (skipped, text) => {
    expect(whyGroupSkipped(skipped)).toBe(text);
  });

  it('groups at their maximum read alike as the reason of a pod', () => {
    expect(whyGroupCannotHelp({ group, reason: 'MaxSizeReached', message: 'maxSize 3' })).toBe(
      'max node group size reached',
    );
    expect(whyGroupCannotHelp({ group, reason: 'Invalid', message: 'tag x' })).toBe('invalid node group: tag x');
  });
});
