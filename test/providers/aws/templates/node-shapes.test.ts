import { assert, array, integer, property, record } from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Node } from '../../../../core/model/cluster/node.ts';
import type { NodeTemplate } from '../../../../core/model/node-group.ts';
import { err, ok } from '../../../../core/model/values/result.ts';
import { epochMs } from '../../../../core/model/values/time.ts';
import type { TypeLaunch } from '../../../../providers/aws/launches/launches.ts';
import { sampleNodes, sampleOf } from '../../../../providers/node-groups/templates/live-node.ts';
import {
  type Knowledge,
  type GroupNodes,
  type Shapes,
  needsLaunches,
  shapesOf,
} from '../../../../providers/aws/templates/node-shapes.ts';
import { type ClusterLabels, clusterLabels } from '../../../../providers/aws/templates/observed.ts';
import type { ScalingGroup } from '../../../../providers/aws/groups/scaling-group.ts';
import { eksNode, instanceType, mixedOf, podsOf, scalingGroup, typeLaunch } from '../builders.ts';

const NOW = epochMs(Date.UTC(2026, 0, 1));
const ZONES = ['us-east-1a', 'us-east-1b'];
const NOTHING: ClusterLabels = { everywhere: {}, zoneIds: new Map() };

const withNodes = (group: ScalingGroup, nodes: readonly Node[] = []): GroupNodes => ({
  group,
  nodes,
  sample: sampleOf(nodes, NOW),
  live: sampleNodes(nodes, NOW),
});

const knowing = (types: readonly TypeLaunch[] | string, extra: Partial<Knowledge> = {}): Knowledge => ({
  region: 'us-east-1',
  launches: typeof types === 'string' ? err(types) : ok({ types: [types[0]!, ...types.slice(1)], problems: [] }),
  managed: null,
  cluster: NOTHING,
  observe: () => null,
  typeOf: () => null,
  ...extra,
});

function known(of: GroupNodes, knowledge: Knowledge): Shapes {
  const found = shapesOf(of, knowledge);
  if (!found.ok) {
    throw new Error(found.error);
  }
  return found.value;
}

const shapes = (of: GroupNodes, knowledge: Knowledge): readonly NodeTemplate[] => known(of, knowledge).templates;

const typeAndZone = ({ node: { labels } }: NodeTemplate) =>
  `${labels['node.kubernetes.io/instance-type']} ${labels['topology.kubernetes.io/zone']}`;

const LARGE = typeLaunch(instanceType('m5.large', 2));
const XLARGE = typeLaunch(instanceType('m5.xlarge', 4));
const ARM = typeLaunch(instanceType('m6g.large', 2, { architecture: 'arm64' }));
const mixed = scalingGroup('web', { AvailabilityZones: ZONES, ...mixedOf(['m5.large', 'm5.xlarge']) });

describe('the shapes of a group', () => {
  test('of one type in one zone are one', () => {
    expect(shapes(withNodes(scalingGroup('web')), knowing([LARGE])).map(typeAndZone)).toEqual(['m5.large us-east-1a']);
  });

  test('are every type in every zone, most wanted first, zones as AWS gives them', () => {
    const group = scalingGroup('web', { AvailabilityZones: ['us-east-1b', 'us-east-1a'] });
    expect(shapes(withNodes(group), knowing([XLARGE, LARGE])).map(typeAndZone)).toEqual([
      'm5.xlarge us-east-1b',
      'm5.xlarge us-east-1a',
      'm5.large us-east-1b',
      'm5.large us-east-1a',
    ]);
  });

  test('have what their own type has, and labels of their own zone', () => {
    const templates = shapes(withNodes(mixed), knowing([LARGE, ARM]));
    expect(templates.map(({ node }) => [node.allocatable['pods'], node.labels['kubernetes.io/arch']])).toEqual([
      [podsOf(2), 'amd64'],
      [podsOf(2), 'amd64'],
      [podsOf(2), 'arm64'],
      [podsOf(2), 'arm64'],
    ]);
    const memory = templates.map(({ node }) => node.capacity['memory']!);
    expect(memory[0]! - memory[2]!).toBe(59 * 2 ** 20);
    expect(templates[1]!.node.labels).toMatchObject({
      'topology.kubernetes.io/zone': 'us-east-1b',
      'failure-domain.beta.kubernetes.io/zone': 'us-east-1b',
      'topology.ebs.csi.aws.com/zone': 'us-east-1b',
      'topology.kubernetes.io/region': 'us-east-1',
    });
  });

  test('have the user’s labels as they are, in every zone', () => {
    const tags = { 'k8s.io/cluster-autoscaler/node-template/label/home': 'us-east-1a' };
    const group = scalingGroup('web', {
      AvailabilityZones: ZONES,
      Tags: Object.entries(tags).map(([Key, Value]) => ({ Key, Value })),
    });
    expect(shapes(withNodes(group), knowing([LARGE])).map(({ node }) => node.labels['home'])).toEqual([
      'us-east-1a',
      'us-east-1a',
    ]);
  });

  test('have the labels that all nodes of the cluster have, and the id of their zone where a node shows it', () => {
    const cluster = clusterLabels([eksNode('other', { cpu: 2 }, { zone: 'us-east-1b' })]);
    const labels = shapes(withNodes(mixed), knowing([LARGE], { cluster })).map(({ node }) => node.labels);
    expect(labels.map((of) => of['k8s.io/cloud-provider-aws'])).toEqual(['0a1b2c3d', '0a1b2c3d']);
    expect(labels.map((of) => of['topology.k8s.aws/zone-id'])).toEqual([undefined, 'use1-az2']);
  });

  test('are those of any node when nothing else is known, and otherwise are unknown', () => {
    const unwell = eksNode('n1', { cpu: 2 }, { extra: { conditions: [] } });
    const group = scalingGroup('web', { AvailabilityZones: ZONES });
    expect(shapes(withNodes(group, [unwell]), knowing('AWS is silent')).map(typeAndZone)).toEqual([
      'm5.large us-east-1a',
      'm5.large us-east-1b',
    ]);
    expect(shapesOf(withNodes(group), knowing('AWS is silent'))).toEqual(err('AWS is silent'));
    expect(shapesOf(withNodes(scalingGroup('web', { AvailabilityZones: [] })), knowing([LARGE]))).toEqual(
      err('it has no availability zone'),
    );
  });
});

