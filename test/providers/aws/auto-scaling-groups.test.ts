import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { type CloudAction, isUpdating } from '../../../core/model/cloud-action.ts';
import { clusterName, groupName, instanceId } from '../../../core/model/values/names.ts';
import type { Node } from '../../../core/model/cluster/node.ts';
import type { InstanceView, NodeTemplate } from '../../../core/model/node-group.ts';
import { type DurationMs, addTime, epochMs, minutes } from '../../../core/model/values/time.ts';
import { createAutoScalingGroups } from '../../../providers/aws/auto-scaling-groups.ts';
import { node } from '../../builders.ts';
import { eksNode } from './builders.ts';
import {
  type Answer,
  type Call,
  type Xml,
  autoScalingError,
  autoScalingResult,
  ec2Error,
  ec2Result,
  groupXml,
  instanceTypeXml,
  jsonError,
  launchTemplateId,
  launchTemplateXml,
  startWireServer,
} from './wire-server.ts';

const CLUSTER = 'c1';
const ALL_GOOD = autoScalingResult('SetDesiredCapacity');
const REFRESHES = 'DescribeInstanceRefreshes';

/** Instance refreshes of a group in these statuses. */
const refreshesXml = (...statuses: readonly string[]): Answer =>
  autoScalingResult(REFRESHES, {
    InstanceRefreshes: statuses.map((Status, n) => ({ InstanceRefreshId: `refresh-${n}`, Status })),
  });

interface World {
  readonly groups?: readonly Xml[];
  readonly pageSize?: number;
  /** First say on any call; `null` leaves it to the world. */
  readonly intercept?: (call: Call, nth: number) => Answer | null;
  readonly attempts?: number;
  readonly prices?: boolean;
}

/** AWS with these groups; every launch template there is starts m5.large. */
async function world({
  groups = [groupXml(CLUSTER, 'web')],
  pageSize = 100,
  intercept,
  attempts,
  prices = false,
}: World = {}) {
  let time = epochMs(Date.UTC(2026, 0, 1));
  const counts = new Map<string, number>();
  const said: string[] = [];
  const started = await startWireServer((call) => {
    const nth = (counts.get(call.action) ?? 0) + 1;
    counts.set(call.action, nth);
    return intercept?.(call, nth) ?? answer(call, groups, pageSize);
  }, attempts);
  return {
    groups: createAutoScalingGroups({
      cluster: clusterName(CLUSTER),
      region: 'us-east-1',
      clients: started.clients,
      prices,
      warn: (message) => said.push(message),
      now: () => time,
    }),
    counts: () => Object.fromEntries(counts),
    forget: () => counts.clear(),
    calls: started.calls,
    said,
    wait: (length: DurationMs) => {
      time = addTime(time, length);
    },
  };
}

function answer({ action, parameters }: Call, groups: readonly Xml[], pageSize: number): Answer {
  switch (action) {
    case 'DescribeAutoScalingGroups': {
      const start = Number(parameters.get('NextToken') ?? 0);
      const next = start + pageSize;
      return autoScalingResult(action, {
        AutoScalingGroups: groups.slice(start, next),
        ...(next < groups.length ? { NextToken: String(next) } : {}),
      });
    }
    case REFRESHES:
      return refreshesXml();
    case 'SetDesiredCapacity':
      return ALL_GOOD;
    case 'DescribeLaunchTemplateVersions': {
      const id = parameters.get('LaunchTemplateId');
      const names = groups.map((group) => (group as { readonly AutoScalingGroupName: string }).AutoScalingGroupName);
      return ec2Result(action, {
        launchTemplateVersionSet: names
          .filter((name) => id === null || launchTemplateId(name) === id)
          .map((name) => launchTemplateXml(name, 1, 'm5.large')),
      });
    }
    case 'DescribeInstanceTypes':
      return ec2Result(action, { instanceTypeSet: [instanceTypeXml('m5.large')] });
    default:
      return { status: 404, body: action };
  }
}

const nodeConfig = (maxPodsExpression: string): string =>
  Buffer.from(
    `apiVersion: node.eks.aws/v1alpha1\nkind: NodeConfig\nspec: {kubelet: {config: {maxPodsExpression: ${JSON.stringify(maxPodsExpression)}}}}\n`,
  ).toString('base64');

const web = groupName('web');

describe('summarize', () => {
  test('gives the groups as list does, without their templates and with one call per page', async () => {
    const Instances = [
      { InstanceId: 'i-1', AvailabilityZone: 'us-east-1a', LifecycleState: 'InService' },
      { InstanceId: 'i-0', AvailabilityZone: 'us-east-1a', LifecycleState: 'Terminating:Wait' },
      { InstanceId: 'i-2', AvailabilityZone: 'us-east-1a', LifecycleState: 'Standby' },
    ];
    const { groups, counts, forget } = await world({
      groups: [groupXml(CLUSTER, 'web', { MinSize: 1, DesiredCapacity: 2, Instances }), groupXml(CLUSTER, 'api')],
    });
    const listed = await groups.list([]);
    forget();
    const summarized = await groups.summarize();
    expect(counts()).toEqual({ DescribeAutoScalingGroups: 1 });
    expect(listed).toMatchObject(summarized);
    expect(
      summarized.map(({ name, minSize, targetSize, instances }) => [name, minSize, targetSize, instances]),
    ).toEqual([
      ['api', 0, 0, []],
      [
        'web',
        1,
        2,
        [
          expect.objectContaining({ id: 'i-0', state: 'Deleting' }),
          expect.objectContaining({ id: 'i-1', state: 'Running' }),
        ],
      ],
    ]);
  });
});

