import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { CreateAutoScalingGroupCommand, CreateLaunchConfigurationCommand } from '@aws-sdk/client-auto-scaling';
import {
  CreateLaunchTemplateCommand,
  DescribeImagesCommand,
  DescribeInstancesCommand,
  type RequestLaunchTemplateData,
} from '@aws-sdk/client-ec2';
import { CreateClusterCommand, CreateNodegroupCommand } from '@aws-sdk/client-eks';
import { beforeAll, describe, expect, test } from 'vitest';
import { clusterName, groupName, type InstanceId } from '../../core/model/values/names.ts';
import type { NodeGroup } from '../../core/model/node-group.ts';
import { minutes, epochMs } from '../../core/model/values/time.ts';
import { addressLimit } from '../../providers/aws/templates/allocatable.ts';
import { createAutoScalingGroups } from '../../providers/aws/auto-scaling-groups.ts';
import { type AwsClients, createAwsClients } from '../../providers/aws/api/clients.ts';
import { createInstanceTypes } from '../../providers/aws/launches/instance-types.ts';
import { PODS } from '../../core/model/values/resources.ts';
import { describeType, KNOWN_TYPES } from '../../simulation/load/instance-types.ts';
import { node } from '../builders.ts';
import { awsClients as patientClients } from './servers/aws-clients.ts';
import { serverSet } from './server-set.ts';

const REGION = 'us-east-1';
const MIB = 2 ** 20;
const NODE_TEMPLATE = 'k8s.io/cluster-autoscaler/node-template';
const now = () => epochMs(Date.UTC(2026, 0, 1));

let clients: AwsClients;
let image: string;

beforeAll(async () => {
  clients = awsClients();
  // moto loads its images with the first call, and may take longer than the clients of Outrigger wait.
  const patient = patientClients(serverSet.awsEndpoint);
  const { Images = [] } = await patient.ec2.send(new DescribeImagesCommand({}));
  patient.destroy();
  image = Images[0]!.ImageId!;
});

const awsClients = (): AwsClients =>
  createAwsClients({
    region: REGION,
    endpoint: serverSet.awsEndpoint,
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
  });

/** A name that no other test uses: all of them share one AWS. */
let serial = 0;
const fresh = (prefix: string): string => `${prefix}-${process.pid}-${(serial += 1)}`;

async function launchTemplate(data: RequestLaunchTemplateData): Promise<string> {
  const { LaunchTemplate } = await clients.ec2.send(
    new CreateLaunchTemplateCommand({
      LaunchTemplateName: fresh('template'),
      LaunchTemplateData: { ImageId: image, ...data },
    }),
  );
  return LaunchTemplate!.LaunchTemplateId!;
}

interface GroupWish {
  readonly min?: number;
  readonly max?: number;
  readonly desired?: number;
  readonly zones?: readonly string[];
  readonly tags?: Readonly<Record<string, string>>;
  readonly overrides?: readonly string[];
}

/** Makes a group that both discovery tags give to `cluster`. */
async function group(cluster: string, name: string, template: string, wish: GroupWish = {}): Promise<string> {
  const tags = {
    'k8s.io/cluster-autoscaler/enabled': 'true',
    [`k8s.io/cluster-autoscaler/${cluster}`]: 'owned',
    ...wish.tags,
  };
  const launch = { LaunchTemplateId: template, Version: '$Latest' };
  await clients.autoScaling.send(
    new CreateAutoScalingGroupCommand({
      AutoScalingGroupName: name,
      MinSize: wish.min ?? 0,
      MaxSize: wish.max ?? 10,
      DesiredCapacity: wish.desired ?? 0,
      AvailabilityZones: [...(wish.zones ?? [`${REGION}a`])],
      ...(wish.overrides === undefined
        ? { LaunchTemplate: launch }
        : {
            MixedInstancesPolicy: {
              LaunchTemplate: {
                LaunchTemplateSpecification: launch,
                Overrides: wish.overrides.map((InstanceType) => ({ InstanceType })),
              },
            },
          }),
      Tags: Object.entries(tags).map(([Key, Value]) => ({
        Key,
        Value,
        PropagateAtLaunch: false,
        ResourceId: name,
        ResourceType: 'auto-scaling-group',
      })),
    }),
  );
  return name;
}

const groupsOf = (cluster: string, own: AwsClients = clients, prices = false) =>
  createAutoScalingGroups({
    cluster: clusterName(cluster),
    region: REGION,
    clients: own,
    prices,
    warn: () => undefined,
    now,
  });

