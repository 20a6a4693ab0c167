import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { evaluate } from '../../../../core/evaluate.ts';
import type { Decision } from '../../../../core/model/decision.ts';
import type { NodeGroup } from '../../../../core/model/node-group.ts';
import type { Options } from '../../../../core/model/options.ts';
import type { Pod } from '../../../../core/model/cluster/pod.ts';
import { randomFrom } from '../../../../core/model/values/random.ts';
import type { Scenario } from '../../../../core/model/scenario.ts';
import { methodOf } from '../../../../core/estimator/packing-method.ts';
import { pod } from '../../../builders.ts';
import { group, scenario, times } from '../../../scenario-builders.ts';

const GIB = 2 ** 30;

const priced = (name: string, cpu: number, gib: number, price: number | null, max = 100): NodeGroup => ({
  ...group(name, { max, node: { cpu, memory: gib * GIB }, labels: { type: name } }),
  price,
});

const GENERAL = priced('general', 16, 64, 0.768);
const COMPUTE = priced('compute', 16, 32, 0.68);
const LARGE = priced('large', 32, 128, 1.536);
const MEMORY = priced('memory', 16, 128, 1.008);

/** Shares of a node of 16 CPUs and 64 GiB. */
const SHAPES: Readonly<Record<string, (random: () => number) => readonly [cpu: number, memory: number]>> = {
  uniform: (random) => [0.02 + 0.6 * random(), 0.02 + 0.6 * random()],
  correlated: (random) => {
    const size = 0.02 + 0.5 * random();
    return [size, size * (0.8 + 0.4 * random())];
  },
  'anti-correlated': (random) => {
    const cpu = 0.05 + 0.5 * random();
    return [cpu, 0.6 - cpu];
  },
  'heavy-tailed': (random) => {
    const size = Math.min(0.9, 0.02 / (1 - random()));
    return [size, Math.min(0.9, size * (0.5 + random()))];
  },
  skewed: (random) => (random() < 0.5 ? [0.02 + 0.5 * random(), 0.02] : [0.02, 0.02 + 0.5 * random()]),
};

function drawn(shape: string, seed: number, count: number): readonly Pod[] {
  const random = randomFrom(seed);
  return times(count, (i) => {
    const [cpu, memory] = SHAPES[shape]!(random);
    const requests = { cpu: `${Math.ceil(cpu * 16_000)}m`, memory: Math.ceil(memory * 64 * GIB) };
    return pod(`p-${i}`, { requests, owner: `ReplicaSet/of-${i % 5}` });
  });
}

const THOROUGH: Partial<Options> = {
  expander: ['price'],
  packingImprovementRatio: 1,
  packingImprovementBudget: 10_000_000,
  predictedPlacementRatio: 0,
};

/** The scenario after the sizes were set, with what was remembered. */
const later = (before: Scenario, { scaleUp, state }: Decision): Scenario => ({
  ...before,
  state,
  nodeGroups: before.nodeGroups.map((one) => ({
    ...one,
    targetSize: scaleUp.increases.find(({ group: name }) => name === one.name)?.to ?? one.targetSize,
  })),
});

const added = ({ scaleUp }: Decision): number => scaleUp.increases.reduce((sum, { from, to }) => sum + to - from, 0);

const workload = fc.record({
  shape: fc.constantFrom(...Object.keys(SHAPES)),
  seed: fc.nat(1_000),
  count: fc.integer({ min: 1, max: 80 }),
});

