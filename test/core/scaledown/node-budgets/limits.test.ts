import { describe, expect, test } from 'vitest';
import { limitOf } from '../../../../core/scaledown/node-budgets/limits.ts';
import type { DisruptionReason } from '../../../../core/model/disruption.ts';
import { unreadableNodeBudget } from '../../../../core/model/node-budget.ts';
import { epochMs } from '../../../../core/model/values/time.ts';
import { NOW } from '../../../scenario-builders.ts';
import { budgets } from './given.ts';

describe('the most restrictive budget in force', () => {
  // 2026-01-01 is a Thursday; NOW is 12:00 UTC.
  test.each<[string, DisruptionReason, number, number | null]>([
    ['3', 'Empty', 10, 3],
    ['0', 'Empty', 10, 0],
    ['100%', 'Empty', 7, 7],
    ['0%', 'Empty', 10, 0],
    ['50%', 'Empty', 1_000, 500],
    ['10%', 'Empty', 10, 1],
    ['10%', 'Empty', 11, 2],
    ['10%', 'Empty', 1, 1],
    ['10%', 'Empty', 0, 0],
    ['5; 20%', 'Empty', 10, 2],
    ['1; 50%', 'Empty', 10, 1],
    ['2 of drifted', 'Drifted', 10, 2],
    ['2 of drifted', 'Empty', 10, null],
    ['2 of drifted, expired; 5', 'Expired', 10, 2],
    ['2 of drifted,expired; 5', 'Underutilized', 10, 5],
    ['0 from 0 9 * * 4 for 4h', 'Empty', 10, 0],
    ['0 from 0 9 * * 4 for 3h', 'Empty', 10, null],
    ['0 from 0 9 * * 4 for 4h; 3', 'Empty', 10, 0],
    ['0 from 0 9 * * 5 for 4h; 3', 'Empty', 10, 3],
    ['0 from 0 21 * * * for 1h in Asia/Tokyo', 'Empty', 10, 0],
    ['0 from 0 21 * * * for 1h', 'Empty', 10, null],
    ['0 of unhealthy from @daily for 24h', 'Unhealthy', 10, 0],
    ['0 of unhealthy from @daily for 24h', 'Empty', 10, null],
  ])('%j, for %s of %i nodes: %j', (text, reason, total, nodes) => {
    expect(limitOf(budgets(text), reason, total, NOW)?.nodes ?? null).toBe(nodes);
  });

  test('that cannot be read allows nothing', () => {
    expect(limitOf([unreadableNodeBudget('expected x'), ...budgets('5')], 'Drifted', 10, NOW)).toEqual({
      nodes: 0,
      budget: '0',
      until: null,
      unreadable: 'expected x',
    });
  });

  test('in a time zone that the runtime does not know allows nothing', () => {
    const [budget] = budgets('5 from 0 9 * * * for 1h in Asia/Tokyo');
    const elsewhere = { ...budget!, schedule: { ...budget!.schedule!, timeZone: 'Mars/Olympus' } };
    expect(limitOf([elsewhere], 'Empty', 10, NOW)).toMatchObject({
      nodes: 0,
      unreadable: 'the time zone Mars/Olympus is not known here',
    });
  });

  test('says when it ends, on the clock of its time zone', () => {
    const night = budgets('0 from 0 22 * * * for 8h in Europe/Berlin');
    const before = limitOf(night, 'Empty', 10, epochMs(Date.UTC(2026, 2, 28, 23)));
    expect(before?.until).toBe('2026-03-29 06:00 Europe/Berlin');
    expect(limitOf(night, 'Empty', 10, epochMs(Date.UTC(2026, 2, 29, 4)))).toBeNull();
  });
});
