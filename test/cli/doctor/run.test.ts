import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { CHECKS } from '../../../cli/doctor/checks/checks.ts';
import type { Facts } from '../../../cli/doctor/facts/facts.ts';
import { ok } from '../../../core/model/values/result.ts';
import { doctorPage } from '../../../scripts/docs/doctor.ts';
import {
  autoScalingError,
  ec2Result,
  groupXml,
  instanceTypeXml,
  jsonError,
  jsonResult,
  launchTemplateXml,
  type Xml,
} from '../../providers/aws/wire-server.ts';
import { bounds, rawScalable } from '../../providers/clusterapi/builders.ts';
import { BOOTSTRAPPED, DEPLOYED, NOW, type Place, publicEndpoint, runAgainst } from './account-and-cluster.ts';

const findingOf = (id: string, facts: Facts) => CHECKS.find((check) => check.id === id)?.judge(facts);

const denied = (action: string) =>
  jsonError(
    403,
    'AccessDeniedException',
    `User: arn:aws:iam::123456789012:user/dev is not authorized to perform: ${action}`,
  );

const autoscaler = (replicas: number, ...args: readonly string[]): object => ({
  metadata: { namespace: 'kube-system', name: 'cluster-autoscaler' },
  spec: {
    replicas,
    template: {
      spec: {
        containers: [
          {
            image: 'registry.k8s.io/autoscaling/cluster-autoscaler:v1.33.0',
            command: ['./cluster-autoscaler', ...args],
          },
        ],
      },
    },
  },
});

const node = (name: string, ...taints: readonly object[]): object => ({
  metadata: { name, uid: name },
  spec: { taints },
  status: {},
});
const removal = (agoMinutes: number): object => ({
  key: 'ToBeDeletedByClusterAutoscaler',
  value: String(NOW / 1_000 - agoMinutes * 60),
  effect: 'NoSchedule',
});
const candidate = { key: 'DeletionCandidateOfClusterAutoscaler', value: '1', effect: 'PreferNoSchedule' };

const managed = (name: string, extra: Readonly<Record<string, Xml>> = {}): Xml =>
  groupXml('prod', `eks-${name}`, {
    AvailabilityZones: ['us-east-1a', 'us-east-1b'],
    Tags: [
      { Key: 'k8s.io/cluster-autoscaler/enabled', Value: 'true' },
      { Key: 'k8s.io/cluster-autoscaler/prod', Value: 'owned' },
      { Key: 'eks:cluster-name', Value: 'prod' },
      { Key: 'eks:nodegroup-name', Value: name },
    ],
    ...extra,
  });

/** Two groups, of which a tag states the price of one, and a price list without their type. @param tags of the other one. */
const pricedWith = (...tags: readonly { readonly Key: string; readonly Value: string }[]): Place => ({
  groups: ['cheap', 'dear'].map((name) =>
    groupXml('prod', name, {
      Tags: [
        { Key: 'k8s.io/cluster-autoscaler/enabled', Value: 'true' },
        { Key: 'k8s.io/cluster-autoscaler/prod', Value: 'owned' },
        ...(name === 'cheap' ? [{ Key: 'outrigger.dev/price', Value: '0.05' }] : tags),
      ],
    }),
  ),
  aws: {
    DescribeLaunchTemplateVersions: ec2Result('DescribeLaunchTemplateVersions', {
      launchTemplateVersionSet: ['cheap', 'dear'].map((name) => launchTemplateXml(name, 1, 'm5.large')),
    }),
    DescribeInstanceTypes: ec2Result('DescribeInstanceTypes', { instanceTypeSet: [instanceTypeXml('m5.large')] }),
    GetProducts: jsonResult({ FormatVersion: 'aws_v1', PriceList: [] }),
  },
});
const PRICED = pricedWith();

const instanceOf = (n: number): string => `i-${String(n).padStart(17, '0')}`;

/** A group with one instance. */
const withNode = (name: string, n: number): Xml =>
  groupXml('prod', name, {
    DesiredCapacity: 1,
    Instances: [{ InstanceId: instanceOf(n), AvailabilityZone: 'us-east-1a', LifecycleState: 'InService' }],
  });

/** Its node. Memory of equal instances differs by some KiB. */
const workerOf = (n: number, labels: Readonly<Record<string, string>>): object => {
  const amounts = { cpu: '4', memory: `${16_000_000 + 4 * n}Ki`, pods: '58' };
  return {
    metadata: { name: `n${n}`, uid: `n${n}`, labels },
    spec: { providerID: `aws:///us-east-1a/${instanceOf(n)}` },
    status: { capacity: amounts, allocatable: amounts, conditions: [{ type: 'Ready', status: 'True' }] },
  };
};

const ENABLED = 'k8s.io/cluster-autoscaler/enabled';

/** A group with these tags alone. */
const groupWith = (name: string, ...keys: readonly string[]): Xml =>
  groupXml('prod', name, { Tags: keys.map((Key) => ({ Key, Value: 'owned' })) });

const IN_VPC =
  'vpc: {vpcId: vpc-0123456789abcdef0, subnetIds: [subnet-0123456789abcdef0], securityGroupIds: [sg-0123456789abcdef0]}';
const MANAGED = 'clusterApi: {discovery: ["clusterapi:clusterName=c1"], managementCluster: {name: management}}';
const MANAGED_BY_ROLE =
  'clusterApi: {discovery: ["clusterapi:clusterName=c1"], managementCluster: {name: management, role: "arn:aws:iam::210987654321:role/capi"}}';
const WITH_PRIVATE_ENDPOINT: Place = {
  cluster: { resourcesVpcConfig: { ...publicEndpoint([]), endpointPublicAccess: false, endpointPrivateAccess: true } },
};
const egress = (controlPlaneEgressMode: string): Place => ({
  cluster: { resourcesVpcConfig: { ...publicEndpoint(['0.0.0.0/0']), controlPlaneEgressMode } },
});
const inState = (status: string): NonNullable<Place['stacks']> => ({ ...BOOTSTRAPPED, 'Outrigger-prod': { status } });
const IS_DEPLOYED: Place = { stacks: DEPLOYED('new.lambda-url.us-east-1.on.aws') };
const NEW = 'https://new.lambda-url.us-east-1.on.aws/';
const ITS_URL = `${NEW}secret/prod`;
const BLUE: Place = { groups: [groupXml('prod', 'blue')] };
const WEB = rawScalable('MachineDeployment', 'web');
const fresh = '2026-01-01 11:59:50.123456789 +0000 UTC';

interface Row {
  readonly place: Place;
  /** Settings of the cluster, as YAML. */
  readonly settings?: string;
  /** The findings that are not ok. */
  readonly findings: Readonly<Record<string, 'warn' | 'fail' | 'unknown'>>;
  /** Lines, or parts of them, that are printed. */
  readonly printed: readonly string[];
}

