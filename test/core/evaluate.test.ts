import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { evaluate } from '../../core/evaluate.ts';
import { fit } from '../../core/fit.ts';
import type { Decision, PodOutcomeKind } from '../../core/model/decision.ts';
import type { Instance } from '../../core/model/node-group.ts';
import type { GroupOptions } from '../../core/model/options.ts';
import type { Scenario } from '../../core/model/scenario.ts';
import { addTime, epochMs, minutes } from '../../core/model/values/time.ts';
import { controller, node, pod, spreadConstraint } from '../builders.ts';
import { group, NOW, removalOf, running, scaleUpRequest, scenario, times, zoneLabels } from '../scenario-builders.ts';
import { cases } from '../cases.ts';

const increases = (decision: Decision): Readonly<Record<string, string>> =>
  Object.fromEntries(decision.scaleUp.increases.map(({ group: name, from, to }) => [name, `${from}→${to}`]));

const outcomes = (decision: Decision): Readonly<Record<string, PodOutcomeKind>> =>
  Object.fromEntries(decision.scaleUp.pods.map(({ pod: key, outcome }) => [key.replace('default/', ''), outcome]));

const small = (name: string) => pod(name, { requests: { cpu: 1, memory: '1Gi' } });
const zones = (sizes: readonly number[]) =>
  sizes.map((size, i) => {
    const zone = `us-east-1${'abc'[i]!}`;
    return group(`web-${'abc'[i]!}`, { zone, nodes: times(size, (n) => `${zone}-${n}`), max: 50 });
  });
const nodesOf = (groups: ReturnType<typeof zones>) =>
  groups.flatMap(({ nodes }) => nodes.map((name) => node(name, { cpu: 4, memory: '16Gi' })));
/** Fills every node, so that nothing more fits. */
const full = (groups: ReturnType<typeof zones>) =>
  groups.flatMap(({ nodes }) => nodes.map((name) => pod(`on-${name}`, { node: name, requests: { cpu: 4 } })));

describe('a scale-up over three zones', () => {
  test.each([
    { pods: 4, expected: { 'web-a': '1→2' } },
    { pods: 16, expected: { 'web-a': '1→4', 'web-b': '3→4' } },
  ])('with sizes 1, 3 and 6, $pods pods of a quarter node raise $expected', ({ pods, expected }) => {
    const groups = zones([1, 3, 6]);
    const decision = evaluate(
      scenario({ groups, nodes: nodesOf(groups), pods: [...full(groups), ...times(pods, (i) => small(`p-${i}`))] }),
    );
    expect(increases(decision)).toEqual(expected);
    expect(new Set(Object.values(outcomes(decision)))).toEqual(new Set(['Triggered']));
  });

  test('goes to one group alone when similar groups are not balanced', () => {
    const groups = zones([0, 0, 0]);
    const decision = evaluate(
      scenario({ groups, pods: times(12, (i) => small(`p-${i}`)), options: { balanceSimilarNodeGroups: false } }),
    );
    expect(decision.scaleUp.increases).toHaveLength(1);
    expect(decision.scaleUp.increases[0]).toMatchObject({ from: 0, to: 3 });
  });

  test('leaves out zones in which one of the pods may not run', () => {
    const groups = zones([0, 0, 0]);
    const inA = pod('in-a', {
      requests: { cpu: 1 },
      spec: { nodeSelector: { 'topology.kubernetes.io/zone': 'us-east-1a' } },
    });
    const decision = evaluate(scenario({ groups, pods: [inA, ...times(15, (i) => small(`p-${i}`))] }));
    expect(decision.scaleUp.pods.find(({ pod: key }) => key === 'default/in-a')).toMatchObject({
      outcome: 'Triggered',
      group: 'web-a',
    });
    expect(decision.scaleUp.increases.reduce((sum, { from, to }) => sum + to - from, 0)).toBe(4);
  });
});

