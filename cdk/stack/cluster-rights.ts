import { nonEmpty } from '@outrigger/core/model/values/present.ts';
import { Arn, type ArnComponents, ArnFormat, Stack } from 'aws-cdk-lib';
import type { PolicyStatementProps } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import { conventionOf, type DiscoveryTag } from '@outrigger/core/model/discovery.ts';
import { goesByPrices } from '@outrigger/core/model/goes-by-prices.ts';
import type { Options } from '@outrigger/core/model/options.ts';
import type { ClusterSettings } from '../settings.ts';
import { hasResources } from './access.ts';
import { presentItems } from '@outrigger/core/model/values/optional.ts';

/**
 * Rights of the functions to a cluster and its Auto Scaling groups: rights of their own, or rights of a role in the
 * account of the cluster.
 */
export type ClusterRights = Readonly<
  Record<'wake' | 'scaleUp' | 'scaleDown' | 'drain' | 'actuate', readonly PolicyStatementProps[]>
>;

export function clusterRights(scope: Construct, cluster: ClusterSettings): ClusterRights {
  const { name } = cluster;
  const arn = arnsOf(scope, cluster);
  const describeCluster = {
    actions: ['eks:DescribeCluster'],
    resources: [arn({ service: 'eks', resource: 'cluster', resourceName: name })],
  };
  // The labels and taints of managed node groups without nodes; and, before a node of one is removed, whether EKS is
  // updating the group.
  const describeNodegroups = {
    actions: ['eks:DescribeNodegroup'],
    resources: [arn({ service: 'eks', resource: 'nodegroup', resourceName: `${name}/*` })],
  };
  const zonalShifts = {
    actions: ['arc-zonal-shift:GetManagedResource'],
    // The service knows EKS clusters and Auto Scaling groups by this condition, and not as resources.
    resources: ['*'],
    conditions: {
      ArnLike: {
        'arc-zonal-shift:ResourceIdentifier': [...describeCluster.resources, groupArn('*', arn)],
      },
    },
  };
  const hasGroups = hasAutoScalingGroups(cluster);
  const evaluation: readonly PolicyStatementProps[] = presentItems([
    hasGroups && OBSERVATION,
    hasGroups && readsPrices(cluster) && PRICES,
    hasGroups && cluster.options['reservedCapacity'] === true && COMMITMENTS,
    describeCluster,
    hasGroups && describeNodegroups,
    hasGroups && zonalShifts,
  ]);
  const changes = (...actions: string[]): readonly PolicyStatementProps[] =>
    cluster.dryRun || !hasGroups ? [] : groupsOf(cluster, arn).map((groups) => ({ actions, ...groups }));
  return {
    // Whose instances a notice is about.
    wake: presentItems([takesNotices(cluster) && DESCRIBE_INSTANCES]),
    scaleUp: evaluation,
    scaleDown: presentItems([...evaluation, hasGroups && DESCRIBE_REFRESHES]),
    // A drain ends instances, or has their lifecycle hooks completed; it sets no sizes.
    drain: presentItems([
      hasGroups && DESCRIBE_GROUPS,
      describeCluster,
      ...changes(
        'autoscaling:CompleteLifecycleAction',
        'autoscaling:RecordLifecycleActionHeartbeat',
        'autoscaling:TerminateInstanceInAutoScalingGroup',
      ),
    ]),
    actuate: presentItems([
      hasGroups && DESCRIBE_GROUPS,
      // The function sets the sizes of resources of Cluster API.
      hasResources(cluster.clusterApi) && describeCluster,
      ...changes('autoscaling:SetDesiredCapacity', 'autoscaling:TerminateInstanceInAutoScalingGroup'),
    ]),
  };
}

/** Are there Auto Scaling groups among what the stack scales? */
export const hasAutoScalingGroups = ({ clusterApi }: ClusterSettings): boolean =>
  clusterApi?.autoScalingGroups !== false;

/**
 * Does the stack act on notices about instances? A stack that observes is only woken by notices, and Cluster API
 * handles its own.
 */
export const takesNotices = (cluster: ClusterSettings): boolean => !cluster.dryRun && hasAutoScalingGroups(cluster);

const readsPrices = ({ options }: ClusterSettings): boolean => {
  const { expander = [], consolidation = 'off', maxCostPerHour = 0 } = options as Partial<Options>;
  return goesByPrices({ expander, consolidation, maxCostPerHour });
};

