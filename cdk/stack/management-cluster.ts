import { functionRole } from '../standard-function.ts';
import { Arn, CfnOutput, Stack } from 'aws-cdk-lib';
import { CfnAccessEntry } from 'aws-cdk-lib/aws-eks';
import type { PolicyStatementProps } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import { rolesFor } from '../../config/cluster-api.ts';
import { clusterApiRbac } from '@outrigger/providers/kubernetes/manifests/cluster-api.ts';
import type { ClusterSettings } from '../settings.ts';
import { accessEntryCommand, clusterApiGroups } from './access.ts';
import type { Functions } from './functions.ts';
import { reaching, trustPolicyFor } from './other-account.ts';

/** Rights of the functions on AWS to a separate management cluster. */
export function managementRights(
  scope: Construct,
  { clusterApi, region }: ClusterSettings,
): readonly PolicyStatementProps[] {
  const management = clusterApi?.managementCluster ?? null;
  if (management === null) {
    return [];
  }
  if (management.role !== null) {
    return [{ actions: ['sts:AssumeRole'], resources: [management.role] }];
  }
  const place = management.region === null || management.region === region ? {} : { region: management.region };
  const components = { service: 'eks', resource: 'cluster', resourceName: management.name, ...place };
  return [{ actions: ['eks:DescribeCluster'], resources: [Arn.format(components, Stack.of(scope))] }];
}

/**
 * Lets the functions into a management cluster that is another one: by access entries where the stack can make them, in its
 * own account and region, and else by a command in an output. What is to be applied there is an output too.
 */
export function describeManagementCluster(scope: Construct, cluster: ClusterSettings, functions: Functions): void {
  const { clusterApi, region, dryRun } = cluster;
  const management = clusterApi?.managementCluster ?? null;
  if (clusterApi === null || management === null) {
    return;
  }
  const { name, role } = management;
  new CfnOutput(scope, 'ManagementRbac', {
    description: `What the functions may do to the resources of Cluster API in ${name}: kubectl apply -f - with this there`,
    value: JSON.stringify({ apiVersion: 'v1', kind: 'List', items: clusterApiRbac(rolesFor(clusterApi), dryRun) }),
  });
  const stack = Stack.of(scope);
  const there = management.region ?? stack.region;
  if (role === null && (management.region === null || management.region === region)) {
    for (const [id, one, groups] of entries(functions, dryRun)) {
      new CfnAccessEntry(scope, `Management${id}`, {
        clusterName: name,
        principalArn: functionRole(one).roleArn,
        kubernetesGroups: [...groups],
        type: 'STANDARD',
      });
    }
    return;
  }
  if (role !== null) {
    new CfnOutput(scope, 'ManagementRoleTrust', {
      description: `Trust policy of ${role}: the functions of this stack may assume it`,
      value: trustPolicyFor(stack, reaching(functions), management.externalId),
    });
    new CfnOutput(scope, 'ManagementRolePermissions', {
      description: `Permissions policy of ${role}`,
      value: stack.toJsonString({
        Version: '2012-10-17',
        Statement: [{ Effect: 'Allow', Action: 'eks:DescribeCluster', Resource: clusterArn(name, there, role) }],
      }),
    });
  }
  const commands =
    role === null
      ? entries(functions, dryRun).map(([, one, groups]) =>
          accessEntryCommand(name, there, functionRole(one).roleArn, groups),
        )
      : [accessEntryCommand(name, there, role, clusterApiGroups('changes', dryRun))];
  new CfnOutput(scope, 'ManagementAccessEntries', {
    description: `Lets the functions into ${name}: to be run with credentials of its account`,
    value: commands.join(' && '),
  });
}

const entries = ({ scaleUp, scaleDown, drain, actuate }: Functions, dryRun: boolean) =>
  [
    ['AccessEntry', scaleUp, clusterApiGroups('reads', dryRun)],
    ['ScaleDownAccessEntry', scaleDown, clusterApiGroups('reads', dryRun)],
    ['DrainAccessEntry', drain, clusterApiGroups('changes', dryRun)],
    ['ActuateAccessEntry', actuate, clusterApiGroups('changes', dryRun)],
  ] as const;

/** A cluster in the account of a role. */
function clusterArn(name: string, region: string, role: string): string {
  const [, partition = 'aws', , , account = ''] = role.split(':');
  return Arn.format({ partition, service: 'eks', region, account, resource: 'cluster', resourceName: name });
}
