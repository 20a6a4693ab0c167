import { describe, expect, test } from 'vitest';
import { evaluate } from '../../../../core/evaluate.ts';
import type { Consideration } from '../../../../core/model/decision.ts';
import type { NodeGroup } from '../../../../core/model/node-group.ts';
import { defaultOptions } from '../../../../core/model/options.ts';
import type { PriorityTiers } from '../../../../core/model/cluster/priorities.ts';
import type { ConfigMap } from '../../../../core/model/cluster/workloads.ts';
import { pod } from '../../../builders.ts';
import { group, scenario, times } from '../../../scenario-builders.ts';

const priced = (of: NodeGroup, price: number): NodeGroup => ({ ...of, price });
const GROUPS = [
  priced(group('large', { node: { cpu: 16, memory: '64Gi' }, max: 500 }), 0.8),
  priced(group('small', { node: { cpu: 2, memory: '8Gi' }, max: 500 }), 0.08),
  priced(group('spot', { node: { cpu: 4, memory: '16Gi' }, max: 3 }), 0.06),
];
const priorityMap = (priorities: PriorityTiers): ConfigMap => ({
  namespace: 'kube-system',
  name: 'cluster-autoscaler-priority-expander',
  data: {},
  priorities,
});
const SPOT_FIRST = priorityMap({
  ok: true,
  value: [
    { priority: 50, patterns: ['^spot'] },
    { priority: 10, patterns: ['large', 'small'] },
  ],
});

function choices(
  expander: readonly string[],
  count: number,
  configMaps: readonly ConfigMap[] = [],
): readonly Consideration[] {
  const pods = times(count, (i) => pod(`p-${i}`, { requests: { cpu: 2, memory: '4Gi' } }));
  return evaluate(scenario({ groups: GROUPS, pods, objects: { configMaps }, options: { expander } })).scaleUp
    .considered;
}

test('the ConfigMap of the priority expander is that of the namespace in the options, and no other', () => {
  const other = {
    ...priorityMap({ ok: true, value: [{ priority: 1, patterns: ['small'] }] }),
    namespace: 'autoscaling',
  };
  const chosenIn = (namespace: string): readonly Consideration[] =>
    evaluate(
      scenario({
        groups: GROUPS,
        pods: [pod('p', { requests: { cpu: 2, memory: '4Gi' } })],
        objects: { configMaps: [SPOT_FIRST, other] },
        options: { expander: ['priority'], namespace },
      }),
    ).scaleUp.considered;
  expect(chosenIn('kube-system')[0]!.winner).toBe('spot');
  expect(chosenIn('autoscaling')[0]!.winner).toBe('small');
  expect(chosenIn('elsewhere')[0]!.why).toContain(
    'there is no ConfigMap elsewhere/cluster-autoscaler-priority-expander',
  );
});

describe('a plan that costs less', () => {
  const cheapGpu = priced(group('gpu', { node: { cpu: 4, memory: '16Gi', 'nvidia.com/gpu': 1 } }), 0.01);
  const plain = priced(group('plain', { node: { cpu: 4, memory: '16Gi' } }), 0.5);
  const cheap = priced(group('cheap', { node: { cpu: 4, memory: '16Gi' }, labels: { x: 'y' } }), 0.1);

  test.each([
    { what: 'is not made of nodes with GPUs that no pod requests', groups: [cheapGpu, plain], winner: 'plain' },
    { what: 'is taken where it needs none', groups: [cheap, cheapGpu, plain], winner: 'cheap' },
  ])('$what', ({ groups, winner }) => {
    const pods = times(2, (i) => pod(`p-${i}`, { requests: { cpu: 2 } }));
    const { scaleUp } = evaluate(scenario({ groups, pods, options: { expander: ['price'] } }));
    expect(scaleUp.increases).toEqual([{ group: winner, from: 0, to: 1 }]);
  });
});

describe('of similar groups of one size the one that the expanders choose gets the odd node', () => {
  const B_FIRST = priorityMap({
    ok: true,
    value: [
      { priority: 10, patterns: ['b$'] },
      { priority: 5, patterns: ['a$'] },
    ],
  });
  const [A, B] = [group('ng-a', { zone: 'us-east-1a' }), group('ng-b', { zone: 'us-east-1b' })];
  const smaller = group('ng-b', { zone: 'us-east-1b', node: { cpu: 4, memory: '15900Mi' } });

  test.each([
    { what: 'priority', groups: [A, B], expander: ['priority'] },
    { what: 'price', groups: [priced(A, 0.2), priced(B, 0.1)], expander: ['price'] },
    { what: 'least-waste, of shapes that are nearly equal', groups: [A, smaller], expander: ['least-waste'] },
  ])('$what', ({ groups, expander }) => {
    const { increases, considered } = evaluate(
      scenario({
        groups,
        pods: [pod('p', { requests: { cpu: 2, memory: '4Gi' } })],
        objects: { configMaps: [B_FIRST] },
        options: { expander },
      }),
    ).scaleUp;
    expect(increases).toEqual([{ group: 'ng-b', from: 0, to: 1 }]);
    expect(considered.map(({ winner }) => winner)).toEqual(['ng-b']);
  });

  test('and where chance chooses, so too', () => {
    const bought = times(20, (seed) => {
      const { increases, considered } = evaluate(
        scenario({ groups: [A, B], pods: [pod('p', { requests: { cpu: 2 } })], seed }),
      ).scaleUp;
      expect(increases.map(({ group: name }) => name)).toEqual(considered.map(({ winner }) => winner));
      return considered[0]!.winner;
    });
    expect(new Set(bought)).toEqual(new Set(['ng-a', 'ng-b']));
  });
});