describe('which pods want a node', () => {
  const cluster = (pods: Parameters<typeof scenario>[0]['pods']) =>
    scenario({ groups: [group('g', { nodes: ['n1'] })], nodes: [node('n1', { cpu: 4, memory: '16Gi' })], pods: pods! });

  test('pods that fit on a node that is there need no new one', () => {
    const decision = evaluate(cluster([small('p')]));
    expect(decision.scaleUp.result).toBe('NotNeeded');
    expect(outcomes(decision)).toEqual({ p: 'Fits' });
  });

  test.each([
    { name: 'a DaemonSet pod', given: { owner: 'DaemonSet/logs' } },
    { name: 'an expendable pod', given: { spec: { priority: -11 } } },
    {
      name: 'a pod that asks to be left alone for a while',
      given: {
        createdAt: epochMs(NOW - 1_000),
        annotations: { 'cluster-autoscaler.kubernetes.io/pod-scale-up-delay': '5m' },
      },
    },
  ])('$name never causes a scale-up', ({ given }) => {
    const decision = evaluate(cluster([pod('p', { requests: { cpu: 4, memory: '20Gi' }, ...given })]));
    expect(decision.scaleUp.result).toBe('NotNeeded');
    expect(outcomes(decision)).toEqual({ p: 'Ignored' });
  });

  test('a pod for which preemption has cleared a node counts as being there', () => {
    const nominated = pod('vip', { requests: { cpu: 4 }, nominatedNode: 'n1' });
    const decision = evaluate(cluster([nominated, pod('other', { requests: { cpu: 2 } })]));
    expect(outcomes(decision)).toEqual({ vip: 'Fits', other: 'Triggered' });
  });
});

describe('nodes on their way', () => {
  const pods = times(8, (i) => small(`p-${i}`));
  const request = scaleUpRequest('g', 2, epochMs(NOW - 60_000));

  test('hold the pods they were bought for: the next evaluation buys nothing', () => {
    const first = evaluate(scenario({ groups: [group('g')], pods }));
    expect(increases(first)).toEqual({ g: '0→2' });
    const second = evaluate(scenario({ groups: [group('g', { target: 2 })], pods, state: first.state }));
    expect(second.scaleUp.result).toBe('NotNeeded');
    expect(second.scaleUp.upcoming).toEqual({ g: 2 });
    expect(new Set(Object.values(outcomes(second)))).toEqual(new Set(['Fits']));
  });

  test('are awaited for as long as their group may take', () => {
    const options = { maxNodeProvisionTime: minutes(40) };
    const { state } = evaluate(scenario({ groups: [group('g', { options })], pods }));
    expect(state.scaleUpRequests).toMatchObject([{ time: NOW, expectedAddTime: addTime(NOW, minutes(40)) }]);
  });

  test.each([
    { what: 'the pods already bound to them with them', given: {}, grows: { g: '2→3' } },
    { what: 'those that make room for others are not', given: { spec: { priority: -11 } }, grows: {} },
  ])('are counted while they start; $what', ({ given, grows }) => {
    const starting = node(
      'n1',
      { cpu: 4, memory: '16Gi' },
      {
        createdAt: epochMs(NOW - 10_000),
        conditions: [],
        taints: [{ key: 'node.kubernetes.io/not-ready', value: '', effect: 'NoSchedule' }],
      },
    );
    const early = pod('early', { node: 'n1', requests: { cpu: 1, memory: '1Gi' }, ...given });
    const decision = evaluate(
      scenario({
        groups: [group('g', { target: 2, nodes: ['n1'] })],
        nodes: [starting],
        pods: [early, ...pods],
        state: { scaleUpRequests: [request] },
      }),
    );
    expect(decision.scaleUp.upcoming).toEqual({ g: 2 });
    expect(increases(decision)).toEqual(grows);
  });

  test('are not bought again when the state is lost but the instances are there', () => {
    const groups = [group('g', { target: 2, instances: [running('i-1', null), running('i-2', null)] })];
    expect(evaluate(scenario({ groups, pods })).scaleUp.result).toBe('NotNeeded');
  });

  test('are given up when they do not come in time: the group is left alone for a while', () => {
    const decision = evaluate(
      scenario({
        groups: [group('g', { target: 2 }), group('h', { labels: { other: 'yes' } })],
        pods,
        state: { scaleUpRequests: [{ ...request, expectedAddTime: epochMs(NOW - 1) }] },
      }),
    );
    const until = addTime(NOW, minutes(5));
    expect(decision.scaleUp.skippedGroups).toEqual([{ group: 'g', reason: 'BackedOff', class: 'Timeout', until }]);
    expect(increases(decision)).toEqual({ h: '0→2' });
    expect(decision.state.backoff).toMatchObject({ g: { until: NOW + minutes(5), class: 'Timeout' } });
  });
});

