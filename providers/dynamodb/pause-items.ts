import { DeleteCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { inScopeOrder, isActive, type Pause } from '@outrigger/core/model/pause.ts';
import { epochMs } from '@outrigger/core/model/values/time.ts';
import type { PauseStore } from '@outrigger/core/ports/pause-store.ts';
import { storedPause } from '../schema/stored/pause.ts';
import type { Access, Item, PartitionAccess } from './access.ts';
import { call } from './call.ts';
import { isPauseOf, PAUSE_PREFIX, pauseKey } from './keys.ts';
import type { UnreadableItem } from './quarantine.ts';
import { itemsWithPrefix } from './query.ts';
import { readAttribute } from './stored-item.ts';

interface ReadPauses {
  readonly pauses: readonly Pause[];
  readonly unreadable: readonly UnreadableItem[];
}

/**
 * Reads the items of pauses.
 *
 * @param now DynamoDB deletes expired items within days, not at once
 */
export function readPauses(items: readonly Item[], now: number): ReadPauses {
  const { values, unreadable } = readAttribute(items, 'pause', storedPause);
  const pauses = values.map((pause): Pause => ({ ...pause, source: 'Command' }));
  return { pauses: inScopeOrder(pauses.filter((pause) => isActive(pause, epochMs(now)))), unreadable };
}

/** The items of all pauses of a cluster. */
const pauseItems = (access: PartitionAccess): Promise<readonly Item[]> =>
  itemsWithPrefix(access, `read the pauses of cluster ${access.cluster}`, PAUSE_PREFIX);

/** Pauses in the table of the state, one item each, which evaluations load with the state. */
export const pauseItemsIn = (access: Access): PauseStore => ({
  pauses: async (cluster, signal) => readPauses(await pauseItems({ ...access, cluster, signal }), Date.now()).pauses,

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
    const items = await pauseItems({ ...access, cluster, signal });
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
