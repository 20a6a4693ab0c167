import { AutoScalingClient } from '@aws-sdk/client-auto-scaling';
import { EKSClient } from '@aws-sdk/client-eks';
import { conventionOf } from '@outrigger/core/model/discovery.ts';
import { mapOptional } from '@outrigger/core/model/values/optional.ts';
import type { NodeGroupChanges } from '@outrigger/core/ports/node-groups.ts';
import { sdkSettings } from '@outrigger/providers/aws/api/clients.ts';
import { connectionOfEksCluster } from '@outrigger/providers/aws/api/eks-connection.ts';
import { createGroupChanges } from '@outrigger/providers/aws/groups/group-changes.ts';
import { createClusterApiChanges } from '@outrigger/providers/clusterapi/cluster-api-changes.ts';
import { renewingTransport } from '@outrigger/providers/kubernetes/client/renewing-transport.ts';
import type { Transport } from '@outrigger/providers/kubernetes/client/transport.ts';
import { changesOfCluster } from '@outrigger/providers/node-groups/changes-of-cluster.ts';
import { managementTransport } from '@outrigger/providers/node-groups/management-cluster.ts';
import type { AwsStack } from './aws-stack.ts';
import { systemClock } from './clock.ts';
import { clientSettings, clusterApiOf, discoveryOf } from './stack-settings.ts';

/**
 * Largest answer of the API server, in bytes, for functions with 512 MB of memory. They read single nodes, of whose pods and
 * budgets a page has a few MB, but eight answers may come at a time, and each takes twice its size while it is put together.
 */
const SMALL_ANSWERS = { maxBodyBytes: 16 * 1024 * 1024 };

/** To the API server of a stack's cluster, for functions that read little. */
export function smallTransport({ cluster, environment }: AwsStack): Transport {
  const eks = new EKSClient(sdkSettings(clientSettings(environment, cluster)));
  return renewingTransport(() => connectionOfEksCluster(eks, cluster), systemClock.now, SMALL_ANSWERS);
}

/** The changes to the node groups of a stack's cluster. No I/O. */
export function changesOnAws(stack: AwsStack): NodeGroupChanges {
  const { cluster, environment, services } = stack;
  const clusterApi = clusterApiOf(environment);
  const scaling = {
    client: new AutoScalingClient(sdkSettings(clientSettings(environment, cluster))),
    cluster,
    discovery: discoveryOf(environment) ?? conventionOf(cluster),
  };
  const { now } = systemClock;
  const there = { cluster, region: environment.AWS_REGION, now, options: SMALL_ANSWERS };
  return changesOfCluster(
    clusterApi?.autoScalingGroups === false ? null : createGroupChanges(scaling),
    mapOptional(clusterApi, ({ managementCluster, ...resources }) =>
      createClusterApiChanges({
        ...resources,
        cluster,
        inManagementCluster: managementCluster !== null,
        transport:
          mapOptional(managementCluster, (management) => managementTransport(management, there)) ??
          smallTransport(stack),
        warn: (message) => services.log.warn(message),
        now,
      }),
    ),
  );
}
