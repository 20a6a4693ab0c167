import { describe, expect, test } from 'vitest';
import { evaluate } from '../../../core/evaluate.ts';
import type { CapacityQuota } from '../../../core/model/cluster/capacity-quota.ts';
import { INSTANCE_TYPE_LABEL } from '../../../core/model/cluster/node.ts';
import type { Labels } from '../../../core/model/cluster/selectors.ts';
import type { Resources } from '../../../core/model/values/resources.ts';
import type { Decision } from '../../../core/model/decision.ts';
import type { NodeGroup } from '../../../core/model/node-group.ts';
import type { Options } from '../../../core/model/options.ts';
import { type Amounts, node, pod } from '../../builders.ts';
import { group, type GroupGiven, scenario, times, zoneLabels } from '../../scenario-builders.ts';

const GPU = 'nvidia.com/gpu';
const ACCELERATOR = 'k8s.amazonaws.com/accelerator';

const increases = ({ scaleUp }: Decision): Readonly<Record<string, number>> =>
  Object.fromEntries(scaleUp.increases.map(({ group: name, from, to }) => [name, to - from]));

/** A group with further shapes of these amounts, each with its own GPU type. */
const mixed = (
  name: string,
  given: GroupGiven,
  ...others: readonly { readonly amounts: Amounts; readonly gpu?: string }[]
): NodeGroup => ({
  ...group(name, given),
  alternatives: others.map(({ amounts, gpu }) => ({
    node: node('other', amounts, {
      labels: { ...zoneLabels(given.zone), ...(gpu === undefined ? {} : { [ACCELERATOR]: gpu }) },
    }),
    pods: [],
  })),
});

const cores = (max: number): Partial<Options> => ({ coresTotal: { min: 0, max } });

describe('maxCostPerHour', () => {
  const priced = (name: string, price: number | null, options: Partial<Options> = {}): NodeGroup => ({
    ...group(name, { options }),
    price,
  });
  const decide = (groups: readonly NodeGroup[], options: Partial<Options> = {}) =>
    evaluate(
      scenario({ groups, pods: times(6, (i) => pod(`p-${i}`, { requests: { cpu: 3 } })), options: { ...options } }),
    );

  test('of the cluster allows as many nodes of all groups as cost no more', () => {
    expect(increases(decide([priced('a', 0.2)], { maxCostPerHour: 0.61 }))).toEqual({ a: 3 });
  });

  test('of a group limits that group alone, and others grow instead', () => {
    const decision = decide([priced('a', 0.1, { maxCostPerHour: 0.2 }), priced('b', 0.4)], { expander: ['price'] });
    expect(increases(decision)).toEqual({ a: 2, b: 4 });
  });

  test('counts existing nodes, and keeps them where they cost more already', () => {
    const nodes = ['n1', 'n2'];
    const web = { ...group('a', { nodes }), price: 0.2 };
    const decision = evaluate(
      scenario({
        groups: [web],
        nodes: nodes.map((name) => node(name, { cpu: 4, memory: '16Gi' })),
        pods: [
          pod('big', { requests: { cpu: 3 } }),
          ...nodes.map((name) => pod(`on-${name}`, { node: name, requests: { cpu: 3 } })),
        ],
        options: { maxCostPerHour: 0.3 },
      }),
    );
    expect(increases(decision)).toEqual({});
    expect(decision.scaleUp.skippedGroups).toEqual([
      { group: 'a', reason: 'MaxCostPerHourReached', message: 'maxCostPerHour' },
    ]);
    expect(decision.scaleDown.removals).toEqual([]);
  });

  test('counts a group without a price at the reference prices of its resources', () => {
    // 4 CPU and 16 GiB: 4 × 0.033174 + 16 × 0.004446 = 0.2038 USD per hour.
    expect(increases(decide([priced('a', null)], { maxCostPerHour: 0.4 }))).toEqual({ a: 1 });
    expect(increases(decide([priced('a', null)], { maxCostPerHour: 0.41 }))).toEqual({ a: 2 });
  });

  const grownBeside = (web: NodeGroup, existing: Amounts, options: Partial<Options>, labels: Labels = {}) =>
    increases(
      evaluate(
        scenario({
          groups: [web],
          nodes: web.nodes.map((name) => node(name, existing, { labels })),
          pods: [
            ...web.nodes.map((name) => pod(`on-${name}`, { node: name, requests: { cpu: 3 } })),
            ...times(3, (i) => pod(`p-${i}`, { requests: { cpu: 3 } })),
          ],
          options,
        }),
      ),
    );

  test('counts further nodes at the price beyond what prices cover', () => {
    const web = { ...group('a', { nodes: ['n1', 'n2', 'n3'] }), price: 0.2 };
    const prices = [{ type: null, zone: null, capacityType: null, price: 0.05, covered: 3 }];
    const grown = (maxCostPerHour: number) => grownBeside(web, { cpu: 4, memory: '16Gi' }, { maxCostPerHour, prices });
    expect([0.34, 0.36, 0.56].map(grown)).toEqual([{}, { a: 1 }, { a: 2 }]);
  });

  test('counts instance types of a group by their sizes', () => {
    const large: Amounts = { cpu: 16, memory: '64Gi' };
    const labels = { [INSTANCE_TYPE_LABEL]: 'm5.4xlarge' };
    const web = {
      ...group('a', { nodes: ['large'], labels: { [INSTANCE_TYPE_LABEL]: 'm5.xlarge' } }),
      price: 0.2,
      alternatives: [{ node: node('other', large, { labels }), pods: [] }],
    };
    const full = { ...large, cpu: 4 };
    // By its resources the existing node counts 0.41 USD per hour, and further nodes may be m5.4xlarge at 0.8 USD.
    expect([0.9, 1.7].map((maxCostPerHour) => grownBeside(web, full, { maxCostPerHour }, labels))).toEqual([
      {},
      { a: 1 },
    ]);
  });
});