/** Checks that read the cluster. */
const NOTHING_READ = {
  'kubernetes-permissions': 'unknown',
  'cluster-autoscaler': 'unknown',
  karpenter: 'unknown',
  'capacity-quotas': 'unknown',
  'leftover-taints': 'unknown',
  'similar-groups': 'unknown',
  webhook: 'unknown',
} as const;

/** Checks that need a connection to the API server. */
const NO_API_SERVER = { 'api-server': 'unknown', ...NOTHING_READ } as const;

/** Checks that need the cluster's description. */
const NO_CLUSTER = {
  'authentication-mode': 'unknown',
  'endpoint-access': 'unknown',
  'control-plane-egress': 'unknown',
  ...NO_API_SERVER,
} as const;

const ACCOUNTS: Readonly<Record<string, Row>> = {
  'an account and a cluster that are ready': {
    place: {},
    findings: {},
    printed: [
      'OK (30)',
      'Account 123456789012, region us-east-1.',
      'Absent; no stack of Outrigger is deployed yet.',
      '30 ok.',
    ],
  },
  'expired credentials': {
    place: {
      aws: {
        clusters: jsonError(403, 'ExpiredTokenException', 'The security token included in the request is expired'),
      },
    },
    findings: { credentials: 'fail', cluster: 'unknown', ...NO_CLUSTER },
    printed: [
      'The security token included in the request is expired',
      'Log in (aws sso login)',
      'Not checked: the cluster could not be described.',
    ],
  },
  'no bootstrap': {
    place: { stacks: {} },
    findings: { 'cdk-bootstrap': 'fail' },
    printed: ['There is no stack CDKToolkit in us-east-1.', '  npx cdk bootstrap aws://123456789012/us-east-1'],
  },
  'an old bootstrap': {
    place: { stacks: { CDKToolkit: { status: 'CREATE_COMPLETE', outputs: { BootstrapVersion: '4' } } } },
    findings: { 'cdk-bootstrap': 'fail' },
    printed: ['The stack CDKToolkit has version 4.'],
  },
  'a bootstrap that failed': {
    place: { stacks: { CDKToolkit: { status: 'ROLLBACK_COMPLETE' } } },
    findings: { 'cdk-bootstrap': 'fail' },
    printed: ['The stack CDKToolkit is in state ROLLBACK_COMPLETE.'],
  },
  'a new account': {
    place: { concurrency: { quota: 10, unreserved: 10 } },
    findings: { 'lambda-concurrency': 'fail' },
    printed: [
      '10 of 10 concurrent executions are unreserved; reservedConcurrency: 10 would leave 0.',
      '--quota-code L-B99A9384',
    ],
  },
  'a new account without a reservation': {
    place: { concurrency: { quota: 10, unreserved: 10 } },
    settings: 'reservedConcurrency: none',
    findings: { 'lambda-concurrency': 'warn' },
    printed: ['10 of 10 concurrent executions are unreserved, for all functions of the account.'],
  },
  'a new account, and a reservation': {
    place: { concurrency: { quota: 10, unreserved: 10 } },
    settings: 'reservedConcurrency: 10',
    findings: { 'lambda-concurrency': 'fail' },
    printed: [
      'reservedConcurrency: 10 would leave 0.',
      'Set reservedConcurrency: none or webhook: httpApi, or request a higher quota:',
    ],
  },
  'a reservation that leaves little': {
    place: { concurrency: { quota: 1_000, unreserved: 105 } },
    settings: 'reservedConcurrency: 10',
    findings: { 'lambda-concurrency': 'warn' },
    printed: ['would leave 95.'],
  },
  'a user who may read nothing of CloudFormation': {
    place: { aws: { DescribeStacks: autoScalingError(403, 'AccessDenied', 'User: dev is not authorized') } },
    findings: { 'cdk-bootstrap': 'unknown', deployment: 'unknown', permissions: 'unknown', webhook: 'unknown' },
    printed: ['Denied: cloudformation:DescribeStacks.', 'Allow cloudformation:DescribeStacks'],
  },
  'a deployment that failed': {
    place: { stacks: inState('ROLLBACK_COMPLETE') },
    findings: { deployment: 'fail', webhook: 'warn' },
    printed: ['  aws cloudformation delete-stack --region us-east-1 --stack-name Outrigger-prod'],
  },
  'a rollback that failed': {
    place: { stacks: inState('UPDATE_ROLLBACK_FAILED') },
    findings: { deployment: 'fail', webhook: 'warn' },
    printed: ['  aws cloudformation continue-update-rollback --region us-east-1 --stack-name Outrigger-prod'],
  },
  'a deployment under way': {
    place: { stacks: inState('UPDATE_IN_PROGRESS') },
    findings: { deployment: 'warn', webhook: 'warn' },
    printed: ['Outrigger-prod is in state UPDATE_IN_PROGRESS.'],
  },
  'Lambda that throttles': {
    place: { aws: { '/account-settings': jsonError(429, 'TooManyRequestsException', 'Rate exceeded') } },
    findings: { 'lambda-concurrency': 'unknown' },
    printed: [
      'lambda:GetAccountSettings failed: AWS throttles the calls of this account in the region (TooManyRequestsException: Rate exceeded).',
    ],
  },
  'a user who may not describe Auto Scaling groups': {
    place: { aws: { DescribeAutoScalingGroups: autoScalingError(403, 'AccessDenied', 'User: dev is not authorized') } },
    findings: {
      'node-groups': 'unknown',
      'managed-node-groups': 'unknown',
      'similar-groups': 'unknown',
      'launch-suspended': 'unknown',
      'az-rebalance': 'unknown',
      'capacity-rebalance': 'unknown',
      'max-instance-lifetime': 'unknown',
      'retained-instances': 'unknown',
      permissions: 'unknown',
    },
    printed: ['Denied: autoscaling:DescribeAutoScalingGroups.', 'Allow autoscaling:DescribeAutoScalingGroups to dev'],
  },
  'a user who may not read the quota of Lambda': {
    place: { aws: { '/account-settings': denied('lambda:GetAccountSettings') } },
    findings: { 'lambda-concurrency': 'unknown', permissions: 'unknown' },
    printed: ['Denied: lambda:GetAccountSettings.'],
  },
  'Lambda that fails': {
    place: { aws: { '/account-settings': jsonError(500, 'ServiceException', 'it broke') } },
    findings: { 'lambda-concurrency': 'unknown' },
    printed: ['lambda:GetAccountSettings failed: AWS answers with an error (ServiceException: it broke).'],
  },
};

