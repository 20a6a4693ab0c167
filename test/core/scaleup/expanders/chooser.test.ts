import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { groupName } from '../../../../core/model/values/names.ts';
import { EXPANDERS } from '../../../../core/model/options.ts';
import type { PriorityTiers } from '../../../../core/model/cluster/priorities.ts';
import { randomFrom } from '../../../../core/model/values/random.ts';
import { createChooser, type ExpanderContext } from '../../../../core/scaleup/expanders/chooser.ts';
import { wasteOf } from '../../../../core/scaleup/expanders/least-waste.ts';
import type { Option, PartOfOption } from '../../../../core/scaleup/expanders/option.ts';
import { node, resources } from '../../../builders.ts';
import { option } from './option.ts';

const tiers = (value: Readonly<Record<number, readonly string[]>>): PriorityTiers => ({
  ok: true,
  value: Object.entries(value).map(([priority, patterns]) => ({ priority: Number(priority), patterns })),
});

const context = (given: Partial<ExpanderContext> = {}): ExpanderContext => ({
  market: { provider: 'aws', nodes: 10 },
  priorities: null,
  namespace: 'kube-system',
  nearTieRatio: 0,
  ...given,
});

/** Who can win under this chain, whatever the chance, and why the first of them did. */
function chosen(
  chain: readonly string[],
  options: readonly Option[],
  given: Partial<ExpanderContext> = {},
): { readonly winners: readonly string[]; readonly why: string } {
  const chooser = createChooser(chain, context(given));
  const winners = Array.from({ length: 50 }, (_, i) => chooser.choose(options, () => i / 50).winner.group.name);
  return { winners: [...new Set(winners)], why: chooser.choose(options, () => 0).why };
}

describe('one expander alone', () => {
  test.each([
    {
      chain: ['least-waste'],
      options: [option('a', { waste: 0.8 }), option('b', { waste: 0.2 })],
      winners: ['b'],
      why: 'least-waste: 10% unused, the next best 40%',
    },
    {
      chain: ['least-waste'],
      options: [option('a', { waste: 0.2 }), option('b', { waste: 0.2 }), option('c', { waste: 1 })],
      winners: ['a', 'b'],
      why: 'least-waste: 2 groups leave 10% unused, the next best 50%; random: one of 2 equals',
    },
    {
      chain: ['least-nodes'],
      options: [option('a', { nodes: 3 }), option('b', { nodes: 1 }), option('c', { nodes: 2 })],
      winners: ['b'],
      why: 'least-nodes: 1 node, the next best 2',
    },
    {
      chain: ['least-nodes'],
      options: [option('a', { nodes: 2 }), option('b', { nodes: 2 })],
      winners: ['a', 'b'],
      why: 'least-nodes: 2 groups need 2 nodes; random: one of 2 equals',
    },
    {
      chain: ['most-pods'],
      options: [option('a', { pods: 3 }), option('b', { pods: 12 }), option('c', { pods: 7 })],
      winners: ['b'],
      why: 'most-pods: 12 pods, the next best 7',
    },
    {
      chain: ['most-pods'],
      options: [option('a', { pods: 1 }), option('b', { pods: 1 })],
      winners: ['a', 'b'],
      why: 'most-pods: 2 groups help 1 pod; random: one of 2 equals',
    },
    {
      chain: ['random'],
      options: [option('a'), option('b'), option('c')],
      winners: ['a', 'b', 'c'],
      why: 'random: one of 3 equals',
    },
    { chain: ['random'], options: [option('a')], winners: ['a'], why: 'the only group that helps' },
  ])('$chain.0 among $options.length: $why', ({ chain, options, winners, why }) => {
    expect(chosen(chain, options)).toEqual({ winners, why });
  });
});