describe('list', () => {
  test('asks for both discovery tags, as two filters, and for full pages', async () => {
    const { groups, calls } = await world();
    await groups.list([]);
    expect(Object.fromEntries(calls[0]!.parameters)).toMatchObject({
      'Filters.member.1.Name': 'tag-key',
      'Filters.member.1.Values.member.1': 'k8s.io/cluster-autoscaler/enabled',
      'Filters.member.2.Name': 'tag-key',
      'Filters.member.2.Values.member.1': `k8s.io/cluster-autoscaler/${CLUSTER}`,
      MaxRecords: '100',
    });
  });

  test('reads every page, and gives groups by name', async () => {
    const names = ['d', 'a', 'e', 'b', 'c'];
    const { groups, counts } = await world({ groups: names.map((name) => groupXml(CLUSTER, name)), pageSize: 2 });
    expect((await groups.list([])).map(({ name }) => name)).toEqual(names.toSorted());
    expect(counts()).toMatchObject({ DescribeAutoScalingGroups: 3 });
  });

  test('leaves out what AWS gives beyond the question', async () => {
    const { groups } = await world({ groups: [groupXml('c2', 'foreign'), groupXml(CLUSTER, 'own')] });
    expect((await groups.list([])).map(({ name }) => name)).toEqual(['own']);
  });

  test('tries again when AWS throttles or stumbles', async () => {
    const stumbles = [
      autoScalingError(400, 'Throttling', 'Rate exceeded'),
      autoScalingError(500, 'InternalFailure', 'oops'),
    ];
    const { groups, counts } = await world({
      attempts: 3,
      intercept: ({ action }, nth) => (action === 'DescribeAutoScalingGroups' ? (stumbles[nth - 1] ?? null) : null),
    });
    expect(await groups.list([])).toHaveLength(1);
    expect(counts()).toMatchObject({ DescribeAutoScalingGroups: 3 });
  });

  test.each<readonly [string, Answer, string]>([
    [
      'throttles on',
      autoScalingError(400, 'Throttling', 'Rate exceeded'),
      'DescribeAutoScalingGroups for cluster c1 failed: AWS throttles the calls of this account in the region (Throttling: Rate exceeded). Try again later. If it lasts, find out what else calls the API in this account and region.',
    ],
    [
      'refuses',
      autoScalingError(403, 'AccessDenied', 'User is not authorized'),
      'DescribeAutoScalingGroups for cluster c1 failed: access is denied (AccessDenied: User is not authorized). Allow the action to the user or role of the credentials, or use credentials that have this permission.',
    ],
    [
      'fails',
      autoScalingError(503, 'ServiceUnavailable', 'try later'),
      'DescribeAutoScalingGroups for cluster c1 failed: AWS answers with an error (ServiceUnavailable: try later). If it lasts, correct what the message names.',
    ],
  ])('rejects with what to do when AWS %s', async (_, given, message) => {
    const { groups } = await world({ intercept: () => given });
    await expect(groups.list([])).rejects.toThrow(message);
  });

  test('rejects when it is called off', async () => {
    const controller = new AbortController();
    const { groups } = await world({
      intercept: () => {
        controller.abort();
        return 'hang';
      },
    });
    await expect(groups.list([], controller.signal)).rejects.toMatchObject({ name: 'AbortError' });
  });
});

