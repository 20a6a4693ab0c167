import { DescribeClusterCommand, type EKSClient } from '@aws-sdk/client-eks';
import { eksTokens } from '../../kubernetes/auth/eks-token.ts';
import { type Connection, DEFAULT_TLS } from '../../kubernetes/client/connection.ts';
import { capabilitiesOf } from '../../schema/regions.ts';
import { callFailed } from './call-problem.ts';
import { present } from '@outrigger/core/model/values/present.ts';

/**
 * Connects to an EKS cluster with the credentials of the process: one `eks:DescribeCluster` for the endpoint and the
 * certificate authority, then tokens that are signed locally. Both outlive an invocation, so create it once per process.
 *
 * @throws Error when the cluster does not exist, or has no endpoint yet.
 */
export async function connectionOfEksCluster(
  client: EKSClient,
  name: string,
  now: () => Date = () => new Date(),
  signal?: AbortSignal,
): Promise<Connection> {
  const region = await client.config.region();
  const { cluster } = await describeCluster(client, name, region, signal);
  const endpoint = cluster?.endpoint;
  const ca = cluster?.certificateAuthority?.data;
  if (endpoint === undefined || ca === undefined) {
    throw new Error(
      `EKS cluster ${name} in ${region} has no endpoint (status ${cluster?.status ?? 'unknown'}). Try again once it is ACTIVE.`,
    );
  }
  return {
    server: new URL(endpoint),
    tls: { ...DEFAULT_TLS, ca: Buffer.from(ca, 'base64').toString('utf8') },
    token: eksTokens({
      cluster: name,
      region,
      dnsSuffix: capabilitiesOf(region).domain,
      credentials: () => client.config.credentials(),
      sha256: client.config.sha256,
      now,
    }),
    proxy: null,
  };
}

async function describeCluster(client: EKSClient, name: string, region: string, signal: AbortSignal | undefined) {
  try {
    return await client.send(new DescribeClusterCommand({ name }), present({ abortSignal: signal }));
  } catch (error) {
    signal?.throwIfAborted();
    throw callFailed(`DescribeCluster of EKS cluster ${name} in ${region}`, error);
  }
}
