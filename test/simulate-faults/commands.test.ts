import { describe, expect, test } from 'vitest';
import type { Node } from '../../core/model/cluster/node.ts';
import { nodeName } from '../../core/model/values/names.ts';
import { isNodeReady } from '../../providers/simulated/node-readiness.ts';
import { type Broken, findingOf, withGroups, reading } from './broken.ts';
import { FALLING_LOAD } from './falling-load.ts';
import { commandsWait } from './invariants/commands-wait.ts';
import { consolidationPays } from './invariants/consolidation-pays.ts';
import { commandsWithinBudgets } from './invariants/commands-within-budgets.ts';
import type { Stage } from './invariants/invariant.ts';
import { movedOnce } from './invariants/moved-once.ts';
import type { Tamper } from './run.ts';

/** As soon as a command waits, nodes are shown that are not there. */
function withGhosts(): Tamper {
  let waits = false;
  return {
    store: (store) => ({
      ...store,
      commit: async (cluster, commit, signal) => {
        waits ||= (commit.state.disruptions ?? []).length > 0;
        return await store.commit(cluster, commit, signal);
      },
    }),
    ...reading(({ nodes }) => (waits ? { nodes: [...nodes, ...nodes.filter(isNodeReady).map(ghostOf)] } : {})),
  };
}

const ghostOf = (node: Node): Node => ({ ...node, name: nodeName(`ghost-of-${node.name}`), uid: `ghost-${node.uid}` });

const CASES: readonly (Broken & { readonly says?: RegExp })[] = [
  {
    name: 'pods are thought to have places on nodes that are not there',
    tamper: withGhosts(),
    from: 12,
    draw: ['driftReplacement'],
    found: commandsWait,
  },
  {
    name: 'pods that must complete are read as others',
    tamper: reading(({ pods }) => ({ pods: pods.map((pod) => ({ ...pod, annotations: {}, startedAt: null })) })),
    from: 28,
    draw: ['expireAfter'],
    found: commandsWait,
    says: /must complete first$/,
  },
  {
    name: 'new nodes are thought to be a tenth as dear as those that are there',
    tamper: withGroups((groups) => groups.map((group) => ({ ...group, savedPrice: group.price! * 10 }))),
    draw: [FALLING_LOAD],
    found: consolidationPays,
  },
];

describe('what is broken on purpose is found', () => {
  test.each(CASES)('$name', async ({ says = /./, ...broken }) => {
    expect(await findingOf(broken)).toMatch(says);
  });
});

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
