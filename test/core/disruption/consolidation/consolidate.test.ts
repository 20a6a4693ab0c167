import { describe, expect, test } from 'vitest';
import type { NodeGroup } from '../../../../core/model/node-group.ts';
import { evaluate } from '../../../../core/evaluate.ts';
import type { Decision } from '../../../../core/model/decision.ts';
import type { Node } from '../../../../core/model/cluster/node.ts';
import type { Options } from '../../../../core/model/options.ts';
import { groupName, nodeName } from '../../../../core/model/values/names.ts';
import { durationMs, minutes } from '../../../../core/model/values/time.ts';
import type { Controller } from '../../../../core/model/cluster/workloads.ts';
import { affinityTerm, type Amounts, budget, node, pod, type PodOptions, selector } from '../../../builders.ts';
import { group, type GroupGiven, times } from '../../../scenario-builders.ts';
import { ago, type ClusterGiven, clusterOf, DAEMON, replica, stays, WEB } from '../../scaledown/cluster.ts';

const REPLACE: Partial<Options> = { consolidation: 'replace' };
const DELETE: Partial<Options> = { consolidation: 'delete' };

const SIZES = {
  small: { cpu: 4, memory: '16Gi' },
  large: { cpu: 16, memory: '64Gi' },
  huge: { cpu: 64, memory: '256Gi' },
} as const;

const PRICES = { small: 0.2, large: 0.8, huge: 3.2 } as const;

type Size = keyof typeof SIZES;

const priced = (size: Size, given: GroupGiven = {}, more: Partial<NodeGroup> = {}): NodeGroup => ({
  ...group(size, { node: SIZES[size], ...given }),
  price: PRICES[size],
  ...more,
});

/** A node that has been there for a day. */
const old = (name: string, amounts: Amounts = SIZES.small, more: Partial<Node> = {}): Node =>
  node(name, amounts, { createdAt: ago(24 * 60), ...more });

/** A pod that has run for a day; one GiB. */
const running = (name: string, on: string, cpu: string | number, more: PodOptions = {}) => ({
  ...replica(name, on, { ...more, requests: { cpu, memory: '1Gi', ...more.requests } }),
  startedAt: ago(24 * 60),
  createdAt: ago(24 * 60),
  phase: 'Running' as const,
});

const JOB: Controller = { ...WEB, kind: 'Job', name: 'batch', uid: 'uid-Job/batch', replicas: null };
const jobPod = (name: string, on: string, cpu: number, age: number) => ({
  ...running(name, on, cpu, { owner: 'Job/batch' }),
  startedAt: ago(age),
  createdAt: ago(age),
});

/** Nodes of 4 cpu, on each as many pods of 0.58 cpu as are given: four are 58 % of it. */
const web = (pods: readonly number[], given: Partial<ClusterGiven> = {}): ClusterGiven => {
  const names = pods.map((_, i) => `n${i}`);
  return {
    nodes: names.map((name) => old(name)),
    groups: [priced('small', { nodes: names })],
    pods: pods.flatMap((count, i) => times(count, (p) => running(`p-${i}-${p}`, `n${i}`, '580m'))),
    options: REPLACE,
    ...given,
  };
};

/** A pod on a node of 16 cpu, and a group of nodes of 4 cpu. */
const oversized = (given: Partial<ClusterGiven> = {}): ClusterGiven => ({
  nodes: [old('big', SIZES.large)],
  groups: [priced('large', { nodes: ['big'] }), priced('small')],
  pods: [running('p', 'big', 1)],
  options: REPLACE,
  ...given,
});

const FOUR = times(4, (i) => `n${i}`);
/** None fits beside another, but four fit on a node of 64 cpu for 2.4 in place of 3.2. */
const FOUR_FOR_ONE: ClusterGiven = {
  nodes: FOUR.map((name) => old(name, SIZES.large)),
  groups: [priced('large', { nodes: FOUR }), priced('small', {}, { price: 0.7 }), priced('huge', {}, { price: 2.4 })],
  pods: FOUR.map((name, i) => running(`p${i}`, name, 12)),
  options: { ...REPLACE, maxDrainParallelism: 10 },
};

