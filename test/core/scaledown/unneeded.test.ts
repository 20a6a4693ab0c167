import { describe, expect, test } from 'vitest';
import { groupName, nodeName } from '../../../core/model/values/names.ts';
import type { Options } from '../../../core/model/options.ts';
import type { State } from '../../../core/model/state.ts';
import { minutes, seconds } from '../../../core/model/values/time.ts';
import { group, times } from '../../scenario-builders.ts';
import { ago, type ClusterGiven, decide, goes, workerNode, replica, stays, WEB } from './cluster.ts';
import { budget } from '../../builders.ts';

const numbered = (i: number): string => `n${String(i).padStart(3, '0')}`;
const many = times(200, (i) => workerNode(numbered(i)));
const known = (count: number): Partial<State> => ({
  unneededSince: Object.fromEntries(times(count, (i) => [numbered(i), ago(1)])),
});

describe('a node that was found unremovable a while ago', () => {
  const until = { unremovableUntil: { [nodeName('n1')]: ago(-1) } };
  const whyOf = (pods: NonNullable<ClusterGiven['pods']>) =>
    decide({ nodes: [workerNode('n1'), workerNode('n2')], pods, state: until }).scaleDown.unremovable.find(
      ({ node }) => node === 'n1',
    );

  test('says which pod keeps it, if one does now', () => {
    expect(whyOf([{ ...replica('bare', 'n1'), controller: null }])).toEqual({
      node: 'n1',
      reason: 'RecentlyUnremovable',
      message: expect.stringMatching(/^pod default\/bare keeps it \(NotReplicated\): .+; checked again from .+Z$/),
    });
  });

  test('says what it may have been, if none does', () => {
    expect(whyOf([replica('web-1', 'n1')])).toMatchObject({
      message: expect.stringMatching(
        /^its pods did not fit on another node, or its removal failed; checked again from .+Z$/,
      ),
    });
  });
});

describe('how many unneeded nodes are enough (unneededNodesLimit)', () => {
  // N = 10 at a time: known + 2N, and no more than N for each evaluation while a node's time runs, and N.
  type Row = readonly [what: string, options: Partial<Options>, state: Partial<State>, unneeded: number];
  test.each<Row>([
    ['none known', {}, { lastEvaluation: ago(1) }, 20],
    ['none known, on a first start', {}, { lastEvaluation: null }, 20],
    ['some known', {}, { ...known(30), lastEvaluation: ago(1) }, 50],
    ['as many known as can go meanwhile', {}, { ...known(105), lastEvaluation: ago(1) }, 110],
    ['more: none is forgotten', {}, { ...known(150), lastEvaluation: ago(1) }, 150],
    ['evaluations that are far apart', {}, { ...known(15), lastEvaluation: ago(5) }, 30],
    ['farther than the time', {}, { ...known(5), lastEvaluation: ago(60) }, 20],
    ['no time to wait', { scaleDownUnneededTime: seconds(0) }, { lastEvaluation: ago(1) }, 20],
    ['more at a time', { maxScaleDownParallelism: 70 }, { lastEvaluation: ago(1) }, 140],
    ['none at a time', { maxScaleDownParallelism: 0 }, { lastEvaluation: ago(1) }, 0],
    ['twice at the same moment', {}, { ...known(30), lastEvaluation: ago(0) }, 50],
  ])('%s', (_, options, state, unneeded) => {
    const decision = decide({ nodes: many, options: { scaleDownUnneededTime: minutes(10), ...options }, state });
    expect(decision.scaleDown.unneeded).toHaveLength(unneeded);
    expect(Object.keys(decision.state.unneededSince)).toEqual(decision.scaleDown.unneeded);
    const rest = decision.scaleDown.unremovable.filter(({ reason }) => reason === 'NotUnneededOtherReason');
    expect(rest).toHaveLength(200 - unneeded);
  });
});

test('what is simulated is bounded by a count, so that it is the same on every host', () => {
  const nodes = times(20, (i) => workerNode(numbered(i)));
  const pods = nodes.map(({ name }, i) => replica(`p-${i}`, name, { requests: { cpu: '100m' } }));
  const unneededWithin = (ms: number): number =>
    decide({ nodes, pods, options: { scaleDownSimulationTimeout: seconds(ms / 1_000) } }).scaleDown.unneeded.length;
  expect([0, 30_000].map(unneededWithin)).toEqual([0, 19]);
});

