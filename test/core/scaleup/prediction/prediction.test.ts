import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { evaluate } from '../../../../core/evaluate.ts';
import type { Decision } from '../../../../core/model/decision.ts';
import { nodeName } from '../../../../core/model/values/names.ts';
import type { NodeGroup } from '../../../../core/model/node-group.ts';
import type { Options } from '../../../../core/model/options.ts';
import type { Pod } from '../../../../core/model/cluster/pod.ts';
import type { Scenario } from '../../../../core/model/scenario.ts';
import type { Backoff, State } from '../../../../core/model/state.ts';
import { addTime, minutes } from '../../../../core/model/values/time.ts';
import { node, pod } from '../../../builders.ts';
import { group, NOW, running, scenario, times } from '../../../scenario-builders.ts';

const BIG = 16;
const SMALL = 16;

/** Nodes of 4 CPUs: a big pod requests three of them, a small one the fourth. Packed, each node holds one of both. */
const bigAndSmall = (count: number): readonly Pod[] => [
  ...times(count, (i) => pod(`big-${i}`, { requests: { cpu: 3 }, owner: 'ReplicaSet/big' })),
  ...times(count, (i) => pod(`small-${i}`, { requests: { cpu: 1 }, owner: 'ReplicaSet/small' })),
];

const GROUPS = ['a', 'b'].map((zone) => ({
  ...group(`g-${zone}`, { max: 40, zone: `us-east-1${zone}`, node: { cpu: 4, memory: '64Gi' } }),
  price: 0.2,
}));

const given = (options: Partial<Options>, pods = bigAndSmall(BIG)): Scenario =>
  scenario({ groups: GROUPS, pods, options });

const later = (before: Scenario, { scaleUp, state }: Decision, pods = before.objects.pods): Scenario => ({
  ...before,
  state,
  objects: { ...before.objects, pods },
  nodeGroups: before.nodeGroups.map((one) => ({
    ...one,
    targetSize: scaleUp.increases.find(({ group: name }) => name === one.name)?.to ?? one.targetSize,
  })),
});

const added = ({ scaleUp }: Decision): number => scaleUp.increases.reduce((sum, { from, to }) => sum + to - from, 0);
const spare = ({ state }: Decision): number =>
  Object.values(state.reservedPacking).reduce((sum, one) => sum + one.spare, 0);

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

  describe('when the group of the plan is full', () => {
    const full = BIG + 4;
    const names = times(full, (i) => `there-${i}`);
    const [a, b] = [
      { ...GROUPS[0]!, maxSize: BIG },
      { ...GROUPS[1]!, targetSize: full, nodes: names.map(nodeName), instances: names.map((of) => running(of, of)) },
    ];
    const grown = (other: NodeGroup, state: Partial<State> = {}) =>
      evaluate(
        scenario({
          groups: [a, other],
          nodes: names.map((name) => node(name, {}, { unschedulable: true })),
          pods: bigAndSmall(BIG),
          options: { predictedPlacementRatio: 2 },
          state,
        }),
      ).scaleUp;

    test('one similar to it gets the nodes beyond the plan', () => {
      const { predicted, increases } = grown(b);
      expect(predicted).toMatchObject({ bought: true });
      expect(increases).toEqual([
        { group: 'g-a', from: 0, to: BIG },
        { group: 'g-b', from: full, to: full + predicted!.nodes! },
      ]);
    });

    test.each(times(8, (more) => [more]))('one similar to it gets no more than its maximum: %i nodes more', (more) => {
      const most = full + more;
      for (const { group: name, to } of grown({ ...b, maxSize: most }).increases) {
        expect([name, to]).toEqual(name === 'g-a' ? ['g-a', BIG] : ['g-b', Math.min(to, most)]);
      }
    });

    test('one that backs off does not', () => {
      const failed: Backoff = {
        until: addTime(NOW, minutes(5)),
        duration: minutes(5),
        lastFailure: NOW,
        class: 'Quota',
      };
      const backoff = { [b.name]: failed };
      expect(grown(b, { backoff })).toMatchObject({
        predicted: { bought: false, why: expect.stringMatching(/limits do not allow/) },
        increases: [{ group: 'g-a', from: 0, to: BIG }],
      });
    });
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

  test('the nodes bought beyond are neither bought again, nor taken by pods that come later', () => {
    const input = given({ predictedPlacementRatio: 2 });
    const first = evaluate(input);
    const again = evaluate(later(input, first));
    expect(again.scaleUp.result).toBe('NotNeeded');
    expect([again.state.reservations, again.state.reservedPacking]).toEqual([
      first.state.reservations,
      first.state.reservedPacking,
    ]);
    const newcomer = pod('zz-newcomer', { requests: { cpu: 4 } });
    const third = evaluate(later(input, first, [...input.objects.pods, newcomer]));
    expect(third.scaleUp.pods.find(({ pod: key }) => key.endsWith('newcomer'))).toMatchObject({ outcome: 'Triggered' });
    expect(spare(third)).toBeGreaterThanOrEqual(spare(first));
  });

  test('nothing is remembered once no pod waits for a place', () => {
    const input = given({ predictedPlacementRatio: 2 });
    const after = evaluate(later(input, evaluate(input), []));
    expect([after.state.reservations, after.state.reservedPacking]).toEqual([{}, {}]);
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