/** Ordinary scale-down finds nothing but empty nodes, unless told otherwise. */
const decide = (given: ClusterGiven): Decision => {
  const decision = evaluate(
    clusterOf({
      ...given,
      options: { scaleDownUtilizationThreshold: 0, ...given.options },
      objects: { ...given.objects, controllers: [WEB, JOB, AGENT, ...(given.objects?.controllers ?? [])] },
    }),
  );
  expect(decision.unexpectedErrors).toBeUndefined();
  return decision;
};

const AGENT: Controller = { ...WEB, kind: 'DaemonSet', name: 'agent', uid: 'uid-DaemonSet/agent', replicas: null };

/** `-n0` a removal, `n0,n1>group` a replacement. */
const done = ({ scaleDown, state }: Decision): string =>
  [
    ...scaleDown.removals.map(({ node: name, reason }) => (reason === 'Underutilized' ? `-${name}` : `(${name})`)),
    ...(state.disruptions ?? []).map(({ nodes, replacement }) => `${nodes.join(',')}>${replacement}`),
  ].join(' ');

const doneWith = (given: ClusterGiven): string => done(decide(given));

const why = (decision: Decision, name: string): string =>
  decision.scaleDown.unremovable.find(({ node: of }) => of === name)?.message ?? '';

describe('consolidation', () => {
  test('three nodes at 58 % become two', () => {
    expect(doneWith(web([4, 4, 4]))).toBe('-n0');
  });

  test('its search ends with its budget, of which 0 is none', () => {
    const options = { ...FOUR_FOR_ONE.options, scaleDownSimulationTimeout: durationMs(0) };
    const all = [web([4, 4, 4]), oversized(), FOUR_FOR_ONE];
    expect(all.map((given) => doneWith({ ...given, options }))).toEqual(['', '', '']);
  });

  test('its option is off unless it is set', () => {
    expect(doneWith(web([4, 4, 4], { options: {} }))).toBe('');
  });

  test('a node of 16 cpu with one pod of 1 cpu is replaced by one of 4', () => {
    const { scaleDown, state } = decide(oversized());
    expect(scaleDown.removals).toEqual([]);
    expect(state.disruptions).toMatchObject([
      { nodes: ['big'], reason: 'Underutilized', replacement: 'small', basis: 'price', saving: 0.6, moves: 1 },
    ]);
    expect(state.disruptions![0]!.maxCost).toBeGreaterThan(0.2);
    expect(state.disruptions![0]!.maxCost).toBeLessThan(0.8);
    expect(scaleDown.disruptions).toMatchObject([{ nodes: ['big'], state: 'Waiting', workAtRisk: 0 }]);
  });

  test('is of Spot nodes alone while commitments could not be read', () => {
    const unread = 'capacity that is paid for could not be read (DescribeSavingsPlans)';
    const commitments = [{ kind: 'Unread', call: 'DescribeSavingsPlans' }] as const;
    const decided = ['spot', 'on-demand'].map((capacityType) => {
      const groups = oversized().groups!.map((one) => ({ ...one, capacityType }));
      const decision = decide(oversized({ groups, commitments }));
      return [done(decision), why(decision, 'big').includes(unread)];
    });
    expect(decided).toEqual([
      ['big>small', false],
      ['', true],
    ]);
  });

  test('a node is replaced though its pods did not fit elsewhere a minute ago', () => {
    expect(doneWith(oversized({ state: { unremovableUntil: { [nodeName('big')]: ago(-4) } } }))).toBe(
      doneWith(oversized()),
    );
  });

  describe('a DaemonSet that takes most of each new node', () => {
    const hostile = (namespace: string): Controller => ({
      ...AGENT,
      namespace,
      uid: 'uid-DaemonSet/hostile',
      template: pod('hostile', { namespace, owner: 'DaemonSet/hostile', requests: { cpu: '3500m' } }),
    });
    /** Only the group of small nodes can grow. */
    const withHostile = (namespace: string, ...pods: readonly ReturnType<typeof pod>[]): string =>
      doneWith(
        oversized({
          groups: [priced('large', { nodes: ['big'], max: 1 }), priced('small')],
          pods: [running('p', 'big', 1), ...pods],
          objects: { controllers: [hostile(namespace)] },
        }),
      );
    const running3500m = pod('hostile-big', {
      namespace: 'evil',
      node: 'big',
      owner: 'DaemonSet/hostile',
      requests: { cpu: '3500m' },
    });
    test.each([
      ['counts for nothing where it runs on no node', 'evil', [], 'big>small'],
      ['keeps a pod away that does not fit beside it where it runs', 'evil', [running3500m], ''],
      ['keeps a pod away in kube-system, where it precedes all others', 'kube-system', [], ''],
    ])('%s', (_, namespace, pods, expected) => {
      expect(withHostile(namespace, ...pods)).toBe(expected);
    });
  });

  test('a replacement must pay before nodes are likely to be launched again, unless the option says how long', () => {
    const after = (quiet: number, options: Partial<Options> = {}): string =>
      doneWith(
        oversized({
          pods: [running('p', 'big', 3)],
          state: { lastEvaluation: ago(1), lastScaleUp: ago(quiet) },
          options: { ...REPLACE, scaleDownDelayAfterAdd: minutes(0), ...options },
        }),
      );
    expect(after(1)).toBe('');
    expect(after(120)).toBe('big>small');
    expect(after(1, { consolidationHorizon: minutes(120) })).toBe('big>small');
  });

  test('a deletion launches nothing, and has as long as the node has lived', () => {
    const state = { lastEvaluation: ago(1), lastScaleUp: ago(1) };
    expect(doneWith(web([4, 4, 4], { state, options: { ...REPLACE, scaleDownDelayAfterAdd: minutes(0) } }))).toBe(
      '-n0',
    );
  });

  test('with `delete` nothing is launched', () => {
    expect(doneWith(oversized({ options: DELETE }))).toBe('');
    expect(doneWith(web([4, 4, 4], { options: DELETE }))).toBe('-n0');
  });

  test('several nodes are replaced by one that costs less than they do together', () => {
    expect(doneWith(FOUR_FOR_ONE)).toBe('n0,n1,n2,n3>huge');
  });

  test('two nodes are replaced by one that costs less than both', () => {
    const given = (price: number): ClusterGiven => ({
      nodes: ['n0', 'n1'].map((name) => old(name, SIZES.large)),
      groups: [priced('large', { nodes: ['n0', 'n1'] }), priced('huge', {}, { price })],
      pods: ['n0', 'n1'].map((name, i) => running(`p${i}`, name, 12)),
      options: REPLACE,
    });
    expect(doneWith(given(1.1))).toBe('n0,n1>huge');
    expect(doneWith(given(1.7))).toBe('');
  });

  test('two of three nodes are replaced where one node does not hold the pods of all', () => {
    const names = ['n0', 'n1', 'n2'];
    const given: ClusterGiven = {
      nodes: names.map((name) => old(name, SIZES.large)),
      groups: [
        priced('large', { nodes: names }),
        { ...group('wide', { node: { cpu: 30, memory: '120Gi' } }), price: 1.3 },
      ],
      pods: names.map((name, i) => running(`p${i}`, name, 12)),
      options: { ...REPLACE, maxDrainParallelism: 10 },
    };
    expect(doneWith(given)).toBe('n0,n1>wide');
  });

  test('four of five nodes are replaced by one that holds no more of their pods', () => {
    const names = times(5, (i) => `n${i}`);
    const given: ClusterGiven = {
      nodes: names.map((name) => old(name, SIZES.large)),
      groups: [priced('large', { nodes: names }), priced('huge', {}, { price: 2 })],
      pods: names.map((name, i) => running(`p${i}`, name, 14)),
      options: { ...REPLACE, maxDrainParallelism: 10 },
    };
    expect(doneWith(given)).toBe('n0,n1,n2,n3>huge');
  });

  describe('one node, or several, replaced by several cheaper ones', () => {
    /** 48 of 64 cpu are used: one node of 16 cpu does not hold them, three do. */
    const halfFull = (given: Partial<ClusterGiven> = {}, price = 0.8): ClusterGiven => ({
      nodes: [old('big', SIZES.huge)],
      groups: [priced('huge', { nodes: ['big'] }), priced('large', {}, { price })],
      pods: times(12, (i) => running(`p${i}`, 'big', '3900m')),
      options: REPLACE,
      ...given,
    });

    test('a node of 64 cpu with 47 in use is replaced by three of 16, which cost less together', () => {
      expect(decide(halfFull()).state.disruptions).toMatchObject([
        { nodes: ['big'], replacement: 'large', saving: 0.8 },
      ]);
      // Three of them for 1.1 each cost more than the one.
      expect(doneWith(halfFull({}, 1.1))).toBe('');
    });

    test('scale-up launches all of them, balanced over similar groups', () => {
      const zones = ['a', 'b', 'c'].map((zone, i) =>
        priced('large', {}, { name: groupName(`large-${zone}`), price: 0.8 + i / 1000 }),
      );
      const given = halfFull({ groups: [priced('huge', { nodes: ['big'] }), ...zones] });
      const first = decide(given);
      expect(done(first)).toBe('big>large-a');
      const { scaleUp } = decide({ ...given, state: first.state });
      expect(scaleUp.increases.map(({ group: of, from, to }) => `${of} ${from}>${to}`)).toEqual([
        'large-a 0>1',
        'large-b 0>1',
        'large-c 0>1',
      ]);
    });

    test('the group of which fewer nodes suffice is taken where that is cheaper, however little one of the others costs', () => {
      const small = priced('small', {}, { price: 0.19 });
      const groups = [...halfFull().groups!, small];
      // Three of 16 cpu cost 2.4, twelve of 4 cpu 2.28 and are too many at a time.
      expect(doneWith(halfFull({ groups }))).toBe('big>large');
      // Six of 8 cpu cost 2.34.
      const middle = priced('small', { node: { cpu: 8, memory: '32Gi' } }, { price: 0.39 });
      expect(doneWith(halfFull({ groups: [...halfFull().groups!, middle] }))).toBe('big>small');
    });

    test('no more than the maximum of the group and the limits of the cluster leave', () => {
      const upTo = (max: number) =>
        halfFull({ groups: [priced('huge', { nodes: ['big'] }), priced('large', { max })] });
      expect(doneWith(upTo(3))).toBe('big>large');
      expect(doneWith(upTo(2))).toBe('');
      const limited = (maxNodesTotal: number) => halfFull({ options: { ...REPLACE, maxNodesTotal } });
      expect(doneWith(limited(4))).toBe('big>large');
      expect(doneWith(limited(3))).toBe('');
    });

    test('three nodes are replaced by two together, and by three one by one', () => {
      const names = ['n0', 'n1', 'n2'];
      const given = (cpu: number): ClusterGiven => ({
        nodes: names.map((name) => old(name, SIZES.large)),
        groups: [
          priced('large', { nodes: names }),
          priced('huge', { node: { cpu: 20, memory: '80Gi' } }, { price: 0.7 }),
        ],
        pods: names.flatMap((name) => times(2, (i) => running(`p-${name}-${i}`, name, cpu))),
        options: { ...REPLACE, maxDrainParallelism: 10, consolidationMaxMovesPerPod: 10 },
      });
      expect(doneWith(given(6))).toBe('n0,n1,n2>huge');
      expect(doneWith(given(7.5))).toBe('n0>huge n1>huge n2>huge');
    });
  });

  test('as many nodes at a time as may be drained', () => {
    const names = times(4, (i) => `n${i}`);
    const given = (drains: number): ClusterGiven => ({
      nodes: names.map((name) => old(name, SIZES.large)),
      groups: [priced('large', { nodes: names }), priced('small')],
      pods: names.map((name, i) => running(`p${i}`, name, 3, { spec: apart('web'), labels: { app: 'web' } })),
      options: { ...REPLACE, maxDrainParallelism: drains },
    });
    expect(doneWith(given(10))).toBe('n0>small n1>small n2>small n3>small');
    expect(doneWith(given(2))).toBe('n0>small n1>small');
    expect(doneWith(given(0))).toBe('');
  });

  test('a replacement may take the room that is left on others', () => {
    const given = oversized({
      nodes: [old('big', SIZES.large), old('n', SIZES.small)],
      groups: [priced('large', { nodes: ['big'] }), priced('small', { nodes: ['n'] })],
      pods: [...times(3, (i) => running(`p${i}`, 'big', '1500m')), running('q', 'n', 2)],
    });
    expect(doneWith(given)).toBe('big>small');
  });

  test('without a least saving it still has to save', () => {
    const groups = [priced('large', { nodes: ['big'] }), priced('small', {}, { price: 0.77 })];
    const options = { ...REPLACE, consolidationMinSaving: 0, nearTieRatio: 0 };
    expect(doneWith(oversized({ groups, options }))).toBe('big>small');
    expect(doneWith(oversized({ groups: [groups[0]!, { ...groups[1]!, price: 0.8 }], options }))).toBe('');
  });

  test('a node that a savings plan covers saves nothing, and is not replaced', () => {
    const prices = [{ type: null, zone: null, capacityType: null, price: 0, covered: 1 }];
    expect(doneWith(oversized({ options: { ...REPLACE, prices } }))).toBe('');
    expect(doneWith({ ...web([3, 3]), options: { ...REPLACE, prices: [{ ...prices[0]!, covered: 2 }] } })).toBe('');
    expect(doneWith({ ...web([3, 3]), options: { ...REPLACE, prices } })).toBe('-n0');
    const others = [{ ...prices[0]!, price: 0.01, covered: null }];
    expect(doneWith(oversized({ options: { ...REPLACE, prices: others } }))).toBe('');
  });

  test('as many nodes are replaced by nodes that are paid for as there are of these', () => {
    const labels = { 'node.kubernetes.io/instance-type': 'm5.xlarge' };
    const full = (paid: readonly string[], covered: number): string =>
      doneWith({
        ...web([6, 6, 6]),
        nodes: ['n0', 'n1', 'n2'].map((name) => old(name, SIZES.small, paid.includes(name) ? { labels } : {})),
        groups: [
          priced('small', { nodes: ['n0', 'n1', 'n2'].filter((name) => !paid.includes(name)) }),
          { ...group('paid', { node: SIZES.small, labels, nodes: paid }), price: 0.214 },
        ],
        options: {
          ...REPLACE,
          maxDrainParallelism: 9,
          consolidationMaxMovesPerPod: 99,
          prices: [{ type: 'm5.xlarge', zone: null, capacityType: null, price: 0, covered }],
        },
      });
    expect(full([], 2)).toBe('n0>paid n1>paid');
    expect(full(['n2'], 2)).toBe('n0>paid');
    expect(full([], 0)).toBe('');
  });

  test('a node that no cheaper one could replace is kept', () => {
    expect(doneWith({ ...web([4]), options: REPLACE })).toBe('');
    expect(doneWith(web([6, 6, 6]))).toBe('');
  });
});

