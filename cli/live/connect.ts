import type { Discovery } from '../../core/model/discovery.ts';
import { printable } from '../../core/model/values/printable.ts';
import { type ClusterName, clusterName } from '../../core/model/values/names.ts';
import type { NodeGroups } from '../../core/ports/node-groups.ts';
import { systemClock } from '../../functions/shared/clock.ts';
import type { Cluster } from '../../functions/shared/world.ts';
import { assumedRole } from '../../providers/aws/api/assumed-role.ts';
import { createAutoScalingGroups } from '../../providers/aws/auto-scaling-groups.ts';
import { clusterAccessOver } from '../../providers/kubernetes/access.ts';
import { connectionOfKubeconfig } from '../../providers/kubernetes/auth/kubeconfig.ts';
import { createTransport, type Transport } from '../../providers/kubernetes/client/transport.ts';
import type { LiveFlags } from './flags.ts';
import { type LiveSettings, liveSettings } from './settings.ts';

/** A cluster that can be read and written. */
export interface Connected {
  readonly cluster: Cluster;
  readonly region: string;
  readonly discovery: Discovery | null;
  /** Its API server. */
  readonly server: URL;
  readonly transport: Transport;
  readonly close: () => void;
}

/**
 * Connects to a cluster and to its node groups; nothing is read yet.
 *
 * @throws where the options cannot be read or the kubeconfig gives no connection
 */
export async function connect(flags: LiveFlags, warn: (message: string) => void): Promise<Connected> {
  if (flags.profile !== undefined) {
    // For the AWS clients, and for the programs that a kubeconfig starts to log in.
    process.env['AWS_PROFILE'] = flags.profile;
  }
  const name = clusterName(flags.cluster);
  const settings = liveSettings(flags, (message) => process.stderr.write(`${printable(message)}\n`));
  const { options } = settings;
  const connection = await connectionOfKubeconfig({ file: flags.kubeconfig ?? null, context: flags.context ?? null });
  const transport = createTransport(connection);
  const access = clusterAccessOver(transport, { namespace: options.namespace, now: systemClock.now, warn });
  return {
    cluster: { name, provider: 'aws', options, ...access, groups: nodeGroupsFor(settings, flags, name, warn) },
    region: settings.region,
    discovery: settings.discovery,
    server: connection.server,
    transport,
    close: () => transport.close(),
  };
}

const nodeGroupsFor = (
  { region, options, discovery, role }: LiveSettings,
  { awsEndpoint }: LiveFlags,
  cluster: ClusterName,
  warn: (message: string) => void,
): NodeGroups =>
  createAutoScalingGroups({
    cluster,
    region,
    discovery,
    prices: options.expander.includes('price'),
    warn,
    now: systemClock.now,
    ...(role === null ? {} : { credentials: assumedRole(role, cluster, region) }),
    ...(awsEndpoint === undefined ? {} : { endpoint: awsEndpoint }),
  });