const CLUSTERS: Readonly<Record<string, Row>> = {
  'no such cluster': {
    place: { cluster: null },
    findings: { cluster: 'fail', ...NO_CLUSTER },
    printed: ['There is no cluster prod in us-east-1.', '  aws eks list-clusters --region us-east-1'],
  },
  'a cluster that fails': {
    place: { cluster: { status: 'FAILED' } },
    findings: { cluster: 'fail' },
    printed: ['The cluster is FAILED.'],
  },
  'a cluster that is being updated': {
    place: { cluster: { status: 'UPDATING' } },
    findings: { cluster: 'warn' },
    printed: [
      'The cluster is UPDATING, with Kubernetes 1.33.',
      '  aws eks wait cluster-active --name prod --region us-east-1',
    ],
  },
  'an old Kubernetes': {
    place: { cluster: { version: '1.29' } },
    findings: { cluster: 'fail' },
    printed: ['The cluster has Kubernetes 1.29.', '--kubernetes-version 1.30'],
  },
  'an old Kubernetes that needs no webhook': {
    place: { cluster: { version: '1.29' } },
    settings: 'webhook: none',
    findings: { cluster: 'warn' },
    printed: ['Keep webhook: none until it is updated'],
  },
  'authentication by the ConfigMap alone': {
    place: { cluster: { accessConfig: { authenticationMode: 'CONFIG_MAP' } } },
    findings: { 'authentication-mode': 'fail' },
    printed: [
      '  aws eks update-cluster-config --name prod --region us-east-1 --access-config authenticationMode=API_AND_CONFIG_MAP',
    ],
  },
  'an endpoint for a few addresses': {
    place: { cluster: { resourcesVpcConfig: publicEndpoint(['203.0.113.0/24']) } },
    findings: { 'endpoint-access': 'fail' },
    printed: [
      'Public, but only from 203.0.113.0/24.',
      '    vpcId: vpc-0123456789abcdef0',
      '    subnetIds: [subnet-0123456789abcdef0, subnet-0123456789abcdef1]',
      '    securityGroupIds: [sg-0123456789abcdef0]',
      '--resources-vpc-config endpointPrivateAccess=true',
    ],
  },
  'a private endpoint': {
    place: WITH_PRIVATE_ENDPOINT,
    findings: { 'endpoint-access': 'fail' },
    printed: ['Private: it cannot be reached from outside the VPC of the cluster.'],
  },
  'a private endpoint, and functions in its VPC': {
    place: WITH_PRIVATE_ENDPOINT,
    settings: IN_VPC,
    findings: {},
    printed: ['Private, and the functions are in a VPC.'],
  },
  'functions in a VPC, and an endpoint for a few addresses': {
    place: { cluster: { resourcesVpcConfig: publicEndpoint(['203.0.113.0/24']) } },
    settings: IN_VPC,
    findings: { 'endpoint-access': 'warn' },
    printed: ['come from the address of its NAT gateway.'],
  },
  'egress that the user routes': {
    place: egress('CUSTOMER_ROUTED'),
    findings: { 'control-plane-egress': 'warn' },
    printed: ['CUSTOMER_ROUTED: webhooks are called through the subnets of the cluster.', '  webhook: none'],
  },
  'no egress': {
    place: egress('CUSTOMER_ISOLATED'),
    findings: { 'control-plane-egress': 'warn' },
    printed: ['CUSTOMER_ISOLATED: the control plane reaches nothing outside its VPC.'],
  },
  'no egress, and no webhook': {
    place: egress('CUSTOMER_ISOLATED'),
    settings: 'webhook: none',
    findings: {},
    printed: ['CUSTOMER_ISOLATED, and webhook: none.'],
  },
};