describe('groups that share new nodes', () => {
  const [A, B] = ['us-east-1a', 'us-east-1b'];
  const decide = (groups: readonly NodeGroup[], options: Partial<Options>): Decision =>
    evaluate(
      scenario({
        groups,
        pods: times(12, (i) => pod(`p-${i}`, { requests: { cpu: 3 } })),
        options: { expander: ['least-nodes'], salvoScaleUp: false, ...options },
      }),
    );

  test.each([
    [
      'alike in their templates, but one may get larger nodes',
      [
        mixed('a', { zone: A }, { amounts: { cpu: 4, memory: '16Gi' } }),
        mixed('b', { zone: B }, { amounts: { cpu: 16, memory: '16Gi' } }),
      ],
      cores(28),
      { a: 3, b: 1 },
    ],
    [
      'alike in a label only',
      [group('a', { labels: { set: 'x' } }), group('b', { labels: { set: 'x' }, node: { cpu: 7, memory: '64Gi' } })],
      { ...cores(14), balancingLabel: ['set'] },
      { a: 1, b: 1 },
    ],
    [
      'with memory that differs within memoryDifferenceRatio',
      [
        group('a', { zone: A, node: { cpu: 4, memory: '10Gi' } }),
        group('b', { zone: B, node: { cpu: 4, memory: '10340Mi' } }),
      ],
      { memoryTotal: { min: 0, max: 40 } },
      { a: 1, b: 2 },
    ],
  ])('%s: each node counts for what it is', (_, groups, options, expected) => {
    expect(increases(decide(groups, options))).toEqual(expected);
  });
});

