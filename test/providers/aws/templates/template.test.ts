import { NO_SETTINGS } from '../../../../providers/aws/launches/kubelet-settings.ts';
import { describe, expect, test } from 'vitest';
import { keyOf } from '../../../../core/model/cluster/pod.ts';
import { type LaunchData, readLaunch } from '../../../../providers/aws/launches/launch-data.ts';
import { toLaunchData } from '../../../../providers/aws/launches/launch-templates.ts';
import { type ManagedNodeGroup, toManagedNodeGroup } from '../../../../providers/aws/groups/managed-node-groups.ts';
import { buildTemplate } from '../../../../providers/aws/templates/template.ts';
import { instanceType, launchData, scalingGroup } from '../builders.ts';

const GIB = 2 ** 30;
const NODE_TEMPLATE = 'k8s.io/cluster-autoscaler/node-template';

const M5_LARGE = instanceType('m5.large', 2, {
  memoryMib: 8_192,
  network: { interfaces: 3, addressesPerInterface: 10 },
  instanceStore: 75 * GIB,
});

const LAUNCH = launchData({ instanceType: 'm5.large' });

interface Wish {
  readonly tags?: Readonly<Record<string, string>>;
  readonly spotShare?: number;
  readonly launch?: Partial<LaunchData>;
  readonly managed?: Partial<ManagedNodeGroup>;
}

function built({ tags = {}, spotShare, launch, managed }: Wish = {}) {
  const group = scalingGroup('web', {
    Tags: Object.entries(tags).map(([Key, Value]) => ({ Key, Value })),
    ...(spotShare === undefined
      ? {}
      : { MixedInstancesPolicy: { InstancesDistribution: { OnDemandPercentageAboveBaseCapacity: 100 - spotShare } } }),
  });
  return buildTemplate({
    group,
    region: 'us-east-1',
    zone: 'us-east-1a',
    launch: { type: M5_LARGE, data: { ...LAUNCH, ...launch } },
    podLimit: LAUNCH.userData.podLimit,
    sibling: null,
    observed: null,
    managed:
      managed === undefined
        ? null
        : { labels: {}, taints: [], resources: {}, windows: false, storage: null, ...managed },
  });
}

test('labels are those of a real node, old spellings included', () => {
  expect(built().node.labels).toEqual({
    'kubernetes.io/arch': 'amd64',
    'beta.kubernetes.io/arch': 'amd64',
    'kubernetes.io/os': 'linux',
    'beta.kubernetes.io/os': 'linux',
    'node.kubernetes.io/instance-type': 'm5.large',
    'beta.kubernetes.io/instance-type': 'm5.large',
    'topology.kubernetes.io/region': 'us-east-1',
    'failure-domain.beta.kubernetes.io/region': 'us-east-1',
    'topology.kubernetes.io/zone': 'us-east-1a',
    'failure-domain.beta.kubernetes.io/zone': 'us-east-1a',
    'topology.ebs.csi.aws.com/zone': 'us-east-1a',
    'kubernetes.io/hostname': 'template-node-for-web',
  });
});

test('a node from nothing carries the kube-proxy mirror pod of Cluster Autoscaler', () => {
  const { node, pods } = built();
  expect(pods.map(keyOf)).toEqual(['kube-system/kube-proxy-template-node-for-web']);
  expect(pods[0]).toMatchObject({ nodeName: node.name, spec: { containers: [{ requests: { cpu: 100 } }] } });
});

describe('tags', () => {
  test('are the last word on resources, for capacity and allocatable', () => {
    const { node } = built({
      tags: { [`${NODE_TEMPLATE}/resources/memory`]: '7Gi', [`${NODE_TEMPLATE}/resources/example.com/fpga`]: '2' },
    });
    expect([node.capacity['memory'], node.allocatable['memory']]).toEqual([7 * GIB, 7 * GIB]);
    expect([node.capacity['example.com/fpga'], node.allocatable['example.com/fpga']]).toEqual([2, 2]);
    expect(node.allocatable['cpu']).toBe(1_930);
  });

  test('replace labels that the type implies', () => {
    const { node } = built({ tags: { [`${NODE_TEMPLATE}/label/kubernetes.io/os`]: 'windows' } });
    expect(node.labels['kubernetes.io/os']).toBe('windows');
  });
});

