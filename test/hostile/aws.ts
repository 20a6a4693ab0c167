import { type AutoScalingGroup, AutoScalingClient } from '@aws-sdk/client-auto-scaling';
import { EC2Client } from '@aws-sdk/client-ec2';
import { EKSClient } from '@aws-sdk/client-eks';
import { PricingClient } from '@aws-sdk/client-pricing';
import { clusterTag } from '../../core/model/discovery.ts';
import type { NodeGroup } from '../../core/model/node-group.ts';
import type { NodeGroups } from '../../core/ports/node-groups.ts';
import type { EpochMs } from '../../core/model/values/time.ts';
import { createAutoScalingGroups } from '../../providers/aws/auto-scaling-groups.ts';
import type { AwsClients } from '../../providers/aws/api/clients.ts';
import { PRICE_KEY } from '../../providers/node-groups/stated-price.ts';
import { WEB } from '../functions/test-world.ts';
import type { Recipe } from './recipes.ts';
import { pick, VALUES } from './objects.ts';

/** A group whose tags and launch template somebody has filled in. */
type OddGroup = Extract<Recipe, { kind: 'group' }>;

const TEMPLATE = 'k8s.io/cluster-autoscaler/node-template/';
const KEYS = [
  PRICE_KEY,
  `${TEMPLATE}label/constructor`,
  `${TEMPLATE}label/`,
  `${TEMPLATE}taint/evil`,
  `${TEMPLATE}resources/cpu`,
  `${TEMPLATE}resources/__proto__`,
  ...[
    'DisruptionBudgets',
    'CapacitySchedules',
    'ScaleDownUnneededTime',
    'ScaleDownUtilizationThreshold',
    'MaxCostPerHour',
  ].map((option) => `${TEMPLATE}autoscaling-options/${option.toLowerCase()}`),
  'eks:nodegroup-name',
  'constructor',
] as const;
/** Values of budgets and schedules, from time zones that no database has to times that never come. */
const SCHEDULES: readonly string[] = [
  '0 from 0 8 * * * for 10h in Europe/Berlin+01',
  '0 from 0 8 * * * for 10h in UTC+01',
  '3 from 0 0 31 2 * for 1m in Etc/UTC',
  '3 from 0 0 L * 5#3 for 10h in Europe/Berlin',
  '99999999999999999999 from * * * * * for 2500000000h',
  '100 % from @reboot for -1h; ; ;',
];
const TAG_VALUES = [...SCHEDULES, ...VALUES];

/** Nested lists that take ten seconds, or for ever, if they are evaluated. */
const nested = (depth: number): string =>
  depth === 0 ? 'vcpus > 0' : `[1,1,1,1,1,1,1,1,1,1].all(x${depth}, ${nested(depth - 1)})`;
const EXPRESSIONS: readonly string[] = [
  `${nested(8)} ? 30 : 20`,
  '1 / 0',
  'max_pods + ',
  '9223372036854775807 + 1',
  'x',
];
const userDataOf = (launch: number): string =>
  pick(
    [
      ...EXPRESSIONS.map(
        (text) =>
          `apiVersion: node.eks.aws/v1alpha1\nkind: NodeConfig\nspec:\n  kubelet:\n    maxPodsExpression: ${JSON.stringify(text)}\n`,
      ),
      '\n'.repeat(12_000),
      '--max-pods=99999999999999999999',
    ],
    launch,
  );

const described = ({ name, minSize, maxSize, targetSize, instances, price }: NodeGroup): AutoScalingGroup =>
  groupOf(name, { MinSize: minSize, MaxSize: maxSize, DesiredCapacity: targetSize }, [[PRICE_KEY, String(price)]], {
    Instances: instances.map(({ id, zone }) => ({
      InstanceId: id,
      AvailabilityZone: zone!,
      LifecycleState: 'InService',
      HealthStatus: 'Healthy',
      ProtectedFromScaleIn: false,
    })),
  });

