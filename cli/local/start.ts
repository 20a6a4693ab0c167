import { mapOptional, textIf } from '@outrigger/core/model/values/optional.ts';
import type { ClusterName } from '@outrigger/core/model/values/names.ts';
import type { Log } from '@outrigger/core/ports/observability.ts';
import { createDynamoDbClient } from '@outrigger/providers/dynamodb/client.ts';
import { createDynamoDbDrains } from '@outrigger/providers/dynamodb/drains.ts';
import { createDynamoDbHeartbeat } from '@outrigger/providers/dynamodb/heartbeat.ts';
import { createDynamoDbHistory } from '@outrigger/providers/dynamodb/history.ts';
import { createDynamoDbStore } from '@outrigger/providers/dynamodb/store.ts';
import { ensureTable } from '@outrigger/providers/dynamodb/table.ts';
import type { Transport } from '@outrigger/providers/kubernetes/client/transport.ts';
import { installLocalWebhook, type LocalWebhookTarget } from '@outrigger/providers/kubernetes/webhook.ts';
import { createMemoryDrains } from '@outrigger/providers/memory/drains.ts';
import { createMemoryHistory } from '@outrigger/providers/memory/history.ts';
import { createMemoryStore } from '@outrigger/providers/memory/store.ts';
import { connect } from '../live/connect.ts';
import type { EndpointSettings } from './endpoint/endpoint.ts';
import type { Flags } from './flags.ts';
import { type Listen, type LocalRun, type LocalSettings, runLocally, type WebhookFlag } from './run.ts';

/** Time limit for removing the webhook on exit. */
const REMOVAL_MS = 10_000;

/**
 * Connects to the cluster and to AWS, and starts to scale the cluster.
 *
 * @throws where the options cannot be read, the kubeconfig gives no connection, or the webhook cannot be installed
 */
export async function start(flags: Flags, log: Log): Promise<LocalRun> {
  const warn = (message: string): void => log.warn(message);
  const { cluster, region, server, transport, close } = await connect(flags, warn);
  const { name, options } = cluster;
  const run = await runLocally({
    cluster,
    ...(await storesFor(flags, region, log)),
    scheduleMs: flags.schedule,
    timeoutMs: flags.timeout,
    listen: listenFor(flags),
    webhook:
      flags.installWebhook === true
        ? webhookOver(transport, name, log, {
            replace: flags.replaceWebhook === true,
            schedulerUsers: flags.schedulerUser,
            readyNodes: options.plannedPlacement,
          })
        : null,
    dryRun: flags.dryRun ?? false,
    endpoint: endpointFor(flags),
    log,
  });
  const dryRun = textIf(flags.dryRun === true, ' (dry run: nothing is changed)');
  log.info(`Autoscaling cluster ${name} at ${server.origin}${dryRun}`);
  if (run.endpointUrl !== null) {
    log.info(
      `Metrics are at ${run.endpointUrl}metrics${textIf(flags.ui === true, `, the page is ${run.endpointUrl}`)}`,
    );
  }
  return {
    ...run,
    close: async () => {
      await run.close();
      close();
    },
  };
}

const webhookOver =
  (
    transport: Transport,
    cluster: ClusterName,
    log: Log,
    about: Pick<LocalWebhookTarget, 'schedulerUsers' | 'readyNodes' | 'replace'>,
  ): WebhookFlag =>
  async (target) => {
    const { name, remove } = await installLocalWebhook(transport, cluster, { ...target, ...about });
    return async () => {
      if ((await remove(AbortSignal.timeout(REMOVAL_MS))) === 'changed') {
        log.warn(`The webhook ${name} was changed by another client since it was installed, and is kept`);
      }
    };
  };

/** The region counts for a signature alone, where the endpoint is given. */
const ANY_REGION = 'us-east-1';

async function storesFor(
  { dynamodbEndpoint, table }: Flags,
  region: string | null,
  log: Log,
): Promise<Pick<LocalSettings, 'store' | 'drains' | 'history' | 'heartbeat'>> {
  if (dynamodbEndpoint === undefined) {
    return {
      store: createMemoryStore(),
      drains: createMemoryDrains(),
      history: createMemoryHistory(),
      heartbeat: null,
    };
  }
  const unreadable = (problem: object): void =>
    log.error('A stored item cannot be read and is ignored', { ...problem });
  const client = createDynamoDbClient({ region: region ?? ANY_REGION, endpoint: dynamodbEndpoint });
  await ensureTable(client, table);
  return {
    store: createDynamoDbStore({ client, table, onQuarantine: unreadable }),
    drains: createDynamoDbDrains({ client, table, onUnreadable: unreadable }),
    history: createDynamoDbHistory({ client, table, onUnreadable: unreadable }),
    heartbeat: createDynamoDbHeartbeat({ client, table }),
  };
}

/** Address of the page when no address is given: on this computer alone, at Cluster Autoscaler's port. */
const UI_ADDRESS = { host: '127.0.0.1', port: 8_085 };

/** With schedules longer than the limits of the health check, it waits for two evaluations. */
function endpointFor({ address, ui, schedule, maxInactivity, maxFailingTime }: Flags): EndpointSettings | null {
  if (address === undefined && ui !== true) {
    return null;
  }
  return {
    address: address ?? UI_ADDRESS,
    ui: ui ?? false,
    maxInactivityMs: Math.max(maxInactivity, 2 * schedule),
    maxFailingMs: Math.max(maxFailingTime, 2 * schedule),
  };
}

const listenFor = ({ listen, advertise }: Flags): Listen | null =>
  mapOptional(listen, (address) => ({ ...address, advertise: advertise ?? address.host })) ?? null;