describe('GPUs of a mixed group', () => {
  // A t4, or four a10.
  const either = mixed(
    'g',
    { node: { cpu: 4, memory: '16Gi', [GPU]: 1 }, labels: { [ACCELERATOR]: 't4' } },
    { amounts: { cpu: 4, memory: '16Gi', [GPU]: 4 }, gpu: 'a10' },
  );
  const plainFirst = mixed(
    'g',
    { node: { cpu: 4, memory: '16Gi' } },
    { amounts: { cpu: 4, memory: '16Gi', [GPU]: 2 }, gpu: 't4' },
  );

  test.each([
    ['as many of a type as a shape of that type has', [{ type: 't4', min: 0, max: 3 }], either, { g: 3 }],
    ['of every type', [{ type: 'a10', min: 0, max: 11 }], either, { g: 2 }],
    [
      'the type that has the least room decides',
      [
        { type: 't4', min: 0, max: 3 },
        { type: 'a10', min: 0, max: 7 },
      ],
      either,
      { g: 1 },
    ],
    ['of a shape that is not the first', [{ type: 't4', min: 0, max: 5 }], plainFirst, { g: 2 }],
    ['no node without GPUs that may have some', [{ type: 't4', min: 0, max: 1 }], plainFirst, {}],
  ])('count %s: %j', (_, gpuTotal, of, expected) => {
    const pods = times(5, (i) => pod(`p-${i}`, { requests: { cpu: 3 } }));
    expect(increases(evaluate(scenario({ groups: [of], pods, options: { gpuTotal } })))).toEqual(expected);
  });

  test('count while its nodes are on their way', () => {
    const options = { gpuTotal: [{ type: 'a10', min: 0, max: 11 }] };
    const pods = (count: number) => times(count, (i) => pod(`p-${i}`, { requests: { cpu: 3 } }));
    const first = evaluate(scenario({ groups: [either], pods: pods(1), options }));
    const second = evaluate(
      scenario({ groups: [{ ...either, targetSize: 1 }], pods: pods(5), options, state: first.state }),
    );
    expect(increases(second)).toEqual({ g: 1 });
  });
});

describe('exactly at a limit', () => {
  test.each([
    ['nodes of a part of a core', { cpu: '3920m' }, 24, cores(98), 1],
    ['a core less than that', { cpu: '3920m' }, 23, cores(97), 1],
    ['memory to the byte', { cpu: 4, memory: '1Gi' }, 3, { memoryTotal: { min: 0, max: 7 } }, 4],
    ['nodes', { cpu: 4 }, 3, { maxNodesTotal: 9 }, 6],
  ])('%s', (_, amounts, there, options, expected) => {
    const decision = evaluate(
      scenario({
        groups: [group('g', { max: 50, node: amounts })],
        nodes: times(there, (i) => node(`full-${i}`, { ...amounts, pods: 0 })),
        pods: times(40, (i) => pod(`p-${i}`, { requests: { cpu: 3 } })),
        options,
      }),
    );
    expect(increases(decision)).toEqual({ g: expected });
  });
});

describe('CapacityQuotas', () => {
  const quota = (name: string, limits: Resources, matchLabels: Labels = {}): CapacityQuota => ({
    name,
    selector: { matchLabels, matchExpressions: [] },
    limits,
  });
  const [SPOT, FIRM] = [group('spot', { labels: { kind: 'spot' } }), group('firm', { labels: { kind: 'firm' } })];
  // Existing nodes of one type differ by some KiB, and a new one is counted as its template says.
  const nodes = times(2, (i) =>
    node(`n-${i}`, { cpu: 4, memory: `${16 * 2 ** 20 - 20 * i}Ki`, pods: 0 }, { labels: { kind: 'spot' } }),
  );
  const decide = (capacityQuotas: readonly CapacityQuota[], options: Partial<Options> = { capacityQuotas: true }) =>
    evaluate(
      scenario({
        groups: [SPOT, FIRM],
        nodes,
        pods: times(6, (i) => pod(`p-${i}`, { requests: { cpu: 3 } })),
        objects: { capacityQuotas },
        options,
      }),
    );
  const all = ({ scaleUp }: Decision): number => scaleUp.increases.reduce((sum, { from, to }) => sum + to - from, 0);

  test.each<{ readonly what: string; readonly limits: Resources; readonly expected: number }>([
    { what: 'CPU', limits: { cpu: 19_000 }, expected: 2 },
    { what: 'memory', limits: { memory: 80 * 2 ** 30 }, expected: 3 },
    { what: 'the number of nodes', limits: { nodes: 3 }, expected: 1 },
    { what: 'the tightest of several resources', limits: { cpu: 19_000, nodes: 3 }, expected: 1 },
    { what: 'a resource that no node has', limits: { 'example.com/device': 0 }, expected: 6 },
  ])('without a selector limit $what of existing and new nodes together', ({ limits, expected }) => {
    expect(all(decide([{ ...quota('all', limits), selector: null }]))).toBe(expected);
    expect(all(decide([quota('all', limits)]))).toBe(expected);
  });

  test('limit the nodes that their selector selects, and other groups grow instead', () => {
    const decision = decide([quota('spot', { nodes: 3 }, { kind: 'spot' })]);
    expect(increases(decision)['spot'] ?? 0).toBeLessThanOrEqual(1);
    expect(all(decision)).toBe(6);
    expect(increases(decide([quota('none', { nodes: 0 }, { kind: 'other' })]))).toEqual(increases(decide([])));
  });

  test('are named with the resource, for the group that they keep from growing', () => {
    const decision = decide([quota('web', { cpu: 8_000, nodes: 90 })]);
    const message = 'CapacityQuota/web (cpu)';
    expect(decision.scaleUp.skippedGroups).toEqual([
      { group: 'firm', reason: 'ResourceLimitExceeded', message },
      { group: 'spot', reason: 'ResourceLimitExceeded', message },
    ]);
    expect(JSON.stringify(decision.scaleUp.pods[0])).toContain(message);
  });

  test('limit nothing with a selector that Kubernetes does not accept, or without the option', () => {
    const selector = { matchLabels: {}, matchExpressions: [{ key: 'kind', operator: 'Near', values: ['spot'] }] };
    expect(all(decide([{ ...quota('all', { nodes: 0 }), selector }]))).toBe(6);
    expect(all(decide([quota('all', { nodes: 0 })], {}))).toBe(6);
  });
});