const oddGroup = ({ key, value, launch }: OddGroup): AutoScalingGroup =>
  groupOf(`odd-${launch}`, { MinSize: 0, MaxSize: 0, DesiredCapacity: 0 }, [
    [pick(KEYS, key), pick(TAG_VALUES, value)],
  ]);

const groupOf = (
  name: string,
  sizes: Pick<AutoScalingGroup, 'MinSize' | 'MaxSize' | 'DesiredCapacity'>,
  tags: readonly (readonly [key: string, value: string])[],
  more: Partial<AutoScalingGroup> = {},
): AutoScalingGroup => ({
  AutoScalingGroupName: name,
  ...sizes,
  DefaultCooldown: 300,
  AvailabilityZones: ['us-east-1a'],
  HealthCheckType: 'EC2',
  CreatedTime: new Date(0),
  LaunchTemplate: { LaunchTemplateId: name.startsWith('odd-') ? `${ODD}${name.slice(4)}` : 'lt-1', Version: '1' },
  Tags: [[clusterTag(WEB), 'owned'], ['k8s.io/cluster-autoscaler/enabled', 'true'], ...tags].map(([Key, Value]) => ({
    Key,
    Value,
  })),
  ...more,
});

/** EC2's description of the victim's nodes. */
export const INSTANCE_TYPE = 'm5.evil';
const TYPE = {
  InstanceType: INSTANCE_TYPE,
  ProcessorInfo: { SupportedArchitectures: ['x86_64'] },
  VCpuInfo: { DefaultVCpus: 5 },
  MemoryInfo: { SizeInMiB: 36 * 1_024 },
  NetworkInfo: { MaximumNetworkInterfaces: 10, Ipv4AddressesPerInterface: 12 },
};

/** IDs are hexadecimal. */
const ODD = 'lt-0dd';

const SETTINGS = { region: 'us-east-1', credentials: { accessKeyId: 'test', secretAccessKey: 'test' } };
const CLIENTS = {
  autoScaling: new AutoScalingClient(SETTINGS),
  ec2: new EC2Client(SETTINGS),
  eks: new EKSClient(SETTINGS),
  pricing: new PricingClient(SETTINGS),
};

/** Answers of Auto Scaling and EC2 in this process, to the real provider. */
export function hostileAws(
  groups: () => readonly NodeGroup[],
  odd: readonly OddGroup[],
  now: () => EpochMs,
): Pick<NodeGroups, 'list' | 'summarize'> {
  const answers: Readonly<Record<string, (input: { readonly LaunchTemplateId?: string }) => object>> = {
    DescribeAutoScalingGroupsCommand: () => ({ AutoScalingGroups: [...groups().map(described), ...odd.map(oddGroup)] }),
    DescribeInstanceTypesCommand: () => ({ InstanceTypes: [TYPE] }),
    DescribeLaunchTemplateVersionsCommand: ({ LaunchTemplateId = '' }) => {
      const text = LaunchTemplateId.startsWith(ODD) ? userDataOf(Number(LaunchTemplateId.slice(ODD.length))) : '';
      const data = { InstanceType: INSTANCE_TYPE, UserData: Buffer.from(text).toString('base64') };
      return { LaunchTemplateVersions: [{ LaunchTemplateId, VersionNumber: 1, LaunchTemplateData: data }] };
    },
  };
  const send = async (command: { readonly input: object }): Promise<object> => {
    const answer = answers[command.constructor.name];
    if (answer === undefined) {
      throw new Error(`no answer to ${command.constructor.name}`);
    }
    return answer(command.input);
  };
  // The paginators of the SDK ask for an instance of the client's class.
  const clients = Object.fromEntries(
    Object.entries(CLIENTS).map(([name, client]) => [name, Object.assign(Object.create(client) as object, { send })]),
  ) as unknown as AwsClients;
  const provider = createAutoScalingGroups({
    cluster: WEB,
    region: SETTINGS.region,
    clients,
    prices: false,
    warn: () => {},
    now,
  });
  return {
    list: async (nodes, signal) => await provider.list(nodes, signal),
    summarize: async (signal) => await provider.summarize(signal),
  };
}
