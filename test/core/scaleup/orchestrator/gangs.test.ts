import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { evaluate } from '../../../../core/evaluate.ts';
import type { Decision, PodOutcome } from '../../../../core/model/decision.ts';
import { HOSTNAME_LABEL, ZONE_LABEL } from '../../../../core/model/cluster/node.ts';
import type { Pod, PodAffinityTerm, PodSpec } from '../../../../core/model/cluster/pod.ts';
import type { Scenario } from '../../../../core/model/scenario.ts';
import { epochMs, seconds } from '../../../../core/model/values/time.ts';
import { affinityTerm, node, pod, type PodOptions, selector } from '../../../builders.ts';
import { group, NOW, scenario, times } from '../../../scenario-builders.ts';
import { cases } from '../../../cases.ts';

/** `count` pods of one Job that go together, of 2 cpu each unless told otherwise: two on a node. */
const set = (job: string, count: number, options: PodOptions = {}): readonly Pod[] =>
  times(count, (i) =>
    pod(`${job}-${i}`, {
      requests: { cpu: 2 },
      owner: `Job/${job}`,
      annotations: { 'outrigger.dev/atomic': 'true' },
      ...options,
    }),
  );

const byOutcome = ({ scaleUp }: Decision): Readonly<Record<string, string>> => {
  const counts: Record<string, Record<string, number>> = {};
  for (const { pod: key, outcome } of scaleUp.pods) {
    const of = (counts[key.replace(/^default\/(.*)-\d+$/, '$1')] ??= {});
    of[outcome] = (of[outcome] ?? 0) + 1;
  }
  return Object.fromEntries(
    Object.entries(counts).map(([job, of]) => [
      job,
      Object.entries(of)
        .map(([outcome, count]) => `${count} ${outcome}`)
        .join(', '),
    ]),
  );
};
const growth = ({ scaleUp }: Decision): number => scaleUp.increases.reduce((sum, { from, to }) => sum + to - from, 0);
const rowOf = ({ scaleUp }: Decision, name: string): PodOutcome =>
  scaleUp.pods.find(({ pod: key }) => key === `default/${name}`)!;

const inZone = (zone: string): Partial<PodSpec> => ({ nodeSelector: { [ZONE_LABEL]: zone } });
const apart = (app: string): PodAffinityTerm => affinityTerm(HOSTNAME_LABEL, selector({ app }));

