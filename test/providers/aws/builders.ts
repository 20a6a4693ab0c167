import { NO_SETTINGS } from '../../../providers/aws/launches/kubelet-settings.ts';
import type { AutoScalingGroup } from '@aws-sdk/client-auto-scaling';
import type { Node } from '../../../core/model/cluster/node.ts';
import type { Labels } from '../../../core/model/cluster/selectors.ts';
import type { InstanceType } from '../../../providers/aws/launches/instance-types.ts';
import type { LaunchData } from '../../../providers/aws/launches/launch-data.ts';
import type { TypeLaunch } from '../../../providers/aws/launches/launches.ts';
import { type ScalingGroup, toScalingGroup } from '../../../providers/aws/groups/scaling-group.ts';
import { type Amounts, node } from '../../builders.ts';

/** An instance type of 4 GiB and 2 interfaces of 15 addresses (30 pods) for each of its vCPUs, unless told otherwise. */
export const instanceType = (name: string, vCpus = 2, extra: Partial<InstanceType> = {}): InstanceType => ({
  name,
  architecture: 'amd64',
  vCpus,
  memoryMib: 4_096 * vCpus,
  network: { interfaces: vCpus, addressesPerInterface: 15 },
  devices: {},
  instanceStore: 0,
  ...extra,
});

/** The pods that such a type has addresses for. */
export const podsOf = (vCpus: number): number => vCpus * 14 + 2;

export const launchData = (extra: Partial<LaunchData> = {}): LaunchData => ({
  version: null,
  instanceType: null,
  requirements: null,
  image: null,
  market: 'on-demand',
  userData: { podLimit: { kind: 'addresses' }, labels: {}, taints: [], bottlerocket: false, kubelet: NO_SETTINGS },
  storage: null,
  efaInterfaces: 0,
  vCpus: null,
  ...extra,
});

export const typeLaunch = (type: InstanceType, data: Partial<LaunchData> = {}): TypeLaunch => ({
  type,
  data: launchData(data),
});

/** A group in us-east-1a without instances. */
export const scalingGroup = (name: string, extra: Partial<AutoScalingGroup> = {}): ScalingGroup =>
  toScalingGroup({
    AutoScalingGroupName: name,
    MinSize: 0,
    MaxSize: 10,
    DesiredCapacity: 0,
    DefaultCooldown: 300,
    AvailabilityZones: ['us-east-1a'],
    HealthCheckType: 'EC2',
    CreatedTime: new Date(0),
    LaunchTemplate: { LaunchTemplateId: 'lt-1', Version: '1' },
    ...extra,
  });

/** A mixed instances policy that names these types. */
export const mixedOf = (types: readonly string[]): Partial<AutoScalingGroup> => ({
  LaunchTemplate: undefined,
  MixedInstancesPolicy: {
    LaunchTemplate: {
      LaunchTemplateSpecification: { LaunchTemplateId: 'lt-1', Version: '1' },
      Overrides: types.map((InstanceType) => ({ InstanceType })),
    },
  },
});

export interface EksNode {
  readonly type?: string;
  readonly zone?: string;
  readonly arch?: string;
  readonly labels?: Labels;
  readonly allocatable?: Amounts;
  readonly extra?: Partial<Node>;
}

/** A ready node as kubelet and cloud controller manager label it on EKS. */
export function eksNode(name: string, capacity: Amounts, given: EksNode = {}): Node {
  const { type = 'm5.large', zone = 'us-east-1a', arch = 'amd64', labels = {}, allocatable, extra = {} } = given;
  return node(name, capacity, {
    ...(allocatable === undefined ? {} : { allocatable: node('', allocatable).allocatable }),
    ...extra,
    labels: {
      'beta.kubernetes.io/arch': arch,
      'beta.kubernetes.io/instance-type': type,
      'beta.kubernetes.io/os': 'linux',
      'failure-domain.beta.kubernetes.io/region': 'us-east-1',
      'failure-domain.beta.kubernetes.io/zone': zone,
      'k8s.io/cloud-provider-aws': '0a1b2c3d',
      'kubernetes.io/arch': arch,
      'kubernetes.io/os': 'linux',
      'node.kubernetes.io/instance-type': type,
      'topology.ebs.csi.aws.com/zone': zone,
      'topology.k8s.aws/zone-id': `use1-az${zone.charCodeAt(zone.length - 1) - 96}`,
      'topology.kubernetes.io/region': 'us-east-1',
      'topology.kubernetes.io/zone': zone,
      ...labels,
    },
  });
}
