import { present } from '@outrigger/core/model/values/present.ts';
import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { type Cluster, DescribeClusterCommand, DescribeNodegroupCommand, type EKSClient } from '@aws-sdk/client-eks';
import { GetAccountSettingsCommand, LambdaClient } from '@aws-sdk/client-lambda';
import pMap from 'p-map';
import { conventionOf, type Discovery } from '@outrigger/core/model/discovery.ts';
import { groupOption } from '@outrigger/core/model/node-group.ts';
import { defaultOptions, type Options } from '@outrigger/core/model/options.ts';
import {
  type AwsClients,
  type AwsCredentials,
  type ClientSettings,
  createAwsClients,
} from '@outrigger/providers/aws/api/clients.ts';
import type { ScalingGroup } from '@outrigger/providers/aws/groups/scaling-group.ts';
import { presentItems } from '@outrigger/core/model/values/optional.ts';
import type { DoctorSettings } from '../settings.ts';
import { factOf } from './fact.ts';
import type { Concurrency, EksCluster, ManagedGroup } from './facts.ts';

/** The clients of the services that are read. */
export interface DoctorClients extends AwsClients {
  readonly lambda: LambdaClient;
  readonly cloudFormation: CloudFormationClient;
  readonly destroy: () => void;
}

/** A user waits for the answers. */
const ATTEMPTS = 2;
const TIMEOUTS = {
  maxAttempts: ATTEMPTS,
  requestHandler: { connectionTimeout: 3_000, requestTimeout: 10_000, throwOnRequestTimeout: true },
} as const;

/**
 * Creates the clients. No I/O.
 *
 * @param session of the role in the account of the cluster; `null`: all is in one account
 */
export function createDoctorClients(settings: ClientSettings, session: AwsCredentials | null): DoctorClients {
  const clients = createAwsClients({
    attempts: ATTEMPTS,
    ...settings,
    ...present({ credentials: session }),
  });
  const { autoScaling, eks, ec2, pricing } = clients;
  const lambda = new LambdaClient({ ...TIMEOUTS, ...settings });
  const cloudFormation = new CloudFormationClient({ ...TIMEOUTS, ...settings });
  return {
    ...clients,
    lambda,
    cloudFormation,
    destroy: () => [autoScaling, eks, ec2, pricing, lambda, cloudFormation].forEach((client) => client.destroy()),
  };
}

const hasName = (error: unknown, name: string): error is Error => error instanceof Error && error.name === name;

/** @returns `null` where the region has no such cluster. */
export async function readEksCluster(eks: EKSClient, name: string): Promise<EksCluster | null> {
  try {
    const { cluster } = await eks.send(new DescribeClusterCommand({ name }));
    return toCluster(cluster ?? {});
  } catch (error) {
    if (hasName(error, 'ResourceNotFoundException')) {
      return null;
    }
    throw error;
  }
}

function toCluster({
  arn,
  status,
  version,
  accessConfig,
  endpoint,
  resourcesVpcConfig: vpc = {},
}: Cluster): EksCluster {
  return {
    partition: arn?.split(':')[1] ?? 'aws',
    account: arn?.split(':')[4] ?? '',
    status: status ?? '',
    version: version ?? '',
    // EKS reports the mode of every cluster; the first clusters had no other.
    authenticationMode: accessConfig?.authenticationMode ?? 'CONFIG_MAP',
    endpoint: endpoint ?? null,
    publicAccess: vpc.endpointPublicAccess ?? true,
    publicCidrs: vpc.publicAccessCidrs ?? [],
    privateAccess: vpc.endpointPrivateAccess ?? false,
    egress: vpc.controlPlaneEgressMode ?? 'AWS_MANAGED',
    vpcId: vpc.vpcId ?? '',
    subnetIds: vpc.subnetIds ?? [],
    securityGroupId: vpc.clusterSecurityGroupId ?? '',
  };
}

export async function readConcurrency(lambda: LambdaClient): Promise<Concurrency> {
  const { AccountLimit: limit } = await lambda.send(new GetAccountSettingsCommand({}));
  if (limit?.ConcurrentExecutions === undefined) {
    throw new Error('Lambda did not return the limit of the account');
  }
  return {
    quota: limit.ConcurrentExecutions,
    unreserved: limit.UnreservedConcurrentExecutions ?? limit.ConcurrentExecutions,
  };
}

/** The rules for the cluster's groups. */
export const discoveryOf = ({ cluster, discovery }: DoctorSettings): Discovery => discovery ?? conventionOf(cluster);

/** The managed node groups that these Auto Scaling groups belong to. */
export async function readNodeGroups(
  eks: EKSClient,
  groups: readonly ScalingGroup[],
  options: Partial<Options>,
): Promise<readonly ManagedGroup[]> {
  const all = { ...defaultOptions(), ...options };
  const managed = groups.flatMap(({ parsedTags: { managedNodeGroup, options: own } }) =>
    presentItems([managedNodeGroup]).map((group) => ({
      ...group,
      repairWanted: groupOption(all, { options: own }, 'nodeRepair') === 'replace',
    })),
  );
  return await pMap(
    managed,
    async ({ cluster, name, repairWanted }) => ({
      name,
      repairWanted,
      seen: await factOf('eks:DescribeNodegroup', async () => {
        const { nodegroup } = await eks.send(
          new DescribeNodegroupCommand({ clusterName: cluster, nodegroupName: name }),
        );
        return { status: nodegroup?.status ?? '', repairs: nodegroup?.nodeRepairConfig?.enabled === true };
      }),
    }),
    { concurrency: 5 },
  );
}