const only = (groups: readonly NodeGroup[]): NodeGroup => {
  expect(groups).toHaveLength(1);
  return groups[0]!;
};

test('finds the groups that carry both discovery tags of its cluster', async () => {
  const cluster = fresh('discovery');
  const template = await launchTemplate({ InstanceType: 'm5.large' });
  await group(cluster, `${cluster}-b`, template, { min: 1, max: 5, desired: 2 });
  await group(cluster, `${cluster}-a`, template);
  await group(`${cluster}-other`, `${cluster}-other`, template);

  const groups = await groupsOf(cluster).list([]);

  expect(groups.map(({ name, minSize, maxSize, targetSize }) => [name, minSize, maxSize, targetSize])).toEqual([
    [`${cluster}-a`, 0, 10, 0],
    [`${cluster}-b`, 1, 5, 2],
  ]);
  expect(groups[1]!.instances.map(({ state, node: of, zone }) => [state, of, zone])).toEqual([
    ['Running', null, `${REGION}a`],
    ['Running', null, `${REGION}a`],
  ]);
});

describe('template of a group without nodes', () => {
  test('shows what a real EKS node of its launch template would show', async () => {
    const cluster = fresh('zero');
    await group(cluster, cluster, await launchTemplate({ InstanceType: 'm5.large' }), {
      zones: [`${REGION}b`],
      tags: {
        [`${NODE_TEMPLATE}/label/pool`]: 'general',
        [`${NODE_TEMPLATE}/taint/dedicated`]: 'web:NoSchedule',
        [`${NODE_TEMPLATE}/resources/example.com/device`]: '3',
        [`${NODE_TEMPLATE}/autoscaling-options/scaledownunneededtime`]: '5m',
      },
    });

    const { template, options, invalid } = only(await groupsOf(cluster).list([]));

    expect(invalid).toBeNull();
    expect(options).toEqual({ scaleDownUnneededTime: minutes(5) });
    expect(template!.node).toMatchObject({
      labels: {
        'kubernetes.io/arch': 'amd64',
        'kubernetes.io/os': 'linux',
        'node.kubernetes.io/instance-type': 'm5.large',
        'topology.kubernetes.io/region': REGION,
        'topology.kubernetes.io/zone': `${REGION}b`,
        'topology.ebs.csi.aws.com/zone': `${REGION}b`,
        pool: 'general',
      },
      taints: [{ key: 'dedicated', value: 'web', effect: 'NoSchedule' }],
      capacity: { cpu: 2_000, memory: 7_577 * MIB, pods: 29, 'example.com/device': 3 },
      allocatable: { cpu: 1_930, memory: 6_903 * MIB, pods: 29, 'example.com/device': 3 },
    });
    expect(template!.pods.map(({ namespace, name }) => `${namespace}/${name}`)).toEqual([
      `kube-system/kube-proxy-template-node-for-${cluster}`,
    ]);
  });

  test('takes the first type of a mixed instances policy, not that of the launch template', async () => {
    const cluster = fresh('mixed');
    const template = await launchTemplate({ InstanceType: 'm5.large' });
    await group(cluster, cluster, template, { overrides: ['r5.12xlarge', 'm5.large'] });

    const { capacity, allocatable } = only(await groupsOf(cluster).list([])).template!.node;

    // 48 vCPUs: 60 + 10 + 10 + 110 milli reserved. 384 GiB less 7.5 %, 8 interfaces of 30 addresses: 234 pods.
    expect(capacity).toMatchObject({ cpu: 48_000, memory: (393_216 - 29_492) * MIB, pods: 234 });
    expect(allocatable).toMatchObject({
      cpu: 47_810,
      memory: (393_216 - 29_492 - (11 * 234 + 255) - 100) * MIB,
      pods: 234,
    });
  });

  test('shows every type and zone of a mixed group, each with what it has', async () => {
    const cluster = fresh('shapes');
    await group(cluster, cluster, await launchTemplate({ InstanceType: 'm5.large' }), {
      overrides: ['m5.xlarge', 'm6g.large'],
      zones: [`${REGION}a`, `${REGION}b`],
    });

    const { template, alternatives } = only(await groupsOf(cluster).list([]));

    const shapes = [template!, ...alternatives].map(({ node: { labels, allocatable } }) => [
      labels['node.kubernetes.io/instance-type'],
      labels['topology.kubernetes.io/zone'],
      labels['kubernetes.io/arch'],
      allocatable['cpu'],
      allocatable['pods'],
    ]);
    expect(shapes).toEqual([
      ['m5.xlarge', `${REGION}a`, 'amd64', 3_920, 58],
      ['m5.xlarge', `${REGION}b`, 'amd64', 3_920, 58],
      ['m6g.large', `${REGION}a`, 'arm64', 1_930, 29],
      ['m6g.large', `${REGION}b`, 'arm64', 1_930, 29],
    ]);
  });

  test('reads a launch configuration', async () => {
    const cluster = fresh('configuration');
    await clients.autoScaling.send(
      new CreateLaunchConfigurationCommand({
        LaunchConfigurationName: cluster,
        ImageId: image,
        InstanceType: 'm6g.large',
        UserData: Buffer.from('#!/bin/bash\n/etc/eks/bootstrap.sh c --kubelet-extra-args --max-pods=17').toString(
          'base64',
        ),
      }),
    );
    await clients.autoScaling.send(
      new CreateAutoScalingGroupCommand({
        AutoScalingGroupName: cluster,
        MinSize: 0,
        MaxSize: 1,
        AvailabilityZones: [`${REGION}a`],
        LaunchConfigurationName: cluster,
        Tags: [{ Key: 'k8s.io/cluster-autoscaler/enabled' }, { Key: `k8s.io/cluster-autoscaler/${cluster}` }].map(
          (tag) => ({
            ...tag,
            Value: '',
            ResourceId: cluster,
            ResourceType: 'auto-scaling-group',
            PropagateAtLaunch: false,
          }),
        ),
      }),
    );

    const { labels, capacity } = only(await groupsOf(cluster).list([])).template!.node;

    expect(labels['kubernetes.io/arch']).toBe('arm64');
    expect(capacity['pods']).toBe(17);
  });

  test('carries labels and taints of an EKS managed node group', async () => {
    const cluster = fresh('managed');
    const role = 'arn:aws:iam::123456789012:role/nodes';
    await clients.eks.send(new CreateClusterCommand({ name: cluster, roleArn: role, resourcesVpcConfig: {} }));
    await clients.eks.send(
      new CreateNodegroupCommand({
        clusterName: cluster,
        nodegroupName: 'workers',
        nodeRole: role,
        subnets: ['subnet-1'],
        capacityType: 'SPOT',
        labels: { team: 'web' },
        taints: [{ key: 'dedicated', value: 'web', effect: 'NO_SCHEDULE' }],
      }),
    );
    await group(cluster, cluster, await launchTemplate({ InstanceType: 'm5.large' }), {
      tags: { 'eks:cluster-name': cluster, 'eks:nodegroup-name': 'workers' },
    });

    const { labels, taints } = only(await groupsOf(cluster).list([])).template!.node;

    expect(labels).toMatchObject({
      team: 'web',
      'eks.amazonaws.com/nodegroup': 'workers',
      'eks.amazonaws.com/capacityType': 'SPOT',
    });
    expect(taints).toEqual([{ key: 'dedicated', value: 'web', effect: 'NoSchedule' }]);
  });
});

