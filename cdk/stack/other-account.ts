import { functionRole } from '../standard-function.ts';
import { Arn, CfnOutput, Stack } from 'aws-cdk-lib';
import { PolicyDocument, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Function } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import type { ClusterSettings } from '../settings.ts';
import { accessEntryCommand, kubernetesGroups } from './access.ts';
import { type ClusterRights, takesNotices } from './cluster-rights.ts';
import type { Functions } from './functions.ts';
import { presentItems } from '@outrigger/core/model/values/optional.ts';

/** The functions that reach the API server. */
export const reaching = ({ scaleUp, scaleDown, drain, actuate }: Functions) => [scaleUp, scaleDown, drain, actuate];

/** The functions that assume the role of the cluster's account. */
export const assuming = (functions: Functions, cluster: ClusterSettings) =>
  presentItems([takesNotices(cluster) && functions.wake, ...reaching(functions)]);

/** The trust policy of a role in another account that these functions assume, in JSON. */
export const trustPolicyFor = (stack: Stack, trusted: readonly Function[], externalId: string | null): string =>
  stack.toJsonString({
    Version: '2012-10-17',
    Statement: [
      {
        Effect: 'Allow',
        // A principal that is a role would stop being it when the role is made again; its name does not.
        Principal: { AWS: Arn.format({ service: 'iam', region: '', resource: 'root' }, stack) },
        Action: 'sts:AssumeRole',
        Condition: {
          ArnEquals: { 'aws:PrincipalArn': trusted.map((one) => functionRole(one).roleArn) },
          StringEquals: externalId === null ? undefined : { 'sts:ExternalId': externalId },
        },
      },
    ],
  });

/**
 * Prints what the account of the cluster needs, which no stack in this account can make: the role's trust, its
 * permissions, and its access to the cluster.
 */
export function describeRole(
  scope: Construct,
  cluster: ClusterSettings,
  rights: ClusterRights,
  functions: Functions,
): void {
  const { name, role } = cluster;
  if (role === null) {
    return;
  }
  const stack = Stack.of(scope);
  new CfnOutput(scope, 'RoleTrust', {
    description: `Trust policy of ${role.arn}: the functions of this stack may assume it`,
    value: trustPolicyFor(stack, assuming(functions, cluster), role.externalId),
  });
  const statements = Object.values(rights).flatMap((part) => part.map((statement) => new PolicyStatement(statement)));
  new CfnOutput(scope, 'RolePermissions', {
    description: `Permissions policy of ${role.arn}`,
    value: stack.toJsonString(new PolicyDocument({ minimize: true, statements }).toJSON()),
  });
  new CfnOutput(scope, 'RoleAccessEntry', {
    description: `Lets ${role.arn} into the cluster: to be run with credentials of its account`,
    value: accessEntryCommand(name, stack.region, role.arn, kubernetesGroups(cluster)),
  });
}
