import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { groupName } from '../../../../core/model/values/names.ts';
import { EXPANDERS } from '../../../../core/model/options.ts';
import { randomFrom } from '../../../../core/model/values/random.ts';
import { createChooser, type ExpanderContext } from '../../../../core/scaleup/expanders/chooser.ts';
import { wasteOf } from '../../../../core/scaleup/expanders/by-figure.ts';
import type { Option, PartOfOption } from '../../../../core/scaleup/expanders/expander.ts';
import { resources } from '../../../builders.ts';
import { option } from './option.ts';
import { tiers, context, chosen } from './chosen.ts';

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
  provider: fc.constant('aws' as const),
  priorities: fc.constantFrom(null, tiers({ 1: ['spot'], 2: ['a'] }), tiers({ 7: ['none'] }), {
    ok: false as const,
    error: 'no',
  }),
  namespace: fc.constant('kube-system'),
  nearTieRatio: fc.constantFrom(0, 0.02, 0.5),
  externalChoices: fc.constant([]),
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
