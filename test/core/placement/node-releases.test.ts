import { describe, expect, test } from 'vitest';
import { evaluate, evaluateScaleDown, evaluateScaleUp } from '../../../core/evaluate.ts';
import { AWAITING_PODS_TAINT, type Node, ZONE_LABEL } from '../../../core/model/cluster/node.ts';
import { keyOf, type Pod, type PodSpec } from '../../../core/model/cluster/pod.ts';
import type { NodeRelease } from '../../../core/model/decision.ts';
import { addTime, epochMs, minutes } from '../../../core/model/values/time.ts';
import { groupName } from '../../../core/model/values/names.ts';
import type { State } from '../../../core/model/state.ts';
import { type Amounts, node, pod, type PodOptions, selector, spreadConstraint } from '../../builders.ts';
import { group, type GroupGiven, NOW, scenario, type ScenarioGiven, times } from '../../scenario-builders.ts';

const AWAITING = { key: AWAITING_PODS_TAINT, value: '', effect: 'NoSchedule' };
const ON = { plannedPlacement: true };

/** A node that has registered and is ready, but for the taint. */
const held = (name: string, extra: Partial<Node> = {}, amounts: Amounts = { cpu: 4, memory: '16Gi' }): Node =>
  node(name, amounts, { createdAt: epochMs(NOW - 20_000), taints: [AWAITING], ...extra });

const readyFor = (seconds: number): Partial<Node> => ({
  conditions: [{ type: 'Ready', status: 'True', reason: '', since: epochMs(NOW - seconds * 1_000) }],
});

const OVER_ZONES: PodSpec['topologySpread'][number] = spreadConstraint(ZONE_LABEL, selector({ app: 'spread' }));

const starting = (name: string): Node =>
  held(name, { conditions: [{ type: 'Ready', status: 'False', reason: '', since: null }] });

const waiting = (count: number, name: string, cpu: number, options: PodOptions = {}): readonly Pod[] =>
  times(count, (i) => pod(`${name}-${i}`, { owner: `ReplicaSet/${name}`, requests: { cpu }, ...options }));

const requested = (increase: number): Partial<State> => ({
  scaleUpRequests: [
    { group: groupName('web'), increase, time: epochMs(NOW - 60_000), expectedAddTime: addTime(NOW, minutes(14)) },
  ],
});

/** A group whose nodes these are, among so many that were asked for. */
const releasesIn = (
  nodes: readonly Node[],
  pods: readonly Pod[],
  given: ScenarioGiven & { readonly of?: GroupGiven; readonly asked?: number } = {},
): readonly NodeRelease[] => {
  const { of, asked = nodes.length, ...rest } = given;
  const web = group('web', { nodes: nodes.map(({ name }) => name), target: asked, taints: [AWAITING], ...of });
  const input = scenario({ groups: [web], nodes, pods, state: requested(asked), options: ON, ...rest });
  const { scaleUp } = evaluateScaleUp(input);
  expect(evaluate(input).scaleUp.releases).toEqual(scaleUp.releases);
  return scaleUp.releases ?? [];
};