const apart = (app: string) => ({
  podAntiAffinity: [affinityTerm('kubernetes.io/hostname', selector({ app }))],
});

describe('what keeps a node from being consolidated', () => {
  const cases: readonly (readonly [string, Partial<ClusterGiven>, string])[] = [
    [
      'it is too young',
      { nodes: [old('big', SIZES.large, { createdAt: ago(9) })] },
      '9m old, and consolidationMinNodeAge is 10m',
    ],
    [
      'a pod has come to it lately',
      { pods: [{ ...running('p', 'big', 1), startedAt: ago(4) }] },
      'consolidateAfter 5m, 1m are left',
    ],
    ['a Job has run on it for longer than jobProtectionAge', { pods: [jobPod('j', 'big', 1, 6)] }, 'jobProtectionAge'],
    [
      'a pod must not be disrupted',
      { pods: [running('p', 'big', 1, { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } })] },
      'do-not-disrupt',
    ],
    [
      'a pod is not safe to evict',
      {
        pods: [running('p', 'big', 1, { annotations: { 'cluster-autoscaler.kubernetes.io/safe-to-evict': 'false' } })],
      },
      'safe-to-evict',
    ],
    [
      'a disruption budget allows none',
      {
        pods: [running('p', 'big', 1, { labels: { app: 'web' } })],
        objects: { podDisruptionBudgets: [budget({ disruptionsAllowed: 0 })] },
      },
      'web',
    ],
    [
      'its pods are moved too often',
      {
        state: {
          consolidationMoves: [
            { controller: 'default/ReplicaSet/uid-ReplicaSet/web', first: ago(600), last: ago(500), pods: 4 },
          ],
        },
      },
      'consolidationMaxMovesPerPod',
    ],
    [
      'a pod of its was moved within the hour',
      {
        pods: [{ ...running('p', 'big', 1), createdAt: ago(44), startedAt: ago(44) }],
        state: {
          consolidationMoves: [
            { controller: 'default/ReplicaSet/uid-ReplicaSet/web', first: ago(45), last: ago(45), pods: 1 },
          ],
        },
      },
      'within the last hour',
    ],
    [
      'the moves of the day are used up',
      {
        options: { ...REPLACE, consolidationMaxMovesPerDay: 3, consolidationMaxMovesPerPod: 0 },
        state: { consolidationMoves: [{ controller: 'x', first: ago(600), last: ago(500), pods: 3 }] },
      },
      'consolidationMaxMovesPerDay 3',
    ],
    [
      'nothing cheaper holds its pods',
      { pods: [running('p', 'big', 5)] },
      'neither on other nodes nor on a new node that would save more',
    ],
    [
      'moving its pods costs too much',
      { options: { ...REPLACE, consolidationHorizon: minutes(4) }, pods: [running('p', 'big', 4)] },
      '',
    ],
    [
      'its saving until nodes are launched again, as four minutes ago, is too small',
      {
        state: { lastEvaluation: ago(1), lastScaleUp: ago(4) },
        options: { ...REPLACE, scaleDownDelayAfterAdd: minutes(0) },
        pods: [running('p', 'big', 4)],
      },
      '',
    ],
    [
      'the saving is too small',
      { groups: [priced('large', { nodes: ['big'] }), priced('small', {}, { price: 0.77 })] },
      'neither on other nodes nor on a new node that would save more',
    ],
    ['it is in use above the threshold', { options: { ...REPLACE, consolidationUtilizationThreshold: 0.05 } }, ''],
    [
      'its group has its minimum',
      { groups: [priced('large', { nodes: ['big'], min: 1 }), priced('small')] },
      'minimum of 1',
    ],
    [
      'its group goes as a whole',
      { groups: [priced('large', { nodes: ['big'], options: { zeroOrMaxNodeScaling: true } }), priced('small')] },
      'as a whole',
    ],
    [
      'its annotation says so',
      { nodes: [old('big', SIZES.large, { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } })] },
      'do-not-disrupt',
    ],
    [
      'its group is not consolidated',
      { groups: [priced('large', { nodes: ['big'], options: { consolidation: 'off' } }), priced('small')] },
      '',
    ],
    ['nodes were added lately', { state: { lastEvaluation: ago(1), lastScaleUp: ago(1) } }, ''],
  ];
  test.each(cases)('%s', (_, given, message) => {
    const decision = decide(oversized(given));
    expect(done(decision)).toBe('');
    expect(why(decision, 'big')).toContain(message);
  });

  test('each of these alone: without it the node is replaced', () => {
    expect(doneWith(oversized())).toBe('big>small');
    expect(doneWith(oversized({ nodes: [old('big', SIZES.large, { createdAt: ago(60) })] }))).toBe('big>small');
    expect(
      doneWith(oversized({ pods: [jobPod('j', 'big', 1, 6)], options: { ...REPLACE, jobProtectionAge: minutes(0) } })),
    ).toBe('big>small');
    expect(doneWith(oversized({ pods: [{ ...running('p', 'big', 1), startedAt: ago(5), createdAt: ago(5) }] }))).toBe(
      'big>small',
    );
    expect(
      doneWith(oversized({ groups: [priced('large', { nodes: ['big'] }), priced('small', {}, { price: 0.7 })] })),
    ).toBe('big>small');
  });
});