describe('maxNodesPerScaleup', () => {
  const pods = times(9, (i) => pod(`p-${i}`, { requests: { cpu: 3 } }));
  const options = { maxNodesPerScaleup: 4 };

  test('holds for all decisions of an evaluation; the pods that are left wait, with the reason, and the next one goes on', () => {
    const groups = [group('a', { max: 3 }), group('b', { max: 100, labels: { type: 'b' } })];
    const first = evaluate(scenario({ groups, pods, options: { ...options, expander: ['least-nodes'] } }));
    expect(Object.values(increases(first)).reduce((sum, count) => sum + count, 0)).toBe(4);
    const left = first.scaleUp.pods.filter(({ outcome }) => outcome !== 'Triggered');
    expect(left.map(({ outcome }) => outcome)).toEqual(times(5, () => 'Awaiting'));
    expect(left[0]!.reasons).toContainEqual({
      group: 'b',
      reason: 'maxNodesPerScaleup 4 reached, the next evaluation goes on',
    });
    const grown = groups.map((one) => ({ ...one, targetSize: increases(first)[one.name] ?? 0 }));
    const second = evaluate(scenario({ groups: grown, pods, options, state: first.state }));
    expect(Object.values(increases(second)).reduce((sum, count) => sum + count, 0)).toBe(4);
  });

  test('is passed by an all-or-nothing group that comes alone, and by none that comes after others', () => {
    const whole = group('whole', { max: 6, options: { zeroOrMaxNodeScaling: true } });
    const plain = group('plain', { max: 2, labels: { type: 'plain' } });
    const alone = evaluate(scenario({ groups: [whole], pods, options }));
    expect(increases(alone)).toEqual({ whole: 6 });
    const both = evaluate(
      scenario({ groups: [plain, whole], pods, options: { ...options, expander: ['least-nodes'] } }),
    );
    expect(increases(both)).toEqual({ plain: 2 });
  });
});

test('maxNodesPerScaleup of 0 is no limit, as with Cluster Autoscaler', () => {
  const pods = times(1_200, (i) => pod(`p-${i}`, { requests: { cpu: 3 } }));
  const options = { maxNodesPerScaleup: 0, salvoScaleUp: false };
  expect(increases(evaluate(scenario({ groups: [group('g', { max: 2_000 })], pods, options })))).toEqual({ g: 1_200 });
});

describe('an all-or-nothing group says which limit its maximum would pass', () => {
  test.each([
    { options: { maxNodesTotal: 7 }, message: 'maxNodesTotal, as all 8 nodes come or none' },
    { options: { ...cores(31), maxNodesTotal: 8 }, message: 'coresTotal, as all 8 nodes come or none' },
  ])('$message', ({ options, message }) => {
    const groups = [group('g', { max: 8, options: { zeroOrMaxNodeScaling: true } })];
    const { scaleUp } = evaluate(scenario({ groups, pods: [pod('p', { requests: { cpu: 3 } })], options }));
    expect(scaleUp.skippedGroups).toEqual([{ group: 'g', reason: 'ResourceLimitExceeded', message }]);
  });
});
