import { expect, test } from 'vitest';
import { defaultOptions } from '../../core/model/options.ts';
import type { Pod } from '../../core/model/cluster/pod.ts';
import type { ProviderName } from '../../core/model/provider.ts';
import { nodeName } from '../../core/model/values/names.ts';
import { epochMs } from '../../core/model/values/time.ts';
import type { SimulatedInstance } from '../../providers/simulated/auto-scaling.ts';
import { node, pod, type PodOptions } from '../builders.ts';
import type { Stage } from './invariants/invariant.ts';
import { DAEMON_CPU, UNIT_CPU } from './node-sizes.ts';
import { type Pool, SIZE_LABEL } from './pools.ts';
import { isBeyondRepair, isTakenFirst, removableNodes } from './removable-nodes.ts';

const of = (version?: number): SimulatedInstance =>
  ({ ...(version !== undefined && { version }) }) as unknown as SimulatedInstance;

test.each<{
  what: string;
  version?: number;
  others: readonly SimulatedInstance[];
  provider: ProviderName;
  is: boolean;
}>([
  { what: 'of the only template', others: [of(), of(1)], provider: 'clusterapi', is: true },
  { what: 'of the oldest template', version: 1, others: [of(2), of(3)], provider: 'clusterapi', is: true },
  { what: 'of the latest template', version: 3, others: [of(3), of(2)], provider: 'clusterapi', is: false },
  { what: 'of a template in between', version: 2, others: [of(3), of()], provider: 'clusterapi', is: false },
  { what: 'of the latest template, alone', version: 3, others: [of(3)], provider: 'clusterapi', is: true },
  { what: 'of the latest launch template', version: 3, others: [of(1)], provider: 'aws', is: true },
])('a node $what may go: $is', ({ version, others, provider, is }) => {
  expect(isTakenFirst({ instances: [...others, of(version)] }, of(version), provider)).toBe(is);
});

test.each<{ what: string; one: object; oldest?: number; provider?: ProviderName; is: boolean }>([
  { what: 'that has failed for good, of the latest template', one: { failed: true, isRetried: false }, is: true },
  { what: 'that is asked for again', one: { failed: true, isRetried: true }, is: false },
  { what: 'that is waited for no longer', one: { failed: true, isRetried: true, launchedAt: -17 * 60_000 }, is: true },
  { what: 'that has not failed', one: {}, is: false },
  { what: 'that has become a node', one: { failed: true, node: 'n1' }, is: false },
  { what: 'that has failed, of the only template', one: { failed: true }, oldest: 2, is: false },
  { what: 'that has failed on AWS', one: { failed: true }, provider: 'aws', is: false },
])('an instance $what is beyond repair: $is', ({ one, oldest = 1, provider = 'clusterapi', is }) => {
  const instance = { node: null, version: 2, launchedAt: 0, ...one } as unknown as SimulatedInstance;
  expect(isBeyondRepair({ instances: [of(oldest), instance] }, instance, { provider }, epochMs(0))).toBe(is);
});

const NAMES = ['n1', 'n2'];
const ready = [{ type: 'Ready', status: 'True' as const, reason: '', since: null }];

/** The nodes that could go of a group that is all or nothing. */
const removable = (given: {
  readonly minSize?: number;
  readonly instances?: number;
  readonly busy?: boolean;
  /** Are its nodes of different templates? */
  readonly mixed?: ProviderName;
}) =>
  removableNodes({
    scenario: {
      drawn: [],
      options: defaultOptions(),
      provider: given.mixed ?? 'aws',
      pools: [{ name: 'whole', units: 4, groups: ['whole-1'] }],
    },
    world: {
      clock: { now: () => epochMs(0) },
      api: {
        nodes: new Map(NAMES.map((name) => [name, node(name, { cpu: 4 }, { conditions: ready })])),
        pods: new Map(given.busy === true ? [['p', { ...pod('p', { requests: { cpu: 1 } }), nodeName: 'n2' }]] : []),
      },
      scaling: {
        groups: () => [
          {
            group: {
              name: 'whole-1',
              minSize: given.minSize ?? 0,
              maxSize: 4,
              capacity: { cpu: 4_000, memory: 0 },
              options: { zeroOrMaxNodeScaling: true },
            },
            desired: given.instances ?? 2,
            instances: Array.from({ length: given.instances ?? 2 }, (_, i) => ({
              id: `i-${i}`,
              node: NAMES[i] ?? null,
              state: 'Running',
              version: given.mixed === undefined ? 1 : i + 1,
            })),
          },
        ],
      },
    },
  } as unknown as Stage);

