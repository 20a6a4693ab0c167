import { EKSClient } from '@aws-sdk/client-eks';
import { present } from '@outrigger/core/model/values/present.ts';
import type { ClusterName } from '@outrigger/core/model/values/names.ts';
import type { EpochMs } from '@outrigger/core/model/values/time.ts';
import { assumedRole } from '../aws/api/assumed-role.ts';
import { sdkSettings } from '../aws/api/clients.ts';
import { connectionOfEksCluster } from '../aws/api/eks-connection.ts';
import { renewingTransport } from '../kubernetes/client/renewing-transport.ts';
import type { Transport, TransportOptions } from '../kubernetes/client/transport.ts';
import type { ManagementCluster } from '../schema/cluster-api.ts';
import { mapOptional } from '@outrigger/core/model/values/optional.ts';

interface ManagementAccess {
  /** The cluster that the nodes are of. */
  readonly cluster: ClusterName;
  readonly region: string;
  /** An endpoint for all services of AWS; absent: AWS' endpoints. */
  readonly endpoint?: string;
  readonly now: () => EpochMs;
  readonly options?: Partial<TransportOptions>;
}

/** Talks to an EKS cluster with the resources of Cluster API, by the credentials of the process or by a role. No I/O. */
export function managementTransport(
  { name, region, role, externalId }: ManagementCluster,
  access: ManagementAccess,
): Transport {
  const { cluster, endpoint, now, options } = access;
  const settings = sdkSettings({
    region: region ?? access.region,
    ...present({
      endpoint,
      credentials: mapOptional(role, (arn) => assumedRole({ arn, externalId }, cluster, access.region)),
    }),
  });
  const eks = new EKSClient(settings);
  return renewingTransport(() => connectionOfEksCluster(eks, name), now, options);
}