/** EC2's and Auto Scaling's Describe calls and the price list know no resources: `*` is all that they can be given. */
const OBSERVATION: PolicyStatementProps = {
  actions: [
    'autoscaling:DescribeAutoScalingGroups',
    'autoscaling:DescribeLaunchConfigurations',
    'autoscaling:DescribeScalingActivities',
    'ec2:DescribeAvailabilityZones',
    'ec2:DescribeImages',
    'ec2:DescribeInstanceTypes',
    'ec2:DescribeLaunchTemplateVersions',
    'ec2:GetInstanceTypesFromInstanceRequirements',
  ],
  resources: ['*'],
};

/** For the expander `price`, for consolidation and for limits of the cost. */
const PRICES: PolicyStatementProps = {
  actions: ['ec2:DescribeSpotPriceHistory', 'pricing:GetProducts'],
  resources: ['*'],
};

/** With the option `reservedCapacity`. */
const COMMITMENTS: PolicyStatementProps = {
  actions: [
    'ec2:DescribeCapacityReservations',
    'ec2:DescribeReservedInstances',
    'savingsplans:DescribeSavingsPlanRates',
    'savingsplans:DescribeSavingsPlans',
  ],
  resources: ['*'],
};

const DESCRIBE_GROUPS: PolicyStatementProps = { actions: ['autoscaling:DescribeAutoScalingGroups'], resources: ['*'] };

const DESCRIBE_REFRESHES: PolicyStatementProps = {
  actions: ['autoscaling:DescribeInstanceRefreshes'],
  resources: ['*'],
};

const DESCRIBE_INSTANCES: PolicyStatementProps = {
  actions: ['autoscaling:DescribeAutoScalingGroups', 'autoscaling:DescribeAutoScalingInstances'],
  resources: ['*'],
};

type Arns = (components: ArnComponents) => string;

/** ARNs of resources in the account of the cluster, which is that of the role, if there is one. */
function arnsOf(scope: Construct, { role }: ClusterSettings): Arns {
  const [, partition, , , account] = role?.arn.split(':') ?? [];
  const place = partition === undefined || account === undefined ? {} : { partition, account };
  return (components) => Arn.format({ ...components, ...place }, Stack.of(scope));
}

/** Groups in one statement: its text stays readable, and the CDK distributes statements over policies. */
const STATEMENT = 20;

/** The resources and conditions of the cluster's groups and no others: a group has all of the tags, or one of the names. */
function groupsOf(
  { name, discovery }: ClusterSettings,
  arn: Arns,
): readonly Pick<PolicyStatementProps, 'resources' | 'conditions'>[] {
  const named = (discovery?.nodes ?? []).map((group) => groupArn(literal(group.name), arn));
  const chunks = Array.from({ length: Math.ceil(named.length / STATEMENT) }, (_, n) => ({
    resources: named.slice(n * STATEMENT, (n + 1) * STATEMENT),
  }));
  // By convention the tag of the cluster alone counts: a group that is not enabled any more still has drains to end.
  const tags = discovery?.tags ?? conventionOf(name).tags.slice(1);
  return tags.length === 0 ? chunks : [{ resources: ['*'], conditions: tagged(tags) }, ...chunks];
}

/** The ARN of Auto Scaling groups by a pattern of their names; the identifier in it is not known. */
const groupArn = (pattern: string, arn: Arns): string =>
  arn({
    service: 'autoscaling',
    resource: 'autoScalingGroup',
    resourceName: `*:autoScalingGroupName/${pattern}`,
    arnFormat: ArnFormat.COLON_RESOURCE_NAME,
  });

function tagged(tags: readonly DiscoveryTag[]): Record<string, Record<string, string>> {
  const conditions: Record<'Null' | 'StringEquals', [string, string][]> = { Null: [], StringEquals: [] };
  for (const { key, value } of tags) {
    if (value === null) {
      conditions.Null.push([tagKey(key), 'false']);
    } else {
      conditions.StringEquals.push([tagKey(key), literal(value)]);
    }
  }
  const used = Object.entries(nonEmpty(conditions));
  return Object.fromEntries(used.map(([operator, keys]) => [operator, Object.fromEntries(keys)]));
}

const tagKey = (key: string): string => `aws:ResourceTag/${key}`;

/** A text as IAM is to compare it: without variables and wildcards. */
const literal = (text: string): string => text.replaceAll(/[$*?]/g, '${$&}');