describe('limits', () => {
  const pods = times(40, (i) => small(`p-${i}`));

  test('a group is never asked for more than its maximum; what it leaves goes elsewhere', () => {
    const groups = [group('a', { max: 3 }), group('b', { max: 4, labels: { kind: 'other' } })];
    const decision = evaluate(scenario({ groups, pods }));
    expect(increases(decision)).toEqual({ a: '0→3', b: '0→4' });
    expect(Object.values(outcomes(decision)).filter((outcome) => outcome === 'Awaiting')).toHaveLength(12);
  });

  test('a cluster at maxNodesTotal says so', () => {
    const nodes = [node('lone', { cpu: 1 })];
    const decision = evaluate(scenario({ groups: [group('a')], nodes, pods, options: { maxNodesTotal: 1 } }));
    expect(decision.scaleUp.result).toBe('Limited');
    expect(decision.scaleUp.pods[0]).toEqual({
      pod: 'default/p-0',
      outcome: 'Unschedulable',
      reasons: [{ reason: 'max total nodes in cluster reached' }],
    });
  });

  test.each([true, false])('an evaluation adds at most maxNodesPerScaleup nodes (salvoScaleUp %s)', (salvoScaleUp) => {
    const decision = evaluate(
      scenario({ groups: [group('a')], pods, options: { maxNodesPerScaleup: 2, salvoScaleUp } }),
    );
    expect(increases(decision)).toEqual({ a: '0→2' });
  });

  test('a cluster without a ready node stays so when scaleUpFromZero is off', () => {
    const decision = evaluate(scenario({ groups: [group('a')], pods, options: { scaleUpFromZero: false } }));
    expect(decision.scaleUp.result).toBe('NotTried');
  });
});

describe('all-or-nothing groups', () => {
  const whole = (max: number) => group('g', { max, options: { zeroOrMaxNodeScaling: true } });

  test('grow to their maximum at once', () => {
    const decision = evaluate(scenario({ groups: [whole(8)], pods: [small('p')] }));
    expect(increases(decision)).toEqual({ g: '0→8' });
  });

  test('are left alone where the maximum would pass a limit', () => {
    const decision = evaluate(scenario({ groups: [whole(8)], pods: [small('p')], options: { maxNodesTotal: 7 } }));
    expect(decision.scaleUp.skippedGroups).toMatchObject([{ group: 'g', reason: 'ResourceLimitExceeded' }]);
  });

  describe('of which nodes are being removed', () => {
    const names = ['n1', 'n2'];
    const removing = (state: Instance['state'], options: Partial<GroupOptions> = { zeroOrMaxNodeScaling: true }) =>
      evaluate(
        scenario({
          nodes: names.map((name) => node(name, { cpu: 4, memory: '16Gi' })),
          groups: [
            group('g', {
              nodes: names,
              instances: names.map((name) => ({ ...running(`i-${name}`, name), state })),
              target: state === 'Deleting' ? 0 : 2,
              max: 4,
              options,
            }),
          ],
          pods: [small('p')],
          state: { deletionsInProgress: names.map((name) => removalOf(name, 'g', { kind: 'empty' })) },
        }),
      );

    test('do not grow until their instances end', () => {
      const decision = removing('Running');
      expect(increases(decision)).toEqual({});
      expect(decision.scaleUp.skippedGroups).toEqual([{ group: 'g', reason: 'BeingRemoved' }]);
      expect(increases(removing('Deleting'))).toEqual({ g: '0→4' });
    });

    test('grow at once where they are not all-or-nothing', () => {
      expect(increases(removing('Running', {}))).toEqual({ g: '2→3' });
    });
  });

  test('do not share their nodes with similar groups', () => {
    const decision = evaluate(
      scenario({ groups: [whole(4), group('h', { max: 0 })], pods: times(8, (i) => small(`p-${i}`)) }),
    );
    expect(increases(decision)).toEqual({ g: '0→4' });
  });
});

