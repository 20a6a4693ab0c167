import { describe, expect, test } from 'vitest';
import { TO_BE_DELETED_TAINT } from '../../../core/model/cluster/node.ts';
import type { State } from '../../../core/model/state.ts';
import { AUTO, type LearnedTime } from '../../../core/model/unneeded-time.ts';
import { groupName, nodeName } from '../../../core/model/values/names.ts';
import { type DurationMs, durationMs, type EpochMs, minutes, seconds } from '../../../core/model/values/time.ts';
import { group, NOW } from '../../scenario-builders.ts';
import { ago, type ClusterGiven, decide, goes, replica, workerNode } from './cluster.ts';

const WEB = groupName('web');
const LEARNS = { scaleDownUnneededTime: AUTO } as const;

const learned = (more: Partial<LearnedTime> = {}): LearnedTime => ({
  group: WEB,
  time: minutes(4),
  boot: seconds(40),
  removals: 0,
  relaunched: 0,
  watched: [],
  ...more,
});

/** Removed at these times. */
const watched = (...times: readonly EpochMs[]): LearnedTime['watched'] =>
  times.map((at, n) => ({ node: nodeName(`gone-${n}`), at }));

const times = (lastScaleUp: EpochMs | null) => ({
  groups: { [WEB]: { lastScaleUp, lastScaleDownDelete: null, lastScaleDownFailure: null } },
});

/** A node that is needed. */
const busy = (given: Partial<ClusterGiven> = {}) =>
  decide({
    nodes: [workerNode('n1')],
    pods: ['a', 'b', 'c', 'd', 'e'].map((name) => replica(name, 'n1')),
    ...given,
    options: { ...LEARNS, ...given.options },
  });

const after = (known: LearnedTime, state: Partial<State> = {}, given: Partial<ClusterGiven> = {}): LearnedTime =>
  busy({ ...given, state: { unneededTimes: [known], ...state } }).state.unneededTimes![0]!;

describe('what a group learns from its removals', () => {
  const second = (before: number): EpochMs => (NOW - before * 1_000) as EpochMs;
  type Row = readonly [
    what: string,
    known: Partial<LearnedTime>,
    bought: EpochMs | null,
    expected: Partial<LearnedTime>,
  ];
  const rows: readonly Row[] = [
    ['nothing without a removal', {}, second(10), { time: minutes(4), removals: 0 }],
    [
      'bought again within a boot and a half: twice as long',
      { watched: watched(second(50)) },
      second(10),
      { time: minutes(8), removals: 1, relaunched: 1, watched: [] },
    ],
    [
      'to the moment',
      { watched: watched(second(70)) },
      second(10),
      { time: minutes(8), removals: 1, relaunched: 1, watched: [] },
    ],
    [
      'later: a quarter shorter',
      { watched: watched(second(71)) },
      second(10),
      { time: minutes(3), removals: 1, relaunched: 0, watched: [] },
    ],
    [
      'never again: a quarter shorter',
      { watched: watched(second(61)) },
      null,
      { time: minutes(3), removals: 1, relaunched: 0, watched: [] },
    ],
    [
      'bought before it: not again',
      { watched: watched(second(61)) },
      second(62),
      { time: minutes(3), removals: 1, relaunched: 0, watched: [] },
    ],
    [
      'nothing while it is open',
      { watched: watched(second(60)) },
      null,
      { time: minutes(4), removals: 0, watched: watched(second(60)) },
    ],
    [
      'several nodes of one evaluation are one removal',
      { watched: watched(second(61), second(61), second(61)) },
      null,
      { time: minutes(3), removals: 1, watched: [] },
    ],
    [
      'of two evaluations are two',
      { watched: watched(second(80), second(50)) },
      second(10),
      { time: minutes(6), removals: 2, relaunched: 1, watched: [] },
    ],
    [
      'never more than ten minutes',
      { time: minutes(9), watched: watched(second(50)) },
      second(10),
      { time: minutes(10), removals: 1, relaunched: 1, watched: [] },
    ],
    [
      'never less than one',
      { time: seconds(61), watched: watched(second(61)) },
      null,
      { time: minutes(1), removals: 1, watched: [] },
    ],
    [
      'never less than a boot',
      { time: seconds(200), boot: seconds(180), watched: watched(second(300)) },
      null,
      { time: seconds(180), removals: 1, watched: [] },
    ],
    [
      'a boot of longer than ten minutes gives ten',
      { time: minutes(9), boot: minutes(12) },
      null,
      { time: minutes(10) },
    ],
    [
      'without a boot seen: within a minute and a half',
      { boot: null, watched: watched(second(100)) },
      second(10),
      { time: minutes(8), removals: 1, relaunched: 1, watched: [] },
    ],
    [
      'counts go on',
      { removals: 5, relaunched: 2, watched: watched(second(50)) },
      second(10),
      { time: minutes(8), removals: 6, relaunched: 3, watched: [] },
    ],
  ];

  test.each(rows)('%s', (_, known, bought, expected) => {
    expect(after(learned(known), times(bought))).toEqual(learned({ ...known, ...expected }));
  });

  test('nothing from a removal that has failed: the node is there, and not leaving', () => {
    const known = learned({ watched: [{ node: nodeName('n1'), at: ago(5) }] });
    expect(after(known)).toEqual(learned());
  });

  test('a node that is still leaving is watched', () => {
    const known = learned({ watched: [{ node: nodeName('n1'), at: second(10) }] });
    const deletionsInProgress = [{ node: nodeName('n1'), group: WEB, kind: 'empty', since: second(10) }] as const;
    expect(after(known, { deletionsInProgress })).toEqual(known);
  });

  test('a node that is drained is watched until its instance has ended', () => {
    const known = learned({ watched: [{ node: nodeName('n1'), at: second(10) }] });
    const taints = [{ key: TO_BE_DELETED_TAINT, value: '', effect: 'NoSchedule' }] as const;
    expect(after(known, {}, { nodes: [workerNode('n1', { taints })] })).toEqual(known);
  });

  test('the removals that it begins are watched', () => {
    const decision = decide({
      nodes: [workerNode('n1'), workerNode('n2')],
      options: LEARNS,
      state: { unneededSince: { [nodeName('n1')]: ago(3), [nodeName('n2')]: ago(3) } },
    });
    expect(goes(decision)).toEqual(['n1', 'n2']);
    expect(decision.state.unneededTimes).toEqual([
      {
        group: WEB,
        time: minutes(2),
        boot: null,
        removals: 0,
        relaunched: 0,
        watched: [
          { node: 'n1', at: NOW },
          { node: 'n2', at: NOW },
        ],
      },
    ]);
  });
});