describe('pods that go together', () => {
  const four = group('g', { max: 4 });

  test.each([
    ['that all find a place get it', [four], set('a', 8), 4, { a: '8 Triggered' }],
    ['of which the maximum of a group cuts one off get nothing', [four], set('a', 9), 0, { a: '9 Unschedulable' }],
    [
      'may come from several groups',
      [four, group('h', { max: 1, labels: { kind: 'other' } })],
      set('a', 9),
      5,
      { a: '9 Triggered' },
    ],
    [
      'of different shapes are one set',
      [four],
      [...set('a', 2), ...set('a-large', 1, { owner: 'Job/a', requests: { cpu: 5 } })],
      0,
      { a: '2 Unschedulable', 'a-large': '1 Unschedulable' },
    ],
    [
      'leave their nodes to others when they cannot come',
      [four],
      [...set('a', 9), ...set('b', 8, { requests: { cpu: 1 } })],
      2,
      { a: '9 Unschedulable', b: '8 Triggered' },
    ],
    [
      'of two controllers that have room for one of them: the first by name',
      [four],
      [...set('a', 6), ...set('b', 6)],
      3,
      { a: '6 Triggered', b: '6 Unschedulable' },
    ],
    [
      'of one controller, partial together with others, come where they can alone',
      [four],
      [
        // Largest first: 2 nodes, then 2 nodes; what is left of each set finds nothing.
        ...set('a', 2, { requests: { cpu: 4 } }),
        ...set('a-small', 4, { owner: 'Job/a', requests: { cpu: 1 } }),
        ...set('b', 6, { requests: { cpu: 2 } }),
        ...set('b-small', 2, { owner: 'Job/b', requests: { cpu: '1500m' } }),
      ],
      3,
      { a: '2 Triggered', 'a-small': '4 Triggered', b: '6 Unschedulable', 'b-small': '2 Unschedulable' },
    ],
    [
      'of a higher priority are tried first',
      [four],
      [
        ...set('a', 2, { requests: { cpu: 4 } }),
        ...set('a-small', 4, { owner: 'Job/a', requests: { cpu: 1 } }),
        ...set('b', 6, { requests: { cpu: 2 }, spec: { priority: 5 } }),
        ...set('b-small', 2, { owner: 'Job/b', requests: { cpu: '1500m' }, spec: { priority: 5 } }),
      ],
      4,
      { a: '2 Unschedulable', 'a-small': '4 Unschedulable', b: '6 Triggered', 'b-small': '2 Triggered' },
    ],
    [
      'are one set in spite of a zone each',
      [group('g-a', { max: 4, zone: 'us-east-1a' }), group('g-b', { max: 0, zone: 'us-east-1b' })],
      [
        ...set('a', 1, { spec: inZone('us-east-1a') }),
        ...set('a-b', 1, { owner: 'Job/a', spec: inZone('us-east-1b') }),
      ],
      0,
      { a: '1 Unschedulable', 'a-b': '1 Unschedulable' },
    ],
    [
      'and keep apart want a node each, or none',
      [four],
      set('a', 5, { labels: { app: 'a' }, spec: { podAntiAffinity: [apart('a')] } }),
      0,
      { a: '5 Unschedulable' },
    ],
    ['without a controller go alone', [four], set('a', 9, { controller: null }), 4, { a: '8 Triggered, 1 Awaiting' }],
    [
      'are not those whose annotation says anything but true',
      [four],
      set('a', 9, { annotations: { 'outrigger.dev/atomic': 'yes' } }),
      4,
      { a: '8 Triggered, 1 Awaiting' },
    ],
  ])('%s', (_, groups, pods, nodes, expected) => {
    const decision = evaluate(scenario({ groups, pods }));
    expect(byOutcome(decision)).toEqual(expected);
    expect(growth(decision)).toBe(nodes);
  });

  test.each([
    { limit: 'maxNodesTotal', options: { maxNodesTotal: 3 } },
    { limit: 'coresTotal', options: { coresTotal: { min: 0, max: 15 } } },
    { limit: 'memoryTotal', options: { memoryTotal: { min: 0, max: 50 } } },
    { limit: 'maxNodesPerScaleup', options: { maxNodesPerScaleup: 3, salvoScaleUp: false } },
  ])('$limit drops them whole', ({ options }) => {
    const decision = evaluate(scenario({ groups: [group('g')], pods: set('a', 8), options }));
    expect(byOutcome(decision)).toEqual({ a: '8 Unschedulable' });
    expect(decision.scaleUp).toMatchObject({ result: 'NoOptions', increases: [] });
  });

  test('say why they wait, all of them, and those without a place what each group says', () => {
    const decision = evaluate(scenario({ groups: [four], pods: set('a', 9) }));
    const together = { reason: 'the 9 pods of Job default/a go together, and 1 of them would have no place' };
    expect(rowOf(decision, 'a-0').reasons).toEqual([together]);
    expect(rowOf(decision, 'a-8').reasons).toEqual([together, { group: 'g', reason: 'max node group size reached' }]);
  });

  test('that fit without a new node are placed by the scheduler whatever becomes of the others', () => {
    const nodes = [node('n1', { cpu: 4, memory: '16Gi' })];
    const decision = evaluate(scenario({ groups: [group('g', { max: 2, nodes: ['n1'] })], nodes, pods: set('a', 5) }));
    expect(byOutcome(decision)).toEqual({ a: '2 Fits, 3 Unschedulable' });
    expect(rowOf(decision, 'a-4').reasons![0]).toEqual({
      reason: 'the 5 pods of Job default/a go together, and 1 of them would have no place',
    });
  });

  test('wait for those of them that are younger than their delay, whether there is room or not', () => {
    const options = { newPodScaleUpDelay: seconds(10) };
    const young = set('a-young', 1, { owner: 'Job/a', createdAt: epochMs(NOW - 5_000) });
    const pods = [...set('a', 4), ...young, ...set('b', 2)];
    const early = evaluate(scenario({ groups: [four], pods, options }));
    expect(byOutcome(early)).toEqual({ a: '4 Ignored', 'a-young': '1 Ignored', b: '2 Triggered' });
    expect(rowOf(early, 'a-0').reasons).toEqual([
      { reason: 'the pods of Job default/a go together, and 1 of them is younger than the scale-up delay' },
    ]);
    const later = { ...scenario({ groups: [four], pods, options }), now: epochMs(NOW + 5_000) };
    expect(byOutcome(evaluate(later))).toEqual({ a: '4 Triggered', 'a-young': '1 Triggered', b: '2 Triggered' });
  });

  test('keep the places that were bought for them when a younger one comes', () => {
    const options = { newPodScaleUpDelay: seconds(10) };
    const first = evaluate(scenario({ groups: [four], pods: set('a', 4), options }));
    const young = set('a-young', 1, { owner: 'Job/a', createdAt: epochMs(NOW - 5_000) });
    const second = evaluate(
      scenario({
        groups: [group('g', { max: 2, target: 2 })],
        pods: [...set('a', 4), ...young, ...set('0-other', 2)],
        options,
        state: first.state,
      }),
    );
    expect(byOutcome(second)).toMatchObject({ a: '4 Fits', 'a-young': '1 Ignored', '0-other': '2 Unschedulable' });
  });

  test('that run already count as placed', () => {
    const nodes = [node('n1', { cpu: 4, memory: '16Gi' })];
    const running = set('r', 2, { owner: 'Job/a', node: 'n1' });
    const decision = evaluate(
      scenario({ groups: [group('g', { max: 2, nodes: ['n1'] })], nodes, pods: [...running, ...set('a', 2)] }),
    );
    expect(byOutcome(decision)).toEqual({ a: '2 Triggered' });
  });

  test('keep what half of them has while the other half is on its way', () => {
    const first = evaluate(scenario({ groups: [four], pods: set('a', 8) }));
    const names = ['n1', 'n2'];
    const next = (pods: readonly Pod[], target: number): Decision =>
      evaluate(
        scenario({
          groups: [group('g', { max: 4, target, nodes: names })],
          nodes: names.map((name) => node(name, { cpu: 4, memory: '16Gi' })),
          pods,
          state: first.state,
        }),
      );
    const [onOne, onTwo] = [set('x', 2, { owner: 'Job/a', node: 'n1' }), set('y', 2, { owner: 'Job/a', node: 'n2' })];
    expect(byOutcome(next([...onOne, ...onTwo, ...set('a', 4)], 4))).toEqual({ a: '4 Fits' });
    // Nodes that were taken away are bought once more for what is left of the set.
    expect(byOutcome(next([...onOne, ...onTwo, ...set('a', 4)], 2))).toEqual({ a: '4 Triggered' });
  });

  test('gangs of two controllers with equal pods have each its own reservation', () => {
    const pods = [...set('a', 2), ...set('b', 2)];
    const first = evaluate(scenario({ groups: [four], pods }));
    const second = evaluate(scenario({ groups: [{ ...four, targetSize: 2 }], pods, state: first.state }));
    expect(byOutcome(second)).toEqual({ a: '2 Fits', b: '2 Fits' });
    expect(second.state.reservations).toEqual(first.state.reservations);
  });
});