describe('groups of several instance types and zones', () => {
  const requested = (increase: number) => scaleUpRequest('g', increase, epochMs(NOW - minutes(1)));
  const shape = (cpu: number, memory: string, zone: string) => ({
    node: node('other', { cpu, memory }, { labels: zoneLabels(zone) }),
    pods: [],
  });
  const mixedGroup = {
    ...group('g', { node: { cpu: 8, memory: '16Gi' }, zone: 'us-east-1a' }),
    alternatives: [shape(4, '32Gi', 'us-east-1a'), shape(8, '16Gi', 'us-east-1b')],
  };

  test.each([
    { mixedGroupTemplates: 'each', expected: '0→4' },
    { mixedGroupTemplates: 'smallest', expected: '0→4' },
    { mixedGroupTemplates: 'first', expected: '0→2' },
  ])(
    'with mixedGroupTemplates $mixedGroupTemplates: 16 pods that request a CPU each need $expected',
    ({ mixedGroupTemplates, expected }) => {
      const pods = times(16, (i) => pod(`p-${i}`, { requests: { cpu: 1, memory: '1Mi' } }));
      expect(increases(evaluate(scenario({ groups: [mixedGroup], pods, options: { mixedGroupTemplates } })))).toEqual({
        g: expected,
      });
    },
  );

  test.each([
    { what: 'as many as any shape has', options: {}, expected: '0→2' },
    { what: 'of upcoming nodes, too', options: {}, target: 1, expected: '1→2' },
    { what: 'of the first', options: { mixedGroupTemplates: 'first' }, expected: '0→2' },
    { what: 'of the smallest', options: { mixedGroupTemplates: 'smallest' }, expected: '0→4' },
  ])('count $what against the limits of the cluster', ({ options, target = 0, expected }) => {
    const pods = times(40, (i) => pod(`p-${i}`, { requests: { cpu: 1, memory: '1Mi' } }));
    const decision = evaluate(
      scenario({
        groups: [{ ...mixedGroup, targetSize: target }],
        pods,
        options: { coresTotal: { min: 0, max: 19 }, ...options },
        state: { scaleUpRequests: target === 0 ? [] : [requested(target)] },
      }),
    );
    expect(increases(decision)).toEqual({ g: expected });
  });

  test('are raised to their minimum as far as the largest shape leaves room', () => {
    const decision = evaluate(
      scenario({
        groups: [{ ...mixedGroup, minSize: 4 }],
        options: { enforceNodeGroupMinSize: true, coresTotal: { min: 0, max: 19 } },
      }),
    );
    expect(decision.registry.repairs).toEqual([{ kind: 'IncreaseToMin', group: 'g', from: 0, to: 2 }]);
  });

  test('are not raised for a pod that only some of their nodes could hold', () => {
    const inA = pod('p', { requests: { cpu: 1 }, spec: { nodeSelector: zoneLabels('us-east-1a') } });
    const decision = evaluate(scenario({ groups: [mixedGroup], pods: [inA] }));
    expect(increases(decision)).toEqual({});
    expect(decision.scaleUp.pods[0]!.reasons).toEqual([
      {
        group: 'g',
        reason: "node(s) didn't match Pod's node affinity/selector, of some instance types or zones of the group",
      },
    ]);
    const large = pod('p', { requests: { cpu: 1, memory: '20Gi' } });
    expect(increases(evaluate(scenario({ groups: [mixedGroup], pods: [large] })))).toEqual({});
  });
});