describe('a live node', () => {
  const live = eksNode(
    'n1',
    { cpu: 4, memory: '15900Mi', pods: 58, 'nvidia.com/gpu': 1 },
    {
      type: 'm5.xlarge',
      zone: 'us-east-1b',
      labels: {
        pool: 'general',
        'k8s.amazonaws.com/eniConfig': 'us-east-1b',
        'feature.node.kubernetes.io/cpu-model.family': '6',
        'topology.k8s.aws/network-node-layer-1': 'nn-1',
      },
      extra: { taints: [{ key: 'dedicated', value: 'web', effect: 'NoSchedule' }] },
    },
  );
  const cluster = clusterLabels([live]);

  test('of a group of one type shows all its shapes: itself, in every zone', () => {
    const group = scalingGroup('web', { AvailabilityZones: ZONES });
    const templates = shapes(withNodes(group, [live]), { ...knowing([]), launches: null, cluster });
    expect(templates.map(typeAndZone)).toEqual(['m5.xlarge us-east-1a', 'm5.xlarge us-east-1b']);
    for (const { node } of templates) {
      expect(node.allocatable).toEqual(live.allocatable);
      expect(node.labels).toMatchObject({ pool: 'general', 'feature.node.kubernetes.io/cpu-model.family': '6' });
      expect(node.labels['k8s.amazonaws.com/eniConfig']).toBe(node.labels['topology.kubernetes.io/zone']);
      expect(node.labels).not.toHaveProperty(['topology.k8s.aws/network-node-layer-1']);
    }
    expect(templates.map(({ node }) => node.labels['topology.k8s.aws/zone-id'])).toEqual([undefined, 'use1-az2']);
  });

  test('speaks for its own type, and lends the others its labels and taints, but nothing of its hardware', () => {
    const templates = shapes(withNodes(mixed, [live]), knowing([LARGE, XLARGE], { cluster }));
    expect(templates.map(typeAndZone)).toEqual([
      'm5.large us-east-1a',
      'm5.large us-east-1b',
      'm5.xlarge us-east-1a',
      'm5.xlarge us-east-1b',
    ]);
    const [other, , own] = templates;
    expect(own!.node.allocatable).toEqual(live.allocatable);
    expect(other!.node).toMatchObject({
      taints: live.taints,
      labels: { pool: 'general', 'beta.kubernetes.io/instance-type': 'm5.large' },
      capacity: { cpu: 2_000, pods: podsOf(2) },
    });
    expect(other!.node.capacity).not.toHaveProperty(['nvidia.com/gpu']);
    expect(other!.node.labels).not.toHaveProperty(['feature.node.kubernetes.io/cpu-model.family']);
    expect(other!.pods).toEqual([]);
  });

  test('that takes pods by prefixes says that the other types do so too', () => {
    const prefixes = eksNode('n1', { cpu: 4, memory: '15900Mi', pods: 110 }, { type: 'm5.xlarge' });
    const pods = (node: Node) =>
      shapes(withNodes(mixed, [node]), knowing([LARGE, XLARGE])).map((template) => template.node.capacity['pods']);
    expect(pods(prefixes)).toEqual([110, 110, 110, 110]);
    expect(pods(live)).toEqual([podsOf(2), podsOf(2), 58, 58]);
  });

  test('has what a tag gives for every type', () => {
    const group = scalingGroup('web', {
      ...mixedOf(['m5.large', 'm5.xlarge']),
      Tags: [{ Key: 'k8s.io/cluster-autoscaler/node-template/resources/example.com/fpga', Value: '2' }],
    });
    const templates = shapes(withNodes(group, [live]), knowing([LARGE, XLARGE]));
    expect(templates.map(({ node }) => node.allocatable['example.com/fpga'])).toEqual([2, 2]);
  });

  test('of a type that the group no longer starts says nothing of the next one’s type', () => {
    const old = eksNode('old', { cpu: 64 }, { type: 'm4.16xlarge', labels: { pool: 'general' } });
    const templates = shapes(withNodes(mixed, [old]), knowing([LARGE, XLARGE]));
    expect(new Set(templates.map(({ node }) => node.capacity['cpu']))).toEqual(new Set([2_000, 4_000]));
    expect(templates.every(({ node }) => node.labels['pool'] === 'general')).toBe(true);
  });

  test('is all there is when AWS is silent: each live type, the best node’s first', () => {
    const older = eksNode('n0', { cpu: 2 }, { type: 'm5.large' });
    const newer = { ...live, createdAt: epochMs(1) };
    expect(shapes(withNodes(mixed, [older, newer]), knowing('AWS is silent')).map(typeAndZone)).toEqual([
      'm5.xlarge us-east-1a',
      'm5.xlarge us-east-1b',
      'm5.large us-east-1a',
      'm5.large us-east-1b',
    ]);
  });

  test('without a zone is one shape', () => {
    const { 'topology.kubernetes.io/zone': _, ...labels } = live.labels;
    const group = scalingGroup('web', { AvailabilityZones: ZONES });
    expect(shapes(withNodes(group, [{ ...live, labels }]), { ...knowing([]), launches: null })).toHaveLength(1);
  });

  test.each<readonly [string, ScalingGroup, readonly Node[], boolean]>([
    ['without one', scalingGroup('web'), [], true],
    ['of one type with one', scalingGroup('web'), [live], false],
    ['of several types with one of them', mixed, [live], true],
    ['of several types with all of them', mixed, [live, eksNode('n2', {}, { type: 'm5.large' })], false],
    ['of a policy that leaves the type to the launch template', scalingGroup('web', mixedOf([])), [live], true],
  ])('saves asking AWS, unless more is to know: a group %s', (_, group, nodes, expected) => {
    expect(needsLaunches(withNodes(group, nodes))).toBe(expected);
  });
});