describe('look-ups', () => {
  const THROTTLED = ec2Error(503, 'RequestLimitExceeded', 'Request limit exceeded.');

  test('are made once for what is new, and again after 20 minutes', async () => {
    const { groups, counts, forget, wait } = await world();
    await groups.list([]);
    expect(counts()).toEqual({
      DescribeAutoScalingGroups: 1,
      DescribeLaunchTemplateVersions: 1,
      DescribeInstanceTypes: 1,
    });

    forget();
    await groups.list([]);
    expect(counts()).toEqual({ DescribeAutoScalingGroups: 1 });

    forget();
    wait(minutes(20));
    await groups.list([]);
    expect(counts()).toMatchObject({ DescribeLaunchTemplateVersions: 1, DescribeInstanceTypes: 1 });
  });

  test.each([
    ['user data of any text', { userData: Buffer.from('maxPods: &a [*a]\n--- ]\u0000').toString('base64') }],
    ['an expression without an end', { userData: nodeConfig('[1,2,3].all(x, [1,2,3].all(y, vcpus > 0)) ? 1 : 2') }],
    ['no data at all', null],
    [
      'words in the place of numbers',
      { blockDeviceMapping: [{ deviceName: '/dev/xvda', ebs: { volumeSize: 'large' } }] },
    ],
  ])('of a launch template with %s leave the other groups as they are', async (_, data) => {
    const { groups } = await world({
      groups: ['bad', 'web'].map((name) => groupXml(CLUSTER, name)),
      intercept: ({ action }) => {
        if (action !== 'DescribeLaunchTemplateVersions') {
          return null;
        }
        const good = launchTemplateXml('web', 1, 'm5.large') as Readonly<Record<string, Xml>>;
        const bad = launchTemplateXml('bad', 1, 'm5.large') as Readonly<Record<string, Xml>>;
        const own = data === null ? {} : { ...(bad['launchTemplateData'] as object), ...data };
        return ec2Result(action, { launchTemplateVersionSet: [{ ...bad, launchTemplateData: own }, good] });
      },
    });
    const [, other] = await groups.list([]);
    expect(other).toMatchObject({ name: 'web', invalid: null, template: { node: { capacity: { pods: 29 } } } });
  });

  test('need nothing where a live node shows the template', async () => {
    const members = [{ InstanceId: 'i-1', AvailabilityZone: 'us-east-1a', LifecycleState: 'InService' }];
    const { groups, counts } = await world({
      groups: [groupXml(CLUSTER, 'web', { Instances: members, DesiredCapacity: 1 })],
    });
    const live = node('n1', { cpu: 3 }, { providerId: 'aws:///us-east-1a/i-1' });

    const [group] = await groups.list([live]);

    expect(group!.template!.node.capacity['cpu']).toBe(3_000);
    expect(counts()).toEqual({ DescribeAutoScalingGroups: 1 });
  });

  test('read the launch templates of many groups by the page', async () => {
    const names = Array.from({ length: 40 }, (_, index) => `group-${index}`);
    const { groups, counts } = await world({ groups: names.map((name) => groupXml(CLUSTER, name)) });
    const listed = await groups.list([]);
    expect(listed.filter(({ template }) => template === null)).toEqual([]);
    expect(counts()).toEqual({
      DescribeAutoScalingGroups: 1,
      DescribeLaunchTemplateVersions: 1,
      DescribeInstanceTypes: 1,
    });
  });

  test('ask one by one for launch template versions that are neither default nor latest', async () => {
    const names = Array.from({ length: 12 }, (_, index) => `group-${index}`);
    const pinned = { LaunchTemplateId: launchTemplateId('group-3'), LaunchTemplateName: 'group-3', Version: '7' };
    const { groups, calls } = await world({
      groups: names.map((name) => groupXml(CLUSTER, name, name === 'group-3' ? { LaunchTemplate: pinned } : {})),
      intercept: ({ action, parameters }) =>
        action === 'DescribeLaunchTemplateVersions' && parameters.get('LaunchTemplateVersion.1') === '7'
          ? ec2Result(action, { launchTemplateVersionSet: [launchTemplateXml('group-3', 7, 'm5.large', false)] })
          : null,
    });
    const listed = await groups.list([]);
    expect(listed.filter(({ template }) => template === null)).toEqual([]);
    const asked = calls.filter(({ action }) => action === 'DescribeLaunchTemplateVersions');
    expect(asked.map(({ parameters }) => parameters.get('LaunchTemplateId'))).toEqual([
      null,
      launchTemplateId('group-3'),
    ]);
  });

  test.each<readonly [string, string, Answer, string]>([
    [
      'throttled',
      'DescribeInstanceTypes',
      THROTTLED,
      'Auto Scaling group web: instance type m5.large could not be read (Throttled, RequestLimitExceeded): Request limit exceeded.',
    ],
    [
      'refused',
      'DescribeLaunchTemplateVersions',
      ec2Error(403, 'UnauthorizedOperation', 'You are not authorized'),
      `Auto Scaling group web: launch template ${launchTemplateId('web')}:$Latest could not be read (Authorization, UnauthorizedOperation): You are not authorized`,
    ],
    [
      'about what is gone',
      'DescribeLaunchTemplateVersions',
      ec2Error(400, 'InvalidLaunchTemplateId.NotFound', 'The launch template does not exist'),
      `Auto Scaling group web: launch template ${launchTemplateId('web')}:$Latest could not be read (Configuration, InvalidLaunchTemplateId.NotFound): The launch template does not exist`,
    ],
  ])('that are %s leave an unused group out and say why', async (_, action, given, message) => {
    const { groups } = await world({ intercept: (call) => (call.action === action ? given : null) });
    expect(await groups.list([])).toMatchObject([{ name: 'web', template: null, invalid: message }]);
  });

  test('that fail do not keep a group with instances from being managed', async () => {
    const members = [{ InstanceId: 'i-1', AvailabilityZone: 'us-east-1a', LifecycleState: 'Pending' }];
    const { groups } = await world({
      groups: [groupXml(CLUSTER, 'web', { Instances: members, DesiredCapacity: 1 })],
      intercept: ({ action }) => (action === 'DescribeInstanceTypes' ? THROTTLED : null),
    });
    expect(await groups.list([])).toMatchObject([
      {
        template: null,
        templateProblem:
          'instance type m5.large could not be read (Throttled, RequestLimitExceeded): Request limit exceeded.',
        invalid: null,
        targetSize: 1,
        instances: [{ id: 'i-1', state: 'Creating' }],
      },
    ]);
  });

  test('fall back on an unwell node when AWS does not help', async () => {
    const members = [{ InstanceId: 'i-1', AvailabilityZone: 'us-east-1a', LifecycleState: 'InService' }];
    const { groups } = await world({
      groups: [groupXml(CLUSTER, 'web', { Instances: members, DesiredCapacity: 1 })],
      intercept: ({ action }) => (action === 'DescribeInstanceTypes' ? THROTTLED : null),
    });
    const unwell = node('n1', { cpu: 3 }, { providerId: 'aws:///us-east-1a/i-1', conditions: [] });
    expect((await groups.list([unwell]))[0]!.template!.node.capacity['cpu']).toBe(3_000);
  });

  test('go on with what was known while AWS throttles', async () => {
    const { groups, wait } = await world({
      intercept: ({ action }, nth) => (action === 'DescribeInstanceTypes' && nth > 1 ? THROTTLED : null),
    });
    await groups.list([]);
    wait(minutes(30));
    expect(await groups.list([])).toMatchObject([{ invalid: null, template: { node: { capacity: { pods: 29 } } } }]);
  });

  test('of an EKS node group that fail leave its tags to speak, and are not repeated at once', async () => {
    const tags = {
      'k8s.io/cluster-autoscaler/enabled': '',
      [`k8s.io/cluster-autoscaler/${CLUSTER}`]: '',
      'eks:cluster-name': CLUSTER,
      'eks:nodegroup-name': 'workers',
      'k8s.io/cluster-autoscaler/node-template/label/team': 'web',
    };
    const path = `GET /clusters/${CLUSTER}/node-groups/workers`;
    const { groups, counts } = await world({
      groups: [groupXml(CLUSTER, 'web', { Tags: Object.entries(tags).map(([Key, Value]) => ({ Key, Value })) })],
      intercept: ({ action }) => (action === path ? jsonError(403, 'AccessDeniedException', 'no') : null),
    });
    await groups.list([]);
    const [group] = await groups.list([]);
    expect(group!.invalid).toBeNull();
    expect(group!.template!.node.labels).toMatchObject({ team: 'web', 'eks.amazonaws.com/nodegroup': 'workers' });
    expect(counts()[path]).toBe(1);
  });
});

