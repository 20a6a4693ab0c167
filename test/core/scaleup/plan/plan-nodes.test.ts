import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { evaluate } from '../../../../core/evaluate.ts';
import type { Decision } from '../../../../core/model/decision.ts';
import type { NodeGroup } from '../../../../core/model/node-group.ts';
import type { Pod } from '../../../../core/model/cluster/pod.ts';
import { randomFrom } from '../../../../core/model/values/random.ts';
import type { Scenario } from '../../../../core/model/scenario.ts';
import { cases } from '../../../cases.ts';
import { pod } from '../../../builders.ts';
import { group, scenario, times } from '../../../scenario-builders.ts';

const KIB = 2 ** 10;
const GIB = 2 ** 30;

/** Cores, GiB and USD per hour of one node. */
const SHAPES = [
  [16, 64, 0.768],
  [16, 32, 0.68],
  [32, 128, 1.536],
  [4, 16, 0.192],
] as const;

/** Two groups of each shape; memory differs by some KiB, and prices by some percent. */
const groupsOf = (random: () => number, withPrices: boolean): readonly NodeGroup[] =>
  SHAPES.flatMap(([cpu, gib, price]) =>
    ['a', 'b'].map((zone) => ({
      ...group(`c${cpu}-${gib}-${zone}`, {
        max: 100,
        node: { cpu, memory: gib * GIB - Math.floor(random() * 600) * KIB },
        zone: `us-east-1${zone}`,
        labels: { type: `${cpu}-${gib}` },
      }),
      price: withPrices ? price * (0.95 + random() / 10) : null,
    })),
  );

function drawn(random: () => number, count: number): readonly Pod[] {
  const kinds = times(12, () => ({
    cpu: `${Math.ceil((0.02 + 0.6 * random()) * 16_000)}m`,
    memory: Math.ceil((0.02 + 0.6 * random()) * 64 * GIB),
  }));
  return times(count, (i) => pod(`p-${i}`, { requests: kinds[Math.floor(random() * kinds.length)]! }));
}

/** The scenario after the sizes were set, with what was remembered. */
const later = (before: Scenario, { scaleUp, state }: Decision): Scenario => ({
  ...before,
  state,
  nodeGroups: before.nodeGroups.map((one) => ({
    ...one,
    targetSize: scaleUp.increases.find(({ group: name }) => name === one.name)?.to ?? one.targetSize,
  })),
});

const burst = fc.record({ seed: fc.nat(100_000), first: fc.nat(60), count: fc.integer({ min: 1, max: 80 }) });

describe('nodes for pending pods', () => {
  test('cost no less than the lower bound of the report', () => {
    fc.assert(
      fc.property(burst, fc.boolean(), ({ seed, count }, withPrices) => {
        const random = randomFrom(seed);
        const { plan } = evaluate(
          scenario({ groups: groupsOf(random, withPrices), pods: drawn(random, count) }),
        ).scaleUp;
        expect(plan).toMatchObject({ basis: withPrices ? 'price' : 'size' });
        expect(plan!.cost).toBeGreaterThanOrEqual(plan!.bound! - 1e-6);
      }),
      { numRuns: cases(30) },
    );
  });

  test('are not launched again by the next evaluation, whatever the two evaluations before chose', () => {
    fc.assert(
      fc.property(burst, ({ seed, first, count }) => {
        const random = randomFrom(seed);
        const groups = groupsOf(random, true);
        const pods = drawn(random, first + count);
        const input = scenario({ groups, pods: pods.slice(0, first) });
        const second = { ...later(input, evaluate(input)), objects: { ...input.objects, pods } };
        const third = evaluate(later(second, evaluate(second)));
        expect(third.scaleUp.result).toBe('NotNeeded');
        expect(third.scaleUp.pods.every(({ outcome }) => outcome === 'Fits')).toBe(true);
      }),
      { numRuns: cases(100), seed: 4 },
    );
  });
});