describe('more shapes than are evaluated', () => {
  const sizes = array(
    record({
      vCpus: integer({ min: 1, max: 64 }),
      memory: integer({ min: 1, max: 512 }),
      pods: integer({ min: 2, max: 50 }),
    }),
    { minLength: 1, maxLength: 400, size: 'max' },
  );

  test('are cut to 200 that still show the least of every resource, every zone and every architecture', () => {
    assert(
      property(sizes, integer({ min: 1, max: 6 }), (given, zoneCount) => {
        const zones = ['a', 'b', 'c', 'd', 'e', 'f'].slice(0, zoneCount).map((letter) => `us-east-1${letter}`);
        const types = given.map(({ vCpus, memory, pods }, index) =>
          typeLaunch(
            instanceType(`t${index}.any`, vCpus, {
              architecture: index % 7 === 6 ? 'arm64' : 'amd64',
              memoryMib: memory * 1_024,
              network: { interfaces: 1, addressesPerInterface: pods },
            }),
          ),
        );
        const group = scalingGroup('web', { AvailabilityZones: zones });
        const { templates, typesLeftOut } = known(withNodes(group), knowing(types));
        const all = types.map((each) => shapes(withNodes(scalingGroup('web')), knowing([each]))[0]!);
        expect(templates.length).toBeLessThanOrEqual(200);
        expect(templates).toHaveLength((types.length - typesLeftOut) * zoneCount);
        expect(typesLeftOut).toBe(Math.max(0, types.length - Math.floor(200 / zoneCount)));
        expect(typeAndZone(templates[0])).toBe('t0.any us-east-1a');
        const values = (list: readonly NodeTemplate[], label: string) =>
          new Set(list.map(({ node }) => node.labels[label]));
        expect(values(templates, 'topology.kubernetes.io/zone')).toEqual(new Set(zones));
        expect(values(templates, 'kubernetes.io/arch')).toEqual(values(all, 'kubernetes.io/arch'));
        for (const resource of ['cpu', 'memory', 'pods']) {
          const least = (list: readonly NodeTemplate[]) =>
            Math.min(...list.map(({ node }) => node.allocatable[resource]!));
          expect(least(templates)).toBe(least(all));
        }
      }),
      { numRuns: 30 },
    );
  });
});
