import { DeleteCommand, PutCommand, paginateQuery } from '@aws-sdk/lib-dynamodb';
import { inScopeOrder, isActive, type Pause } from '@outrigger/core/model/pause.ts';
import { partitionOf } from '@outrigger/core/model/table-keys.ts';
import type { ClusterName } from '@outrigger/core/model/values/names.ts';
import { epochMs } from '@outrigger/core/model/values/time.ts';
import type { PauseStore } from '@outrigger/core/ports/pause-store.ts';
import { storedPause } from '../schema/stored/pause.ts';
import type { Access, Item } from './access.ts';
import { call } from './call.ts';
import { isPauseOf, PAUSE_PREFIX, pauseKey } from './keys.ts';
import { findings, type Problem } from './quarantine.ts';

interface ReadPauses {
  readonly pauses: readonly Pause[];
  readonly unreadable: readonly { readonly sk: string; readonly problems: readonly Problem[] }[];
}

/**
 * Reads the items of pauses.
 *
 * @param now DynamoDB deletes expired items within days, not at once
 */
export function readPauses(items: readonly Item[], now: number): ReadPauses {
  const pauses: Pause[] = [];
  const unreadable: { readonly sk: string; readonly problems: readonly Problem[] }[] = [];
  for (const item of items) {
    const { data, error } = storedPause.safeParse(item['pause']);
    if (error === undefined) {
      pauses.push({ ...data, source: 'Command' });
    } else {
      unreadable.push({ sk: String(item['sk']), problems: [{ place: 'pause', reason: findings(error) }] });
    }
  }
  return { pauses: inScopeOrder(pauses.filter((pause) => isActive(pause, epochMs(now)))), unreadable };
}

/** The items of all pauses of a cluster. */
async function pauseItems(
  { client, table }: Access,
  cluster: ClusterName,
  signal: AbortSignal | undefined,
): Promise<readonly Item[]> {
  return await call({ what: `read the pauses of cluster ${cluster}`, table, signal }, async (http) => {
    const items: Item[] = [];
    const input = {
      TableName: table,
      ConsistentRead: true,
      KeyConditionExpression: 'pk = :pk AND begins_with(sk, :prefix)',
      ExpressionAttributeValues: { ':pk': partitionOf(cluster), ':prefix': PAUSE_PREFIX },
    };
    for await (const page of paginateQuery({ client }, input, http)) {
      items.push(...(page.Items ?? []));
    }
    return items;
  });
}

/** Pauses in the table of the state, one item each, which evaluations load with the state. */
export const pauseItemsIn = (access: Access): PauseStore => ({
  pauses: async (cluster, signal) => readPauses(await pauseItems(access, cluster, signal), Date.now()).pauses,

  addPause: async (cluster, pause, signal) => {
    const { client, table } = access;
    // DynamoDB deletes it some time after its end.
    const ttl = pause.until === null ? {} : { ttl: Math.ceil(pause.until / 1_000) };
    await call({ what: `pause cluster ${cluster}`, table, signal }, async (http) =>
      client.send(new PutCommand({ TableName: table, Item: { ...pauseKey(cluster, pause), pause, ...ttl } }), http),
    );
  },

  removePauses: async (cluster, group, signal) => {
    const { client, table } = access;
    const items = await pauseItems(access, cluster, signal);
    const found = items.filter(({ sk }) => group === null || isPauseOf(String(sk), group));
    for (const { pk, sk } of found) {
      await call({ what: `resume cluster ${cluster}`, table, signal }, async (http) =>
        client.send(new DeleteCommand({ TableName: table, Key: { pk, sk } }), http),
      );
    }
    const { pauses, unreadable } = readPauses(found, Date.now());
    return pauses.length + unreadable.length;
  },
});