test('nodes of a group that is all or nothing could go when no pod is on any of them', () => {
  expect(removable({})).toEqual(NAMES);
  expect(removable({ busy: true })).toEqual([]);
});

test('they could not while they are of several templates, of which one is taken first', () => {
  expect(removable({ mixed: 'clusterapi' })).toEqual([]);
  expect(removable({ mixed: 'aws' })).toEqual(NAMES);
});

test('they could not while another instance is to come, or where the group has to keep some', () => {
  expect(removable({ instances: 3 })).toEqual([]);
  expect(removable({ minSize: 1 })).toEqual([]);
});

const sized = (name: string, on: string, units: number, more: PodOptions = {}) => ({
  ...pod(name, { requests: { cpu: (units * UNIT_CPU) / 1_000 }, ...more }),
  labels: { [SIZE_LABEL]: String(units) },
  nodeName: nodeName(on),
});

/** What could go of three nodes of four units: `n1` waits for its replacement, with pods of so many units, `n3` has room for `elsewhere`. */
const beside = ({
  waits = [3],
  elsewhere = 0,
}: {
  readonly waits?: readonly number[];
  readonly elsewhere?: number;
}) => {
  const kept = { annotations: { keep: 'it' } };
  const pods = [...waits.map((units, i) => sized(`p${i}`, 'n1', units, kept)), sized('q', 'n3', 4 - elsewhere, kept)];
  return removableOfThree(pods, waits.length > 0 ? ['n1'] : []);
};

/** What could go of three nodes of four units with these pods. */
const removableOfThree = (pods: readonly Pod[], waiting: readonly string[] = [], pool: Partial<Pool> = {}) => {
  const names = ['n1', 'n2', 'n3'];
  const allocatable = { cpu: 4 * UNIT_CPU + DAEMON_CPU, memory: 0 };
  return removableNodes(
    {
      scenario: {
        drawn: [],
        options: defaultOptions(),
        pools: [{ name: 'red', units: 4, groups: ['red-1'], ...pool }],
      },
      world: {
        clock: { now: () => epochMs(0) },
        api: {
          nodes: new Map(names.map((name) => [name, node(name, { cpu: 4 }, { conditions: ready })])),
          pods: new Map(pods.map((one) => [one.name, one])),
          objects: () => ({ podDisruptionBudgets: [] }),
        },
        controllers: { workloadOf: () => '', workload: () => null },
        scaling: {
          groups: () => [
            {
              group: { name: 'red-1', minSize: 0, maxSize: 4, allocatable, capacity: allocatable, options: {} },
              desired: 3,
              instances: names.map((name) => ({ id: `i-${name}`, node: name, state: 'Running' })),
            },
          ],
        },
      },
    } as unknown as Stage,
    new Set(waiting) as never,
  );
};

test('a node is needed where pods of one that waits for its replacement have their places, as long as it waits', () => {
  expect(beside({})).toEqual([]);
  expect(beside({ waits: [] })).toContain('n2');
  // They have places on another one, or not even here.
  expect(beside({ elsewhere: 3 })).toEqual(['n2']);
  expect(beside({ waits: [3, 2] })).toEqual(['n2']);
});

test('expendable pods make room of any kind but for volumes, which are attached until they have gone', () => {
  const replica = { owner: 'ReplicaSet/web', ready: true };
  const pods = [
    sized('p', 'n1', 1, replica),
    ...['n2', 'n3'].map((on) => sized(`x-${on}`, on, 4, { annotations: { keep: 'it' }, spec: { priority: -100 } })),
  ];
  expect(removableOfThree(pods)).toContain('n1');
  expect(removableOfThree(pods, [], { ofVolumes: true })).not.toContain('n1');
});