test('a registered node belongs to the group of its instance, and shows what the next one will look like', async () => {
  const cluster = fresh('live');
  await group(cluster, cluster, await launchTemplate({ InstanceType: 'm5.large' }), { desired: 1 });
  const groups = groupsOf(cluster);
  const { id } = only(await groups.list([])).instances[0]!;
  const live = node('ip-10-0-0-1', { cpu: '1900m', memory: '7Gi' }, { providerId: `aws:///${REGION}a/${id}` });

  const { nodes, instances, template } = only(await groups.list([live]));

  expect(nodes).toEqual(['ip-10-0-0-1']);
  expect(instances).toMatchObject([{ id, node: 'ip-10-0-0-1', state: 'Running' }]);
  expect(template!.node.allocatable).toEqual(live.allocatable);
  expect(template!.pods).toEqual([]);
});

test('a malformed tag counts as absent, and an unknown type costs its own group only', async () => {
  const cluster = fresh('malformed');
  const template = await launchTemplate({ InstanceType: 'm5.large' });
  await group(cluster, `${cluster}-a-good`, template);
  await group(cluster, `${cluster}-b-taint`, template, { tags: { [`${NODE_TEMPLATE}/taint/dedicated`]: 'web' } });
  await group(cluster, `${cluster}-c-type`, template, { overrides: ['m5.lrage'] });

  const [good, taint, type] = await groupsOf(cluster).list([]);

  expect(good).toMatchObject({ invalid: null, template: { node: { capacity: { cpu: 2_000 } } } });
  expect(taint).toMatchObject({ invalid: null, template: { node: { capacity: { cpu: 2_000 }, taints: [] } } });
  expect(type!.invalid).toContain('instance type m5.lrage could not be read (Configuration, NotFound)');
});