describe('purchase options', () => {
  const launchedAs = (size: Size, as: string, given: GroupGiven = {}, price: number = PRICES[size]): NodeGroup =>
    priced(size, given, { capacityType: as, price });
  const cases: readonly (readonly [string, string, number, string])[] = [
    ['on-demand', 'on-demand', 0.2, 'big>small'],
    ['on-demand', 'spot', 0.05, 'big>small'],
    ['on-demand', 'spot', 0.78, ''],
    ['spot', 'spot', 0.2, 'big>small'],
    ['spot', 'on-demand', 0.2, 'big>small'],
    ['spot', 'on-demand', 0.9, ''],
    ['reserved', 'on-demand', 0.2, ''],
  ];
  test.each(cases)('%s by %s at %d: %s', (from, to, price, expected) => {
    const groups = [launchedAs('large', from, { nodes: ['big'] }), launchedAs('small', to, {}, price)];
    expect(doneWith(oversized({ groups }))).toBe(expected);
  });

  test('labels of nodes say it before their group does', () => {
    const labels = { 'eks.amazonaws.com/capacityType': 'ON_DEMAND' };
    const groups = [launchedAs('large', 'spot', { nodes: ['big'] }), launchedAs('small', 'spot')];
    expect(doneWith(oversized({ groups, nodes: [old('big', SIZES.large, { labels })] }))).toBe('');
  });

  test('a spot node is not replaced by one of a group with fewer instance types', () => {
    const type = (name: string) => ({ 'node.kubernetes.io/instance-type': name });
    const other = group('x', { node: SIZES.large, labels: type('b') }).template!;
    const large = { ...launchedAs('large', 'spot', { nodes: ['big'], labels: type('a') }), alternatives: [other] };
    expect(doneWith(oversized({ groups: [large, launchedAs('small', 'spot', { labels: type('c') })] }))).toBe('');
  });

  test('pods of on-demand nodes may move to existing spot nodes, as far as kube-scheduler lets them', () => {
    const given = web([3, 3], {
      groups: [
        priced('small', { nodes: ['n0'] }, { capacityType: 'on-demand' }),
        { ...priced('small', { nodes: ['n1'] }, { capacityType: 'spot' }), name: 'spot' as never },
      ],
    });
    expect(doneWith(given)).toBe('-n0');
  });
});

