import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { evaluate } from '../../../../core/evaluate.ts';
import type { Options } from '../../../../core/model/options.ts';
import { pod } from '../../../builders.ts';
import { scenario, times } from '../../../scenario-builders.ts';
import { BIG, SMALL, bigAndSmall, GROUPS, given, later, added, spare } from './big-and-small.ts';

describe('where kube-scheduler will put the pods', () => {
  test('a plan that leaves pods without a place says so, and how many more nodes it takes', () => {
    const decision = evaluate(given({ predictedPlacementRatio: 1 }));
    const { predicted } = decision.scaleUp;
    expect(predicted).toMatchObject({ bought: false });
    expect(predicted!.pods).toBeGreaterThan(0);
    expect(predicted!.nodes).toBeGreaterThan(0);
    expect(predicted!.cost).toBeCloseTo(predicted!.nodes! * 0.2);
    expect(predicted!.why).toMatch(/× the packed plan, more than predictedPlacementRatio 1 allows$/);
    expect(added(decision)).toBe(BIG);
    expect(spare(decision)).toBe(0);
  });

  test('they are bought where the ratio allows it, shared by similar groups', () => {
    const decision = evaluate(given({ predictedPlacementRatio: 2 }));
    const { predicted, plan, increases } = decision.scaleUp;
    expect(predicted).toMatchObject({ bought: true });
    expect(added(decision)).toBe(BIG + predicted!.nodes!);
    expect(plan!.cost).toBeCloseTo(BIG * 0.2);
    expect(spare(decision)).toBe(predicted!.nodes);
    expect(Math.abs(increases[0]!.to - increases[1]!.to)).toBeLessThanOrEqual(1);
    expect(decision.state.scaleUpRequests.map(({ increase }) => increase)).toEqual(increases.map(({ to }) => to));
  });

  test('pods that pack as the scheduler spreads need nothing more', () => {
    const alike = times(BIG, (i) => pod(`p-${i}`, { requests: { cpu: 4 } }));
    expect(evaluate(given({}, alike)).scaleUp.predicted).toEqual({
      pods: 0,
      nodes: 0,
      cost: 0,
      bought: false,
      why: 'the plan is enough',
    });
  });

  test.each<{ readonly what: string; readonly options: Partial<Options>; readonly why: RegExp }>([
    {
      what: 'it is clearly too much work',
      options: { predictedPlacementBudget: 100 },
      why: /more than predictedPlacementBudget/,
    },
    {
      what: 'it turns out to be too much',
      options: { predictedPlacementBudget: 500 },
      why: /more than predictedPlacementBudget/,
    },
    {
      what: 'limits stand in the way',
      options: { predictedPlacementRatio: 2, maxNodesTotal: BIG },
      why: /limits do not allow/,
    },
  ])('nothing is bought beyond the plan when $what', ({ options, why }) => {
    const decision = evaluate(given(options));
    expect(added(decision)).toBe(BIG);
    expect(decision.state.reservedPacking).toEqual({});
    expect(decision.scaleUp.predicted).toMatchObject({ nodes: null, bought: false, why: expect.stringMatching(why) });
  });

  test('nothing is predicted where predictedPlacementRatio is 0', () => {
    const decision = evaluate(given({ predictedPlacementRatio: 0 }));
    expect(decision.scaleUp.predicted).toBeNull();
    expect(added(decision)).toBe(BIG);
  });

  test('the same decision in any order of the lists, and never beyond a limit', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: SMALL }),
        fc.integer({ min: 1, max: 12 }),
        fc.integer({ min: 1, max: 30 }),
        fc.nat(50),
        (count, max, total, seed) => {
          const groups = GROUPS.map((one) => ({ ...one, maxSize: max }));
          const pods = bigAndSmall(count);
          const options = { predictedPlacementRatio: 3, maxNodesTotal: total };
          const decision = evaluate(scenario({ groups, pods, options, seed }));
          const shuffled = scenario({ groups: groups.toReversed(), pods: pods.toReversed(), options, seed });
          expect(JSON.stringify(evaluate(shuffled))).toBe(JSON.stringify(decision));
          expect(Math.max(...decision.scaleUp.increases.map(({ to }) => to))).toBeLessThanOrEqual(max);
          expect(added(decision)).toBeLessThanOrEqual(total);
          const next = evaluate(later(scenario({ groups, pods, options, seed }), decision));
          expect(next.scaleUp.increases).toEqual([]);
        },
      ),
      { numRuns: 80 },
    );
  });
});