describe('a group of several types and zones', () => {
  const overrides = ['m5.large', 'm5.lrage'].map((InstanceType) => ({ InstanceType }));
  const mixedGroup = groupXml(CLUSTER, 'web', {
    AvailabilityZones: ['us-east-1a', 'us-east-1b'],
    MixedInstancesPolicy: {
      LaunchTemplate: {
        LaunchTemplateSpecification: { LaunchTemplateId: launchTemplateId('web'), Version: '$Latest' },
        Overrides: overrides,
      },
    },
  });

  test('has its first shape as template, the others as alternatives, and says what it could not find', async () => {
    const { groups, said } = await world({ groups: [mixedGroup] });
    const [group] = await groups.list([]);
    const zoneOf = ({ node: { labels } }: NodeTemplate) => labels['topology.kubernetes.io/zone'];
    expect(zoneOf(group!.template!)).toBe('us-east-1a');
    expect(group!.alternatives.map(zoneOf)).toEqual(['us-east-1b']);
    expect(said).toEqual([
      expect.stringContaining('AZRebalance'),
      'Auto Scaling group web: some of its instance types could not be read: ' +
        'instance type m5.lrage could not be read (Configuration, NotFound): no m5.lrage',
    ]);
  });

  test('says it when there are more of them than are read', async () => {
    const types = Array.from({ length: 201 }, (_, index) => `m5.${index}xlarge`);
    const { groups, said } = await world({
      groups: [
        groupXml(CLUSTER, 'web', {
          MixedInstancesPolicy: {
            LaunchTemplate: {
              LaunchTemplateSpecification: { LaunchTemplateId: launchTemplateId('web'), Version: '$Latest' },
              Overrides: types.map((InstanceType) => ({ InstanceType })),
            },
          },
        }),
      ],
      intercept: ({ action }) =>
        action === 'DescribeInstanceTypes' ? ec2Result(action, { instanceTypeSet: types.map(instanceTypeXml) }) : null,
    });
    expect((await groups.list([]))[0]!.alternatives).toHaveLength(199);
    expect(said).toEqual([
      'Auto Scaling group web: only the 200 smallest of its 201 instance types are evaluated; ' +
        'list fewer types, or attributes that match fewer',
    ]);
  });
});

describe('how the instances of a group are bought', () => {
  const bought = async (group: Xml, live: readonly Node[] = []) => {
    const { groups } = await world({ groups: [group] });
    return (await groups.list(live))[0]!.capacityType;
  };
  const mixed = (base: number, percentage: number) =>
    groupXml(CLUSTER, 'web', {
      MixedInstancesPolicy: {
        LaunchTemplate: {
          LaunchTemplateSpecification: { LaunchTemplateId: launchTemplateId('web'), Version: '$Latest' },
        },
        InstancesDistribution: { OnDemandBaseCapacity: base, OnDemandPercentageAboveBaseCapacity: percentage },
      },
    });

  test('is told by its launch template or its policy, and not where they buy in both ways', async () => {
    expect(await bought(groupXml(CLUSTER, 'web'))).toBe('on-demand');
    expect(await bought(mixed(0, 100))).toBe('on-demand');
    expect(await bought(mixed(0, 0))).toBe('spot');
    expect(await bought(mixed(1, 0))).toBeNull();
  });

  test('is not known where the launch template was not read', async () => {
    const members = [{ InstanceId: 'i-1', AvailabilityZone: 'us-east-1a', LifecycleState: 'InService' }];
    const busy = groupXml(CLUSTER, 'web', { Instances: members, DesiredCapacity: 1 });
    const live = eksNode('n1', { cpu: 3 }, { extra: { providerId: 'aws:///us-east-1a/i-1' } });
    expect(await bought(busy, [live])).toBeNull();
  });
});

describe('a kubelet that lies about its node', () => {
  const members = [{ InstanceId: 'i-1', AvailabilityZone: 'us-east-1a', LifecycleState: 'InService' }];
  const MIB = 2 ** 20;
  const stating = (memory: string): Node =>
    eksNode('n1', { cpu: 2, memory, pods: 30 }, { extra: { providerId: 'aws:///us-east-1a/i-1' } });

  test.each([
    ['1', []],
    ['1', [groupXml(CLUSTER, 'batch')]],
    ['64Ti', [groupXml(CLUSTER, 'batch')]],
  ])('by %s of memory says nothing of its own group, nor of another one of the type', async (memory, others) => {
    const { groups, said } = await world({
      groups: [groupXml(CLUSTER, 'web', { Instances: members, DesiredCapacity: 1 }), ...others],
    });
    const listed = await groups.list([stating(memory)]);
    for (const { template } of listed) {
      expect(template!.node.allocatable['memory']! / MIB).toBeGreaterThan(6_800);
      expect(template!.node.allocatable['memory']! / MIB).toBeLessThan(8_192);
    }
    expect(listed).toHaveLength(1 + others.length);
    expect(said).toEqual([
      'Auto Scaling group web: amounts that live nodes state are not those of their instance types, which are used instead: node n1 of type m5.large (memory)',
    ]);
  });
});

test.each<readonly [string, readonly Node[]]>([
  ['without nodes', []],
  [
    'with a single node',
    [eksNode('n1', { cpu: 1, memory: '7600Mi', pods: 29 }, { extra: { providerId: 'aws:///us-east-1a/i-1' } })],
  ],
])('a launch template that disables threads leaves half of the vCPUs to the nodes of a group %s', async (_, nodes) => {
  const Instances = nodes.map(() => ({
    InstanceId: 'i-1',
    AvailabilityZone: 'us-east-1a',
    LifecycleState: 'InService',
  }));
  const launchTemplateData = { instanceType: 'm5.large', cpuOptions: { coreCount: 1, threadsPerCore: 1 } };
  const version = { ...(launchTemplateXml('web', 1, 'm5.large') as object), launchTemplateData };
  const { groups, said } = await world({
    groups: [groupXml(CLUSTER, 'web', { Instances, DesiredCapacity: nodes.length })],
    intercept: ({ action }) =>
      action === 'DescribeLaunchTemplateVersions' ? ec2Result(action, { launchTemplateVersionSet: [version] }) : null,
  });
  const [group] = await groups.list(nodes);
  expect(group!.template!.node.capacity['cpu']).toBe(1_000);
  expect(said).toEqual([]);
});