test('a choice of Spot is not balanced onto on-demand nodes that no label tells apart', () => {
  const spot = (zone: string): NodeGroup => ({
    ...priced(group(`spot-${zone}`, { zone, labels: { lifecycle: 'Ec2Spot' } }), 0.071),
    capacityType: 'spot',
  });
  const onDemand = { ...priced(group('od-a', { zone: 'us-east-1a' }), 0.192), capacityType: 'on-demand' };
  const pods = times(8, (i) => pod(`p-${i}`, { requests: { cpu: 3 }, owner: 'ReplicaSet/web' }));
  const { increases, considered } = evaluate(
    scenario({
      groups: [spot('us-east-1a'), spot('us-east-1b'), onDemand],
      pods,
      options: { expander: ['price'], balanceSimilarNodeGroups: true },
    }),
  ).scaleUp;
  expect(increases.map(({ group: name, to }) => [name, to])).toEqual([
    ['spot-us-east-1a', 4],
    ['spot-us-east-1b', 4],
  ]);
  expect(considered[0]!.unbalanced).toEqual([{ group: 'od-a', reason: 'purchase option differs' }]);
});

test.each([
  { defaults: 'outrigger', winner: 'small' },
  { defaults: 'cluster-autoscaler', winner: 'large' },
] as const)(
  'of nearly equal plans the $winner nodes are bought, by the defaults of $defaults',
  ({ defaults, winner }) => {
    const groups = [
      group('large', { node: { cpu: 16, memory: '64Gi' } }),
      group('small', { node: { cpu: 4, memory: '16450Mi' } }),
    ];
    const pods = times(8, (i) => pod(`p-${i}`, { requests: { cpu: 2, memory: '6Gi' } }));
    const { increases } = evaluate(scenario({ groups, pods, options: defaultOptions(defaults) })).scaleUp;
    expect(increases).toEqual([{ group: winner, from: 0, to: winner === 'small' ? 4 : 1 }]);
  },
);

describe('the expanders decide among node groups', () => {
  test.each([
    [['least-nodes'], 'large', 'least-nodes: 2 nodes, the next best 3'],
    [
      ['most-pods', 'least-nodes'],
      'large',
      'most-pods: 2 groups help 10 pods, the next best 6; least-nodes: 2 nodes, the next best 10',
    ],
    [['price'], 'spot', 'price: $0.180/h (score 0.38), the next best $0.800/h (score 0.95)'],
    [['random'], 'small', 'random: one of 3 equals'],
  ])('%j: %s', (expander, winner, why) => {
    expect(choices(expander, 10)[0]).toMatchObject({ winner, why });
  });

  test('priority, by the ConfigMap, with what is left for the next of them', () => {
    expect(choices(['priority', 'least-nodes'], 10, [SPOT_FIRST]).map(({ winner, why }) => ({ winner, why }))).toEqual([
      { winner: 'spot', why: 'priority: 50, the next best 10; 2 less, as the other new nodes hold their pods' },
      { winner: 'large', why: 'priority: 2 groups have 10; least-nodes: 1 node, the next best 4' },
    ]);
  });

  test('a ConfigMap of another name counts for nothing', () => {
    expect(choices(['priority'], 1, [{ ...SPOT_FIRST, namespace: 'default' }])[0]!.why).toContain(
      'there is no ConfigMap',
    );
  });

  test('the figures of the chain are shown beside each option', () => {
    expect(choices(['priority', 'price'], 10, [SPOT_FIRST])[0]!.options).toMatchObject([
      { group: 'large', priority: 10, price: 1.6 },
      { group: 'small', priority: 10, price: 0.8 },
      { group: 'spot', priority: 50, price: 0.18 },
    ]);
    expect(choices(['least-waste'], 10)[0]!.options[0]).not.toHaveProperty('price');
  });

  test.each([['least-nodes'], ['least-waste'], ['price']])(
    'with %s first the winner is none that was given up',
    (first) => {
      const options = choices([first], 400)[0]!.options;
      const { winner } = choices([first], 400)[0]!;
      expect(options.find(({ group: name }) => name === winner)).toMatchObject({ incomplete: undefined });
      expect(options.length).toBe(3);
    },
  );

  test('an estimate ends as soon as the first expander has no use for it', () => {
    const options = choices(['least-nodes', 'price'], 400)[0]!.options;
    expect(options.find(({ group: name }) => name === 'small')).toMatchObject({ incomplete: true, nodes: 51 });
  });
});