describe('priority', () => {
  const options = ['spot-a', 'spot-b', 'demand-a', 'other'].map((name) => option(name));
  const cases: readonly {
    readonly what: string;
    readonly priorities: PriorityTiers | null;
    readonly winners: readonly string[];
    readonly why: string;
  }[] = [
    {
      what: 'the highest wins, groups that match nothing are left out',
      priorities: tiers({ 10: ['demand'], 50: ['^spot-'] }),
      winners: ['spot-a', 'spot-b'],
      why: 'priority: 2 groups have 50, the next best 10 (1 group without one left out); random: one of 2 equals',
    },
    {
      what: 'patterns match anywhere in the name',
      priorities: tiers({ 10: ['-a'], 20: ['mand'] }),
      winners: ['demand-a'],
      why: 'priority: 20, the next best 10 (2 groups without one left out)',
    },
    {
      what: 'a group that matches several has the highest of them',
      priorities: tiers({ 10: ['.*'], 50: ['spot-b'] }),
      winners: ['spot-b'],
      why: 'priority: 50, the next best 10',
    },
    {
      what: 'a priority that matches no group is passed by',
      priorities: tiers({ 10: ['other'], 99: ['gpu'] }),
      winners: ['other'],
      why: 'priority: 10 (3 groups without one left out)',
    },
    {
      what: 'negative priorities below -1 are never chosen',
      priorities: tiers({ [-1]: ['other'], [-2]: ['spot'] }),
      winners: ['other'],
      why: 'priority: -1 (3 groups without one left out)',
    },
    {
      what: 'all stay when none matches',
      priorities: tiers({ 10: ['gpu'], [-5]: ['spot'] }),
      winners: ['demand-a', 'other', 'spot-a', 'spot-b'],
      why: 'priority: not used, no group that helps matches a priority; random: one of 4 equals',
    },
    {
      what: 'all stay without a ConfigMap',
      priorities: null,
      winners: ['demand-a', 'other', 'spot-a', 'spot-b'],
      why: 'priority: not used, there is no ConfigMap kube-system/cluster-autoscaler-priority-expander; random: one of 4 equals',
    },
    {
      what: 'all stay when there is a mistake in it',
      priorities: { ok: false, error: 'the key priorities is missing' },
      winners: ['demand-a', 'other', 'spot-a', 'spot-b'],
      why: 'priority: not used, ConfigMap kube-system/cluster-autoscaler-priority-expander: the key priorities is missing; random: one of 4 equals',
    },
  ];
  test.each(cases)('$what', ({ priorities, winners, why }) => {
    expect(chosen(['priority'], options, { priorities })).toEqual({ winners, why });
  });

  test('figures tell the priority of each group that has one', () => {
    const { figures } = createChooser(['priority'], context({ priorities: tiers({ 5: ['spot'] }) }));
    expect(options.map(figures)).toEqual([{ priority: 5 }, { priority: 5 }, {}, {}]);
  });

  test('patterns that no reader lets pass are a defect', () => {
    expect(() => createChooser(['priority'], context({ priorities: tiers({ 5: ['*'] }) }))).toThrow('got past');
  });
});