describe('prices', () => {
  const members = [{ InstanceId: 'i-1', AvailabilityZone: 'us-east-1a', LifecycleState: 'InService' }];
  const busy = groupXml(CLUSTER, 'web', { Instances: members, DesiredCapacity: 1 });
  const live = eksNode('n1', { cpu: 2, memory: '7912Mi' }, { extra: { providerId: 'aws:///us-east-1a/i-1' } });
  const spot = ({ action }: Call): Answer | null => {
    switch (action) {
      case 'DescribeLaunchTemplateVersions':
        return ec2Result(action, {
          launchTemplateVersionSet: [
            {
              ...(launchTemplateXml('web', 1, 'm5.large') as object),
              launchTemplateData: { instanceType: 'm5.large', instanceMarketOptions: { marketType: 'spot' } },
            },
          ],
        });
      case 'DescribeSpotPriceHistory':
        return ec2Result(action, {
          spotPriceHistorySet: [{ instanceType: 'm5.large', availabilityZone: 'us-east-1a', spotPrice: '0.03' }],
        });
      default:
        return null;
    }
  };

  test('are of the first shape, and of the market that the launch template names', async () => {
    const { groups } = await world({ groups: [busy], intercept: spot, prices: true });
    expect(await groups.list([live])).toMatchObject([
      { price: 0.03, template: { node: { capacity: { memory: 7_912 * 2 ** 20 } } } },
    ]);
  });

  test('that AWS does not report are null, and the group is as it was', async () => {
    const { groups, said, counts } = await world({ prices: true });
    expect(await groups.list([])).toMatchObject([{ price: null, invalid: null, template: {} }]);
    expect(counts()).toMatchObject({ 'AWSPriceListService.GetProducts': 1 });
    expect(said).toHaveLength(1);
  });

  test('are not requested when they are not needed', async () => {
    const { groups, counts } = await world({ groups: [busy], intercept: spot });
    expect(await groups.list([live])).toMatchObject([{ price: null }]);
    expect(counts()).toEqual({ DescribeAutoScalingGroups: 1, DescribeInstanceTypes: 1 });
  });

  test.each<readonly [string, number | null, number]>([
    ['0.05', 0.05, 0],
    ['cheap', null, 1],
  ])('that a tag gives need no other source: %s', async (Value, expected, warnings) => {
    const { groups, said, counts } = await world({
      groups: [
        groupXml(CLUSTER, 'web', {
          Tags: [
            { Key: 'k8s.io/cluster-autoscaler/enabled', Value: '' },
            { Key: `k8s.io/cluster-autoscaler/${CLUSTER}`, Value: '' },
            { Key: 'outrigger.dev/price', Value },
          ],
        }),
      ],
      prices: true,
    });
    expect(await groups.list([])).toMatchObject([{ price: expected, invalid: null }]);
    expect(counts()).not.toHaveProperty(['AWSPriceListService.GetProducts']);
    expect(said).toHaveLength(warnings);
  });
});

test('a group is paused by its tag, unless that is malformed', async () => {
  const { groups, said } = await world({
    groups: [
      groupXml(CLUSTER, 'web', {
        Tags: [
          { Key: `k8s.io/cluster-autoscaler/${CLUSTER}`, Value: '' },
          { Key: 'k8s.io/cluster-autoscaler/enabled', Value: '' },
          { Key: 'outrigger.dev/paused', Value: 'scale-down' },
        ],
      }),
      groupXml(CLUSTER, 'other', {
        Tags: [
          { Key: `k8s.io/cluster-autoscaler/${CLUSTER}`, Value: '' },
          { Key: 'k8s.io/cluster-autoscaler/enabled', Value: '' },
          { Key: 'outrigger.dev/paused', Value: 'yes' },
        ],
      }),
    ],
  });
  const [other, web] = (await groups.list([])).toSorted((a, b) => a.name.localeCompare(b.name));
  expect(web!.pause).toMatchObject({ part: 'ScaleDown', group: 'web', source: 'NodeGroup' });
  expect([other!.pause, other!.invalid]).toEqual([undefined, null]);
  expect(said.filter((line) => line.includes('paused'))).toEqual([
    expect.stringMatching(/^Auto Scaling group other: tag .* found "yes"; the node group is not paused; correct it$/),
  ]);
});

const sized = (extra: { readonly [name: string]: Xml }) => [
  groupXml(CLUSTER, 'web', { MinSize: 1, MaxSize: 5, DesiredCapacity: 3, ...extra }),
];
const instances = (count: number, LifecycleState = 'InService') =>
  Array.from({ length: count }, (_, index) => ({ InstanceId: `i-${index}`, LifecycleState }));