describe('a replacement with as much room', () => {
  /** Nodes were launched ten minutes ago, so a smaller node would soon be filled. */
  const busy = (price: number, size: Amounts): ClusterGiven =>
    oversized({
      groups: [
        priced('large', { nodes: ['big'] }),
        { ...priced('small', { node: size }), name: groupName('other'), price },
      ],
      state: { lastEvaluation: ago(1), lastScaleUp: ago(10) },
      options: { ...REPLACE, scaleDownDelayAfterAdd: minutes(5) },
      pods: times(9, (i) => running(`p-${i}`, 'big', 1)),
    });

  test('is judged by the life of the node, however lately nodes were launched', () => {
    expect(doneWith(busy(0.71, { cpu: 16, memory: '63Gi' }))).toBe('big>other');
    expect(doneWith(busy(0.79, { cpu: 16, memory: '63Gi' }))).toBe('');
  });

  test('a smaller one is judged by the time without launches', () => {
    expect(doneWith(busy(0.71, { cpu: 12, memory: '63Gi' }))).toBe('');
    expect(doneWith(busy(0.71, { cpu: 16, memory: '56Gi' }))).toBe('');
  });
});

describe('the order of what is consolidated', () => {
  test('those first that cost most for each pod that moves', () => {
    const names = ['dear', 'cheap'];
    const given: ClusterGiven = {
      nodes: [old('cheap', SIZES.small), old('dear', SIZES.large), old('rest', SIZES.small)],
      groups: [priced('small', { nodes: ['cheap', 'rest'] }), priced('large', { nodes: ['dear'] })],
      pods: [...names.map((name) => running(name, name, 2)), running('r', 'rest', 2)],
      options: DELETE,
    };
    // There is room for one of both on `rest`; the pods of the other may go to the node that stays.
    expect(doneWith(given).split(' ')[0]).toBe('-dear');
  });

  test('of equals, those whose pods matter least: by pod-deletion-cost and priority', () => {
    const costly = { annotations: { 'controller.kubernetes.io/pod-deletion-cost': '2147483647' } };
    const given = (more: PodOptions): ClusterGiven =>
      web([0, 0, 0], {
        pods: ['n0', 'n1', 'n2'].flatMap((on) =>
          times(4, (p) => running(`p-${on}-${p}`, on, '580m', on === 'n0' ? more : {})),
        ),
      });
    expect(doneWith(given({}))).toBe('-n0');
    expect(doneWith(given(costly))).toBe('-n1');
    expect(doneWith(given({ spec: { priority: 1_000_000_000 } }))).toBe('-n1');
  });

  test('any order of the input gives the same bytes', () => {
    const given = clusterOf({ ...web([4, 4, 4, 4, 4]), objects: {} });
    const turned = {
      ...given,
      nodeGroups: given.nodeGroups.toReversed(),
      objects: { ...given.objects, nodes: given.objects.nodes.toReversed(), pods: given.objects.pods.toReversed() },
    };
    expect(JSON.stringify(evaluate(turned))).toBe(JSON.stringify(evaluate(given)));
  });
});