const GROUPS: Readonly<Record<string, Row>> = {
  'no tagged group': {
    place: { groups: [] },
    findings: { 'node-groups': 'fail' },
    printed: [
      'No Auto Scaling group in us-east-1 has the tags',
      'Key=k8s.io/cluster-autoscaler/enabled,Value=owned',
      'Key=k8s.io/cluster-autoscaler/prod,Value=owned',
    ],
  },
  'no group with both tags, and some with one of them': {
    place: { groups: [groupWith('half', ENABLED), groupWith('other', ENABLED, 'k8s.io/cluster-autoscaler/staging')] },
    findings: { 'node-groups': 'fail' },
    printed: [
      'has the tags k8s.io/cluster-autoscaler/enabled and k8s.io/cluster-autoscaler/prod.',
      'Some of the tags alone: half (lacks k8s.io/cluster-autoscaler/prod).',
      '  aws autoscaling create-or-update-tags --region us-east-1 --tags ResourceId=half,ResourceType=auto-scaling-group,Key=k8s.io/cluster-autoscaler/prod,Value=owned,PropagateAtLaunch=false',
    ],
  },
  'resources of Cluster API alone': {
    place: { groups: [], resources: [WEB] },
    settings: 'clusterApi: {autoScalingGroups: false}',
    findings: {},
    printed: ['1 group found: MachineDeployment/default/web.', 'Auto Scaling groups are no node groups'],
  },
  'resources of Cluster API, and no Auto Scaling group': {
    place: { groups: [], resources: [WEB] },
    settings: 'clusterApi: {}',
    findings: { 'node-groups': 'warn' },
    printed: ['No Auto Scaling group in us-east-1 has the tags'],
  },
  'no resource of Cluster API with bounds': {
    place: { ...BLUE, resources: [rawScalable('MachineDeployment', 'web', { annotations: {} })] },
    settings: 'clusterApi: {discovery: ["clusterapi:clusterName=c2"]}',
    findings: { 'cluster-api-groups': 'fail' },
    printed: [
      'No resource of cluster.x-k8s.io of clusterapi:clusterName=c2 has the annotations with its bounds.',
      '  kubectl annotate machinedeployments.cluster.x-k8s.io NAME cluster.x-k8s.io/cluster-api-autoscaler-node-group-min-size=1',
    ],
  },
  'a resource of Cluster API whose bounds cannot be read': {
    place: { ...BLUE, resources: [WEB, rawScalable('MachineDeployment', 'odd', { annotations: bounds('three', 5) })] },
    settings: 'clusterApi: {}',
    findings: { 'cluster-api-groups': 'warn' },
    printed: ['2 groups found; of these cannot be used: MachineDeployment/default/odd ('],
  },
  'a group that has one of the two tags, beside one that has both': {
    place: {
      groups: [
        groupXml('prod', 'workers'),
        groupWith('enabled-only', ENABLED),
        groupWith('named-only', 'k8s.io/cluster-autoscaler/prod'),
        groupWith('of-staging', ENABLED, 'kubernetes.io/cluster/staging'),
      ],
    },
    findings: { 'node-groups': 'warn' },
    printed: [
      '1 group found. Some of the tags alone: enabled-only (lacks k8s.io/cluster-autoscaler/prod), named-only (lacks k8s.io/cluster-autoscaler/enabled).',
      'ResourceId=enabled-only,ResourceType=auto-scaling-group,Key=k8s.io/cluster-autoscaler/prod',
    ],
  },
  'groups with both tags, and groups of another cluster': {
    place: { groups: [groupXml('prod', 'workers'), groupWith('theirs', ENABLED, 'k8s.io/cluster-autoscaler/staging')] },
    findings: {},
    printed: ['1 group found: workers.'],
  },
  'groups with one of the tags of the settings, beside one that has all': {
    place: { groups: [groupWith('a', 'team', 'env'), groupWith('b', 'team')] },
    settings: 'discovery: {tags: [team, env]}',
    findings: {},
    printed: ['1 group found: a.'],
  },
  'no group with the tags of the settings': {
    place: { groups: [] },
    settings: 'discovery: {tags: [team=web]}',
    findings: { 'node-groups': 'fail' },
    printed: ['has the tags team=web.', 'Key=team,Value=web'],
  },
  'a named group that does not exist': {
    place: {},
    settings: 'discovery: {nodes: ["1:10:workers", "0:5:others"]}',
    findings: { 'node-groups': 'fail' },
    printed: ['there is no Auto Scaling group others.'],
  },
  'a group that counts weights': {
    place: { groups: [groupXml('prod', 'weighted', { DesiredCapacityType: 'vcpu' })] },
    findings: { 'node-groups': 'warn' },
    printed: ['weighted (its desired capacity counts vcpu, not instances'],
  },
  'a group with an instance that was retained': {
    place: {
      groups: [
        groupXml('prod', 'kept', {
          Instances: [
            {
              InstanceId: 'i-0123456789abcdef0',
              AvailabilityZone: 'us-east-1a',
              LifecycleState: 'Terminating:Retained',
            },
          ],
        }),
      ],
    },
    findings: { 'retained-instances': 'warn' },
    printed: [
      'Retained: i-0123456789abcdef0 (kept).',
      '  aws autoscaling terminate-instance-in-auto-scaling-group --region us-east-1 --instance-id i-0123456789abcdef0 --no-should-decrement-desired-capacity',
    ],
  },
  'a self-managed group of two zones': {
    place: { groups: [groupXml('prod', 'wide', { AvailabilityZones: ['us-east-1a', 'us-east-1b'] })] },
    findings: { 'az-rebalance': 'warn' },
    printed: [
      '  aws autoscaling suspend-processes --region us-east-1 --auto-scaling-group-name wide --scaling-processes AZRebalance',
    ],
  },
  'a self-managed group of two zones whose rebalancing is suspended': {
    place: {
      groups: [
        groupXml('prod', 'wide', {
          AvailabilityZones: ['us-east-1a', 'us-east-1b'],
          SuspendedProcesses: [{ ProcessName: 'AZRebalance' }],
        }),
      ],
    },
    findings: {},
    printed: ['No self-managed group of several zones is rebalanced.'],
  },
  'a self-managed group that AWS replaces instances of at rebalance recommendations': {
    place: {
      groups: [groupXml('prod', 'spot', { CapacityRebalance: true }), managed('blue', { CapacityRebalance: true })],
    },
    findings: { 'capacity-rebalance': 'warn' },
    printed: [
      'On in spot.',
      '  aws autoscaling update-auto-scaling-group --region us-east-1 --auto-scaling-group-name spot --no-capacity-rebalance',
    ],
  },
  'groups whose instances AWS replaces at an age': {
    place: {
      groups: [
        groupXml('prod', 'aging', { MaxInstanceLifetime: 604_800 }),
        groupXml('prod', 'ageless', { MaxInstanceLifetime: 0 }),
        managed('blue', { MaxInstanceLifetime: 604_800 }),
      ],
    },
    findings: { 'max-instance-lifetime': 'warn' },
    printed: [
      'Set in aging (7 days).',
      '  aws autoscaling update-auto-scaling-group --region us-east-1 --auto-scaling-group-name aging --max-instance-lifetime 0',
    ],
  },
  'groups of which one has no price': {
    place: PRICED,
    settings: 'options: {expander: price}',
    findings: { prices: 'warn' },
    printed: [
      'None is known of dear.',
      '--tags ResourceId=dear,ResourceType=auto-scaling-group,Key=outrigger.dev/price,Value=0.096,PropagateAtLaunch=false',
    ],
  },
  'groups of which one has no price, under a limit of their cost': {
    place: PRICED,
    settings: 'options: {maxCostPerHour: 5}',
    findings: { prices: 'warn' },
    printed: ['None is known of dear.'],
  },
  'a group without a price that limits its own cost': {
    place: pricedWith({
      Key: 'k8s.io/cluster-autoscaler/node-template/autoscaling-options/maxcostperhour',
      Value: '5',
    }),
    findings: { prices: 'warn' },
    printed: ['None is known of dear.'],
  },
  'a resource of Cluster API without a price': {
    place: { groups: [], resources: [WEB] },
    settings: 'clusterApi: {autoScalingGroups: false}\noptions: {consolidation: replace}',
    findings: { prices: 'warn' },
    printed: [
      'None is known of MachineDeployment/default/web.',
      '  kubectl annotate machinedeployments.cluster.x-k8s.io NAME outrigger.dev/price=0.096',
    ],
  },
  'groups without a price in a cluster that does not go by prices': {
    place: PRICED,
    findings: {},
    printed: ['No decision goes by prices.'],
  },
  'groups whose new nodes do not wait for their pods': {
    place: PRICED,
    settings: 'options: {plannedPlacement: true}',
    findings: { 'planned-placement': 'warn' },
    printed: [
      'New nodes of cheap, dear do not wait for their pods.',
      '  npx outrigger planned-placement add --cluster prod --region us-east-1 --yes',
    ],
  },
  'a group that launches nothing': {
    place: { groups: [groupXml('prod', 'halted', { SuspendedProcesses: [{ ProcessName: 'Launch' }] })] },
    findings: { 'launch-suspended': 'warn' },
    printed: [
      '  aws autoscaling resume-processes --region us-east-1 --auto-scaling-group-name halted --scaling-processes Launch',
    ],
  },
  'a managed node group that is being updated': {
    place: { groups: [managed('blue'), managed('green')], nodeGroups: { blue: { status: 'UPDATING' } } },
    findings: { 'managed-node-groups': 'warn' },
    printed: ['blue is UPDATING.', '2 groups found: eks-blue, eks-green.'],
  },
  'a managed node group whose nodes both EKS and Outrigger are to repair': {
    place: {
      groups: [managed('blue'), managed('green')],
      nodeGroups: { blue: { nodeRepairConfig: { enabled: true } } },
    },
    settings: 'options: {nodeRepair: replace}',
    findings: { 'managed-node-groups': 'warn' },
    printed: [
      'EKS repairs the nodes of blue (node auto repair): the option nodeRepair has no effect there.',
      '  aws eks update-nodegroup-config --cluster-name prod --region us-east-1 --nodegroup-name blue --node-repair-config enabled=false',
    ],
  },
  'a managed node group with node auto repair': {
    place: { groups: [managed('blue')], nodeGroups: { blue: { nodeRepairConfig: { enabled: true } } } },
    findings: {},
    printed: ['1, all ACTIVE.'],
  },
  'managed node groups at rest': {
    place: { groups: [managed('blue'), managed('green')] },
    findings: {},
    printed: ['2, all ACTIVE.'],
  },
  'a user who may not describe node groups': {
    place: { groups: [managed('blue')], aws: { 'node-groups': denied('eks:DescribeNodegroup') } },
    findings: { 'managed-node-groups': 'unknown', permissions: 'unknown' },
    printed: ['eks:DescribeNodegroup failed: access is denied'],
  },
};

