import { describe, expect, test } from 'vitest';
import { commandsWithinBudgets } from './invariants/commands-within-budgets.ts';
import type { Stage } from './invariants/invariant.ts';
import { movedOnce } from './invariants/moved-once.ts';

const MINUTE = 60_000;

/** A pod of a workload is moved at one minute, by consolidation, and the one in its place at another one. */
function movedTwice(first: number, second: number, lostAt = Number.NEGATIVE_INFINITY): readonly string[] {
  const violations: string[] = [];
  let minute = first;
  const stage = {
    world: {
      clock: { now: () => minute * MINUTE },
      api: { pods: new Map(['a', 'b'].map((name) => [name, { uid: `uid of ${name}` }])) },
    },
    orders: { lostAt: () => lostAt * MINUTE },
    strikes: { last: () => Number.NEGATIVE_INFINITY },
    drains: () => ['1', '2'].map((n) => ({ drain: { node: `node-${n}`, instance: `i-${n}`, phase: 'Evicting' } })),
  } as unknown as Stage;
  const watch = movedOnce.watch(
    stage,
    (what) => violations.push(what),
    () => {},
  );
  const move = (n: string, pod: string): void => {
    const state = {};
    const removals = [{ node: `node-${n}`, reason: 'Underutilized' }];
    watch.decided!({} as never, { state, scaleDown: { removals } } as never);
    const nodes = [{ node: `node-${n}`, instance: `i-${n}`, kind: 'drain' }];
    watch.committed!({ state, intents: [{ kind: 'RemoveNodes', nodes }] } as never);
    watch.event!({ kind: 'PodEvicted', pod, workload: 'web', node: `node-${n}` } as never);
  };
  move('1', 'a');
  watch.event!({ kind: 'PodCreated', pod: 'b', workload: 'web' } as never);
  minute = second;
  move('2', 'b');
  return violations;
}

describe('a pod that is moved twice by consolidation', () => {
  test('within an hour is found', () => {
    expect(movedTwice(0, 59)).toEqual(['b is moved 3540 s after the pod that it stands in for']);
  });

  test('after an hour may be, and where what was stored is lost', () => {
    expect(movedTwice(0, 61)).toEqual([]);
    expect(movedTwice(0, 59, 30)).toEqual([]);
  });
});

/** Two of three nodes begin to wait for their replacements at nine o'clock. */
function beginning(budget: Readonly<Record<string, unknown>>, of: 'cluster' | 'group' = 'cluster'): readonly string[] {
  const violations: string[] = [];
  const now = Date.UTC(2026, 0, 1, 9);
  const watch = commandsWithinBudgets.watch(
    {} as unknown as Stage,
    (what) => violations.push(what),
    () => {},
  );
  const nodes = ['node-1', 'node-2', 'node-3'];
  const disruptionBudgets = [{ nodes: 0, reasons: null, schedule: null, unreadable: null, ...budget }];
  const scenario = {
    now,
    options: { disruptionBudgets: of === 'cluster' ? disruptionBudgets : [] },
    objects: { nodes: nodes.map((name) => ({ name })) },
    nodeGroups: [
      { nodes: ['node-3'], instances: [], options: {} },
      { nodes: ['node-1', 'node-2'], instances: [], options: of === 'group' ? { disruptionBudgets } : {} },
    ],
    state: { deletionsInProgress: [] },
  };
  const disruptions = ['node-1', 'node-2'].map((node) => ({ nodes: [node], reason: 'Drifted', since: now }));
  watch.decided!(scenario as never, { state: { disruptions }, scaleDown: { removals: [] } } as never);
  return violations;
}

describe('replacements that begin', () => {
  test.each([
    { name: 'where none may', budget: { nodes: 0 }, found: 1 },
    { name: 'where one node may be away', budget: { nodes: 1 }, found: 1 },
    { name: 'where two nodes may', budget: { nodes: 2 }, found: 0 },
    { name: 'where none of another kind may', budget: { nodes: 0, reasons: ['Expired'] }, found: 0 },
    { name: 'where none of their kind may', budget: { nodes: 0, reasons: ['Drifted'] }, found: 1 },
    {
      name: 'while none may',
      budget: { schedule: { cron: '*/15 * * * *', duration: 5 * MINUTE, timeZone: 'UTC' } },
      found: 1,
    },
  ])('$name: $found violations', ({ budget, found }) => {
    expect(beginning(budget)).toHaveLength(found);
    expect(beginning(budget, 'group')).toHaveLength(found);
  });
});