describe('groups in trouble', () => {
  const pods = [small('p')];

  test.each([
    ['full', 'MaxSizeReached', group('a', { max: 0 }), 'maxSize 0', ''],
    [
      'without a template',
      'NoTemplate',
      group('a', { template: null }),
      'it describes none, and no ready node shows one',
    ],
    [
      'without a template for a reason',
      'NoTemplate',
      group('a', { template: null, templateProblem: 'its launch template is gone' }),
      'its launch template is gone',
    ],
    [
      'one that AWS launches nothing for',
      'LaunchSuspended',
      group('a', { launchSuspended: true }),
      'its process Launch is suspended',
    ],
    [
      'one that is paused',
      'LaunchSuspended',
      group('a', { paused: 'Cluster default/c1 is paused' }),
      'Cluster default/c1 is paused',
    ],
    ['malformed', 'Invalid', group('a', { invalid: 'tag x: expected y' }), 'tag x: expected y'],
    ['unhealthy', 'Unhealthy', group('a', { target: 9 }), '0 of 9 nodes are ready, 9 missing'],
    [
      'too large for the cluster',
      'ResourceLimitExceeded',
      group('a', { node: { cpu: 64, memory: '16Gi' } }),
      'coresTotal',
    ],
  ])('a group that is %s is skipped as %s and the others go on', (_, reason, bad, message, words = message) => {
    const huge = pod('huge', { requests: { cpu: 99 } });
    const decision = evaluate(
      scenario({
        groups: [bad, group('b', { labels: { kind: 'other' } })],
        pods: [...pods, huge],
        options: { coresTotal: { min: 0, max: 60 } },
      }),
    );
    expect(decision.scaleUp.skippedGroups).toEqual([{ group: 'a', reason, message }]);
    expect(increases(decision)).toEqual({ b: '0→1' });
    // And pods are told the same.
    expect(decision.scaleUp.pods.find(({ pod: key }) => key === 'default/huge')?.reasons?.[0]).toEqual({
      group: 'a',
      reason: expect.stringMatching(new RegExp(`^[a-z -]+${words === '' ? '' : `: ${words}`}$`)),
    });
  });

  test('an unhealthy cluster is not scaled', () => {
    const nodes = times(10, (i) => node(`n-${i}`, { cpu: 1 }, { conditions: [] }));
    const decision = evaluate(scenario({ groups: [group('a')], nodes, pods }));
    expect(decision.scaleUp.result).toBe('ClusterUnhealthy');
    expect(decision.registry.clusterHealthy).toBe(false);
  });

  test('an unhealthy cluster says so also where all pods fit, and no group is raised to its minimum', () => {
    const unready = times(10, (i) => node(`n-${i}`, { cpu: 1 }, { conditions: [] }));
    const decision = evaluate(
      scenario({
        groups: [group('a', { min: 2 })],
        nodes: [...unready, node('ready', { cpu: 4 })],
        pods: [pod('p', { requests: { cpu: 1 } })],
        options: { enforceNodeGroupMinSize: true },
      }),
    );
    expect(decision.registry.clusterHealthy).toBe(false);
    expect(decision.scaleUp.result).toBe('ClusterUnhealthy');
    expect(decision.scaleUp.pods).toEqual([{ pod: 'default/p', outcome: 'Fits' }]);
    expect(decision.registry.repairs).toEqual([]);
  });

  test.each([
    { simulated: false, reason: 'max node group size reached' },
    { simulated: true, reason: 'Insufficient cpu' },
  ])('a skipped group says "$reason" (scaleupSimulationForSkippedNodeGroupsEnabled $simulated)', (row) => {
    const decision = evaluate(
      scenario({
        groups: [group('a', { max: 0 })],
        pods: [pod('huge', { requests: { cpu: 99 } }), pod('p', { requests: { cpu: 1 } })],
        options: { scaleupSimulationForSkippedNodeGroupsEnabled: row.simulated },
      }),
    );
    expect(decision.scaleUp.pods.map(({ reasons }) => reasons)).toEqual([
      [{ group: 'a', reason: row.reason }],
      [{ group: 'a', reason: 'max node group size reached' }],
    ]);
  });

  test('pods that no group could hold say why, group by group', () => {
    const groups = [
      group('a', { taints: [{ key: 'gpu', value: 'yes', effect: 'NoSchedule' }] }),
      group('b', { node: { cpu: 1, memory: '16Gi' }, labels: { size: 'small' } }),
    ];
    const decision = evaluate(scenario({ groups, pods: [pod('p', { requests: { cpu: 2 } })] }));
    expect(decision.scaleUp).toMatchObject({
      result: 'NoOptions',
      pods: [
        {
          outcome: 'Unschedulable',
          reasons: [
            { group: 'a', reason: 'node(s) had untolerated taint(s)' },
            { group: 'b', reason: 'Insufficient cpu' },
          ],
        },
      ],
    });
  });
});