const KUBERNETES: Readonly<Record<string, Row>> = {
  'Cluster Autoscaler beside a deployment that observes': {
    place: { deployments: [autoscaler(1)], status: fresh },
    findings: { 'cluster-autoscaler': 'warn' },
    printed: [
      'Running for the same groups: kube-system/cluster-autoscaler.',
      'scale deployment cluster-autoscaler --replicas=0',
    ],
  },
  'Cluster Autoscaler beside a deployment that acts': {
    place: { deployments: [autoscaler(1)] },
    settings: 'mode: act',
    findings: { 'cluster-autoscaler': 'fail' },
    printed: [
      'Cluster prod in us-east-1, mode act',
      '  kubectl -n kube-system scale deployment cluster-autoscaler --replicas=0',
    ],
  },
  'Cluster Autoscaler beside a stack that acts': {
    place: {
      deployments: [autoscaler(1)],
      stacks: {
        ...BOOTSTRAPPED,
        'Outrigger-prod': { status: 'CREATE_COMPLETE', outputs: { Mode: 'act: they are carried out' } },
      },
    },
    findings: { 'cluster-autoscaler': 'fail', webhook: 'warn' },
    printed: ['Running for the same groups'],
  },
  'Cluster Autoscaler by the same tags': {
    place: {
      deployments: [
        autoscaler(
          1,
          '--node-group-auto-discovery=asg:tag=k8s.io/cluster-autoscaler/enabled,k8s.io/cluster-autoscaler/prod',
        ),
      ],
    },
    settings: 'mode: act',
    findings: { 'cluster-autoscaler': 'fail' },
    printed: ['Running for the same groups'],
  },
  'Cluster Autoscaler for other groups': {
    place: {
      deployments: [
        autoscaler(
          1,
          '--nodes=1:10:others',
          '--node-group-auto-discovery=asg:tag=k8s.io/cluster-autoscaler/enabled,team',
        ),
      ],
      status: fresh,
    },
    settings: 'mode: act',
    findings: {},
    printed: ['None runs for these groups (kube-system/cluster-autoscaler with 1 replica).'],
  },
  'Cluster Autoscaler for the resources of Cluster API, which Outrigger scales too': {
    place: { deployments: [autoscaler(1, '--cloud-provider=clusterapi')], ...BLUE, resources: [WEB] },
    settings: 'mode: act\nclusterApi: {}',
    findings: { 'cluster-autoscaler': 'fail' },
    printed: [
      '1 group found: MachineDeployment/default/web.',
      'Running for the same groups: kube-system/cluster-autoscaler.',
    ],
  },
  'Cluster Autoscaler for the resources of Cluster API, which Outrigger leaves alone': {
    place: { deployments: [autoscaler(1, '--cloud-provider=clusterapi')], ...BLUE },
    settings: 'mode: act',
    findings: {},
    printed: ['None runs for these groups'],
  },
  'Cluster Autoscaler for Auto Scaling groups, which Outrigger leaves alone': {
    place: { deployments: [autoscaler(1, '--cloud-provider=aws')], ...BLUE, resources: [WEB] },
    settings: 'mode: act\nclusterApi: {autoScalingGroups: false}',
    findings: {},
    printed: ['None runs for these groups', 'Auto Scaling groups are no node groups'],
  },
  'Cluster Autoscaler in the management cluster, for the same resources': {
    place: {
      ...BLUE,
      management: {
        deployments: [
          autoscaler(
            1,
            '--cloud-provider=clusterapi',
            '--node-group-auto-discovery=clusterapi:clusterName=c2',
            '--node-group-auto-discovery=clusterapi:clusterName=c1',
          ),
        ],
        resources: [WEB],
      },
    },
    settings: `mode: act\n${MANAGED}`,
    findings: { 'cluster-autoscaler': 'fail' },
    printed: [
      'Running for the same groups in management cluster management: kube-system/cluster-autoscaler.',
      '  kubectl -n kube-system scale deployment cluster-autoscaler --replicas=0',
    ],
  },
  'autoscalers in the management cluster, for other clusters': {
    place: {
      ...BLUE,
      management: {
        deployments: [
          autoscaler(1, '--cloud-provider=clusterapi', '--node-group-auto-discovery=clusterapi:clusterName=c2'),
          autoscaler(0, '--cloud-provider=clusterapi'),
          autoscaler(1, '--cloud-provider=aws'),
        ],
        resources: [WEB],
      },
    },
    settings: `mode: act\n${MANAGED}`,
    findings: {},
    printed: ['1 group found: MachineDeployment/default/web.'],
  },
  'a user who may not change machines, and not read templates of infrastructure': {
    place: { ...BLUE, resources: [WEB], forbidden: ['patch machines', 'patch machinedeployments', 'list *'] },
    settings: 'clusterApi: {}',
    findings: { 'kubernetes-permissions': 'warn' },
    printed: [
      'outrigger local lacks: list *.infrastructure.cluster.x-k8s.io, patch machinedeployments.cluster.x-k8s.io/scale, patch machines.cluster.x-k8s.io.',
    ],
  },
  'a user who may not do anything to machines, which are no node groups': {
    place: { forbidden: ['patch machines', 'list machines'] },
    findings: {},
    printed: [],
  },
  'a user who may not read machines in the management cluster, and may in the cluster': {
    place: { ...BLUE, management: { resources: [WEB], forbidden: ['list machines', 'list nodes'] } },
    settings: MANAGED,
    findings: { 'kubernetes-permissions': 'warn' },
    printed: ['In management cluster management, outrigger local lacks: list machines.cluster.x-k8s.io.'],
  },
  'a role in the management cluster that may not change machines, which it need not while it observes': {
    place: { ...BLUE, management: { resources: [WEB], forbidden: ['patch machines'] } },
    settings: MANAGED_BY_ROLE,
    findings: {},
    printed: [],
  },
  'a role in the management cluster that may not change machines, which it must': {
    place: { ...BLUE, management: { resources: [WEB], forbidden: ['patch machines'] } },
    settings: `mode: act\n${MANAGED_BY_ROLE}`,
    findings: { 'kubernetes-permissions': 'warn' },
    printed: [
      'In management cluster management, the role lacks: patch machines.cluster.x-k8s.io.',
      'apply its output ManagementRbac there and run its output ManagementAccessEntries.',
    ],
  },
  'Cluster Autoscaler that was scaled to nothing': {
    place: { deployments: [autoscaler(0)], status: '2026-01-01 10:00:00 +0000 UTC' },
    settings: 'mode: act',
    findings: {},
    printed: ['with 0 replicas).'],
  },
  'Cluster Autoscaler elsewhere': {
    place: { status: fresh },
    settings: 'mode: act',
    findings: { 'cluster-autoscaler': 'fail' },
    printed: [
      'No Deployment of it was found, and its status was written',
      '  kubectl -n kube-system get configmap cluster-autoscaler-status',
    ],
  },
  'Deployments that may not be listed': {
    place: { refused: { '/deployments': 403 } },
    findings: { 'cluster-autoscaler': 'unknown' },
    printed: ['list deployments.apps failed', 'Allow list deployments.apps'],
  },
  Karpenter: {
    place: { nodePools: ['default', 'gpu'] },
    findings: { karpenter: 'warn' },
    printed: ['2 NodePools: default, gpu.'],
  },
  CapacityQuotas: {
    place: { capacityQuotas: { version: 'v1beta1', names: ['cluster-wide', 'gpus'] } },
    findings: { 'capacity-quotas': 'warn' },
    printed: ['2 CapacityQuotas: cluster-wide, gpus.'],
  },
  'CapacityQuotas that are kept to': {
    place: { capacityQuotas: { version: 'v1beta1', names: ['gpus'] } },
    settings: 'options: {capacityQuotas: true}',
    findings: {},
    printed: ['1 CapacityQuota: gpus. The option capacityQuotas is on.'],
  },
  'CapacityQuotas of an older version': {
    place: { capacityQuotas: { version: 'v1alpha1', names: ['cluster-wide'] } },
    findings: { 'capacity-quotas': 'warn' },
    printed: ['1 CapacityQuota: cluster-wide, served as v1alpha1.'],
  },
  'CapacityQuotas of an older version, with the option': {
    place: { capacityQuotas: { version: 'v1alpha1', names: ['cluster-wide'] } },
    settings: 'options: {capacityQuotas: true}',
    findings: { 'capacity-quotas': 'warn' },
    printed: ['1 CapacityQuota: cluster-wide, served as v1alpha1.'],
  },
  'groups that a label keeps apart, and one that is to be': {
    place: {
      groups: [withNode('a', 1), withNode('b', 2), withNode('spot', 3)],
      nodes: [
        workerOf(1, { team: 'x' }),
        workerOf(2, { team: 'y' }),
        workerOf(3, { team: 'x', 'eks.amazonaws.com/capacityType': 'SPOT' }),
      ],
    },
    findings: { 'similar-groups': 'warn' },
    printed: ['Not balanced, though nearly similar: a and b (label team).'],
  },
  'groups that a label keeps apart, which is ignored': {
    place: {
      groups: [withNode('a', 1), withNode('b', 2)],
      nodes: [workerOf(1, { team: 'x' }), workerOf(2, { team: 'y' })],
    },
    settings: 'options: {balancingIgnoreLabel: [team]}',
    findings: {},
    printed: ['No two groups differ in one label or resource alone.'],
  },
  'nodes that a dead autoscaler left marked': {
    place: { nodes: [node('a', removal(60)), node('b', candidate), node('c', removal(2)), node('d')] },
    findings: { 'leftover-taints': 'warn' },
    printed: [
      'On 2 nodes: a, b.',
      '  kubectl taint node a ToBeDeletedByClusterAutoscaler:NoSchedule-',
      '  kubectl taint node b DeletionCandidateOfClusterAutoscaler:PreferNoSchedule-',
    ],
  },
  'an unneeded node of a live autoscaler': {
    place: { nodes: [node('b', candidate)], deployments: [autoscaler(1)] },
    findings: { 'cluster-autoscaler': 'warn' },
    printed: ['None on 1 node.'],
  },
  'an unneeded node of a deployment': {
    place: { nodes: [node('b', candidate)], ...IS_DEPLOYED, webhook: [ITS_URL] },
    findings: {},
    printed: ['None on 1 node.'],
  },
  'an API server that cannot be reached': {
    place: { unreachable: true },
    findings: { 'api-server': 'warn', ...NOTHING_READ },
    printed: ['The API server does not answer:', 'Run this where the endpoint of the cluster can be reached'],
  },
  'a kubeconfig of the cluster': { place: { byKubeconfig: { endpoint: null } }, findings: {}, printed: ['answers.'] },
  'a kubeconfig of another cluster': {
    place: { byKubeconfig: { endpoint: 'https://abc.gr7.us-east-1.eks.amazonaws.com' } },
    findings: { 'api-server': 'warn' },
    printed: ['and cluster prod is at abc.gr7.us-east-1.eks.amazonaws.com.', '  kubectl config get-contexts'],
  },
  'a kubeconfig, and a user who may not describe the cluster': {
    place: {
      byKubeconfig: { endpoint: null },
      aws: { clusters: denied('eks:DescribeCluster') },
      nodePools: ['default'],
    },
    findings: {
      permissions: 'unknown',
      cluster: 'unknown',
      'authentication-mode': 'unknown',
      'endpoint-access': 'unknown',
      'control-plane-egress': 'unknown',
      karpenter: 'warn',
    },
    printed: ['Denied: eks:DescribeCluster.', '1 NodePool: default.'],
  },
  'a user without an access entry': {
    place: { refused: { '/': 401 } },
    findings: { 'api-server': 'warn', ...NOTHING_READ },
    printed: [
      'The API server does not accept the user',
      '  aws eks create-access-entry --cluster-name prod --region us-east-1',
    ],
  },
  'a user who may not read everything': {
    place: { forbidden: ['list csinodes', 'create clusterroles'] },
    findings: { 'kubernetes-permissions': 'warn' },
    printed: ['outrigger local lacks: list csinodes.storage.k8s.io.', 'create clusterroles.rbac.authorization.k8s.io.'],
  },
  'a user of another partition who may not read everything': {
    place: {
      forbidden: ['list csinodes'],
      cluster: { arn: 'arn:aws-us-gov:eks:us-gov-west-1:123456789012:cluster/prod' },
    },
    findings: { 'kubernetes-permissions': 'warn' },
    printed: ['--policy-arn arn:aws-us-gov:eks::aws:cluster-access-policy/AmazonEKSClusterAdminPolicy'],
  },
  'a webhook of a deployment that is gone': {
    place: { webhook: ['https://old.lambda-url.us-east-1.on.aws/secret/prod'] },
    findings: { webhook: 'warn' },
    printed: [
      'outrigger-prod exists, to old.lambda-url.us-east-1.on.aws',
      '  kubectl delete validatingwebhookconfiguration outrigger-prod',
    ],
  },
  'a deployment without its webhook': {
    place: IS_DEPLOYED,
    findings: { webhook: 'warn' },
    printed: ['outrigger-prod does not exist.', '--stack-name Outrigger-prod'],
  },
  'a deployment with its webhook': {
    place: { ...IS_DEPLOYED, webhook: [ITS_URL] },
    findings: {},
    printed: ['It points to the deployment, at new.lambda-url.us-east-1.on.aws, with a token that it accepts.'],
  },
  'a deployment that does not accept the token of its webhook': {
    place: { ...IS_DEPLOYED, webhook: [`${NEW}other/prod`] },
    findings: { webhook: 'fail' },
    printed: ['with a token that it does not accept.', '--stack-name Outrigger-prod'],
  },
  'a deployment with its webhook, which tells of nodes, too': {
    place: { ...IS_DEPLOYED, webhook: ['secret', 'rotated'].map((token) => `${NEW}${token}/prod`) },
    findings: {},
    printed: ['with a token that it accepts.'],
  },
  'a deployment whose webhook was given the token in one of its URLs': {
    place: { ...IS_DEPLOYED, webhook: ['secret', 'TOKEN'].map((token) => `${NEW}${token}/prod`) },
    findings: { webhook: 'fail' },
    printed: ['with a token that it does not accept.', 'with the token for each TOKEN:'],
  },
  'a deployment whose webhook leads elsewhere with one of its URLs': {
    place: {
      ...IS_DEPLOYED,
      webhook: ['new', 'old'].map((host) => `https://${host}.lambda-url.us-east-1.on.aws/secret/prod`),
    },
    findings: { webhook: 'fail' },
    printed: ['It points to old.lambda-url.us-east-1.on.aws'],
  },
  'a deployment whose webhook notifies of nothing': {
    place: { ...IS_DEPLOYED, webhook: [] },
    findings: { webhook: 'fail' },
    printed: ['It points to no URL'],
  },
  'a deployment whose webhook leads elsewhere': {
    place: { ...IS_DEPLOYED, webhook: ['https://old.lambda-url.us-east-1.on.aws/secret/prod'] },
    findings: { webhook: 'fail' },
    printed: [
      'It points to old.lambda-url.us-east-1.on.aws, and the deployment is at new.lambda-url.us-east-1.on.aws.',
    ],
  },
  'a deployment of an unknown address': {
    place: { stacks: inState('CREATE_COMPLETE'), webhook: ['https://old.lambda-url.us-east-1.on.aws/secret/prod'] },
    findings: { webhook: 'unknown' },
    printed: ['the stack has no output with its own address.'],
  },
};