describe('user data', () => {
  const userData = {
    ...LAUNCH.userData,
    labels: { team: 'from-script', pool: 'general', 'kubernetes.io/os': 'other' },
    taints: [{ key: 'dedicated', value: 'from-script', effect: 'NoSchedule' }],
  };

  test('gives labels and taints, and replaces what the type implies', () => {
    const { node } = built({ launch: { userData } });
    expect(node.labels).toMatchObject(userData.labels);
    expect(node.taints).toEqual(userData.taints);
  });

  test('stands behind the group’s tags', () => {
    const tags = {
      [`${NODE_TEMPLATE}/label/team`]: 'from-tag',
      [`${NODE_TEMPLATE}/taint/dedicated`]: 'from-tag:NoSchedule',
    };
    const { node } = built({ tags, launch: { userData } });
    expect(node.labels).toMatchObject({ team: 'from-tag', pool: 'general' });
    expect(node.taints).toEqual([{ key: 'dedicated', value: 'from-tag', effect: 'NoSchedule' }]);
  });
});

describe('EKS managed node group', () => {
  const tags = {
    'eks:cluster-name': 'c1',
    'eks:nodegroup-name': 'workers',
    [`${NODE_TEMPLATE}/label/team`]: 'from-tag',
    [`${NODE_TEMPLATE}/taint/dedicated`]: 'from-tag:NoSchedule',
    [`${NODE_TEMPLATE}/taint/extra`]: 'x:NoExecute',
  };

  test('has the last word on labels and taints', () => {
    const { node } = built({
      tags,
      managed: {
        labels: { team: 'from-eks' },
        taints: [{ key: 'dedicated', value: 'from-eks', effect: 'NoSchedule' }],
      },
    });
    expect(node.labels['team']).toBe('from-eks');
    expect(node.taints).toEqual([
      { key: 'dedicated', value: 'from-eks', effect: 'NoSchedule' },
      { key: 'extra', value: 'x', effect: 'NoExecute' },
    ]);
  });

  test('has the last word on resources too', () => {
    const { node } = built({
      tags: { ...tags, [`${NODE_TEMPLATE}/resources/pods`]: '10' },
      managed: { resources: { pods: 58 } },
    });
    expect([node.capacity['pods'], node.allocatable['pods']]).toEqual([58, 58]);
  });

  test.each<readonly [string, Wish, string | undefined]>([
    ['on demand', { tags }, 'ON_DEMAND'],
    ['spot by its policy', { tags, spotShare: 100 }, 'SPOT'],
    ['both', { tags, spotShare: 50 }, undefined],
    ['spot by its launch template', { tags, launch: { market: 'spot' } }, 'SPOT'],
    ['capacity block', { tags, launch: { market: 'capacity-block' } }, 'CAPACITY_BLOCK'],
    ['not managed by EKS', { spotShare: 100 }, undefined],
  ])('capacity type when EKS cannot be asked: %s', (_, wish, expected) => {
    expect(built(wish).node.labels['eks.amazonaws.com/capacityType']).toBe(expected);
  });

  test('is projected to what its nodes show', () => {
    expect(
      toManagedNodeGroup({
        nodegroupName: 'workers',
        capacityType: 'SPOT',
        amiType: 'WINDOWS_CORE_2022_x86_64',
        diskSize: 50,
        labels: { team: 'web' },
        taints: [{ key: 'a', effect: 'PREFER_NO_SCHEDULE' }],
        tags: { [`${NODE_TEMPLATE}/resources/pods`]: '58', owner: 'me' },
      }),
    ).toEqual({
      labels: { team: 'web', 'eks.amazonaws.com/nodegroup': 'workers', 'eks.amazonaws.com/capacityType': 'SPOT' },
      taints: [{ key: 'a', value: '', effect: 'PreferNoSchedule' }],
      resources: { pods: 58 },
      windows: true,
      storage: 50 * GIB,
    });
  });
});