describe('price', () => {
  const large = { cpu: 8, memory: '32Gi' };
  test.each([
    {
      what: 'the cheaper of two that are alike',
      nodes: 10,
      options: [option('a', { price: 0.2 }), option('b', { price: 0.1 })],
      winners: ['b'],
    },
    {
      what: 'equal prices',
      nodes: 10,
      options: [option('a', { price: 0.1 }), option('b', { price: 0.1 })],
      winners: ['a', 'b'],
    },
    {
      what: 'more pods for the same money',
      nodes: 10,
      options: [option('a', { price: 0.2 }), option('b', { price: 0.2, requested: { cpu: 4, memory: '16Gi' } })],
      winners: ['b'],
    },
    {
      what: 'the size that suits a small cluster, at a somewhat higher price',
      nodes: 10,
      options: [option('a', { price: 0.19, node: large }), option('b', { price: 0.2 })],
      winners: ['b'],
    },
    {
      what: 'the size that suits a larger cluster, at a somewhat higher price',
      nodes: 40,
      options: [option('a', { price: 0.2, node: large }), option('b', { price: 0.19 })],
      winners: ['a'],
    },
    {
      what: 'price before size where many nodes are needed',
      nodes: 10,
      options: [option('a', { price: 0.38, nodes: 40, node: large }), option('b', { price: 0.2, nodes: 80 })],
      winners: ['a'],
    },
    {
      what: 'GPUs as a last resort',
      nodes: 10,
      options: [
        option('a', { price: 0.01, node: { cpu: 4, memory: '16Gi', 'nvidia.com/gpu': 1 } }),
        option('b', { price: 1 }),
      ],
      winners: ['b'],
    },
    {
      what: 'a known price before none',
      nodes: 10,
      options: [option('a'), option('b', { price: 9 })],
      winners: ['b'],
    },
    { what: 'any where no price is known', nodes: 10, options: [option('a'), option('b')], winners: ['a', 'b'] },
    {
      what: 'a node whose size is not known',
      nodes: 10,
      options: [option('a', { price: 0.1, node: {} }), option('b', { price: 0.2 })],
      winners: ['a'],
    },
  ])('chooses $what', ({ options, winners, nodes }) => {
    expect(chosen(['price'], options, { market: { provider: 'aws', nodes } }).winners).toEqual(winners);
  });

  test('nodes with the label of GPUs are a last resort before their devices are announced', () => {
    const labelled = option('a', { price: 0.01 });
    const a = { ...labelled, node: { ...labelled.node, labels: { 'k8s.amazonaws.com/accelerator': 'nvidia-t4' } } };
    expect(chosen(['price'], [a, option('b', { price: 1 })]).winners).toEqual(['b']);
  });

  test.each([
    {
      options: [option('a', { price: 0.1, nodes: 2 }), option('b', { price: 0.3 }), option('c')],
      why: 'price: $0.200/h (score 1.81), the next best $0.300/h (score 2.64) (1 group without a known price left out)',
    },
    {
      options: [option('a', { price: 0.1 }), option('b', { price: 0.1 })],
      why: 'price: 2 groups at $0.100/h (score 0.98); random: one of 2 equals',
    },
    {
      options: [option('a'), option('b')],
      why: 'price: not used, no group that helps has a known price; random: one of 2 equals',
    },
  ])('$why', ({ options, why }) => {
    expect(chosen(['price'], options).why).toBe(why);
  });

  test('is the ratio of prices, both with that of a small pod, times how unfit the node is', () => {
    // 500m and 500 MiB: 0.016587 + 0.002171; 2 cores and 8 GiB: 0.066348 + 0.035568 USD per hour.
    const stabilisation = 0.5 * 0.033174 + (500 / 1024) * 0.004446;
    const pods = 2 * 0.033174 + 8 * 0.004446;
    const { figures } = createChooser(['price'], context({ market: { provider: 'aws', nodes: 61 } }));
    const unfitness = 3 * (1 - Math.tanh(2 / 15)) + 1; // 16 cores are preferred, nodes have 4, and there are 3.
    const { price, priceScore } = figures(option('a', { price: 0.2, nodes: 3 }));
    expect(price).toBeCloseTo(0.6, 6);
    expect(priceScore).toBeCloseTo(((0.6 + stabilisation) / (pods + stabilisation)) * unfitness, 5);
  });

  test.each([
    [0, 1],
    [2, 1],
    [3, 2],
    [6, 2],
    [7, 4],
    [20, 4],
    [21, 8],
    [60, 8],
    [61, 16],
    [200, 16],
    [201, 32],
  ])('in a cluster of %i nodes those with %i cores suit best', (nodes, cores) => {
    const options = [1, 2, 4, 8, 16, 32].map((cpu) => option(`of-${cpu}`, { price: 0.1, node: { cpu } }));
    expect(chosen(['price'], options, { market: { provider: 'aws', nodes } }).winners).toEqual([`of-${cores}`]);
  });
});

describe('a chain', () => {
  const options = [
    option('a', { nodes: 2, pods: 8, waste: 0.5 }),
    option('b', { nodes: 2, pods: 9, waste: 0.5 }),
    option('c', { nodes: 1, pods: 3, waste: 0.5 }),
    option('d', { nodes: 2, pods: 9, waste: 0.1 }),
  ];
  test.each([
    { chain: ['least-nodes', 'most-pods'], winners: ['c'], why: 'least-nodes: 1 node, the next best 2' },
    {
      chain: ['most-pods', 'least-waste'],
      winners: ['d'],
      why: 'most-pods: 2 groups help 9 pods, the next best 8; least-waste: 5% unused, the next best 25%',
    },
    {
      chain: ['priority', 'most-pods', 'random'],
      winners: ['b', 'd'],
      why: 'priority: 3 groups have 5, the next best 0; most-pods: 2 groups help 9 pods, the next best 8; random: one of 2 equals',
    },
  ])('$chain: $why', ({ chain, winners, why }) => {
    expect(chosen(chain, options, { priorities: tiers({ 5: ['a', 'b', 'd'], 0: ['c'] }) })).toEqual({ winners, why });
  });
});

