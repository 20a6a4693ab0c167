import { Stack, type StackProps } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { ClusterResources, type ClusterResourcesProps } from './cluster-resources.ts';

export interface OutriggerStackProps extends StackProps, ClusterResourcesProps {}

/**
 * The resources for one cluster. One stack per cluster: failures, rights of roles and deletions stay within the
 * cluster.
 */
export class OutriggerStack extends Stack {
  constructor(scope: Construct, id: string, { cluster, bundles, ...props }: OutriggerStackProps) {
    super(scope, id, props);
    // Under this id the logical ids are those of resources that are the stack's own, as in stacks that are deployed.
    new ClusterResources(this, 'Default', { cluster, bundles });
  }
}