describe('a ready node that awaits pods', () => {
  test('gets the pods that have their places there, node by node, each pod once', () => {
    const pods = [...waiting(2, 'large', 3), ...waiting(2, 'small', 1)];
    expect(releasesIn([held('a'), held('b')], pods)).toEqual([
      { node: 'a', pods: ['default/large-0', 'default/small-0'] },
      { node: 'b', pods: ['default/large-1', 'default/small-1'] },
    ]);
  });

  test('leaves to nodes that are not ready yet what has its place there', () => {
    const pods = [...waiting(2, 'large', 3), ...waiting(2, 'small', 1)];
    expect(releasesIn([starting('a'), held('b')], pods, { asked: 3 })).toEqual([
      { node: 'b', pods: ['default/large-1', 'default/small-1'] },
    ]);
  });

  test('is decided on alike whatever the order of nodes and pods', () => {
    const nodes = [held('a'), starting('b'), held('c')];
    const pods = [...waiting(3, 'large', 2.5), ...waiting(5, 'small', 0.5), ...waiting(2, 'tiny', 0.25)];
    const releases = releasesIn(nodes, pods);
    expect(releases.map(({ node: name }) => name)).toEqual(['a', 'c']);
    expect(releasesIn(nodes.toReversed(), pods.toReversed())).toEqual(releases);
  });

  test('opens before those with smaller pods, and those without pods open last', () => {
    const pods = [...waiting(1, 'large', 3), ...waiting(1, 'medium', 2.5), ...waiting(3, 'small', 1)];
    const nodes = [held('c'), held('b'), held('d', {}, { cpu: 2, memory: '16Gi' }), held('e')];
    expect(releasesIn(nodes, pods)).toEqual([
      { node: 'b', pods: ['default/large-0', 'default/small-0'] },
      { node: 'c', pods: ['default/medium-0', 'default/small-1'] },
      { node: 'd', pods: ['default/small-2'] },
      { node: 'e', pods: [] },
    ]);
  });

  test.each([
    [4, 4],
    [5, 4],
    [8, 6],
    [9, 7],
  ])('is one of the first to open of %i with pods: %i, the others are left to the next evaluation', (count, first) => {
    const nodes = times(count, (i) => held(`n${i}`, readyFor(10)));
    const large = waiting(count - 2, 'large', 4);
    const small = waiting(2, 'small', 2.5);
    const releases = releasesIn([...nodes, held('without', readyFor(0))], [...small, ...large]);
    expect(releases.filter(({ pods }) => pods.length > 0)).toHaveLength(first);
    expect(releases.slice(0, 3).flatMap(({ pods }) => pods)).toEqual(
      count === 4 ? [...large, small[0]!].map(keyOf) : large.slice(0, 3).map(keyOf),
    );
    expect(releases.some(({ node: name }) => name === 'without')).toBe(count === 4);
  });

  test('is not left to the next evaluation once it has been ready for ten seconds, nor where no pod waits', () => {
    const nodes = times(8, (i) => held(`n${i}`, readyFor(i === 7 ? 11 : 10)));
    const names = (count: number) => releasesIn(nodes, waiting(count, 'large', 4)).map(({ node: name }) => name);
    expect(names(8)).toEqual(['n0', 'n1', 'n2', 'n3', 'n4', 'n5', 'n7']);
    expect(names(0)).toEqual(nodes.map(({ name }) => name));
  });

  test('is not left to the next evaluation where nothing may be nominated to it', () => {
    const nodes = times(8, (i) => held(`n${i}`, readyFor(0)));
    const off = group('off', { nodes: ['n7'], taints: [AWAITING], options: { plannedPlacement: false } });
    const web = group('web', { nodes: times(7, (i) => `n${i}`), taints: [AWAITING] });
    const names = (groups: ScenarioGiven['groups']) =>
      releasesIn(nodes, waiting(8, 'large', 4), { groups: groups! }).map(({ node: name }) => name);
    expect(names([web, off])).toEqual(['n0', 'n1', 'n2', 'n3', 'n4', 'n5', 'n7']);
  });

  describe('with pods that are spread over zones', () => {
    const inZone = (name: string, zone: string, since = 0): Node =>
      held(name, { labels: { [ZONE_LABEL]: zone }, ...readyFor(since) });
    const spread = (count: number, cpu: number): readonly Pod[] =>
      waiting(count, 'spread', cpu, { labels: { app: 'spread' }, spec: { topologySpread: [OVER_ZONES] } });
    const opened = (nodes: readonly Node[], pods: readonly Pod[]) =>
      releasesIn(nodes, pods).map(({ node: name }) => name);

    test('is left to a later evaluation while others of its zone may leave such a pod no place', () => {
      const nodes = [inZone('a1', 'a'), inZone('a2', 'a'), inZone('b1', 'b'), inZone('b2', 'b')];
      expect(opened(nodes, spread(4, 3))).toEqual(['a1', 'b1']);
      expect(opened(nodes, waiting(4, 'plain', 3))).toEqual(['a1', 'a2', 'b1', 'b2']);
    });

    test('is so, too, where the others have no constraint, and are not taken for there while their node stays closed', () => {
      const counted = (name: string, cpu: number, on: Readonly<Record<string, string>> = {}): readonly Pod[] =>
        waiting(1, name, cpu, { labels: { app: 'spread' }, spec: { nodeSelector: on } });
      const pods = [...spread(2, 2.5), ...counted('large', 4, { [ZONE_LABEL]: 'b' }), ...counted('small', 1.5)];
      const nodes = [inZone('a1', 'a'), inZone('a2', 'a'), inZone('b1', 'b')];
      expect(releasesIn(nodes, pods)).toEqual([
        { node: 'b1', pods: ['default/large-0'] },
        { node: 'a2', pods: ['default/spread-1', 'default/small-0'] },
      ]);
    });

    test('is not where those have their places in other zones', () => {
      expect(opened([inZone('a1', 'a'), inZone('b1', 'b'), inZone('c1', 'c')], spread(3, 3))).toEqual([
        'a1',
        'b1',
        'c1',
      ]);
    });

    test('is not once it has been ready for ten seconds', () => {
      const nodes = [inZone('a1', 'a'), inZone('a2', 'a', 11), inZone('b1', 'b'), inZone('b2', 'b')];
      expect(opened(nodes, spread(4, 3))).toEqual(['a1', 'a2', 'b1']);
    });

    test('is not where no other node could be opened instead', () => {
      expect(opened([inZone('a1', 'a'), inZone('b1', 'b')], spread(4, 2))).toEqual(['a1', 'b1']);
    });
  });

  test('is released without pods where none waits', () => {
    expect(releasesIn([held('a')], [])).toEqual([{ node: 'a', pods: [] }]);
  });

  test.each<[string, Pod]>([
    ['bound meanwhile', pod('p', { requests: { cpu: 1 }, node: 'a' })],
    ['being deleted', pod('p', { requests: { cpu: 1 }, deletedAt: NOW })],
    ['not tried by a scheduler yet', pod('p', { requests: { cpu: 1 }, unscheduled: null })],
    [
      'held back by a gate',
      pod('p', { requests: { cpu: 1 }, unscheduled: { reason: 'SchedulingGated', since: null } }),
    ],
  ])('gets no pod that is %s', (_, only) => {
    expect(releasesIn([held('a')], [only])).toEqual([{ node: 'a', pods: [] }]);
  });

  test('keeps the room of pods that were nominated to it before', () => {
    const before = waiting(1, 'before', 3, { nominatedNode: 'a' });
    expect(releasesIn([held('a')], [...before, ...waiting(4, 'small', 1)])).toEqual([
      { node: 'a', pods: ['default/small-0'] },
    ]);
  });

  test('keeps room for the DaemonSet pods that are still to come, and for those that are there', () => {
    const daemon = (name: string, home?: string) =>
      pod(`${name}-${home ?? 'template'}`, {
        namespace: 'kube-system',
        owner: `DaemonSet/${name}`,
        requests: { cpu: 1 },
        ...(home !== undefined && { node: home }),
      });
    const of = { templatePods: [daemon('logs'), daemon('proxy')] };
    // A first DaemonSet pod runs, the second one is expected: two of four cores are left.
    expect(releasesIn([held('a')], [daemon('proxy', 'a'), ...waiting(4, 'small', 1)], { of })).toEqual([
      { node: 'a', pods: ['default/small-0', 'default/small-1'] },
    ]);
  });

  test('gets no pod that the filters of kube-scheduler keep off the node as it has really become', () => {
    const smaller = held('a', {}, { cpu: 2, memory: '16Gi' });
    expect(releasesIn([smaller], waiting(1, 'large', 3))).toEqual([{ node: 'a', pods: [] }]);
    expect(releasesIn([smaller], waiting(4, 'small', 1))).toEqual([
      { node: 'a', pods: ['default/small-0', 'default/small-1'] },
    ]);
    const tainted = held('a', { taints: [AWAITING, { key: 'dedicated', value: 'x', effect: 'NoSchedule' }] });
    expect(releasesIn([tainted], waiting(1, 'small', 1))).toEqual([{ node: 'a', pods: [] }]);
  });

  test.each<[string, Partial<Node>]>([
    ['is not ready', { conditions: [{ type: 'Ready', status: 'False', reason: '', since: null }] }],
    [
      'is unreachable',
      { taints: [AWAITING, { key: 'node.kubernetes.io/unreachable', value: '', effect: 'NoExecute' }] },
    ],
    [
      'is not ready by its taint',
      { taints: [AWAITING, { key: 'node.kubernetes.io/not-ready', value: '', effect: 'NoSchedule' }] },
    ],
    [
      'has another startup taint',
      { taints: [AWAITING, { key: 'example.com/starting', value: '', effect: 'NoSchedule' }] },
    ],
    ['is cordoned', { unschedulable: true }],
    [
      'is being removed',
      { taints: [AWAITING, { key: 'ToBeDeletedByClusterAutoscaler', value: '', effect: 'NoSchedule' }] },
    ],
  ])('is not released while it %s', (_, extra) => {
    const options = { ...ON, startupTaint: ['example.com/starting'] };
    expect(releasesIn([held('a', extra)], waiting(1, 'small', 1), { options })).toEqual([]);
  });

  test('is released without pods where the option is off, for the cluster or for its group', () => {
    const pods = waiting(1, 'small', 1);
    const without = [{ node: 'a', pods: [] }];
    expect(releasesIn([held('a')], pods, { options: { plannedPlacement: false } })).toEqual(without);
    expect(releasesIn([held('a')], pods, { of: { options: { plannedPlacement: false } } })).toEqual(without);
    const only = { options: { plannedPlacement: false }, of: { options: { plannedPlacement: true } } };
    expect(releasesIn([held('a')], pods, only)).toEqual(without);
  });

  test('is released without pods where its group is not discovered any more', () => {
    const input = scenario({ nodes: [held('a')], pods: waiting(1, 'small', 1), options: ON });
    expect(evaluateScaleUp(input).scaleUp.releases).toEqual([{ node: 'a', pods: [] }]);
  });

  test('is released without pods where it was given up: nothing is planned on it', () => {
    const late = held('a', { createdAt: epochMs(NOW - minutes(20)) });
    expect(releasesIn([late], waiting(1, 'small', 1))).toEqual([{ node: 'a', pods: [] }]);
  });
});