const anyOption = fc
  .record({
    name: fc.constantFrom('a', 'b', 'c', 'd', 'spot-a', 'spot-b', 'gpu'),
    nodes: fc.integer({ min: 1, max: 200 }),
    pods: fc.integer({ min: 1, max: 50 }),
    waste: fc.constantFrom(0, 0.25, 0.5, 1.5),
    price: fc.constantFrom(null, 0, 0.1, 0.2),
    cpu: fc.constantFrom(0, 1, 4, 64),
    gpu: fc.constantFrom(0, 0, 4),
  })
  .map(({ name, cpu, gpu, ...given }) => option(name, { ...given, node: { cpu, 'nvidia.com/gpu': gpu } }));
const anyOptions = fc.uniqueArray(anyOption, { selector: ({ group }) => group.name, minLength: 1 });
const anyChain = fc.shuffledSubarray(EXPANDERS.filter((name) => name !== 'random'));
const anyContext: fc.Arbitrary<ExpanderContext> = fc.record({
  market: fc.record({ provider: fc.constant('aws' as const), nodes: fc.integer({ min: 0, max: 300 }) }),
  priorities: fc.constantFrom(null, tiers({ 1: ['spot'], 2: ['a'] }), tiers({ 7: ['none'] }), {
    ok: false as const,
    error: 'no',
  }),
  namespace: fc.constant('kube-system'),
  nearTieRatio: fc.constantFrom(0, 0.02, 0.5),
});

describe('of options that are nearly as good as the best', () => {
  const LARGE = option('large', { nodes: 1, pods: 10, waste: 0.754, price: 3.02, node: { cpu: 48, memory: '384Gi' } });
  const SMALL = option('small', { nodes: 4, pods: 10, waste: 0.756, price: 0.767, node: { cpu: 16, memory: '64Gi' } });
  const winnerOf = (options: readonly Option[], nearTieRatio = 0.02, chain = ['least-waste']) =>
    createChooser(chain, context({ nearTieRatio })).choose(options, () => 0);

  test('those with the smallest nodes win, and it is said', () => {
    const { winner, why } = winnerOf([LARGE, SMALL]);
    expect(winner).toBe(SMALL);
    expect(why).toBe(
      'least-waste: 38% unused, the next best 38%, as good as the best within nearTieRatio 0.02, and its nodes are smaller',
    );
  });

  test('exactly alike, too', () => {
    expect(winnerOf([LARGE, { ...SMALL, waste: LARGE.waste }]).winner.group.name).toBe('small');
  });

  test('the best of those wins', () => {
    const better = option('b', {
      ...SMALL,
      nodes: 4,
      pods: 10,
      waste: 0.755,
      price: 0.76,
      node: { cpu: 16, memory: '64Gi' },
      requested: {},
    });
    expect(winnerOf([LARGE, SMALL, better]).winner).toBe(better);
  });

  test.each([
    { what: 'with a ratio of 0, as Cluster Autoscaler', options: [LARGE, SMALL], ratio: 0 },
    { what: 'beyond the ratio', options: [LARGE, SMALL], ratio: 0.002 },
    { what: 'that help fewer pods', options: [LARGE, { ...SMALL, pods: 9 }], ratio: 0.02 },
    {
      what: 'that cost more',
      options: [
        LARGE,
        option('dear', { nodes: 4, pods: 10, waste: 0.756, price: 0.8, node: { cpu: 16, memory: '64Gi' } }),
      ],
      ratio: 0.02,
    },
    {
      what: 'whose nodes have GPUs',
      options: [
        LARGE,
        option('gpu', {
          nodes: 4,
          pods: 10,
          waste: 0.756,
          price: 0.7,
          node: { cpu: 16, memory: '64Gi', 'nvidia.com/gpu': 1 },
        }),
      ],
      ratio: 0.02,
    },
    { what: 'that were given up', options: [LARGE, { ...SMALL, cutShort: true }], ratio: 0.02 },
  ])('not those $what', ({ options, ratio }) => {
    expect(winnerOf(options, ratio).winner).toBe(LARGE);
  });

  test('by price as by waste, and not by the number of nodes or pods', () => {
    const requested = { cpu: 40, memory: '150Gi' };
    const [one, four] = [
      option('one', { nodes: 1, pods: 10, price: 3.02, node: { cpu: 16, memory: '64Gi' }, requested }),
      option('four', { nodes: 4, pods: 10, price: 0.757, node: { cpu: 15, memory: '60Gi' }, requested }),
    ];
    expect(winnerOf([one, four], 0.05, ['price']).winner).toBe(four);
    expect(winnerOf([one, four], 0.05, ['least-nodes']).winner).toBe(one);
  });

  test('no estimate is given up that may still be one of them', () => {
    const { stopRule } = createChooser(['least-waste'], context({ nearTieRatio: 0.02 }));
    const part = (waste: number) =>
      stopRule!.bound({
        groups: [],
        node: node('n', { cpu: 100 }),
        nodes: 1,
        pods: 1,
        requested: resources({ cpu: (1 - waste) * 100 }),
      });
    expect(part(0.51)).toBeLessThan(0.501);
    expect(part(0.52)).toBeGreaterThan(0.501);
  });
});

