import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { evaluate } from '../../../core/evaluate.ts';
import type { Commitment } from '../../../core/model/commitment.ts';
import type { NodeGroup } from '../../../core/model/node-group.ts';
import type { Options } from '../../../core/model/options.ts';
import type { StatedPrice } from '../../../core/model/price.ts';
import { isCoveredAlike, nextCover, nodesAtNextPrice } from '../../../core/nodegroups/covered-prices.ts';
import { pod } from '../../builders.ts';
import { type GroupGiven, group, scenario, times } from '../../scenario-builders.ts';

const TYPE = 'node.kubernetes.io/instance-type';

const priced = (name: string, type: string, price: number, given: GroupGiven = {}): NodeGroup => ({
  ...group(name, { max: 100, ...given, labels: { ...given.labels, [TYPE]: type } }),
  price,
});

const covers = (given: Partial<StatedPrice>): StatedPrice => ({
  type: null,
  zone: null,
  capacityType: null,
  price: 0,
  covered: null,
  ...given,
});

/** New nodes by group, for pods that take a node each. */
function grown(
  groups: readonly NodeGroup[],
  pods: number,
  options: Partial<Options>,
  commitments: readonly Commitment[] = [],
): Record<string, number> {
  const { scaleUp } = evaluate({
    ...scenario({
      groups,
      pods: times(pods, (i) => pod(`p-${i}`, { requests: { cpu: 3.2 } })),
      options: { expander: ['price'], nearTieRatio: 0, ...options },
    }),
    commitments,
  });
  return Object.fromEntries(scaleUp.increases.map((one) => [one.group, one.to - one.from]));
}

describe('a price that covers a number of nodes', () => {
  const m5 = priced('m5', 'm5.xlarge', 0.214);
  const m6i = priced('m6i', 'm6i.xlarge', 0.192);
  const twelve = [covers({ type: 'm5.xlarge', price: 0.131, covered: 12 })];

  test('is used up by the nodes of one evaluation, and the others are launched where they cost least', () => {
    expect(grown([m5, m6i], 20, { prices: twelve })).toEqual({ m5: 12, m6i: 8 });
  });

  test('is followed by the next price of the list, then by the price of the group', () => {
    const prices = [covers({ type: 'm5.xlarge', covered: 2 }), covers({ type: 'm5.xlarge', price: 0.131, covered: 5 })];
    expect(grown([m5, m6i], 9, { prices })).toEqual({ m5: 7, m6i: 2 });
  });

  test('counts in the cost of a plan for the nodes that it covers alone', () => {
    const { scaleUp } = evaluate(
      scenario({
        groups: [m5],
        pods: times(3, (i) => pod(`p-${i}`, { requests: { cpu: 3.2 } })),
        options: { prices: [covers({ type: 'm5.xlarge', price: 0.1, covered: 2 })] },
      }),
    );
    expect(scaleUp.plan!.cost).toBeCloseTo(2 * 0.1 + 0.214);
  });

  test('is shared by all groups of its nodes', () => {
    const a = priced('a', 'm5.xlarge', 0.214, { zone: 'eu-west-1a' });
    const b = priced('b', 'm5.xlarge', 0.214, { zone: 'eu-west-1b' });
    expect(grown([a, b, m6i], 20, { prices: twelve })).toEqual({ a: 6, b: 6, m6i: 8 });
  });

  test.each([
    { title: 'fewer nodes than are reserved: all in that zone', pods: 2, nodes: { a: 2 } },
    { title: 'more nodes: the reserved ones, and the others balance the zones', pods: 9, nodes: { a: 3, b: 3, c: 3 } },
  ])('of one zone comes before balance: $title', ({ pods, nodes }) => {
    const zones = ['a', 'b', 'c'].map((zone) => priced(zone, 'm5.xlarge', 0.214, { zone: `eu-west-1${zone}` }));
    const prices = [covers({ type: 'm5.xlarge', zone: 'eu-west-1a', covered: 3 })];
    expect(grown(zones, pods, { prices })).toEqual(nodes);
  });

  test('comes first at 0, however few pods its nodes take, but for nodes with GPUs', () => {
    const large = priced('large', 'm5.16xlarge', 0.3, { node: { cpu: 64, memory: '256Gi' } });
    const gpu = priced('gpu', 'g5.xlarge', 1.1, { node: { cpu: 4, memory: '16Gi', 'nvidia.com/gpu': 1 } });
    const prices = [covers({ type: 'm5.xlarge', covered: 1 }), covers({ type: 'g5.xlarge', covered: 4 })];
    expect(grown([m5, large, gpu], 21, { prices })).toEqual({ m5: 1, large: 1 });
  });

  test.each<{ title: string; options: Partial<Options> }>([
    { title: 'where no price decides', options: { expander: ['least-waste'] } },
    { title: 'where one choice is all that an evaluation makes', options: { salvoScaleUp: false } },
  ])('does not divide a choice $title', ({ options }) => {
    expect(grown([m5], 20, { prices: twelve, ...options })).toEqual({ m5: 20 });
  });

  test('of a savings plan is shared by the types of its rates, and comes before Spot nodes', () => {
    const onDemand = [m5, m6i].map((one) => ({ ...one, capacityType: 'on-demand' }));
    const spot = priced('spot', 'm5.xlarge', 0.0713, { labels: { 'eks.amazonaws.com/capacityType': 'SPOT' } });
    const rates = { 'm5.xlarge': 0.1431, 'm6i.xlarge': 0.1187 };
    const plan = { kind: 'SavingsPlan', family: null, commitment: 1, rates } as const;
    const added = grown([...onDemand, spot], 20, {}, [plan]);
    const [ofM5, ofM6i] = [added['m5'] ?? 0, added['m6i'] ?? 0];
    const taken = ofM5 * rates['m5.xlarge'] + ofM6i * rates['m6i.xlarge'];
    expect(taken).toBeLessThanOrEqual(1);
    expect(taken).toBeGreaterThan(1 - rates['m6i.xlarge']);
    expect(added['spot']).toBe(20 - ofM5 - ofM6i);
    const ofFamily = { ...plan, family: 'm5', commitment: 0.3, rates: { 'm5.xlarge': 0.1304 } };
    const three = { ...plan, commitment: 0.5 };
    expect(grown([{ ...m5, capacityType: 'on-demand' }, spot], 10, {}, [three, ofFamily])).toEqual({ m5: 5, spot: 5 });
  });

  test('knows what is left after some nodes', () => {
    const covered = [{ pool: 'x', left: 3, each: 1, price: 0 }];
    const of = { ...m5, prices: { saved: 0, mean: 0, covered, uncovered: 0.2 } };
    expect(nodesAtNextPrice(of)).toBe(3);
    expect(nodesAtNextPrice(of, new Map([['x', 2]]))).toBe(1);
    expect(nextCover(of, new Map([['x', 3]]))).toBeNull();
    expect(isCoveredAlike(of, m6i)).toBe(false);
    expect(isCoveredAlike(of, m6i, new Map([['x', 3]]))).toBe(true);
  });
});

