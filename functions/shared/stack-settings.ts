import { AutoScalingClient } from '@aws-sdk/client-auto-scaling';
import { conventionOf, type Discovery } from '@outrigger/core/model/discovery.ts';
import type { ClusterName } from '@outrigger/core/model/values/names.ts';
import type { Terminations } from '@outrigger/core/ports/terminations.ts';
import { assumedRole } from '@outrigger/providers/aws/api/assumed-role.ts';
import { type ClientSettings, sdkSettings } from '@outrigger/providers/aws/api/clients.ts';
import { createTerminations } from '@outrigger/providers/aws/groups/terminations.ts';
import type { StackEnvironment } from '@outrigger/providers/aws/lambda/stack-environment.ts';
import { type ClusterApi, parseClusterApi } from '@outrigger/providers/schema/cluster-api.ts';
import { parseDiscovery } from '@outrigger/providers/schema/discovery.ts';
import { systemClock } from './clock.ts';
import { mapOptional } from '@outrigger/core/model/values/optional.ts';

/** Settings of AWS’ clients for a cluster: the region, and the role in the account of the cluster. */
export function clientSettings(environment: StackEnvironment, cluster: ClusterName): ClientSettings {
  const { AWS_REGION: region, OUTRIGGER_ROLE: arn, OUTRIGGER_ROLE_EXTERNAL_ID: externalId } = environment;
  if (arn === null) {
    return { region };
  }
  return { region, credentials: assumedRole({ arn, externalId }, cluster, region) };
}

/** The client for the Auto Scaling groups of a cluster. No I/O. */
export const autoScalingClient = (environment: StackEnvironment, cluster: ClusterName): AutoScalingClient =>
  new AutoScalingClient(sdkSettings(clientSettings(environment, cluster)));

/** The discovery of Auto Scaling groups; `null`: by convention. */
export const discoveryOf = ({ OUTRIGGER_DISCOVERY: written }: StackEnvironment): Discovery | null =>
  mapOptional(written, (text) => parseDiscovery(text, 'OUTRIGGER_DISCOVERY'));

/** The node groups of Cluster API; `null` where the cluster has none. */
export const clusterApiOf = ({ OUTRIGGER_CLUSTER_API: written }: StackEnvironment): ClusterApi | null =>
  mapOptional(written, (text) => parseClusterApi(text, 'OUTRIGGER_CLUSTER_API'));

/** The cluster's instances that Auto Scaling is about to end; absent without Auto Scaling groups. */
export function terminationsOf(
  environment: StackEnvironment,
  cluster: ClusterName,
  autoScaling: AutoScalingClient,
): Terminations | undefined {
  if (clusterApiOf(environment)?.autoScalingGroups === false) {
    return undefined;
  }
  return createTerminations(autoScaling, cluster, discoveryOf(environment) ?? conventionOf(cluster), systemClock.now);
}
