import { describe, expect, test } from 'vitest';
import { type GroupName, groupName } from '../../core/model/values/names.ts';
import { CPU } from '../../core/model/values/resources.ts';
import { epochMs, minutes } from '../../core/model/values/time.ts';
import { findingOf, withGroups } from './broken.ts';
import { scheduledFor, windowOf } from './drawn-schedules.ts';
import type { Stage } from './invariants/invariant.ts';
import { nothingInVain } from './invariants/nothing-in-vain.ts';
import { schedulesKept } from './invariants/schedules-kept.ts';
import type { Tamper } from './run.ts';

test('groups that are thought to be as large as schedules want them are found', async () => {
  const larger = withGroups((groups) => groups.map((group) => ({ ...group, targetSize: group.targetSize + 3 })));
  const broken = { name: 'larger groups', tamper: larger, draw: ['capacitySchedules'], found: schedulesKept };
  expect(await findingOf(broken)).toMatch(/is to have \d+ nodes, and \d+ by a schedule/);
});

test('nodes that no schedule asks for are found', async () => {
  const more = withGroups((groups) =>
    groups.map((group) => ({
      ...group,
      scheduledMinimum: { nodes: Math.min(group.maxSize, group.targetSize + 1), by: 'no schedule', until: null },
    })),
  );
  const broken = { name: 'no schedules', tamper: more, draw: ['capacitySchedules'], found: nothingInVain };
  expect(await findingOf(broken)).toMatch(/have been bought for them/);
});

/** Groups whose nodes wait for others of the same group are shown with a larger minimum. */
function withLargerMinimums(): Tamper {
  let waiting: ReadonlySet<GroupName | null> = new Set();
  return {
    store: (store) => ({
      ...store,
      commit: async (cluster, commit, signal) => {
        waiting = new Set((commit.state.disruptions ?? []).map(({ replacement }) => replacement));
        return await store.commit(cluster, commit, signal);
      },
    }),
    ...withGroups((groups) =>
      groups.map((group) => (waiting.has(group.name) ? { ...group, minSize: group.targetSize + 1 } : group)),
    ),
  };
}

test('a node more than a schedule asks for is found, while nodes wait for others of their group', async () => {
  const draw = ['capacitySchedules', 'driftReplacement'];
  const broken = { name: 'larger minimums', tamper: withLargerMinimums(), from: 12, draw, found: nothingInVain };
  expect(await findingOf(broken)).toMatch(/have been bought for them/);
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

test.each([
  { what: 'what it may have by now', minute: 20, maxSize: 1, expected: 1 },
  { what: 'all or nothing', minute: 20, maxSize: 4, options: { zeroOrMaxNodeScaling: true }, expected: 4 },
  { what: 'what it was to have, when it is gone', minute: 20, maxSize: null, expected: 2 },
  { what: 'nothing when the schedule is over', minute: 40, maxSize: 4, expected: 0 },
  { what: 'something for longer, as asked', minute: 40, maxSize: 4, after: 20, expected: 2 },
])('a group is to have $what', ({ minute, maxSize, options = {}, after = 0, expected }) => {
  const name = groupName('a');
  const group = (max: number) => ({ name, maxSize: max, options, allocatable: { [CPU]: 1_000 } });
  const stage = {
    scenario: {
      start: START,
      options: { capacitySchedules: [schedule('10 9 * * *', 'UTC')] },
      groups: [group(5)],
    },
    world: {
      clock: { now: () => START + minutes(minute) },
      scaling: { groups: () => (maxSize === null ? [] : [{ group: group(maxSize) }]) },
    },
  } as unknown as Stage;
  expect(scheduledFor(stage, name, { before: 0, after: minutes(after) })).toBe(expected);
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