describe('what a new node carries', () => {
  test('its DaemonSet pods take their share before any other pod', () => {
    const daemon = pod('logs', { owner: 'DaemonSet/logs', requests: { cpu: 1 } });
    const decision = evaluate(
      scenario({ groups: [group('g', { templatePods: [daemon] })], pods: times(8, (i) => small(`p-${i}`)) }),
    );
    expect(increases(decision)).toEqual({ g: '0→3' });
  });

  test.each([
    { forceDs: true, expected: { g: '1→3' } },
    { forceDs: false, expected: { g: '1→2' } },
  ])(
    'with forceDs $forceDs, beside a DaemonSet that runs on no node of the group two pods of half a node get: $expected',
    (given) => {
      const controllers = [controller('DaemonSet/late', { template: pod('', { requests: { cpu: 1 } }) })];
      const decision = evaluate(
        scenario({
          groups: [group('g', { nodes: ['n1'] })],
          nodes: [node('n1', { cpu: 1 })],
          pods: [pod('a', { requests: { cpu: 2 } }), pod('b', { requests: { cpu: 2 } })],
          objects: { controllers },
          options: { forceDs: given.forceDs },
        }),
      );
      expect(increases(decision)).toEqual(given.expected);
    },
  );

  test.each([
    ['of startupTaint', 'example.com/warming-up', '0→1'],
    ['of startupTaintPrefix', 'boot.example.com/disks', '0→1'],
    ['of statusTaint', 'example.com/odd', '0→1'],
    ['of its own', 'dedicated', undefined],
  ])('a group whose template has a taint %s, %s, grows %s', (_, key, expected) => {
    const decision = evaluate(
      scenario({
        groups: [group('g', { taints: [{ key, value: '', effect: 'NoSchedule' }] })],
        pods: [small('p')],
        options: {
          startupTaint: ['example.com/warming-up'],
          startupTaintPrefix: ['boot.example.com/'],
          statusTaint: ['example.com/odd'],
        },
      }),
    );
    expect(increases(decision)['g']).toBe(expected);
  });

  test('the shape of a ready node serves where a group has no template of its own', () => {
    const nodes = [node('n1', { cpu: 2, memory: '8Gi' })];
    const pods = [pod('busy', { node: 'n1', requests: { cpu: 2 } }), ...times(4, (i) => small(`p-${i}`))];
    const decision = evaluate(scenario({ groups: [group('g', { template: null, nodes: ['n1'] })], nodes, pods }));
    expect(increases(decision)).toEqual({ g: '1→3' });
  });
});

describe('the choice among groups', () => {
  const groups = [
    group('big', { node: { cpu: 16, memory: '64Gi' }, labels: { size: 'big' } }),
    group('small', { node: { cpu: 4, memory: '16Gi' }, labels: { size: 'small' } }),
  ];

  test('least-waste takes the group that leaves the least unused, and says so', () => {
    const decision = evaluate(
      scenario({ groups, pods: times(4, (i) => pod(`p-${i}`, { requests: { cpu: 1, memory: '4Gi' } })) }),
    );
    expect(increases(decision)).toEqual({ small: '0→1' });
    expect(decision.scaleUp.considered).toMatchObject([
      { winner: 'small', why: 'least-waste: 0% unused, the next best 75%' },
    ]);
  });

  test('random depends on the seed alone', () => {
    const pick = (seed: number) =>
      evaluate(scenario({ groups, pods: [small('p')], seed, options: { expander: ['random'] } })).scaleUp.increases[0]!
        .group;
    const picks = times(20, pick);
    expect(times(20, pick)).toEqual(picks);
    expect(new Set(picks).size).toBe(2);
  });
});