describe('whatever the cluster, sets', () => {
  const sizes = [500, 1_000, 2_000, 3_000];
  const arb = fc.record({
    sets: fc.array(
      fc.record({
        count: fc.integer({ min: 1, max: 8 }),
        atomic: fc.boolean(),
        priority: fc.constantFrom(0, 0, 5),
        zone: fc.constantFrom(null, null, 'a', 'b'),
        // Requests of one pod after another.
        cpu: fc.array(fc.constantFrom(...sizes), { minLength: 1, maxLength: 2 }),
        apart: fc.boolean(),
      }),
      { minLength: 1, maxLength: 6 },
    ),
    groups: fc.array(
      fc.record({ cpu: fc.constantFrom(2, 4), max: fc.nat(5), there: fc.nat(1), zone: fc.constantFrom('a', 'b') }),
      { minLength: 1, maxLength: 4 },
    ),
    maxNodesTotal: fc.nat(8),
    salvoScaleUp: fc.boolean(),
  });
  type Given = typeof arb extends fc.Arbitrary<infer T> ? T : never;

  const build = ({ sets, groups, maxNodesTotal, salvoScaleUp }: Given): Scenario => {
    const names = groups.map(({ there, max }, g) => times(Math.min(there, max), (i) => `n-${g}-${i}`));
    const amounts = (cpu: number) => ({ cpu, memory: '16Gi' });
    return scenario({
      groups: groups.map(({ cpu, max, zone }, g) =>
        group(`g-${g}`, { node: amounts(cpu), max, zone: `us-east-1${zone}`, nodes: names[g]! }),
      ),
      nodes: groups.flatMap(({ cpu, zone }, g) =>
        names[g]!.map((name) => node(name, amounts(cpu), { labels: { [ZONE_LABEL]: `us-east-1${zone}` } })),
      ),
      pods: sets.flatMap((of, s) =>
        times(of.count, (i) =>
          pod(`s${s}-${i}`, {
            owner: `Job/s${s}`,
            labels: { app: `s${s}` },
            requests: { cpu: `${of.cpu[i % of.cpu.length]!}m`, memory: '1Gi' },
            annotations: of.atomic ? { 'outrigger.dev/atomic': 'true' } : {},
            spec: {
              priority: of.priority,
              ...(of.zone === null ? {} : inZone(`us-east-1${of.zone}`)),
              ...(of.apart ? { podAntiAffinity: [apart(`s${s}`)] } : {}),
            },
          }),
        ),
      ),
      options: { maxNodesTotal, salvoScaleUp },
    });
  };
  const isAtomic = (input: Scenario, { pod: key }: PodOutcome): boolean =>
    'outrigger.dev/atomic' in input.objects.pods.find(({ name }) => `default/${name}` === key)!.annotations;
  const jobOf = ({ pod: key }: PodOutcome): string => key.split('-')[0]!;

  test('are never partial', () => {
    let torn = 0;
    fc.assert(
      fc.property(arb, (given) => {
        const input = build(given);
        const decision = evaluate(input);
        const rows = decision.scaleUp.pods.filter((row) => isAtomic(input, row));
        for (const job of new Set(rows.map(jobOf))) {
          const found = new Set(rows.filter((row) => jobOf(row) === job).map(({ outcome }) => outcome));
          torn += Number(rows.some((row) => row.reasons?.[0]?.reason.includes('go together') === true));
          expect(found.has('Triggered') && (found.has('Awaiting') || found.has('Unschedulable'))).toBe(false);
        }
      }),
      { numRuns: cases(75) },
    );
    expect(torn).toBeGreaterThan(cases(2));
  });

  test('find the places again that were bought for them', () => {
    let bought = 0;
    // From nothing: only the plan has given out places then.
    const fresh = arb.map((given) => ({ ...given, groups: given.groups.map((of) => ({ ...of, there: 0 })) }));
    fc.assert(
      fc.property(fresh, (given) => {
        const input = build(given);
        const decision = evaluate(input);
        const rows = decision.scaleUp.pods.filter((row) => isAtomic(input, row));
        const after = evaluate({
          ...input,
          nodeGroups: input.nodeGroups.map((of) => ({
            ...of,
            targetSize: decision.scaleUp.increases.find(({ group: name }) => name === of.name)?.to ?? of.targetSize,
          })),
          state: decision.state,
        });
        const fits = after.scaleUp.pods.filter((row) => isAtomic(input, row) && row.outcome === 'Fits');
        for (const { pod: key } of rows.filter(({ outcome }) => outcome === 'Triggered')) {
          bought += 1;
          expect(fits.map(({ pod: fitting }) => fitting)).toContain(key);
        }
      }),
      { numRuns: cases(75) },
    );
    expect(bought).toBeGreaterThan(cases(20));
  });

  test('cost the pods that go alone nothing when they cannot come', () => {
    fc.assert(
      fc.property(arb, (given) => {
        const input = build(given);
        const refused = evaluate(input).scaleUp.pods.filter(({ reasons }) =>
          reasons?.[0]?.reason.includes('go together'),
        );
        const gone = new Set(refused.map(({ pod: key }) => key.split('/')[1]));
        const without = { ...input.objects, pods: input.objects.pods.filter(({ name }) => !gone.has(name)) };
        expect(evaluate({ ...input, objects: without }).scaleUp.increases).toEqual(evaluate(input).scaleUp.increases);
      }),
      { numRuns: cases(40) },
    );
  });
});