describe('what ordinary scale-down does comes first', () => {
  test('nodes that are unneeded are removed as ever', () => {
    const given = web([1, 1, 4]);
    const ordinary = { scaleDownUtilizationThreshold: 0.5 };
    expect(doneWith({ ...given, options: ordinary })).toBe('(n0) (n1)');
    expect(doneWith({ ...given, options: { ...REPLACE, ...ordinary } })).toBe('(n0) (n1)');
    expect(doneWith(given)).toBe('-n0 -n1');
  });

  test('pods that wait have their places', () => {
    const pending = {
      ...pod('w', { requests: { cpu: '1500m', memory: '1Gi' } }),
      unscheduled: { reason: 'Unschedulable', since: null },
    };
    const given = web([4, 4]);
    expect(doneWith(web([3, 3]))).toBe('-n0');
    expect(doneWith({ ...web([3, 3]), pods: [...web([3, 3]).pods!, pending] })).toBe('');
    expect(doneWith(given)).toBe('');
  });

  test('DaemonSet pods need no other place', () => {
    const given = web([4, 4, 4]);
    const daemons = ['n0', 'n1', 'n2'].map((on) => running(`d-${on}`, on, 0, { ...DAEMON, requests: { cpu: '100m' } }));
    expect(doneWith({ ...given, pods: [...given.pods!, ...daemons] })).toBe('-n0');
  });
});