describe('every decision', () => {
  const sizes = [0.25, 0.5, 1, 2, 3];
  const arb = fc.record({
    pods: fc.array(fc.record({ cpu: fc.constantFrom(...sizes), gib: fc.constantFrom(1, 2, 8) }), { maxLength: 60 }),
    groups: fc.array(
      fc.record({
        cpu: fc.constantFrom(2, 4, 8),
        gib: fc.constantFrom(8, 16),
        max: fc.nat(6),
        zone: fc.constantFrom('a', 'b'),
      }),
      { minLength: 1, maxLength: 5 },
    ),
    maxNodesTotal: fc.nat(12),
    seed: fc.nat(),
  });
  type Given = typeof arb extends fc.Arbitrary<infer T> ? T : never;
  const build = ({ pods, groups, maxNodesTotal, seed }: Given): Scenario =>
    scenario({
      groups: groups.map(({ cpu, gib, max, zone }, i) =>
        group(`g-${i}`, { node: { cpu, memory: `${gib}Gi` }, max, zone: `us-east-1${zone}` }),
      ),
      pods: pods.map(({ cpu, gib }, i) => pod(`p-${i}`, { requests: { cpu: String(cpu), memory: `${gib}Gi` } })),
      options: { maxNodesTotal },
      seed,
    });

  test('stays below every limit, and every pod it was taken for fits', () => {
    fc.assert(
      fc.property(arb, (given) => {
        const input = build(given);
        const decision = evaluate(input);
        const total = decision.scaleUp.increases.reduce((sum, { from, to }) => sum + to - from, 0);
        expect(input.options.maxNodesTotal === 0 || total <= input.options.maxNodesTotal).toBe(true);
        for (const { group: name, to } of decision.scaleUp.increases) {
          expect(to).toBeLessThanOrEqual(input.nodeGroups.find((candidate) => candidate.name === name)!.maxSize);
        }
        // With the new sizes on their way, every pod that caused them finds a place there.
        const after = evaluate({
          ...input,
          nodeGroups: input.nodeGroups.map((candidate) => ({
            ...candidate,
            targetSize: decision.scaleUp.increases.find(({ group: name }) => name === candidate.name)?.to ?? 0,
          })),
          objects: {
            ...input.objects,
            pods: input.objects.pods.filter((_, i) => outcomes(decision)[`p-${i}`] === 'Triggered'),
          },
          state: decision.state,
        });
        expect(after.scaleUp.result).toBe('NotNeeded');
      }),
      { numRuns: cases(50) },
    );
  });
});

describe('fit', () => {
  test('names the plugin that rejects, for every pending pod and every node', () => {
    const nodes = [
      node('free', { cpu: 4 }),
      node('tainted', { cpu: 4 }, { taints: [{ key: 'x', value: '', effect: 'NoSchedule' }] }),
      node('tiny', { cpu: 1 }),
    ];
    expect(fit(scenario({ nodes, pods: [pod('p', { requests: { cpu: 2 } })] }))).toEqual([
      { pod: 'default/p', nodes: { free: 'ok', tainted: 'TaintToleration', tiny: 'NodeResourcesFit' } },
    ]);
  });
});

describe('spread over hosts', () => {
  const spread = spreadConstraint('kubernetes.io/hostname', { matchLabels: { app: 'web' }, matchExpressions: [] });
  const web = (name: string, given = {}) =>
    pod(name, { labels: { app: 'web' }, requests: { cpu: 1 }, spec: { topologySpread: [spread] }, ...given });

  test('a new node opens an old one of no group, whose pod waits for it too', () => {
    const nodes = [node('lone', { cpu: 3, memory: '16Gi' }), node('full', { cpu: 1, memory: '16Gi' })];
    const pods = [
      web('there', { node: 'lone' }),
      pod('busy', { node: 'full', requests: { cpu: 1 } }),
      ...times(3, (i) => web(`p-${i}`)),
    ];
    const decision = evaluate(scenario({ groups: [group('g', { max: 1 })], nodes, pods }));
    expect(increases(decision)).toEqual({ g: '0→1' });
    expect(decision.scaleUp.pods.map(({ outcome }) => outcome)).toContain('Triggered');
  });
});

describe('fit of a nominated pod', () => {
  test('does not count the pod against itself', () => {
    const nominated = pod('vip', { requests: { cpu: 3 }, nominatedNode: 'n1' });
    expect(fit(scenario({ nodes: [node('n1', { cpu: 4 })], pods: [nominated] }))).toEqual([
      { pod: 'default/vip', nodes: { n1: 'ok' } },
    ]);
  });
});