test('prices are those of the spot market where the group buys there, and unknown where AWS does not tell', async () => {
  const cluster = fresh('prices');
  const spot = await launchTemplate({ InstanceType: 'm5.large', InstanceMarketOptions: { MarketType: 'spot' } });
  await group(cluster, `${cluster}-a-spot`, spot);
  await group(cluster, `${cluster}-b-tagged`, spot, { tags: { 'outrigger.dev/price': '0.05' } });
  // The emulator has no price list.
  await group(cluster, `${cluster}-c-unknown`, await launchTemplate({ InstanceType: 'm5.large' }));

  const [market, tagged, unknown] = await groupsOf(cluster, clients, true).list([]);

  expect(market!.price).toBeGreaterThan(0);
  expect(tagged!.price).toBe(0.05);
  expect(unknown).toMatchObject({ price: null, invalid: null });
});

describe('sizes', () => {
  test('are set to what was asked, and read back', async () => {
    const cluster = fresh('size');
    const name = groupName(
      await group(cluster, cluster, await launchTemplate({ InstanceType: 'm5.large' }), { max: 3 }),
    );
    const groups = groupsOf(cluster);

    expect(await groups.setSize(name, 3)).toEqual({ kind: 'set' });
    expect(await groups.readSize(name)).toEqual({ min: 0, max: 3, target: 3, held: 3 });
    expect(await groups.setSize(name, 4)).toMatchObject({
      kind: 'failed',
      class: 'Configuration',
      code: 'AboveMaxSize',
    });
    expect(await groups.setSize(name, 1)).toMatchObject({ kind: 'failed', code: 'WouldTerminateInstances' });
    expect(await groups.readSize(name)).toEqual({ min: 0, max: 3, target: 3, held: 3 });
  });

  test("of another cluster's group are neither read nor set", async () => {
    const cluster = fresh('other');
    const name = groupName(await group(cluster, cluster, await launchTemplate({ InstanceType: 'm5.large' })));
    const groups = groupsOf(fresh('mine'));

    expect(await groups.readSize(name)).toBeNull();
    expect(await groups.setSize(name, 1)).toMatchObject({ kind: 'failed', code: 'GroupGone' });
    expect(await groupsOf(cluster).readSize(name)).toMatchObject({ target: 0 });
  });
});

describe('ending an instance', () => {
  /** A group with two instances, and what Outrigger sees of it. */
  async function pair() {
    const cluster = fresh('end');
    const template = await launchTemplate({ InstanceType: 'm5.large' });
    const name = groupName(await group(cluster, cluster, template, { desired: 2 }));
    const groups = groupsOf(cluster);
    const idsOf = async (): Promise<readonly InstanceId[]> => only(await groups.list([])).instances.map(({ id }) => id);
    const [first, second] = await idsOf();
    return { name, groups, idsOf, first: first!, second: second! };
  }
  const stateOf = async (id: string): Promise<string | undefined> => {
    const { Reservations = [] } = await clients.ec2.send(new DescribeInstancesCommand({ InstanceIds: [id] }));
    return Reservations[0]?.Instances?.[0]?.State?.Name;
  };

  test('takes the target down with it: no other one comes, no other one goes', async () => {
    const { name, groups, idsOf, first, second } = await pair();

    expect(await groups.terminate(name, first, true)).toEqual({ kind: 'terminated' });
    expect(await groups.readSize(name)).toEqual({ min: 0, max: 10, target: 1, held: 1 });
    expect(await idsOf()).toEqual([second]);
    expect([await stateOf(first), await stateOf(second)]).toEqual(['terminated', 'running']);
  });

  test('without that is replacing it', async () => {
    const { name, groups, idsOf, first, second } = await pair();

    expect(await groups.terminate(name, first, false)).toEqual({ kind: 'terminated' });
    expect(await groups.readSize(name)).toMatchObject({ target: 2, held: 2 });
    expect(await idsOf()).toEqual(expect.arrayContaining([second]));
    expect(await idsOf()).not.toContain(first);
  });

  test('twice is ending it once', async () => {
    const { name, groups, first } = await pair();

    expect(await groups.terminate(name, first, true)).toEqual({ kind: 'terminated' });
    expect(await groups.terminate(name, first, true)).toEqual({ kind: 'gone' });
    expect(await groups.readSize(name)).toMatchObject({ target: 1, held: 1 });
  });

  test("does nothing to another group's instances", async () => {
    const [one, other] = [await pair(), await pair()];

    expect(await one.groups.terminate(one.name, other.first, true)).toEqual({ kind: 'gone' });
    expect(await one.groups.terminate(other.name, other.first, true)).toEqual({ kind: 'gone' });
    for (const { groups, name } of [one, other]) {
      expect(await groups.readSize(name)).toMatchObject({ target: 2, held: 2 });
    }
    expect(await stateOf(other.first)).toBe('running');
  });
});