const ROLE = 'arn:aws:iam::210987654321:role/outrigger';
const OTHER_ACCOUNT = `role: ${ROLE}\nexternalId: of-this-stack`;
const IN_OTHER_ACCOUNT = { arn: 'arn:aws:eks:us-east-1:210987654321:cluster/prod' };
const NOT_ASSUMED = {
  role: 'unknown',
  cluster: 'unknown',
  ...NO_CLUSTER,
  'node-groups': 'unknown',
  'managed-node-groups': 'unknown',
  'similar-groups': 'unknown',
  'launch-suspended': 'unknown',
  'az-rebalance': 'unknown',
  'capacity-rebalance': 'unknown',
  'max-instance-lifetime': 'unknown',
  prices: 'unknown',
  'planned-placement': 'unknown',
  'retained-instances': 'unknown',
} as const;

const ROLES: Readonly<Record<string, Row>> = {
  'a role that may be assumed, and what it needs': {
    place: { cluster: IN_OTHER_ACCOUNT },
    settings: OTHER_ACCOUNT,
    findings: {},
    printed: [
      'Cluster in account 210987654321, region us-east-1.',
      `${ROLE} is assumed for the cluster and its groups.`,
      'The role has all that the functions need.',
    ],
  },
  'a role that the user may not assume': {
    place: { aws: { AssumeRole: autoScalingError(403, 'AccessDenied', 'not authorized to perform: sts:AssumeRole') } },
    settings: OTHER_ACCOUNT,
    findings: { ...NOT_ASSUMED, permissions: 'unknown' },
    printed: [
      'sts:AssumeRole failed: access is denied (AccessDenied: not authorized to perform: sts:AssumeRole).',
      '  npx outrigger doctor --cluster prod --region us-east-1 --no-role',
      `Not checked: the role ${ROLE} was not assumed.`,
      'Denied: sts:AssumeRole.',
    ],
  },
  'a role, and credentials that have expired': {
    place: { aws: { AssumeRole: autoScalingError(403, 'ExpiredToken', 'The security token is expired') } },
    settings: OTHER_ACCOUNT,
    findings: { ...NOT_ASSUMED, credentials: 'fail' },
    printed: ['The security token is expired', 'Log in (aws sso login)'],
  },
  'a role that is no member of the group': {
    place: { cluster: IN_OTHER_ACCOUNT, forbidden: ['list pods', 'create clusterroles'] },
    settings: OTHER_ACCOUNT,
    findings: { 'kubernetes-permissions': 'warn' },
    printed: ['The role lacks: list pods.', 'run its output RoleAccessEntry and apply its output Rbac'],
  },
  'a role of a stack that observes, which evicts nothing': {
    place: { cluster: IN_OTHER_ACCOUNT, forbidden: ['create pods'] },
    settings: OTHER_ACCOUNT,
    findings: {},
    printed: ['The role has all that the functions need.'],
  },
  'a role of a stack that acts, and may not evict': {
    place: { cluster: IN_OTHER_ACCOUNT, forbidden: ['create pods'] },
    settings: `${OTHER_ACCOUNT}\nmode: act`,
    findings: { 'kubernetes-permissions': 'warn' },
    printed: ['The role lacks: create pods/eviction.'],
  },
  'a role, and a kubeconfig of a user who may not apply': {
    place: { cluster: IN_OTHER_ACCOUNT, byKubeconfig: { endpoint: null }, forbidden: ['create clusterroles'] },
    settings: OTHER_ACCOUNT,
    findings: { 'kubernetes-permissions': 'warn' },
    printed: ['kubectl apply for a deployment lacks: create clusterroles.rbac.authorization.k8s.io.'],
  },
  'a role, and no bootstrap in the account of the stack': {
    place: { cluster: IN_OTHER_ACCOUNT, stacks: {} },
    settings: OTHER_ACCOUNT,
    findings: { 'cdk-bootstrap': 'fail' },
    printed: ['  npx cdk bootstrap aws://ACCOUNT/us-east-1'],
  },
};

