import { describe, expect, test } from 'vitest';
import type { Node } from '../../../../core/model/cluster/node.ts';
import { epochMs } from '../../../../core/model/values/time.ts';
import { nodeResources } from '../../../../providers/aws/templates/allocatable.ts';
import type { LaunchData } from '../../../../providers/aws/launches/launch-data.ts';
import {
  type Sighting,
  type NodeQuery,
  clusterLabels,
  doubtful,
  observedNode,
  sightingsOf,
  withObserved,
} from '../../../../providers/aws/templates/observed.ts';
import type { PodLimit } from '../../../../providers/aws/launches/user-data.ts';
import { node, resources } from '../../../builders.ts';
import { type EksNode, eksNode, instanceType, launchData, podsOf, scalingGroup, typeLaunch } from '../builders.ts';

const GIB = 2 ** 30;
const TYPE = instanceType('m5.large', 2);
const web = scalingGroup('web');
const other = scalingGroup('other');

const seen = (nodes: readonly Node[], group = other): readonly Sighting[] =>
  nodes.map((node) => ({ node, group, confirmed: true }));
const live = (extra: Readonly<Record<string, number | string>> = {}, given: EksNode = {}): Node =>
  eksNode('n1', { cpu: 2, memory: '7900Mi', pods: podsOf(2), 'ephemeral-storage': '20Gi', ...extra }, given);

interface Wish {
  readonly podLimit?: PodLimit;
  readonly storage?: number;
  readonly image?: string;
  readonly os?: string;
}

const queryFor = ({ podLimit = { kind: 'addresses' }, storage, image, os = 'linux' }: Wish = {}): NodeQuery => ({
  group: web,
  launch: typeLaunch(TYPE, { image: image ?? null }),
  podLimit,
  os,
  storage: storage ?? null,
});

const find = (wish: Wish, sightings: readonly Sighting[], launch: Partial<LaunchData> | null = null): Node | null =>
  observedNode(queryFor(wish), new Map([[TYPE.name, sightings]]), () =>
    launch === null ? null : typeLaunch(TYPE, launch),
  );

describe('a node of another group shows what a type has', () => {
  test.each<readonly [string, Wish, Node]>([
    ['a plain one', {}, live()],
    ['with the limit of pods that is set', { podLimit: { kind: 'fixed', pods: 17 } }, live({ pods: 17 })],
    ['with prefixes', { podLimit: { kind: 'prefixes' } }, live({ pods: 110 })],
    ['with another limit, when none is known of either', {}, live({ pods: 58 })],
    ['with no huge pages', {}, live({ 'hugepages-2Mi': 0 })],
    ['with another disk', { storage: 100 * GIB }, live()],
    ['without labels of its architecture and system', {}, node('n1', { cpu: 2, memory: '7100Mi', pods: 58 })],
  ])('yes: %s', (_, wish, shown) => {
    expect(find(wish, seen([shown]))).toBe(shown);
  });

  test.each<readonly [string, Wish, Node]>([
    ['of another architecture', {}, live({}, { arch: 'arm64' })],
    ['of another operating system', { os: 'windows' }, live()],
    ['with cores switched off', {}, live({ cpu: 1 })],
    ['that has not told its memory', {}, live({ memory: 0 })],
    ['that keeps huge pages', {}, live({ 'hugepages-2Mi': '1Gi' })],
    ['with another limit of pods than is set', { podLimit: { kind: 'fixed', pods: 17 } }, live()],
    ['without prefixes where they are set', { podLimit: { kind: 'prefixes' } }, live()],
  ])('no: %s', (_, wish, shown) => {
    expect(find(wish, seen([shown]))).toBeNull();
  });

  describe.each([
    ['one node', false],
    ['two nodes of its group', true],
  ])('stated by %s', (_, confirmed) => {
    const shownBy = (...nodes: readonly Node[]) =>
      find(
        {},
        nodes.map((one, i) => ({ node: one, group: scalingGroup(`g${i}`), confirmed })),
      )?.name ?? null;
    const stating = (allocatable: string, capacity = '7900Mi') =>
      live(
        {},
        {
          allocatable: { cpu: '1930m', memory: allocatable, pods: podsOf(2) },
          extra: { capacity: { ...live().capacity, ...resources({ memory: capacity }) } },
        },
      );
    test.each([
      ['an amount that the images leave', '7302Mi', true],
      ['a seventh less, as a kubelet that reserves more', '6100Mi', confirmed],
      ['a byte', '1', false],
    ])('%s', (_what, memory, expected) => {
      expect(shownBy(stating(memory))).toBe(expected ? 'n1' : null);
    });
    test('more than the type has', () => {
      expect(shownBy(stating('7302Mi', '64Ti'))).toBeNull();
    });
    test('a seventh less, as nodes of another group state it but for some KiB', () => {
      expect(shownBy(stating('6100Mi'), stating(`${6_100 * 1_024 + 84}Ki`))).toBe('n1');
    });
  });

  test('no: of the same group, which speaks for itself', () => {
    expect(find({}, seen([live()], web))).toBeNull();
  });

  test.each<readonly [string, Partial<LaunchData>, boolean]>([
    ['sets nothing either', {}, true],
    ['sets it', { userData: { ...launchData().userData, podLimit: { kind: 'fixed', pods: 58 } } }, false],
    ['uses prefixes', { userData: { ...launchData().userData, podLimit: { kind: 'prefixes' } } }, false],
    ['starts Bottlerocket', { userData: { ...launchData().userData, bottlerocket: true } }, false],
  ])('where its limit of pods surprises, its launch decides: it %s', (_, launch, expected) => {
    const surprising = live({ pods: 58 });
    expect(doubtful(queryFor(), new Map([[TYPE.name, seen([surprising])]]))).toEqual([other]);
    expect(find({}, seen([surprising]), launch)).toBe(expected ? surprising : null);
  });

  test('nothing is requested where nothing surprises', () => {
    expect(doubtful(queryFor(), new Map([[TYPE.name, seen([live()])]]))).toEqual([]);
    const set = queryFor({ podLimit: { kind: 'fixed', pods: 17 } });
    expect(doubtful(set, new Map([[TYPE.name, seen([live()])]]))).toEqual([]);
  });

  test('of several the one with the same image, then with the same disk, then the newest', () => {
    const made = (name: string, createdAt: number, gib: number, image: string): Node => ({
      ...live({ 'ephemeral-storage': `${gib}Gi` }, { labels: { 'eks.amazonaws.com/nodegroup-image': image } }),
      name: name as Node['name'],
      createdAt: epochMs(createdAt),
    });
    const newest = made('newest', 9, 20, 'ami-1');
    const disk = made('disk', 5, 80, 'ami-1');
    const image = made('image', 1, 20, 'ami-2');
    const sightings = sightingsOf(
      [image, disk, newest].map((each) => ({
        group: scalingGroup(each.name),
        live: new Map([['', { node: each, confirmed: true }]]),
      })),
    ).get(TYPE.name)!;
    expect(sightings.map((each) => each.node.name)).toEqual(['newest', 'disk', 'image']);
    expect(find({}, sightings)).toBe(newest);
    expect(find({ storage: 80 * GIB }, sightings)).toBe(disk);
    expect(find({ storage: 80 * GIB, image: 'ami-2' }, sightings)).toBe(image);
  });
});