describe('reads of one group at the same time', () => {
  const fifty = Array.from({ length: 50 }, (_, index) => instanceId(`i-${index}`));
  const described = (calls: readonly Call[]): number =>
    calls.filter(({ action }) => action === 'DescribeAutoScalingGroups').length;

  test('are few calls for the removal of fifty nodes, each of which is terminated', async () => {
    const Instances = instances(500, 'InService');
    const { groups, calls } = await world({
      groups: sized({ MaxSize: 500, DesiredCapacity: 500, Instances }),
      intercept: ({ action }) => (action === 'TerminateInstanceInAutoScalingGroup' ? autoScalingResult(action) : null),
    });
    await Promise.all(fifty.map((id) => groups.readInstance(web, id)));
    const ended = await Promise.all(fifty.map((id) => groups.terminate(web, id, true)));
    expect(new Set(ended.map(({ kind }) => kind))).toEqual(new Set(['terminated']));
    expect(calls.length - described(calls)).toBe(50);
    expect(described(calls)).toBeLessThanOrEqual(10);
  });

  test('see a group as it was when they were asked for, or later', async () => {
    let desired = 1;
    const { groups } = await world({
      intercept: ({ action }) => {
        if (action !== 'DescribeAutoScalingGroups') return null;
        desired += 1;
        return autoScalingResult(action, { AutoScalingGroups: sized({ DesiredCapacity: desired }) });
      },
    });
    const first = groups.readSize(web);
    await setImmediate();
    const [second, third] = [groups.readSize(web), groups.readSize(web)];
    const targets = (await Promise.all([first, second, third])).map((size) => size!.target);
    expect(targets).toEqual([2, 3, 3]);
  });

  test('fail together, and an aborted one alone', async () => {
    let throttled = true;
    const { groups } = await world({
      groups: sized({}),
      intercept: () => (throttled ? autoScalingError(400, 'Throttling', 'Rate exceeded') : null),
    });
    const both = await Promise.allSettled([groups.readSize(web), groups.readSize(web)]);
    expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    throttled = false;
    const controller = new AbortController();
    const [kept, aborted] = [groups.readSize(web), groups.readSize(web, controller.signal)];
    controller.abort(new Error('enough'));
    await expect(aborted).rejects.toThrow('enough');
    expect(await kept).toMatchObject({ target: 3 });
  });
});

describe('sizes', () => {
  test('are read anew, for one group', async () => {
    const { groups, calls } = await world({ groups: sized({}) });
    expect(await groups.readSize(web)).toEqual({ min: 1, max: 5, target: 3, held: 0 });
    expect(calls[0]!.parameters.get('AutoScalingGroupNames.member.1')).toBe('web');
  });

  test.each<readonly [string, InstanceView['state']]>([
    ['Pending', 'in group'],
    ['InService', 'in group'],
    ['Terminating:Wait', 'ending'],
    ['Terminated', 'ending'],
    ['EnteringStandby', 'aside'],
    ['Standby', 'aside'],
    ['Detaching', 'aside'],
    ['Warmed:Stopped', 'gone'],
  ])('come with one instance: %s is %s', async (lifecycleState, state) => {
    const { groups } = await world({ groups: sized({ Instances: instances(2, lifecycleState) }) });
    const { held } = (await groups.readSize(web))!;
    const size = { min: 1, max: 5, target: 3, held };
    expect(await groups.readInstance(web, instanceId('i-1'))).toEqual({ state, size });
    expect(await groups.readInstance(web, instanceId('i-9'))).toEqual({ state: 'gone', size });
  });

  test.each<readonly [string, readonly Xml[]]>([
    ['does not exist', []],
    ['has lost its tags', [groupXml('c2', 'web')]],
  ])('of a group that %s are null, and cannot be set', async (_, groups) => {
    const aws = await world({ groups });
    expect(await aws.groups.readSize(web)).toBeNull();
    expect(await aws.groups.readInstance(web, instanceId('i-1'))).toEqual({ state: 'gone', size: null });
    expect(await aws.groups.setSize(web, 1)).toMatchObject({
      kind: 'failed',
      class: 'Configuration',
      code: 'GroupGone',
    });
    expect(aws.counts()['SetDesiredCapacity']).toBeUndefined();
  });

  test('are set without regard to the cooldown', async () => {
    const { groups, calls } = await world({ groups: sized({}) });
    expect(await groups.setSize(web, 5)).toEqual({ kind: 'set' });
    expect(Object.fromEntries(calls.at(-1)!.parameters)).toMatchObject({
      Action: 'SetDesiredCapacity',
      AutoScalingGroupName: 'web',
      DesiredCapacity: '5',
      HonorCooldown: 'false',
    });
  });

  test.each<readonly [string, number, { readonly [name: string]: Xml }, string]>([
    ['above the maximum', 6, {}, 'AboveMaxSize'],
    ['below the minimum', 0, {}, 'BelowMinSize'],
    ['not whole', 2.5, {}, 'BelowMinSize'],
    ['more, of a group that may not launch', 4, { SuspendedProcesses: [{ ProcessName: 'Launch' }] }, 'LaunchSuspended'],
    ['below the instances there are', 2, { Instances: instances(3) }, 'WouldTerminateInstances'],
    ['below the instances on their way', 1, { Instances: instances(2, 'Pending') }, 'WouldTerminateInstances'],
  ])('are refused without asking AWS: %s', async (_, size, extra, code) => {
    const { groups, counts } = await world({ groups: sized(extra) });
    expect(await groups.setSize(web, size)).toMatchObject({ kind: 'failed', class: 'Configuration', code });
    expect(counts()).toEqual({ DescribeAutoScalingGroups: 1 });
  });

  test.each<readonly [string, number, { readonly [name: string]: Xml }]>([
    ['less, down to the instances there are', 2, { Instances: instances(2) }],
    [
      'less, with instances that are leaving or in reserve',
      1,
      { Instances: [...instances(1), ...instances(2, 'Terminating'), ...instances(2, 'Warmed:Stopped')] },
    ],
    ['the same, whatever the instances', 3, { Instances: instances(4) }],
    ['less, of a group that may not launch', 2, { SuspendedProcesses: [{ ProcessName: 'Launch' }] }],
  ])('are set: %s', async (_, size, extra) => {
    const { groups } = await world({ groups: sized(extra) });
    expect(await groups.setSize(web, size)).toEqual({ kind: 'set' });
  });

  test.each<readonly [string, Answer, object]>([
    [
      'throttles',
      autoScalingError(400, 'Throttling', 'Rate exceeded'),
      { class: 'Throttled', code: 'Throttling', message: 'Rate exceeded' },
    ],
    ['is busy', autoScalingError(400, 'ScalingActivityInProgress', 'busy'), { class: 'Throttled', message: 'busy' }],
    ['refuses', autoScalingError(403, 'AccessDenied', 'no'), { class: 'Authorization', code: 'AccessDenied' }],
    [
      'finds the size too large',
      autoScalingError(
        400,
        'ValidationError',
        'New SetDesiredCapacity value 5 is above max value 4 for the AutoScalingGroup.',
      ),
      { class: 'Configuration', code: 'ValidationError' },
    ],
    ['fails', autoScalingError(500, 'InternalFailure', 'oops'), { class: 'Other', code: 'InternalFailure' }],
    ['answers what cannot be parsed', { status: 502, body: '<html>Bad gateway' }, { class: 'Other' }],
  ])('that AWS does not set come back with a class: %s', async (_, given, expected) => {
    const { groups } = await world({ intercept: ({ action }) => (action === 'SetDesiredCapacity' ? given : null) });
    expect(await groups.setSize(web, 5)).toMatchObject({ kind: 'failed', ...expected });
  });

  test('that cannot be asked for come back with a class too', async () => {
    const { groups } = await world({ intercept: () => autoScalingError(400, 'ExpiredToken', 'expired') });
    expect(await groups.setSize(web, 5)).toMatchObject({
      kind: 'failed',
      class: 'Authorization',
      code: 'ExpiredToken',
    });
    await expect(groups.readSize(web)).rejects.toThrow(
      'DescribeAutoScalingGroups for web failed: the AWS credentials are expired (ExpiredToken: expired)',
    );
  });
});

