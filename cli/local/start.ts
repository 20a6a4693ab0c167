import { readFileSync } from 'node:fs';
import { parse as parseYaml } from 'yaml';
import { type Options, defaultOptions } from '../../core/model/options.ts';
import { type ClusterName, clusterName } from '../../core/model/values/names.ts';
import type { DrainStore } from '../../core/ports/drain-store.ts';
import type { NodeGroups } from '../../core/ports/node-groups.ts';
import type { StateStore } from '../../core/ports/state-store.ts';
import { systemClock } from '../../functions/shared/clock.ts';
import { readOptions } from '../../functions/shared/options.ts';
import type { Log } from '../../functions/shared/world.ts';
import { createAutoScalingGroups } from '../../providers/aws/auto-scaling-groups.ts';
import { createDynamoDbClient } from '../../providers/dynamodb/client.ts';
import { createDynamoDbDrains } from '../../providers/dynamodb/drains.ts';
import { createDynamoDbStore } from '../../providers/dynamodb/store.ts';
import { ensureTable } from '../../providers/dynamodb/table.ts';
import { clusterAccessOver } from '../../providers/kubernetes/access.ts';
import { connectionOfKubeconfig } from '../../providers/kubernetes/auth/kubeconfig.ts';
import { createTransport, type Transport } from '../../providers/kubernetes/client/transport.ts';
import { applyWebhook, removeWebhook } from '../../providers/kubernetes/webhook.ts';
import { createMemoryDrains } from '../../providers/memory/drains.ts';
import { createMemoryStore } from '../../providers/memory/store.ts';
import type { Flags } from './flags.ts';
import { type Listen, type LocalRun, runLocally, type Webhook } from './run.ts';

/** Time limit for removing the webhook on exit. */
const REMOVAL_MS = 10_000;

/**
 * Connects to the cluster and to AWS, and starts to scale the cluster.
 *
 * @throws where the options cannot be read, the kubeconfig gives no connection, or the webhook cannot be installed
 */
export async function start(flags: Flags, log: Log): Promise<LocalRun> {
  const cluster = clusterName(flags.cluster);
  const options = optionsFrom(flags.options);
  const connection = await connectionOfKubeconfig({ file: flags.kubeconfig ?? null, context: flags.context ?? null });
  const transport = createTransport(connection);
  const warn = (message: string): void => log.warn(message);
  const run = await runLocally({
    cluster,
    options,
    ...clusterAccessOver(transport, { namespace: options.namespace, now: systemClock.now, warn }),
    groups: nodeGroupsFor(flags, cluster, options, warn),
    ...(await storesFor(flags, log)),
    scheduleMs: flags.schedule,
    timeoutMs: flags.timeout,
    listen: listenFor(flags),
    webhook: flags.installWebhook === true ? webhookOver(transport, cluster, flags.schedulerUser) : null,
    dryRun: flags.dryRun ?? false,
    log,
  });
  const dryRun = flags.dryRun === true ? ' (dry run: nothing is changed)' : '';
  log.info(`Autoscaling cluster ${cluster} at ${connection.server.origin}${dryRun}`);
  return {
    ...run,
    close: async () => {
      await run.close();
      transport.close();
    },
  };
}

const nodeGroupsFor = (
  { region, awsEndpoint }: Flags,
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

const webhookOver = (transport: Transport, cluster: ClusterName, schedulerUsers: readonly string[]): Webhook => ({
  install: async (target) => await applyWebhook(transport, cluster, { ...target, schedulerUsers }),
  remove: async () => await removeWebhook(transport, cluster, AbortSignal.timeout(REMOVAL_MS)),
});

async function storesFor(
  { dynamodbEndpoint, region, table }: Flags,
  log: Log,
): Promise<{ readonly store: StateStore; readonly drains: DrainStore }> {
  if (dynamodbEndpoint === undefined) {
    return { store: createMemoryStore(), drains: createMemoryDrains() };
  }
  const unreadable = (problem: object): void =>
    log.error('A stored item cannot be read and is ignored', { ...problem });
  const client = createDynamoDbClient({ region, endpoint: dynamodbEndpoint });
  await ensureTable(client, table);
  return {
    store: createDynamoDbStore({ client, table, onQuarantine: unreadable }),
    drains: createDynamoDbDrains({ client, table, onUnreadable: unreadable }),
  };
}

function optionsFrom(file: string | undefined): Options {
  if (file === undefined) {
    return defaultOptions();
  }
  let raw: unknown;
  try {
    raw = parseYaml(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new Error(`The options file ${file} cannot be read`, { cause: error });
  }
  return readOptions(raw, file);
}

const listenFor = ({ listen, advertise }: Flags): Listen | null =>
  listen === undefined ? null : { ...listen, advertise: advertise ?? listen.host };