const unwrapped = (text: string): string => text.replaceAll(/\s+/g, ' ');

describe.each([
  ['accounts', ACCOUNTS],
  ['clusters', CLUSTERS],
  ['node groups', GROUPS],
  ['what is in the cluster', KUBERNETES],
  ['roles in the account of the cluster', ROLES],
])('%s', (_title, rows) => {
  it.each(Object.entries(rows))('%s', async (_name, { place, settings, findings, printed }) => {
    const ran = await runAgainst(place, settings ?? null);
    expect(ran.findings).toEqual(findings);
    expect(ran.code).toBe(Object.values(findings).includes('fail') ? 1 : 0);
    // Commands are not broken into lines; sentences are.
    const lacking = printed.filter((part) => !(part.startsWith('  ') ? ran.text : unwrapped(ran.text)).includes(part));
    expect(lacking).toEqual([]);
    expect(ran.text).not.toContain('/secret/');
  });
});

describe('outrigger doctor', () => {
  it('changes nothing', async () => {
    const { calls } = await runAgainst({ groups: [managed('blue')], nodePools: ['default'] });
    expect(calls.length).toBeGreaterThan(10);
    const changing = calls.filter(
      (call) =>
        !/^(?:Describe|GET )/.test(call) && call !== 'POST /apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
    );
    expect(changing).toEqual([]);
  });

  it('reads the cluster by the role, once assumed with the external ID, and the stack with the credentials of the user', async () => {
    const { signed } = await runAgainst({ cluster: IN_OTHER_ACCOUNT, groups: [managed('blue')] }, OTHER_ACCOUNT);
    const by = (accessKey: string): readonly string[] =>
      [...new Set(signed.flatMap((call) => (call.accessKey === accessKey ? [call.action] : [])))].toSorted();
    expect(by('ASIAASSUMED00000')).toEqual([
      'DescribeAutoScalingGroups',
      'GET /clusters/prod',
      'GET /clusters/prod/node-groups/blue',
    ]);
    expect(by('test')).toEqual(['AssumeRole', 'DescribeStacks', expect.stringContaining('account-settings')]);
    const assumed = signed.filter(({ action }) => action === 'AssumeRole').map(({ parameters }) => parameters);
    expect(assumed.map((asked) => [asked.get('RoleArn'), asked.get('ExternalId')])).toEqual([[ROLE, 'of-this-stack']]);
  });

  it.each([
    ['eu-west-1', 'functionUrl', 'ok'],
    ['me-central-1', 'functionUrl', 'fail'],
    ['me-central-1', 'httpApi', 'ok'],
  ] as const)('says of a webhook in %s by %s whether it can be created: %s', (region, webhook, status) => {
    const facts = { region: ok(region), settings: { webhook } } as unknown as Facts;
    expect(findingOf('function-urls', facts)).toMatchObject({ status });
  });

  it.each([
    ['eu-west-1', 'in the partition aws'],
    ['us-gov-west-1', 'price list'],
    ['cn-north-1', 'X-Ray'],
  ] as const)('says what is absent in the partition of %s: %s', (region, found) => {
    const facts = { region: ok(region) } as unknown as Facts;
    expect(findingOf('partition', facts)).toMatchObject({ status: 'ok', found: expect.stringContaining(found) });
  });

  it('assumes no role with --no-role', async () => {
    const { signed, findings } = await runAgainst({}, OTHER_ACCOUNT, false);
    expect(findings).toEqual({});
    expect(new Set(signed.map(({ accessKey }) => accessKey))).toEqual(new Set(['test']));
  });

  it('asks an API server that does not accept the user for nothing more', async () => {
    const { calls } = await runAgainst({ refused: { '/': 401 } });
    const paths = calls.filter((call) => / \/apis?\//.test(call));
    expect(new Set(paths)).toEqual(new Set(['POST /apis/authorization.k8s.io/v1/selfsubjectaccessreviews']));
  });

  it.each([
    ['a setting that does not exist', 'mod: act', /outrigger\.config\.yaml:3: .*mod/],
    ['another region', 'region: eu-west-1', /names no cluster prod in us-east-1/],
  ])('checks nothing with a configuration that has %s', async (_what, settings, complaint) => {
    const ran = await runAgainst({}, settings);
    expect(ran.code).toBe(2);
    expect(ran.text).toMatch(complaint);
    expect(ran.calls).toEqual([]);
  });

  it('has each finding with its remedy in JSON', async () => {
    const { document } = await runAgainst({ cluster: { accessConfig: { authenticationMode: 'CONFIG_MAP' } } });
    expect(document).toMatchObject({ cluster: 'prod', region: 'us-east-1', mode: 'observe' });
    expect(document.summary).toEqual({ ok: 29, warn: 0, fail: 1, unknown: 0 });
    expect(document.checks.map(({ id }) => id)).toEqual(CHECKS.map(({ id }) => id));
    expect(document.checks.find(({ status }) => status === 'fail')).toMatchObject({
      id: 'authentication-mode',
      found: 'The mode is CONFIG_MAP: the cluster has no access entries.',
      remedy: { lines: [expect.stringContaining('authenticationMode=API_AND_CONFIG_MAP')] },
    });
  });

  it('has a name, a rule and a reason for every check', () => {
    expect(new Set(CHECKS.map(({ id }) => id)).size).toBe(CHECKS.length);
    for (const { id, title, rule, why } of CHECKS) {
      expect(id).toMatch(/^[a-z-]+$/);
      expect(title.length).toBeLessThanOrEqual(30);
      expect(rule).toMatch(/\.$/);
      expect(why).toMatch(/\.$/);
    }
  });

  it('is documented as it is (npm run docs writes it)', async () => {
    expect(await readFile(new URL('../../../docs/doctor.md', import.meta.url), 'utf8')).toBe(doctorPage());
  });
});