describe('storage', () => {
  const onInstanceStore = (instanceStoreShare: number): LaunchData['userData'] => ({
    ...LAUNCH.userData,
    kubelet: { ...NO_SETTINGS, instanceStoreShare },
  });

  test.each<readonly [string, Wish, number]>([
    ['what the images have', {}, 20],
    ['of the managed node group', { managed: { storage: 50 * GIB } }, 50],
    ['of the instance store', { launch: { storage: 80 * GIB, userData: onInstanceStore(1) } }, 75],
    ['of a mirrored instance store', { launch: { userData: onInstanceStore(0.5) } }, 37.5],
    ['of the launch template first', { managed: { storage: 50 * GIB }, launch: { storage: 80 * GIB } }, 80],
  ])('%s', (_, wish, gib) => {
    expect(built(wish).node.capacity['ephemeral-storage']).toBe(gib * GIB);
  });

  const devices = [
    { DeviceName: '/dev/sdf', Ebs: { VolumeSize: 500 } },
    { DeviceName: '/dev/xvda', Ebs: { VolumeSize: 4 } },
    { DeviceName: '/dev/xvdb', Ebs: { VolumeSize: 100 } },
  ];
  test.each([
    ['the root volume', '#!/bin/bash', devices, 4],
    ["Bottlerocket's data volume", '[settings.kubernetes]', devices, 100],
    ['nothing where the image decides', '#!/bin/bash', [{ DeviceName: '/dev/xvda', Ebs: {} }], null],
    ['nothing without volumes', '', undefined, null],
  ])('a launch template gives %s', (_, userData, given, gib) => {
    expect(readLaunch(Buffer.from(userData).toString('base64'), given).storage).toBe(gib === null ? null : gib * GIB);
  });
});

describe('network devices', () => {
  const EFA = 'vpc.amazonaws.com/efa';
  const WINDOWS = 'vpc.amazonaws.com/PrivateIPv4Address';

  test.each<readonly [string, Wish, Readonly<Record<string, number | undefined>>]>([
    ['none by default', {}, { [EFA]: undefined, [WINDOWS]: undefined }],
    ['the EFA interfaces that the launch template attaches', { launch: { efaInterfaces: 4 } }, { [EFA]: 4 }],
    ['one address less than an interface has, on Windows', { managed: { windows: true } }, { [WINDOWS]: 9 }],
    [
      'what a tag says',
      {
        launch: { efaInterfaces: 4 },
        tags: {
          [`${NODE_TEMPLATE}/resources/${EFA}`]: '1',
          [`${NODE_TEMPLATE}/resources/vpc.amazonaws.com/pod-eni`]: '9',
        },
      },
      { [EFA]: 1, 'vpc.amazonaws.com/pod-eni': 9 },
    ],
  ])('%s', (_, wish, expected) => {
    const { capacity, allocatable } = built(wish).node;
    for (const [resource, count] of Object.entries(expected)) {
      expect([capacity[resource], allocatable[resource]]).toEqual([count, count]);
    }
  });

  test.each([
    [undefined, 0],
    [[{ DeviceIndex: 0, InterfaceType: 'interface' }], 0],
    [[{ InterfaceType: 'efa' }, { InterfaceType: 'efa-only' }, {}], 2],
  ])('of the interfaces %j those are counted that are adapters: %d', (NetworkInterfaces, expected) => {
    expect(toLaunchData({ LaunchTemplateData: { NetworkInterfaces } }).efaInterfaces).toBe(expected);
  });
});