describe('a group with a malformed template tag', () => {
  test('has what its other tags say, and is warned of once an hour', async () => {
    const Tags = [
      { Key: 'k8s.io/cluster-autoscaler/enabled', Value: 'true' },
      { Key: `k8s.io/cluster-autoscaler/${CLUSTER}`, Value: 'owned' },
      { Key: 'k8s.io/cluster-autoscaler/node-template/taint/dedicated', Value: 'web' },
      { Key: 'k8s.io/cluster-autoscaler/node-template/label/pool', Value: 'general' },
    ];
    const { groups, said, wait } = await world({ groups: [groupXml(CLUSTER, 'web', { Tags })] });
    const [web] = await groups.list([]);
    expect(web).toMatchObject({ invalid: null, template: { node: { taints: [], labels: { pool: 'general' } } } });
    await groups.list([]);
    expect(said).toEqual([
      'Auto Scaling group web: tag k8s.io/cluster-autoscaler/node-template/taint/dedicated: expected VALUE:EFFECT, the ' +
        'effect NoSchedule, NoExecute or PreferNoSchedule, and the taint key at the end of the tag key, found "web"; ' +
        'a tag that is malformed counts as absent; correct it',
    ]);
    wait(minutes(61));
    await groups.list([]);
    expect(said).toHaveLength(2);
  });
});