describe('the order in which nodes are tried', () => {
  const little = (on: string, cpu: string) => replica(`p-${on}`, on, { requests: { cpu } });
  const nodes = ['n1', 'n2', 'n3'].map((name) => workerNode(name));
  // A node must take in the pods of the others: it is the last in the order.
  type Row = readonly [what: string, given: Partial<ClusterGiven>, stays: string];
  test.each<Row>([
    ['least used first', { pods: [little('n1', '900m'), little('n2', '300m'), little('n3', '600m')] }, 'n1'],
    ['by name, of equals', { pods: nodes.map(({ name }) => little(name, '300m')) }, 'n3'],
    [
      'those that were unneeded before, longest first',
      {
        pods: [little('n1', '300m'), little('n2', '300m'), little('n3', '900m')],
        state: { unneededSince: { [nodeName('n3')]: ago(9), [nodeName('n2')]: ago(3) } },
      },
      'n1',
    ],
    [
      'empty ones before all others',
      { pods: [little('n1', '300m'), little('n3', '900m')], state: { unneededSince: { [nodeName('n3')]: ago(9) } } },
      'n1',
    ],
  ])('%s', (_, given, kept) => {
    expect(Object.keys(stays(decide({ nodes, ...given })))).toEqual([kept]);
  });
});

describe('budgets are shared by all nodes of one evaluation (RemainingPdbTracker)', () => {
  const nodes = ['n1', 'n2', 'n3', 'room'].map((name) => workerNode(name));
  const room = replica('full', 'room', { requests: { cpu: '2100m' } });
  const web = (on: string, i = 0) =>
    replica(`web-${on}-${i}`, on, { labels: { app: 'web' }, requests: { cpu: '100m' }, ready: true });
  const allowing = (disruptionsAllowed: number) => ({
    objects: { podDisruptionBudgets: [budget({ disruptionsAllowed })] },
  });

  test.each<readonly [allowed: number, removed: readonly string[]]>([
    [0, []],
    [1, ['n1']],
    [2, ['n1', 'n2']],
    [3, ['n1', 'n2', 'n3']],
  ])('one pod on each of three nodes, %i may be missing: %j go', (allowed, removed) => {
    const { objects } = allowing(allowed);
    const decision = decide({
      nodes,
      pods: [room, web('n1'), web('n2'), web('n3')],
      objects: { ...objects, controllers: [WEB] },
    });
    expect(goes(decision)).toEqual(removed);
    expect(Object.values(stays(decision)).filter((reason) => reason === 'BlockedByPod NotEnoughPdb')).toHaveLength(
      3 - removed.length,
    );
  });

  test('a node with more pods than may be missing may go, but after the others', () => {
    const { objects } = allowing(2);
    const decision = decide({
      nodes,
      pods: [room, ...times(3, (i) => web('n1', i)), replica('p', 'n2'), replica('q', 'n3')],
      objects: { ...objects, controllers: [WEB] },
      state: { unneededSince: { [nodeName('n1')]: ago(60) } },
      options: { maxDrainParallelism: 2 },
    });
    expect(decision.scaleDown.unneeded).toEqual(['n1', 'n2', 'n3']);
    expect(goes(decision)).toEqual(['n2', 'n3']);
  });

  test.each<readonly [allowed: number, pods: number, nodeLifecycleTaints: boolean, n1: string]>([
    [1, 1, true, 'goes'],
    [1, 2, true, 'BlockedByPod NotEnoughPdb'],
    [2, 2, true, 'goes'],
    // Cluster Autoscaler's own taint lets no pod stay: these are evicted one after another.
    [1, 2, false, 'goes'],
  ])(
    '%i may be missing of those that tolerate the taint, and %i of them are on a node (shared taint: %j): it %s',
    (allowed, count, nodeLifecycleTaints, expected) => {
      const tolerant = (i: number) => ({
        ...web('n1', i),
        spec: {
          ...web('n1', i).spec,
          tolerations: [
            { key: '', operator: 'Exists' as const, value: '', effect: '' as const, tolerationSeconds: null },
          ],
        },
      });
      const decision = decide({
        nodes,
        pods: [room, ...times(count, tolerant)],
        objects: { ...allowing(allowed).objects, controllers: [WEB] },
        options: { nodeLifecycleTaints },
      });
      expect(stays(decision)['n1'] ?? 'goes').toBe(expected);
    },
  );

  test('drains in progress have their part of it', () => {
    const { objects } = allowing(2);
    const decision = decide({
      nodes: [...nodes, workerNode('n4')],
      pods: [room, web('n1'), web('n2'), web('n4')],
      objects: { ...objects, controllers: [WEB] },
      state: {
        // The pod of n4 then finds its new place on the node that is needed.
        unneededSince: { [nodeName('n1')]: ago(2), [nodeName('n2')]: ago(1) },
        deletionsInProgress: [{ node: nodeName('n4'), group: groupName('web'), kind: 'drain', since: ago(1) }],
      },
    });
    expect(goes(decision).filter((name) => name !== 'n3')).toEqual(['n1']);
  });

  type Ended = readonly [what: string, created: number, given: Partial<ClusterGiven>, gone: readonly string[]];
  const about = { node: nodeName('n4'), group: groupName('web') };
  const asked = { scaleDownRequests: [{ ...about, time: ago(1), expectedDeleteTime: ago(-4) }] };
  const ending = group('web', { nodes: ['n1', 'n2', 'n3', 'room', 'n4'] }).instances.map((one) =>
    one.node === 'n4' ? { ...one, state: 'Deleting' as const } : one,
  );
  test.each<Ended>([
    ['has just been ended', 30, { state: asked }, ['n1']],
    ['had the name of one that has just been ended', 0, { state: asked }, ['n1', 'n2']],
    ['is being ended by another client', 30, { group: { target: 4, instances: ending } }, ['n1']],
    ['stays', 30, {}, ['n1', 'n2']],
  ])('pods on a node whose instance %s', (_, created, given, gone) => {
    const { objects } = allowing(2);
    const decision = decide({
      nodes: [
        ...nodes,
        workerNode('n4', {
          createdAt: ago(created),
          annotations: { 'cluster-autoscaler.kubernetes.io/scale-down-disabled': 'true' },
        }),
      ],
      // Pods that end with their instance are there until the Node is gone.
      pods: [room, web('n1'), web('n2'), web('n4')],
      objects: { ...objects, controllers: [WEB] },
      ...given,
      state: { unneededSince: { [nodeName('n1')]: ago(2), [nodeName('n2')]: ago(1) }, ...given.state },
    });
    expect(goes(decision).filter((name) => name === 'n1' || name === 'n2')).toEqual(gone);
  });
});