describe('how long a boot takes', () => {
  const bootAfter = (asked: EpochMs, created: EpochMs, ready: EpochMs | null, known: DurationMs | null) => {
    const conditions = [
      { type: 'Ready', status: ready === null ? 'False' : 'True', reason: '', since: ready ?? created },
    ];
    const { state } = busy({
      nodes: [workerNode('n1', { createdAt: created, conditions })],
      state: { ...times(asked), unneededTimes: [learned({ boot: known })], lastEvaluation: ago(1) },
    });
    return state.unneededTimes![0]!.boot;
  };

  test('from the request for a replacement, which is no scale-up for pods', () => {
    const request = { group: WEB, increase: 1, time: ago(2), expectedAddTime: (NOW + 60_000) as EpochMs };
    const state = { ...times(ago(9)), unneededTimes: [learned({ boot: seconds(50) })], lastEvaluation: ago(1) };
    const conditions = [{ type: 'Ready', status: 'True', reason: '', since: ago(0.5) }] as const;
    const nodes = [workerNode('n1', { createdAt: ago(1.2), conditions })];
    const boot = (scaleUpRequests: State['scaleUpRequests']) =>
      busy({ nodes, state: { ...state, scaleUpRequests } }).state.unneededTimes![0]!.boot;
    expect(boot([request])).toBe(60_000);
    expect(boot([{ ...request, group: groupName('other') }])).toBe((50 + (510 - 50) / 4) * 1_000);
  });

  test.each<[string, number, number, number | null, DurationMs | null, number]>([
    ['not that of a node that others have asked for, long after the scale-up', 12, 1.2, 0.5, seconds(50), 50],
    ['from the scale-up until its node is ready', 2, 1.2, 0.5, null, 90],
    ['each further one counts a quarter', 2, 1.2, 0.5, seconds(50), 60],
    ['not that of a node that was ready before', 3, 2.2, 1.5, seconds(50), 50],
    ['not that of a node of an earlier scale-up', 2, 2.2, 0.5, seconds(50), 50],
    ['not that of a node that is not ready', 2, 1.2, null, seconds(50), 50],
  ])('%s', (_, asked, created, ready, known, expected) => {
    expect(bootAfter(ago(asked), ago(created), ready === null ? null : ago(ready), known)).toBe(expected * 1_000);
  });
});