describe('pods of a PodGroup', () => {
  const train = (minCount: number): Partial<Scenario['objects']> => ({
    podGroups: [{ namespace: 'default', name: 'train', minCount, disruptedTogether: false, notSimulated: null }],
  });
  const waiting = (count: number, prefix = 'a'): readonly Pod[] =>
    times(count, (i) => pod(`${prefix}-${i}`, { requests: { cpu: 2 }, spec: { podGroup: 'train' } }));
  const running = (count: number): readonly Pod[] =>
    times(count, (i) => pod(`run-${i}`, { node: 'n1', phase: 'Running', spec: { podGroup: 'train' } }));
  const decide = (minCount: number, pods: readonly Pod[], objects: Partial<Scenario['objects']> = {}): Decision =>
    evaluate(scenario({ groups: [group('g', { max: 4 })], pods, objects: { ...train(minCount), ...objects } }));

  // Each node of the group holds two: eight find a place.
  test.each([
    ['all are needed, and all have a place', 8, waiting(8), 4, '8 Triggered'],
    ['all are needed, and one has none', 9, waiting(9), 0, '9 Unschedulable'],
    ['as many as have a place are needed', 8, waiting(9), 4, '8 Triggered, 1 Awaiting'],
    ['fewer are needed', 3, waiting(9), 4, '8 Triggered, 1 Awaiting'],
    ['some are missing yet', 9, waiting(8), 0, '8 Ignored'],
    ['the policy is basic', 0, waiting(9), 4, '8 Triggered, 1 Awaiting'],
  ])('where %s: minCount %i', (_, minCount, pods, nodes, outcome) => {
    const decision = decide(minCount, pods);
    expect({ nodes: growth(decision), outcome: byOutcome(decision)['a'] }).toEqual({ nodes, outcome });
  });

  test('that run count for minCount', () => {
    const nodes = [node('n1', { cpu: 1 })];
    expect(growth(decide(12, [...waiting(9), ...running(3)], { nodes }))).toBe(0);
    expect(growth(decide(11, [...waiting(9), ...running(3)], { nodes }))).toBe(4);
  });

  test('that fit on existing nodes count for minCount', () => {
    const nodes = [node('n1', { cpu: 4 })];
    expect(growth(decide(10, waiting(10), { nodes }))).toBe(4);
    expect(growth(decide(11, waiting(11), { nodes }))).toBe(0);
  });

  test('are named with their PodGroup', () => {
    expect(rowOf(decide(9, waiting(9)), 'a-0').reasons![0]).toEqual({
      reason: 'the 9 pods of PodGroup default/train go together, and 1 of them would have no place',
    });
    expect(rowOf(decide(9, waiting(8)), 'a-0').reasons![0]).toEqual({
      reason: 'PodGroup default/train has 8 of the 9 pods that it needs',
    });
  });
});