test('the last move of the day is made', () => {
  const options = { ...REPLACE, consolidationMaxMovesPerDay: 3, consolidationMaxMovesPerPod: 0 };
  const state = { consolidationMoves: [{ controller: 'x', first: ago(600), last: ago(500), pods: 2 }] };
  expect(doneWith(oversized({ options, state }))).toBe('big>small');
});

test('moves are remembered for a day, by controller', () => {
  const { state } = decide(web([4, 4, 4]));
  expect(state.consolidationMoves).toEqual([
    { controller: 'default/ReplicaSet/uid-ReplicaSet/web', first: ago(0), last: ago(0), pods: 4 },
  ]);
  const later = decide(
    web([6, 6], { state: { consolidationMoves: [{ controller: 'a', first: ago(1441), last: ago(1440), pods: 1 }] } }),
  );
  expect(later.state.consolidationMoves).toBeUndefined();
});

test('a removal says why, what it saves and what is lost', () => {
  const { scaleDown } = decide({ ...web([4, 4, 4]), options: { ...REPLACE } });
  expect(scaleDown.removals).toMatchObject([{ node: 'n0', reason: 'Underutilized', kind: 'drain' }]);
  expect(scaleDown.disruptions).toMatchObject([
    { nodes: ['n0'], replacement: null, state: 'Ready', saving: 0.2, moves: 4, workAtRisk: 0 },
  ]);
  expect(stays(decide(web([6, 6])))).toEqual({ n0: 'NotUnderutilized', n1: 'NotUnderutilized' });
});