test('150 groups cost two calls per evaluation, and a few more the first time', async () => {
  const cluster = fresh('many');
  const templates = await Promise.all(
    (['m5.large', 'm5.xlarge', 'r5.12xlarge'] as const).map((InstanceType) => launchTemplate({ InstanceType })),
  );
  const names = Array.from({ length: 150 }, (_, index) => `${cluster}-${String(index).padStart(3, '0')}`);
  for (const [index, name] of names.entries()) {
    await group(cluster, name, templates[index % templates.length]!);
  }
  const counted = awsClients();
  const calls: string[] = [];
  // The SDK puts its stack together anew for each command.
  const count = <Next>(next: Next, context: { readonly commandName?: string }): Next => {
    calls.push(context.commandName ?? '');
    return next;
  };
  counted.autoScaling.middlewareStack.add(count, { step: 'initialize' });
  counted.ec2.middlewareStack.add(count, { step: 'initialize' });
  counted.eks.middlewareStack.add(count, { step: 'initialize' });
  const groups = groupsOf(cluster, counted);

  const first = await groups.list([]);
  expect(first.map(({ name }) => name)).toEqual(names);
  expect(first.filter(({ template }) => template === null)).toEqual([]);
  expect(
    Object.fromEntries(Object.entries(Object.groupBy(calls, (call) => call)).map(([k, v]) => [k, v!.length])),
  ).toEqual({
    DescribeAutoScalingGroupsCommand: 2,
    DescribeLaunchTemplateVersionsCommand: 3,
    DescribeInstanceTypesCommand: 1,
  });

  calls.length = 0;
  await groups.list([]);
  expect(calls).toEqual(['DescribeAutoScalingGroupsCommand', 'DescribeAutoScalingGroupsCommand']);
});

/** The interfaces and addresses that the EKS images count with, by instance type. */
const INSTANCE_INFO = path.resolve(import.meta.dirname, '../../../shared/data/ec2/instance-info.jsonl');

/** Number of pods by instance type. */
function publishedPods(): ReadonlyMap<string, number> {
  const lines = readFileSync(INSTANCE_INFO, 'utf8').trim().split('\n');
  return new Map(
    lines.map((line) => {
      const info = JSON.parse(line) as {
        instanceType: string;
        defaultMaxENIs: number;
        ipv4AddressesPerInterface: number;
      };
      return [info.instanceType, info.defaultMaxENIs * (info.ipv4AddressesPerInterface - 1) + 2];
    }),
  );
}

describe.skipIf(!existsSync(INSTANCE_INFO))('pods per type are those of the EKS images', () => {
  test('by what EC2 says of a type', async () => {
    const published = publishedPods();
    const known = await createInstanceTypes(clients.ec2, now).get(published.keys());
    const computed = [...known].flatMap(([name, type]) => (type.ok ? [[name, addressLimit(type.value)] as const] : []));

    expect(computed.length).toBeGreaterThan(1_000);
    // The table counts all network cards of these four, against its own rule; EC2 and Karpenter count the default one.
    expect(computed.filter(([name, pods]) => pods !== published.get(name))).toEqual([
      ['i7ie.48xlarge', 8 * 49 + 2],
      ['i7ie.metal-48xl', 8 * 49 + 2],
      ['i8ge.48xlarge', 12 * 49 + 2],
      ['i8ge.metal-48xl', 12 * 49 + 2],
    ]);
  });

  test('for the types that a simulated load may name', () => {
    const published = publishedPods();
    const pods = KNOWN_TYPES.map((name) => [name, describeType(name)?.capacity[PODS]]);
    expect(pods).toEqual(KNOWN_TYPES.map((name) => [name, published.get(name)]));
  });
});