describe('laws', () => {
  test('one of the options wins, with a reason, whatever their order', () => {
    fc.assert(
      fc.property(
        anyOptions.chain((options) =>
          fc.tuple(fc.constant(options), fc.shuffledSubarray(options, { minLength: options.length })),
        ),
        anyChain,
        anyContext,
        fc.nat(),
        ([options, shuffled], chain, context, seed) => {
          const chooser = createChooser(chain, context);
          const choice = chooser.choose(options, randomFrom(seed));
          expect(options).toContain(choice.winner);
          expect(choice.why).not.toMatch(/NaN|Infinity|undefined|null/);
          expect(chooser.choose(shuffled, randomFrom(seed))).toEqual(choice);
        },
      ),
    );
  });

  test('a longer chain chooses among what the shorter one leaves', () => {
    fc.assert(
      fc.property(anyOptions, anyChain, anyContext, (options, chain, context) => {
        const winners = (of: readonly string[]): ReadonlySet<string> => {
          const chooser = createChooser(of, context);
          return new Set(options.map((_, i) => chooser.choose(options, () => i / options.length).winner.group.name));
        };
        const shorter = winners(chain.slice(0, -1));
        for (const name of winners(chain)) {
          expect(shorter).toContain(name);
        }
      }),
    );
  });

  /** The same option when only some of its nodes are counted, and all its pods may yet find a place. */
  const partOf = ({ group, node, pods, requested }: Option, nodes: number): PartOfOption => ({
    groups: [group],
    node,
    nodes,
    pods: pods + 3,
    requested: { ...requested, ...resources({ cpu: 5, memory: '20Gi' }) },
  });

  test('the bound of a part is never more than the score of the whole: no winner is given up', () => {
    fc.assert(
      fc.property(anyOption, anyChain, anyContext, fc.nat(), (whole, chain, context, some) => {
        const { stopRule } = createChooser(chain, context);
        fc.pre(stopRule !== null);
        const scored = { ...whole, waste: wasteOf(whole.requested, whole.node.capacity, whole.nodes) };
        expect(stopRule.bound(partOf(whole, 1 + (some % whole.nodes)))).toBeLessThanOrEqual(stopRule.score(scored));
      }),
    );
  });

  test.each([
    { first: 'least-nodes', given: {} },
    { first: 'most-pods', given: {} },
    { first: 'priority', given: { priorities: tiers({ 9: ['a'], 1: ['b'] }) } },
    { first: 'price', given: {} },
  ])('$first gives up what has lost', ({ first, given }) => {
    const { stopRule } = createChooser([first], context(given));
    const winner = option('a', { nodes: 1, pods: 20, price: 0.1 });
    const loser = option('b', { nodes: 60, pods: 5, price: 0.1, requested: { cpu: 2 } });
    expect(stopRule!.bound(partOf(loser, 51))).toBeGreaterThan(stopRule!.score(winner));
  });

  test('random asks nothing of an option: no estimate is given up', () => {
    expect(createChooser(['random'], context()).stopRule).toBeNull();
  });

  test('groups that share an option: it goes on while any of them may win', () => {
    const { stopRule } = createChooser(['priority'], context({ priorities: tiers({ 9: ['a'], 1: ['b'] }) }));
    const shared = {
      ...partOf(option('b'), 1),
      groups: [option('b').group, { ...option('a').group, name: groupName('a') }],
    };
    expect(stopRule!.bound(shared)).toBe(-9);
  });
});
