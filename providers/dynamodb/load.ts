import { setTimeout as sleep } from 'node:timers/promises';
import { paginateQuery } from '@aws-sdk/lib-dynamodb';
import { byName, type ClusterName } from '../../core/model/names.ts';
import type { Intent } from '../../core/model/ports.ts';
import type { Access, Item } from './access.ts';
import { call } from './call.ts';
import { readIntentsItem, type StoredIntents } from './intents-item.ts';
import { FIRST_LOADED, LAST_LOADED, partitionOf } from './keys.ts';
import { NO_STATE, readStateItem, type StoredState } from './state-item.ts';

/** How often a load looks again when it has seen half a transaction, which lasts milliseconds. */
const LOOKS = 6;
/**
 * A transaction takes 100 items: three are state, decision and a state set aside, 8 are new intents, and the others may
 * be settled. So no more than that many items with ended intents are loaded at a time.
 */
const MAX_SETTLED_ITEMS = 80;

/** The state and the intents of one cluster, as the table holds them. */
export interface StoredCluster {
  readonly stored: StoredState;
  /** The item that the state was read from; `null` where there is none. */
  readonly stateItem: Item | null;
  /** Pending ones, and as many ended ones as one commit can settle; the others come when those are gone. */
  readonly intents: readonly Intent[];
}

/** Loads a cluster with one consistent Query, and reports what it cannot read. */
export async function loadCluster(
  access: Access,
  cluster: ClusterName,
  signal: AbortSignal | undefined,
): Promise<StoredCluster> {
  const { stateItem, stored, batches, missing } = await readWhole(access, cluster, signal);
  for (const { sk, problems } of [...batches, { sk: LAST_LOADED, problems: stored.problems }]) {
    for (const { place, reason } of problems) {
      access.onQuarantine({ cluster, place: place === '' ? sk : `${sk} ${place}`, reason });
    }
  }
  for (const sk of missing) {
    access.onQuarantine({ cluster, place: sk, reason: `missing, though version ${stored.version} wrote it` });
  }
  return { stored, stateItem, intents: loadable(stored, batches) };
}

/** Everything that holds intents of a cluster. */
export async function readIntents(
  access: Access,
  cluster: ClusterName,
  signal: AbortSignal | undefined,
): Promise<readonly StoredIntents[]> {
  return intentsAmong(await query(access, cluster, signal));
}

/** A Query may see half of a transaction that is just being written; the state says what else it came with. */
async function readWhole(access: Access, cluster: ClusterName, signal: AbortSignal | undefined) {
  for (let look = 1; ; look++) {
    const items = await query(access, cluster, signal);
    const stateItem = items.find(({ sk }) => sk === LAST_LOADED) ?? null;
    const stored = stateItem === null ? NO_STATE : await readStateItem(stateItem);
    const batches = intentsAmong(items);
    const missing = stored.wrote.filter((sk) => !batches.some((batch) => batch.sk === sk));
    if (missing.length === 0 || look === LOOKS) {
      return { stateItem, stored, batches, missing };
    }
    await sleep(10 * 2 ** look, undefined, signal === undefined ? {} : { signal });
  }
}

async function query(
  { client, table }: Access,
  cluster: ClusterName,
  signal: AbortSignal | undefined,
): Promise<readonly Item[]> {
  return await call(
    `load cluster ${cluster}`,
    table,
    signal,
    () => false,
    async (http) => {
      const items: Item[] = [];
      const input = {
        TableName: table,
        ConsistentRead: true,
        KeyConditionExpression: 'pk = :pk AND sk BETWEEN :first AND :last',
        ExpressionAttributeValues: { ':pk': partitionOf(cluster), ':first': FIRST_LOADED, ':last': LAST_LOADED },
      };
      for await (const page of paginateQuery({ client }, input, http)) {
        items.push(...(page.Items ?? []));
      }
      return items;
    },
  );
}

const intentsAmong = (items: readonly Item[]): readonly StoredIntents[] =>
  items.filter(({ sk }) => sk !== LAST_LOADED).map((item) => readIntentsItem(String(item['sk']), item));

function loadable({ settled }: StoredState, batches: readonly StoredIntents[]): readonly Intent[] {
  const gone = new Set(settled);
  let withEnded = 0;
  return batches
    .flatMap(({ intents }) => {
      const here = intents.filter(({ id }) => !gone.has(id));
      if (here.some(({ status }) => status !== 'pending')) {
        withEnded++;
      }
      return withEnded <= MAX_SETTLED_ITEMS ? here : here.filter(({ status }) => status === 'pending');
    })
    .sort((a, b) => byName(a.id, b.id));
}
