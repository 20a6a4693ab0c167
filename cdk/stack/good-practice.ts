import { type CfnElement, Stack, Validations } from 'aws-cdk-lib';
import type { Function } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import type { ClusterSettings } from '../settings.ts';
import type { Functions } from './functions.ts';

/** What cdk-nag would have otherwise, and why it is as it is. */
export function acknowledgeExceptions(
  scope: Construct,
  { name: cluster, discovery }: ClusterSettings,
  { drain }: Pick<Functions, 'drain'>,
): void {
  const nodeGroups = `arn:<AWS::Partition>:eks:<AWS::Region>:<AWS::AccountId>:nodegroup/${cluster}/*`;
  const versions = (of: Function): string =>
    `<${Stack.of(scope).getLogicalId(of.node.defaultChild as CfnElement)}.Arn>:*`;
  Validations.of(scope).acknowledge(
    {
      id: 'AwsSolutions::AwsSolutions-IAM5[Resource::*]',
      reason:
        'Describe calls of EC2 and Auto Scaling, the price list and the writing of traces know no resources; changes of sizes and terminations are held to the cluster’s groups by a condition on their tags; and Lambda checks the rights to network interfaces on all of them.',
    },
    {
      id: `AwsSolutions::AwsSolutions-IAM5[Resource::${nodeGroups}]`,
      reason: 'The managed node groups of one cluster, whose names are not known here.',
    },
    {
      id: `AwsSolutions::AwsSolutions-IAM5[Resource::${versions(drain)}]`,
      reason: 'A durable function keeps the state of its own executions, whose names are not known here.',
    },
  );
  Validations.of(scope).acknowledge(
    ...(discovery?.nodes ?? []).map(({ name }) => ({
      id: `AwsSolutions::AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:autoscaling:<AWS::Region>:<AWS::AccountId>:autoScalingGroup:*:autoScalingGroupName/${name}]`,
      reason: 'One Auto Scaling group by its name; the identifier in its ARN is not known here.',
    })),
  );
}