test('scale-down releases nothing by its decision, and nodes without the taint are not named', () => {
  const given = { groups: [group('web', { nodes: ['a'] })], options: ON, pods: waiting(1, 'small', 1) };
  expect(evaluateScaleDown(scenario({ ...given, nodes: [held('a')] })).scaleUp.releases).toBeUndefined();
  expect(
    evaluate(scenario({ ...given, nodes: [node('a', { cpu: 4, memory: '16Gi' })] })).scaleUp.releases,
  ).toBeUndefined();
});

test('the taint of a group makes no difference to what is planned for it', () => {
  const pods = waiting(8, 'small', 1);
  const plan = (taints: readonly (typeof AWAITING)[]) =>
    evaluate(scenario({ groups: [group('web', { taints })], pods, options: ON })).scaleUp.increases;
  expect(plan([AWAITING])).toEqual([{ group: 'web', from: 0, to: 2 }]);
  expect(plan([AWAITING])).toEqual(plan([]));
});

test('nothing is bought again for pods that are nominated to a node that has registered', () => {
  const nodes = [held('a')];
  const pods = waiting(4, 'small', 1, { nominatedNode: 'a' });
  const web = group('web', { nodes: ['a'], taints: [AWAITING] });
  const given = { groups: [web], nodes, state: requested(1), options: ON };
  expect(evaluate(scenario({ ...given, pods })).scaleUp.increases).toEqual([]);
  // The node is full with them.
  const more = [...pods, pod('more', { requests: { cpu: 1 } })];
  expect(evaluate(scenario({ ...given, pods: more })).scaleUp.increases).toEqual([{ group: 'web', from: 1, to: 2 }]);
});

test.each([
  { name: 'ready', nodes: [held('a')], outcome: 'Fits', bought: 0 },
  { name: 'not ready yet', nodes: [starting('a')], outcome: 'Triggered', bought: 1 },
])('a held node of no group that is $name: pods that it would hold are $outcome', ({ nodes, outcome, bought }) => {
  const input = scenario({ groups: [group('web')], nodes, pods: waiting(2, 'small', 1), options: ON });
  const { scaleUp } = evaluateScaleUp(input);
  expect(scaleUp.pods.map((one) => one.outcome)).toEqual([outcome, outcome]);
  expect(scaleUp.increases.reduce((sum, { from, to }) => sum + to - from, 0)).toBe(bought);
});