describe('alternatives to first fit', () => {
  test('a plan never costs more than that of first fit, nor less than the bound, and the next evaluation finds it again', () => {
    let improved = 0;
    fc.assert(
      fc.property(workload, fc.boolean(), ({ shape, seed, count }, withPrices) => {
        const groups = [GENERAL, COMPUTE, LARGE, MEMORY].map((one) => ({
          ...one,
          price: withPrices ? one.price : null,
        }));
        const input = scenario({ groups, pods: drawn(shape, seed, count), options: THOROUGH });
        const usual = evaluate({ ...input, options: { ...input.options, packingImprovementRatio: 0 } });
        const decision = evaluate(input);
        const { cost, firstFitCost, bound, basis, method } = decision.scaleUp.plan!;
        expect(basis).toBe(withPrices ? 'price' : 'size');
        expect(firstFitCost).toBe(usual.scaleUp.plan!.cost);
        expect(cost).toBeLessThanOrEqual(firstFitCost);
        expect(cost).toBeGreaterThanOrEqual(bound! - 1e-6);
        expect(cost < firstFitCost || method === 'first-fit by sum').toBe(true);
        improved += cost < firstFitCost ? 1 : 0;
        expect(decision.scaleUp.pods.map(({ outcome }) => outcome)).toEqual(times(count, () => 'Triggered'));
        const next = evaluate(later(input, decision));
        expect(next.scaleUp.result).toBe('NotNeeded');
        expect([next.state.reservations, next.state.reservedPacking]).toEqual([
          decision.state.reservations,
          decision.state.reservedPacking,
        ]);
      }),
      { numRuns: 60 },
    );
    expect(improved).toBeGreaterThan(3);
  });

  test('two evaluations, whatever each of them chose, find all places again', () => {
    fc.assert(
      fc.property(workload, fc.integer({ min: 0, max: 80 }), ({ shape, seed, count }, first) => {
        const pods = drawn(shape, seed, count);
        const input = scenario({
          groups: [GENERAL, COMPUTE, LARGE, MEMORY],
          pods: pods.slice(0, first),
          options: THOROUGH,
        });
        const second = { ...later(input, evaluate(input)), objects: { ...input.objects, pods } };
        const decision = evaluate(second);
        const third = evaluate(later(second, decision));
        expect(third.scaleUp.result).toBe('NotNeeded');
        expect(third.scaleUp.pods.every(({ outcome }) => outcome === 'Fits')).toBe(true);
      }),
      { numRuns: 60 },
    );
  });

  test('no limit is passed, and the order of the lists makes no difference', () => {
    fc.assert(
      fc.property(workload, fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 20 }), (work, max, total) => {
        const groups = [GENERAL, COMPUTE, LARGE, MEMORY].map((one) => ({ ...one, maxSize: max }));
        const pods = drawn(work.shape, work.seed, work.count);
        const options = { ...THOROUGH, maxNodesTotal: total, predictedPlacementRatio: 1.5 };
        const decision = evaluate(scenario({ groups, pods, options }));
        for (const { to } of decision.scaleUp.increases) {
          expect(to).toBeLessThanOrEqual(max);
        }
        expect(added(decision)).toBeLessThanOrEqual(total);
        const shuffled = scenario({ groups: groups.toReversed(), pods: pods.toReversed(), options });
        expect(JSON.stringify(evaluate(shuffled))).toBe(JSON.stringify(decision));
      }),
      { numRuns: 60 },
    );
  });

  const skewed = drawn('skewed', 7, 300);
  const plan = (options: Partial<Options>) =>
    evaluate(scenario({ groups: [GENERAL], pods: skewed, options: { ...THOROUGH, ...options } }));

  test('what is neither short of CPU nor of memory alone is packed better by alignment, and the state says so', () => {
    const { scaleUp, state } = plan({});
    expect(scaleUp.plan).toMatchObject({ method: 'aligned-fit by sum' });
    expect(scaleUp.plan!.cost).toBeLessThan(scaleUp.plan!.firstFitCost);
    for (const { group: name } of scaleUp.increases) {
      expect(state.reservedPacking[name]).toEqual({ method: 'aligned-fit by sum', nodes: [], spare: 0 });
    }
  });

  test.each<{ readonly what: string; readonly options: Partial<Options>; readonly bound: boolean }>([
    { what: 'the ratio is 0', options: { packingImprovementRatio: 0 }, bound: true },
    { what: 'the plan is good enough', options: { packingImprovementRatio: 2 }, bound: true },
    { what: 'the budget is used up', options: { packingImprovementBudget: 100 }, bound: false },
  ])('nothing else is tried when $what', ({ options, bound }) => {
    const { scaleUp, state } = plan(options);
    expect(scaleUp.plan).toMatchObject({ method: 'first-fit by sum', tried: 0 });
    expect(scaleUp.plan!.bound !== null).toBe(bound);
    expect(state.reservedPacking).toEqual({});
  });

  test('pods of one kind are packed alike by every method, so these count as tried without being made', () => {
    const decide = (pods: readonly Pod[]): Decision['scaleUp'] =>
      evaluate(scenario({ groups: [priced('general', 16, 64, 0.768)], pods, options: THOROUGH })).scaleUp;
    const large = times(5, (i) => pod(`p-${i}`, { requests: { cpu: 9, memory: '8Gi' } }));
    const two = [...large, pod('q', { requests: { cpu: 9, memory: '7Gi' } })];
    expect(decide(large).plan).toMatchObject({ method: 'first-fit by sum', tried: 7 });
    expect(decide(two).plan).toMatchObject({ method: 'first-fit by sum', tried: 7 });
  });

  test('with a budget for a few plans only these are made', () => {
    const all = plan({}).scaleUp.plan!.tried;
    const few = plan({ packingImprovementBudget: 60_000 }).scaleUp.plan!.tried;
    expect(few).toBeGreaterThan(0);
    expect(few).toBeLessThan(all);
  });

  test('another group comes first when the whole is cheaper for it, unless the choice follows priorities', () => {
    const small = { ...priced('small', 4, 16, 0.2) };
    const big = { ...priced('big', 16, 64, 0.79) };
    // The big ones look better for all pods together, yet half of one stays empty.
    const pods = times(9, (i) => pod(`p-${i}`, { requests: { cpu: 2, memory: '2Gi' } }));
    const decide = (expander: readonly string[]) =>
      evaluate(scenario({ groups: [small, big], pods, options: { ...THOROUGH, expander } })).scaleUp.plan!;
    const { cost, firstFitCost } = decide(['least-waste']);
    expect(cost).toBeLessThanOrEqual(firstFitCost);
    expect(decide(['most-pods']).method).not.toContain('first, ');
    expect(decide(['priority']).method).not.toMatch(/first$|without/);
  });
});

test('a method that is not known any more is the usual one', () => {
  expect(methodOf('magic').name).toBe('first-fit by sum');
  expect(methodOf('best-fit by cpu').name).toBe('first-fit by sum');
  expect(methodOf('best-fit by dominant').name).toBe('best-fit by dominant');
});
