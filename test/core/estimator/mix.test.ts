import { describe, expect, test } from 'vitest';
import { mixOf, type NodeOffer } from '../../../core/estimator/mix.ts';
import { CPU, MEMORY, PODS, type Resources } from '../../../core/model/values/resources.ts';
import { randomFrom } from '../../../core/model/values/random.ts';
import { fractionalBound } from '../../../core/nodegroups/cost.ts';

const GIB = 2 ** 30;

interface Kind {
  readonly requests: Resources;
}

const kind = (cores: number, gibibytes: number): Kind => ({
  requests: { [CPU]: cores * 1_000, [MEMORY]: gibibytes * GIB },
});

const offer = (
  cost: number,
  [cores, gibibytes, pods]: readonly [number, number, number],
  holds: readonly Kind[],
  most = 1_000,
): NodeOffer<Kind> => ({
  cost,
  free: { [CPU]: cores * 1_000, [MEMORY]: gibibytes * GIB, [PODS]: pods },
  holds: new Set(holds),
  most,
});

const costOf = (mix: ReturnType<typeof mixOf<Kind, NodeOffer<Kind>>>): number =>
  mix === null ? Number.NaN : mix.reduce((sum, { offer: { cost }, nodes }) => sum + cost * nodes, 0);

const counts = (mix: ReturnType<typeof mixOf<Kind, NodeOffer<Kind>>>): Map<Kind, number> => {
  const placed = new Map<Kind, number>();
  for (const { nodes, pods } of mix ?? []) {
    for (const [of, count] of pods) {
      placed.set(of, (placed.get(of) ?? 0) + count * nodes);
    }
  }
  return placed;
};

describe('a mix', () => {
  const busy = kind(1.9, 1.5);
  const large = kind(0.4, 7.2);
  const both = [busy, large];
  const compute = offer(0.34, [7.6, 14, 58], both);
  const memory = offer(0.504, [7.6, 60, 58], both);
  const loads = [
    { kind: busy, count: 40 },
    { kind: large, count: 40 },
  ];

  test('gives each type the pods that it is cheap for', () => {
    const mix = mixOf(loads, [compute, memory])!;
    expect(counts(mix)).toEqual(new Map(loads.map(({ kind: of, count }) => [of, count])));
    const alone = [compute, memory].map((one) => costOf(mixOf(loads, [one])));
    expect(costOf(mix)).toBeLessThan(Math.min(...alone) * 0.9);
    expect(mix.some((alike) => alike.offer === compute)).toBe(true);
    expect(mix.some((alike) => alike.offer === memory)).toBe(true);
  });

  test('has no more nodes of a type than there may be', () => {
    const mix = mixOf(loads, [compute, { ...memory, most: 3 }])!;
    const nodes = mix.reduce((sum, alike) => sum + (alike.offer.most === 3 ? alike.nodes : 0), 0);
    expect(nodes).toBe(3);
    expect(
      mixOf(loads, [
        { ...compute, most: 3 },
        { ...memory, most: 3 },
      ]),
    ).toBeNull();
  });

  test('is none where a pod fits no type, by its size or for another reason', () => {
    expect(mixOf([{ kind: kind(8, 1), count: 1 }], [compute])).toBeNull();
    expect(mixOf(loads, [{ ...compute, holds: new Set([busy]) }])).toBeNull();
  });

  test('counts places for pods', () => {
    const tiny = kind(0.01, 0.01);
    const mix = mixOf([{ kind: tiny, count: 100 }], [offer(1, [64, 64, 29], [tiny])])!;
    expect(mix.map(({ nodes, pods }) => [nodes, pods.get(tiny)])).toEqual([
      [3, 29],
      [1, 13],
    ]);
  });

  test('needs resources of all kinds', () => {
    const gpu: Kind = { requests: { [CPU]: 100, 'nvidia.com/gpu': 1 } };
    const plain = offer(1, [8, 32, 58], [gpu]);
    const accelerated = { ...offer(3, [8, 32, 58], [gpu]), free: { ...plain.free, 'nvidia.com/gpu': 4 } };
    const mix = mixOf([{ kind: gpu, count: 9 }], [plain, accelerated])!;
    expect(mix.every((alike) => alike.offer === accelerated)).toBe(true);
    expect(costOf(mix)).toBe(9);
  });
});

/** Types as on AWS: cores, GiB and USD per hour, with prices and room that differ a little. */
const TYPES = [
  [4, 16, 0.192],
  [8, 32, 0.384],
  [16, 64, 0.768],
  [8, 16, 0.34],
  [16, 32, 0.68],
  [4, 32, 0.252],
  [8, 64, 0.504],
] as const;

describe('of 200 drawn loads', () => {
  const drawn = Array.from({ length: 200 }, (_, seed) => {
    const next = randomFrom(seed + 1);
    const kinds = Array.from({ length: 4 + Math.floor(next() * 12) }, () =>
      kind(0.05 + next() * 1.4, 0.1 + next() * 4.3),
    );
    const loads = kinds.map((of) => ({ kind: of, count: 1 + Math.floor(next() * 60) }));
    const types = TYPES.filter(() => next() < 0.5);
    const offers = (types.length === 0 ? TYPES : types).map(([cores, gibibytes, price]) =>
      offer(
        price * (0.97 + next() * 0.06),
        [cores - 0.11 - next() * 0.1, gibibytes * (0.89 + next() * 0.04), 8 + cores * 6],
        kinds,
      ),
    );
    return { loads, offers, mix: mixOf(loads, offers)! };
  });

  test('every pod has one place, on a node with room for all of its pods', () => {
    for (const { loads, mix } of drawn) {
      expect(counts(mix)).toEqual(new Map(loads.map(({ kind: of, count }) => [of, count])));
      for (const { offer: of, pods } of mix) {
        const used = (name: string): number =>
          [...pods].reduce((sum, [{ requests }, count]) => sum + count * (name === PODS ? 1 : requests[name]!), 0);
        expect([CPU, MEMORY, PODS].filter((name) => used(name) > of.free[name]! * (1 + 1e-12))).toEqual([]);
      }
    }
  });

  test('costs are near the least possible, and below those of the best type alone', () => {
    const ratios = drawn.map(({ loads, offers, mix }) => {
      const alone = Math.min(...offers.map((one) => costOf(mixOf(loads, [one]))));
      return { bound: costOf(mix) / fractionalBound<Kind>(loads, offers), alone: costOf(mix) / alone };
    });
    const mean = (of: readonly number[]): number => of.reduce((sum, one) => sum + one, 0) / of.length;
    expect(mean(ratios.map(({ bound }) => bound))).toBeLessThan(1.13);
    expect(mean(ratios.map(({ alone }) => alone))).toBeLessThan(0.96);
    expect(Math.max(...ratios.map(({ alone }) => alone))).toBeLessThan(1.1);
  });
});