describe('nodes that were tried in vain (unremovable.Nodes)', () => {
  const nodes = [workerNode('n1'), workerNode('n2')];
  const full = replica('full', 'n2', { requests: { cpu: 3 } });
  const stuck = replica('stuck', 'n1', { requests: { cpu: '1500m' } });
  const untilIn = (minutesFromNow: number) => ({ n1: ago(-minutesFromNow) });

  type Row = readonly [
    what: string,
    given: Partial<ClusterGiven>,
    reason: string,
    until: Readonly<Record<string, number>>,
  ];
  test.each<Row>([
    ['no place', { pods: [full, stuck] }, 'NoPlaceToMovePods', untilIn(5)],
    [
      'a pod that must stay',
      { pods: [full, { ...stuck, controller: null }] },
      'BlockedByPod NotReplicated',
      untilIn(5),
    ],
    [
      'for as long as the option says',
      { pods: [full, stuck], options: { unremovableNodeRecheckTimeout: minutes(2) } },
      'NoPlaceToMovePods',
      untilIn(2),
    ],
    [
      'or not at all',
      { pods: [full, stuck], options: { unremovableNodeRecheckTimeout: minutes(0) } },
      'NoPlaceToMovePods',
      {},
    ],
    [
      'what is remembered stays so',
      { pods: [full, stuck], state: { unremovableUntil: { [nodeName('n1')]: ago(-1) } } },
      'RecentlyUnremovable',
      untilIn(1),
    ],
    [
      'until it is over',
      { pods: [full, stuck], state: { unremovableUntil: { [nodeName('n1')]: ago(0) } } },
      'NoPlaceToMovePods',
      untilIn(5),
    ],
    [
      'nodes that are gone are forgotten',
      { pods: [full, stuck], state: { unremovableUntil: { [nodeName('gone')]: ago(-1) } } },
      'NoPlaceToMovePods',
      untilIn(5),
    ],
    [
      'a budget that other drains use up is checked in every evaluation',
      {
        pods: [full, { ...stuck, labels: { app: 'web' }, ready: true }],
        objects: { podDisruptionBudgets: [budget({ disruptionsAllowed: 0 })], controllers: [WEB] },
      },
      'BlockedByPod NotEnoughPdb',
      {},
    ],
    [
      'a used node is checked in every evaluation',
      { pods: [full, replica('large', 'n1', { requests: { cpu: 3 } })] },
      'NotUnderutilized',
      {},
    ],
  ])('%s', (_, given, reason, until) => {
    const decision = decide({ nodes, ...given });
    expect(stays(decision)['n1']).toBe(reason);
    expect(decision.state.unremovableUntil).toEqual(until);
  });
});