describe('a time that is learned', () => {
  const unneeded = (since: number, given: Partial<ClusterGiven> = {}) =>
    decide({
      nodes: [workerNode('n1')],
      options: LEARNS,
      ...given,
      state: { unneededSince: { [nodeName('n1')]: ago(since) }, ...given.state },
    });

  test.each([
    ['two minutes before anything is learned', {}, 2, 2.01],
    ['what was learned after that', { unneededTimes: [learned()] }, 4, 4.01],
  ])('%s', (_, state, early, late) => {
    expect(goes(unneeded(early, { state }))).toEqual([]);
    expect(goes(unneeded(late, { state }))).toEqual(['n1']);
  });

  test('is told of a node that stays', () => {
    expect(unneeded(1).scaleDown.unremovable).toEqual([
      {
        node: 'n1',
        reason: 'NotUnneededLongEnough',
        message:
          'unneeded for 1m, and removed after 2m, which its node group has learned (scaleDownUnneededTime: auto)',
      },
    ]);
  });

  test('is of one group where its own option says so, and the other groups have what holds for all', () => {
    const groups = [
      group('web', { nodes: ['n1'], options: LEARNS }),
      group('other', { nodes: ['n2'] }),
      group('fixed', { nodes: ['n3'], options: { scaleDownUnneededTime: minutes(1) } }),
    ];
    const nodes = ['n1', 'n2', 'n3'].map((name) => workerNode(name));
    const unneededSince = Object.fromEntries(nodes.map(({ name }) => [name, ago(3)]));
    const options = { scaleDownUnneededTime: minutes(5) };
    const decision = decide({ nodes, groups, options, state: { unneededSince } });
    expect(goes(decision)).toEqual(['n1', 'n3']);
    expect(decision.state.unneededTimes!.map((one) => one.group)).toEqual(['web']);
  });

  test('is forgotten where the option says another one, and nothing is kept where it always has', () => {
    const fixed = { options: { scaleDownUnneededTime: durationMs(0) } };
    expect(unneeded(1, { ...fixed, state: { unneededTimes: [learned()] } }).state.unneededTimes).toBeUndefined();
    expect('unneededTimes' in unneeded(1, fixed).state).toBe(false);
  });

  test('leaves the clocks of nodes that are not ready as they are', () => {
    const conditions = [{ type: 'Ready', status: 'False', reason: '', since: ago(60) }];
    const nodes = [workerNode('n1', { conditions, createdAt: ago(600) })];
    const options = { ...LEARNS, scaleDownUnreadyTime: minutes(20) };
    expect(goes(unneeded(19, { nodes, options }))).toEqual([]);
    expect(goes(unneeded(21, { nodes, options }))).toEqual(['n1']);
  });
});

describe('scaleDownDelayAfterAdd beside it', () => {
  const nodes = ['n1', 'n2'].map((name) => workerNode(name));
  const unneededSince = Object.fromEntries(nodes.map(({ name }) => [name, ago(60)]));
  const groups = [group('web', { nodes: ['n1'], options: LEARNS }), group('other', { nodes: ['n2'] })];
  const goesAfter = (added: number, delay: DurationMs, own = false): readonly string[] =>
    goes(
      decide({
        nodes,
        groups,
        options: { scaleDownDelayAfterAdd: delay, scaleDownDelayTypeLocal: own },
        state: {
          unneededSince,
          unneededTimes: [learned()],
          lastScaleUp: ago(added),
          groups: Object.fromEntries(
            groups.map(({ name }) => [name, { ...times(ago(added)).groups[WEB]!, lastScaleUp: ago(added) }]),
          ),
        },
      }),
    );

  test.each<[string, number, DurationMs, readonly string[]]>([
    ['holds a group no longer than its own time', 4, minutes(10), ['n1']],
    ['and as long as that', 3, minutes(10), []],
    ['holds it no longer than itself', 3, minutes(2), ['n1', 'n2']],
    ['holds the other groups to its end', 9, minutes(10), ['n1']],
    ['and no longer', 10, minutes(10), ['n1', 'n2']],
  ])('%s', (_, added, delay, expected) => {
    expect(goesAfter(added, delay)).toEqual(expected);
    expect(goesAfter(added, delay, true)).toEqual(expected);
  });

  test('nothing goes in the evaluation that adds nodes', () => {
    expect(goesAfter(0, durationMs(0))).toEqual([]);
  });
});
