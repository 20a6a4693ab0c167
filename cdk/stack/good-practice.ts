import { type CfnElement, Stack, Validations } from 'aws-cdk-lib';
import type { Bucket } from 'aws-cdk-lib/aws-s3';
import type { Construct } from 'constructs';
import { snapshotPrefix } from '@outrigger/core/model/snapshot-keys.ts';
import { clusterName } from '@outrigger/core/model/values/names.ts';
import type { ClusterSettings } from '../settings.ts';

/** Exceptions to the rules of cdk-nag, with their reasons. */
export function acknowledgeExceptions(
  scope: Construct,
  { name: cluster, discovery }: ClusterSettings,
  snapshots: Bucket | null,
): void {
  const nodeGroups = `arn:<AWS::Partition>:eks:<AWS::Region>:<AWS::AccountId>:nodegroup/${cluster}/*`;
  const arnOf = ({ node }: Bucket): string => `<${Stack.of(scope).getLogicalId(node.defaultChild as CfnElement)}.Arn>`;
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
  );
  if (snapshots !== null) {
    Validations.of(scope).acknowledge(
      {
        id: `AwsSolutions::AwsSolutions-IAM5[Resource::${arnOf(snapshots)}/${snapshotPrefix(clusterName(cluster))}*]`,
        reason: 'The snapshots of one cluster, one for each kind of which there may be many objects.',
      },
      {
        id: 'AwsSolutions::AwsSolutions-S1',
        reason: 'Two functions alone may read and write the bucket, and what is in it is of use for ten minutes.',
      },
    );
  }
  Validations.of(scope).acknowledge(
    ...(discovery?.nodes ?? []).map(({ name }) => ({
      id: `AwsSolutions::AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:autoscaling:<AWS::Region>:<AWS::AccountId>:autoScalingGroup:*:autoScalingGroupName/${name}]`,
      reason: 'One Auto Scaling group by its name; the identifier in its ARN is not known here.',
    })),
  );
}