describe('accounts by chance', () => {
  const typeArb = fc.record({
    slots: fc.integer({ min: 1, max: 16 }),
    /** USD per hour for each pod that a node takes. */
    unit: fc.double({ min: 0.03, max: 0.07, noNaN: true }),
    covered: fc.integer({ min: 0, max: 9 }),
    discount: fc.constantFrom(0, 0.28, 0.62, 1),
  });

  /** No plan costs less: pods take the cheapest room first, by parts of nodes. */
  function leastCost(types: readonly { slots: number; price: number; covers: number; at: number }[], pods: number) {
    const rooms = types
      .flatMap(({ slots, price, covers: nodes, at }) => [
        { unit: at / slots, slots: nodes * slots },
        { unit: price / slots, slots: 1_000 },
      ])
      .toSorted((a, b) => a.unit - b.unit);
    let [left, cost] = [pods, 0];
    for (const { unit, slots } of rooms) {
      const taken = Math.min(left, slots);
      cost += taken * unit;
      left -= taken;
    }
    return cost;
  }

  test('use what is paid for, and cost as little as can be but for the last node', () => {
    fc.assert(
      fc.property(
        fc.array(typeArb, { minLength: 2, maxLength: 4 }),
        fc.integer({ min: 1, max: 150 }),
        (given, pods) => {
          const types = given.map(({ slots, unit, covered, discount }, i) => ({
            name: `g${i}`,
            type: `t${i}.large`,
            slots,
            price: unit * slots,
            covers: covered,
            at: unit * slots * (1 - discount),
          }));
          const { scaleUp } = evaluate(
            scenario({
              groups: types.map(({ name, type, slots, price }) =>
                priced(name, type, price, { max: 200, node: { cpu: slots, memory: `${slots * 4}Gi` } }),
              ),
              pods: times(pods, (i) => pod(`p-${i}`, { requests: { cpu: 1, memory: '2Gi' } })),
              options: {
                expander: ['price'],
                nearTieRatio: 0,
                prices: types.map(({ type, at, covers: covered }) => covers({ type, price: at, covered })),
              },
            }),
          );
          const added = new Map<string, number>(
            scaleUp.increases.map(({ group: name, from, to }) => [name, to - from]),
          );
          let [cost, free, used] = [0, 0, 0];
          for (const { name, price, covers: covered, at, slots } of types) {
            const nodes = added.get(name) ?? 0;
            cost += Math.min(nodes, covered) * at + Math.max(0, nodes - covered) * price;
            free += at === 0 ? covered * slots : 0;
            used += at === 0 ? Math.min(nodes, covered) * slots : 0;
          }
          const last = Math.max(...types.map(({ price }) => price));
          expect(cost).toBeLessThanOrEqual(leastCost(types, pods) * 1.02 + last);
          expect(used).toBeGreaterThan(Math.min(free, pods) - 16);
        },
      ),
      { numRuns: 60, seed: 1 },
    );
  });
});
