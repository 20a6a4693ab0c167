import { describe, expect, test } from 'vitest';
import { CPU } from '../../core/model/values/resources.ts';
import { epochMs, minutes } from '../../core/model/values/time.ts';
import { findingOf, withGroups } from './broken.ts';
import { windowOf } from './drawn-schedules.ts';
import type { Stage } from './invariants/invariant.ts';
import { schedulesKept } from './invariants/schedules-kept.ts';

test('groups that are thought to be as large as schedules want them are found', async () => {
  const larger = withGroups((groups) => groups.map((group) => ({ ...group, targetSize: group.targetSize + 3 })));
  const broken = { name: 'larger groups', tamper: larger, draw: ['capacitySchedules'], found: schedulesKept };
  expect(await findingOf(broken)).toMatch(/is to have \d+ nodes, and \d+ by a schedule/);
});

const START = epochMs(Date.UTC(2026, 0, 1, 9));
const schedule = (cron: string, timeZone: string) => ({
  least: { nodes: 2 },
  schedule: { cron, duration: minutes(20), timeZone },
});

test.each([
  ['10 9 * * *', 'UTC'],
  ['10 10 * * *', 'Europe/Berlin'],
  ['40 14 * * *', 'Asia/Kolkata'],
  ['10 4 * * *', 'America/New_York'],
])('%s in %s is ten minutes after nine in UTC', (cron, timeZone) => {
  const { from, until } = windowOf(schedule(cron, timeZone), { start: START });
  expect([from - START, until - START]).toEqual([minutes(10), minutes(30)]);
});

/** Of a group of three nodes so many are decided to go, at a minute of the run. */
function removing(nodes: number, minute: number, reason?: 'Drifted'): readonly string[] {
  const violations: string[] = [];
  const group = { name: 'a', maxSize: 5, options: {}, allocatable: { [CPU]: 1_000 } };
  const watch = schedulesKept.watch(
    {
      scenario: { start: START, options: { capacitySchedules: [schedule('10 9 * * *', 'UTC')] } },
      world: {
        clock: { now: () => START + minutes(minute), at: () => {} },
        scaling: { groups: () => [{ group, desired: 3 }] },
        onEvent: () => {},
      },
    } as unknown as Stage,
    (what) => violations.push(what),
    () => {},
  );
  const removals = Array.from({ length: nodes }, () => ({ group: 'a', reason }));
  watch.decided!({} as never, { scaleDown: { removals } } as never);
  return violations;
}

describe('removals while two nodes are to be there', () => {
  test('leave less', () => {
    expect(removing(2, 20)).toEqual(['2 nodes of a are to go of 3, and 2 are to be there by a schedule']);
  });

  test('leave enough, come when it is over, or are of nodes that are replaced', () => {
    expect([...removing(1, 20), ...removing(2, 40), ...removing(2, 20, 'Drifted')]).toEqual([]);
  });
});