describe('what is taken over', () => {
  const gpu = instanceType('g5.large', 2, { devices: { 'nvidia.com/gpu': 1 } });
  const computed = nodeResources(gpu, { kind: 'addresses' }, 20 * GIB);
  const shown = eksNode(
    'n1',
    {
      cpu: 2,
      memory: '7900Mi',
      pods: 58,
      'ephemeral-storage': '19.9Gi',
      'hugepages-1Gi': 0,
      'nvidia.com/gpu': 4,
      'vpc.amazonaws.com/pod-eni': 9,
    },
    { allocatable: { cpu: '1930m', memory: '7300Mi', pods: 58, 'ephemeral-storage': '17Gi', 'hugepages-1Gi': 0 } },
  );

  test('is what Kubernetes reports; devices are those of the type', () => {
    expect(withObserved(computed, shown, 20 * GIB)).toEqual({
      capacity: {
        cpu: 2_000,
        memory: shown.capacity['memory'],
        pods: 58,
        'ephemeral-storage': shown.capacity['ephemeral-storage'],
        'hugepages-1Gi': 0,
        'nvidia.com/gpu': 1,
      },
      allocatable: { ...shown.allocatable, 'nvidia.com/gpu': 1 },
    });
  });

  test.each([
    ['of an unknown size', null, true],
    ['of the same size, less what a file system takes', 20 * GIB, true],
    ['of another size', 25 * GIB, false],
  ])('is the disk when it is %s', (_, storage, taken) => {
    const { capacity, allocatable } = withObserved(computed, shown, storage);
    const from = taken ? shown : computed;
    expect(capacity['ephemeral-storage']).toBe(from.capacity['ephemeral-storage']);
    expect(allocatable['ephemeral-storage']).toBe(from.allocatable['ephemeral-storage']);
  });
});

test('labels that all nodes agree on are the cluster’s', () => {
  const { labels, ...rest } = live();
  const foreign = { ...rest, labels: { ...labels, 'k8s.io/cloud-provider-aws': 'another' } };
  expect(clusterLabels([live(), live()]).everywhere).toEqual({ 'k8s.io/cloud-provider-aws': '0a1b2c3d' });
  expect(clusterLabels([live(), foreign]).everywhere).toEqual({});
  expect(clusterLabels([]).everywhere).toEqual({});
});
