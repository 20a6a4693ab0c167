import { describe, expect, test } from 'vitest';
import type { Intent } from '../../core/model/intent.ts';
import { epochMs, minutes } from '../../core/model/values/time.ts';
import { sizeIntent } from '../scenario-builders.ts';
import { LONGEST_PATIENCE_MS, plannedSize } from './truth.ts';

const NOW = epochMs(minutes(100));

describe('the size that a group is planned to have', () => {
  const plannedWith = (
    known: object,
    ...intents: readonly (readonly [from: number, to: number, ago: number])[]
  ): number =>
    plannedSize(
      { group: { name: 'a', minSize: 0, maxSize: 9 }, desired: 1 } as never,
      intents.map(([from, to, ago], i): Intent => ({
        ...sizeIntent('a', from, to, { id: `${i + 1}-a` }),
        createdAt: epochMs(NOW - minutes(ago)),
      })),
      { now: NOW, failedAt: () => epochMs(0), ...known } as never,
    );
  const plannedBy = (...intents: readonly (readonly [from: number, to: number, ago: number])[]): number =>
    plannedWith({}, ...intents);

  test('counts what has been decided and is not made yet, as long as it is waited for', () => {
    expect(plannedBy([1, 3, 5], [3, 4, 2])).toBe(4);
    expect(plannedBy([1, 3, 20])).toBe(1);
  });

  test('counts it where some function may wait for it still, if that is asked', () => {
    expect(plannedBy([1, 3, 14])).toBe(1);
    expect(plannedWith({ patienceMs: LONGEST_PATIENCE_MS }, [1, 3, 14])).toBe(3);
    expect(plannedWith({ patienceMs: LONGEST_PATIENCE_MS }, [1, 3, 17])).toBe(1);
  });

  test('counts an earlier increase as long as a later one', () => {
    expect(plannedBy([1, 3, 20], [3, 4, 8])).toBe(4);
    expect(plannedBy([1, 3, 30], [3, 4, 20])).toBe(1);
  });

  test('counts it no longer for a lower size', () => {
    expect(plannedBy([1, 3, 20], [3, 2, 8])).toBe(1);
  });

  test.each([
    { desired: 3, state: 'Running' },
    { desired: 2, state: 'Deleting' },
  ])('is without an instance that is to be ended once, of $desired while that is $state', ({ desired, state }) => {
    const intents = [
      { ...sizeIntent('a', 2, 3, { id: '2.1-a' }), createdAt: NOW },
      {
        ...sizeIntent('a', 0, 0, { id: '2-a' }),
        kind: 'DeleteInstances',
        instances: ['i-1'],
        force: false,
        createdAt: NOW,
      },
    ];
    const view = { group: { name: 'a', minSize: 0, maxSize: 9 }, desired, instances: [{ id: 'i-1', state }] };
    expect(plannedSize(view as never, intents as never, { now: NOW, failedAt: () => epochMs(0) } as never)).toBe(3);
  });
});
