import { readFileSync } from 'node:fs';
import { parse as parseYaml } from 'yaml';
import { type Options, defaultOptions } from '../../core/model/options.ts';
import { type ClusterName, clusterName } from '../../core/model/values/names.ts';
import type { NodeGroups } from '../../core/ports/node-groups.ts';
import { systemClock } from '../../functions/shared/clock.ts';
import { readOptions } from '../../providers/scenario/read-options.ts';
import type { Cluster } from '../../functions/shared/world.ts';
import { createAutoScalingGroups } from '../../providers/aws/auto-scaling-groups.ts';
import { clusterAccessOver } from '../../providers/kubernetes/access.ts';
import { connectionOfKubeconfig } from '../../providers/kubernetes/auth/kubeconfig.ts';
import { createTransport, type Transport } from '../../providers/kubernetes/client/transport.ts';
import { whyUnreadable } from '../terminal/sources.ts';
import type { LiveFlags } from './flags.ts';

/** A cluster that can be read and written. */
export interface Connected {
  readonly cluster: Cluster;
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
  const options = optionsFrom(flags.options);
  const connection = await connectionOfKubeconfig({ file: flags.kubeconfig ?? null, context: flags.context ?? null });
  const transport = createTransport(connection);
  const access = clusterAccessOver(transport, { namespace: options.namespace, now: systemClock.now, warn });
  return {
    cluster: { name, provider: 'aws', options, ...access, groups: nodeGroupsFor(flags, name, options, warn) },
    server: connection.server,
    transport,
    close: () => transport.close(),
  };
}

const nodeGroupsFor = (
  { region, awsEndpoint }: LiveFlags,
  cluster: ClusterName,
  { expander }: Options,
  warn: (message: string) => void,
): NodeGroups =>
  createAutoScalingGroups({
    cluster,
    region,
    prices: expander.includes('price'),
    warn,
    now: systemClock.now,
    ...(awsEndpoint === undefined ? {} : { endpoint: awsEndpoint }),
  });

function optionsFrom(file: string | undefined): Options {
  if (file === undefined) {
    return defaultOptions();
  }
  let raw: unknown;
  try {
    raw = parseYaml(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new Error(`The options file ${file}: ${whyUnreadable(error)}`, { cause: error });
  }
  return readOptions(raw, file);
}