describe('what EKS and AWS do to a group by themselves', () => {
  const MANAGED = [
    { Key: 'k8s.io/cluster-autoscaler/enabled', Value: 'true' },
    { Key: `k8s.io/cluster-autoscaler/${CLUSTER}`, Value: 'owned' },
    { Key: 'eks:cluster-name', Value: CLUSTER },
    { Key: 'eks:nodegroup-name', Value: 'workers' },
  ];
  const DESCRIBE = `GET /clusters/${CLUSTER}/node-groups/workers`;
  const web = groupName('web');

  test.each([
    ['UPDATING', true],
    ['DELETING', true],
    ['ACTIVE', false],
    ['DEGRADED', false],
  ])('a managed node group that is %s is being updated: %s', async (status, expected) => {
    const { groups } = await world({
      groups: [groupXml(CLUSTER, 'web', { Tags: MANAGED })],
      intercept: ({ action }) =>
        action === DESCRIBE ? { status: 200, body: JSON.stringify({ nodegroup: { status } }) } : null,
    });
    const listed = await groups.list([]);
    const [told] = await groups.withCloudActions(listed, new Set([web]));
    expect({ listed: isUpdating(listed[0]!), told: isUpdating(told!) }).toEqual({ listed: false, told: expected });
  });

  test.each([true, false])('unhealthy nodes are left to EKS where it repairs them: %s', async (enabled) => {
    const { groups } = await world({
      groups: [groupXml(CLUSTER, 'web', { Tags: MANAGED })],
      intercept: ({ action }) =>
        action === DESCRIBE
          ? { status: 200, body: JSON.stringify({ nodegroup: { status: 'ACTIVE', nodeRepairConfig: { enabled } } }) }
          : null,
    });
    const [told] = await groups.withCloudActions(await groups.list([]), new Set([web]));
    expect(told!.cloudActions).toEqual(enabled ? ['NodeRepair'] : undefined);
  });

  test.each([
    ['Pending', true],
    ['InProgress', true],
    ['Cancelling', true],
    ['RollbackInProgress', true],
    ['Baking', false],
    ['Successful', false],
  ])('a group with an instance refresh that is %s is being updated: %s', async (status, expected) => {
    const { groups, counts } = await world({
      groups: [groupXml(CLUSTER, 'api'), groupXml(CLUSTER, 'web')],
      intercept: ({ action, parameters }) =>
        action === REFRESHES && parameters.get('AutoScalingGroupName') === 'web'
          ? refreshesXml('Successful', status)
          : null,
    });
    const told = await groups.withCloudActions(await groups.list([]), new Set([web]));
    expect(told.map(({ name, cloudActions }) => [name, cloudActions])).toEqual([
      ['api', undefined],
      ['web', expected ? ['InstanceRefresh'] : undefined],
    ]);
    expect(counts()[REFRESHES]).toBe(1);
  });

  test('a group whose instance refreshes are denied shrinks all the same, with a warning', async () => {
    const { groups, said } = await world({
      groups: [groupXml(CLUSTER, 'web')],
      intercept: ({ action }) => (action === REFRESHES ? autoScalingError(403, 'AccessDenied', 'no') : null),
    });
    const listed = await groups.list([]);
    expect(await groups.withCloudActions(listed, new Set([web]))).toEqual(listed);
    expect(said).toContainEqual(
      expect.stringContaining('whether an instance refresh is replacing nodes (AccessDenied'),
    );
  });

  test('AWS is asked once a minute, EKS only about its own groups, and only about groups that are in question', async () => {
    const { groups, counts, forget, wait } = await world({
      groups: [groupXml(CLUSTER, 'api'), groupXml(CLUSTER, 'web', { Tags: MANAGED })],
      intercept: ({ action }) =>
        action === DESCRIBE ? { status: 200, body: JSON.stringify({ nodegroup: { status: 'ACTIVE' } }) } : null,
    });
    const listed = await groups.list([]);
    forget();
    await groups.withCloudActions(listed, new Set([groupName('api')]));
    expect(counts()).toEqual({ [REFRESHES]: 1 });
    await groups.withCloudActions(listed, new Set([web]));
    await groups.withCloudActions(listed, new Set([web]));
    expect(counts()).toEqual({ [REFRESHES]: 2, [DESCRIBE]: 1 });
    wait(minutes(1));
    await groups.withCloudActions(listed, new Set([web]));
    expect(counts()).toEqual({ [REFRESHES]: 3, [DESCRIBE]: 2 });
  });

  test('a group that EKS does not answer about shrinks all the same, with a warning', async () => {
    const { groups, said } = await world({
      groups: [groupXml(CLUSTER, 'web', { Tags: MANAGED })],
      intercept: ({ action }) => (action === DESCRIBE ? jsonError(403, 'AccessDeniedException', 'no') : null),
    });
    const listed = await groups.list([]);
    expect(await groups.withCloudActions(listed, new Set([web]))).toEqual(listed);
    expect(said).toContainEqual(
      expect.stringContaining('EKS did not report whether it is updating the group (AccessDeniedException'),
    );
  });

  const suspended = (...names: readonly string[]) => ({
    SuspendedProcesses: names.map((ProcessName) => ({ ProcessName })),
  });
  test.each<readonly [CloudAction, { readonly [name: string]: Xml }]>([
    ['CapacityRebalance', { CapacityRebalance: true }],
    ['MaxInstanceLifetime', { MaxInstanceLifetime: 1_209_600 }],
  ])('what AWS itself does to a group is in its description and in its summary: %s', async (action, extra) => {
    const { groups } = await world({ groups: [groupXml(CLUSTER, 'api'), groupXml(CLUSTER, 'web', extra)] });
    for (const seen of [await groups.list([]), await groups.summarize()])
      expect(seen.map(({ cloudActions }) => cloudActions)).toEqual([undefined, [action]]);
  });

  test('an instance that is retained after its termination is no instance of the group, and is warned of', async () => {
    const member = (id: string, LifecycleState: string) => ({
      InstanceId: id,
      AvailabilityZone: 'us-east-1a',
      LifecycleState,
    });
    const Instances = [
      member('i-00000000000000001', 'InService'),
      member('i-00000000000000002', 'Terminating:Retained'),
    ];
    const { groups, said } = await world({ groups: [groupXml(CLUSTER, 'web', { Instances })] });
    const [group] = await groups.list([]);
    expect(group!.instances.filter(({ state }) => state === 'Running')).toHaveLength(1);
    expect(group!.cloudActions).toEqual(['InstancesRetained']);
    expect(said).toEqual([
      expect.stringMatching(/web: i-00000000000000002 stayed when a lifecycle hook was abandoned/),
    ]);
  });

  const ZONES = { AvailabilityZones: ['us-east-1a', 'us-east-1b'] };
  test.each<readonly [string, { readonly [name: string]: Xml }, number]>([
    ['of one zone', {}, 0],
    ['of two zones', ZONES, 1],
    ['of two zones, with the process suspended', { ...ZONES, ...suspended('AZRebalance') }, 0],
    ['of two zones that EKS manages', { ...ZONES, Tags: MANAGED }, 0],
  ])(
    'a group %s is warned of, once an hour, when AWS may end its instances to even zones out',
    async (_, extra, times) => {
      const { groups, said, wait } = await world({ groups: [groupXml(CLUSTER, 'web', extra)] });
      const warnings = () => said.filter((text) => text.includes('AZRebalance')).length;
      expect((await groups.list([]))[0]!.cloudActions).toEqual(times > 0 ? ['ZonesRebalanced'] : undefined);
      await groups.list([]);
      expect(warnings()).toBe(times);
      wait(minutes(61));
      await groups.list([]);
      expect(warnings()).toBe(2 * times);
    },
  );

  test('a warm pool is in the description of its group: nothing else is asked for it, and its instances are none of the group', async () => {
    const instance = (InstanceId: string, LifecycleState: string): Xml => ({
      InstanceId,
      AvailabilityZone: 'us-east-1a',
      LifecycleState,
      HealthStatus: 'Healthy',
      ProtectedFromScaleIn: 'false',
    });
    const { groups, counts } = await world({
      groups: [
        groupXml(CLUSTER, 'web', {
          WarmPoolConfiguration: { PoolState: 'Hibernated', InstanceReusePolicy: { ReuseOnScaleIn: 'true' } },
          WarmPoolSize: '2',
          Instances: [instance('i-1', 'InService'), instance('i-2', 'Warmed:Hibernated')],
        }),
      ],
    });
    const [listed] = await groups.list([]);
    expect(listed).toMatchObject({
      warmPool: { size: 2, state: 'Hibernated', reuse: true },
      instances: [{ id: 'i-1' }],
    });
    expect(Object.keys(counts())).not.toContainEqual(expect.stringContaining('WarmPool'));
  });

  test.each([
    ['Launch', true],
    ['Terminate', false],
  ])('a group whose process %s is suspended starts no nodes: %s', async (process, expected) => {
    const { groups } = await world({ groups: [groupXml(CLUSTER, 'web', suspended(process))] });
    expect((await groups.list([]))[0]!.launchSuspended).toBe(expected);
  });
});
