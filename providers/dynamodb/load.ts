import { nonEmpty, present } from '@outrigger/core/model/values/present.ts';
import { firstItem, getExisting, itemAt } from '@outrigger/core/model/values/existing.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { byName, type ClusterName } from '@outrigger/core/model/values/names.ts';
import type { Intent, PersistedCluster } from '@outrigger/core/model/intent.ts';
import type { Access, Item } from './access.ts';
import { readIntentsItem, type StoredIntents } from './intents-item.ts';
import { INTENT_PREFIX, partitionOf } from '@outrigger/core/model/table-keys.ts';
import { FIRST_LOADED, LAST_LOADED, NOTICE_PREFIX, PAUSE_PREFIX, ROW_KINDS, rowKindOf } from './keys.ts';
import { readNotices } from './notice-items.ts';
import { readPauses } from './pause-items.ts';
import type { UnreadableItem } from './quarantine.ts';
import { type StateRow, type RowsByKind, withRows } from './rows.ts';
import { readSlotItem, type StoredSlot } from './slot-item.ts';
import type { ItemSet } from './snapshot.ts';
import { NO_STATE, readStateItem, type StoredState } from './state-item.ts';
import { queryItems } from './query.ts';
import { mapOptional } from '@outrigger/core/model/values/optional.ts';

/** Number of retries of a load that has read half a transaction, a state that lasts milliseconds. */
const LOOKS = 6;
/**
 * A transaction is limited to 100 items: 57 slots, 8 items of new intents, state and decision leave 33 for items whose
 * intents are settled. So no more than that many items with ended intents are loaded at a time.
 */
const MAX_SETTLED_ITEMS = 32;

/** A cluster as stored in the table. */
interface LoadedCluster {
  /** The pending intents, and as many ended ones as one commit can settle; later loads return the rest. */
  readonly persisted: PersistedCluster;
  /** The snapshot for a commit on this version. */
  readonly snapshot: ItemSet;
}

/** Loads a cluster with one consistent Query, and reports unreadable parts. */
export async function loadCluster(
  access: Access,
  cluster: ClusterName,
  signal: AbortSignal | undefined,
): Promise<LoadedCluster> {
  const { items, stored, doubtful } = await readWhole(access, cluster, signal);
  const found = new Map(items.map((item) => [skOf(item), item]));
  const root = found.get(LAST_LOADED);
  const belongs = (item: Item): boolean => stored.items === null || skOf(item) in stored.items;
  const held = items.filter((item) => isSlot(item) && belongs(item));
  const slots = await Promise.all(held.map(readSlotItem));
  const batches = items
    .filter((item) => isIntents(item) && (belongs(item) || stored.unlistedIntents))
    .map((item) => readIntentsItem(skOf(item), item));

  const now = Date.now();
  const notices = readNotices(items.filter(isNotice), now);
  const pauses = readPauses(items.filter(isPause), now);

  for (const { sk, problems } of [
    ...slots,
    ...batches,
    ...notices.unreadable,
    ...pauses.unreadable,
    { sk: LAST_LOADED, problems: stored.problems },
    ...doubtful,
  ]) {
    for (const { place, reason } of problems) {
      access.onQuarantine({ cluster, place: place === '' ? sk : `${sk} ${place}`, reason });
    }
  }

  const texts = new Map(slots.map(({ sk, text }) => [sk, text]));
  for (const { sk } of doubtful) {
    texts.delete(sk);
  }
  const newer = [{ sk: LAST_LOADED, ...stored }, ...slots].filter((one) => one.newer);
  return {
    persisted: {
      version: stored.version,
      state: withRows(stored.state, rowsIn(slots)),
      intents: loadable(batches),
      ...nonEmpty({ notices: notices.notices, pauses: pauses.pauses }),
    },
    snapshot: {
      version: stored.version,
      token: stored.token,
      slots: new Map(
        items
          .filter(isSlot)
          .map((item) => [skOf(item), { version: versionOf(item), text: texts.get(skOf(item)) ?? null }]),
      ),
      intents: new Map(batches.map(({ sk, ids }) => [sk, { version: versionOf(getExisting(found, sk)), ids }])),
      unreadable: [
        ...(root !== undefined && stored.problems.length > 0 ? [root] : []),
        ...held.filter((_, index) => itemAt(slots, index).problems.length > 0),
      ],
      newer: newer.map(({ sk, problems }) => `${sk} was ${firstItem(problems).reason}`),
    },
  };
}

/**
 * A Query is not isolated from transactions: a Query may read half of a transaction that is being written. The state
 * lists the items of its version, so half a transaction is detected, and the load repeated.
 */
async function readWhole(access: Access, cluster: ClusterName, signal: AbortSignal | undefined) {
  for (let look = 1; ; look++) {
    const items = await queryItems({ ...access, signal }, `load cluster ${cluster}`, {
      KeyConditionExpression: 'pk = :pk AND sk BETWEEN :first AND :last',
      ExpressionAttributeValues: { ':pk': partitionOf(cluster), ':first': FIRST_LOADED, ':last': LAST_LOADED },
    });
    const root = items.find((item) => skOf(item) === LAST_LOADED);
    const stored = root === undefined ? NO_STATE : await readStateItem(root);
    const doubtful = contradictions(stored, items);
    if (doubtful.length === 0 || look === LOOKS) {
      return { items, stored, doubtful };
    }
    await sleep(10 * 2 ** look, undefined, present({ signal }));
  }
}

/** Items that differ from the state's list. */
function contradictions(stored: StoredState, items: readonly Item[]): readonly UnreadableItem[] {
  const versions = new Map(items.map((item) => [skOf(item), versionOf(item)]));
  return Object.entries(stored.items ?? {}).flatMap(([sk, expected]) => {
    const version = versions.get(sk);
    if (version === expected) {
      return [];
    }
    const found = mapOptional(version, (other) => `version ${other}`) ?? 'nothing';
    const reason = `expected as version ${expected} wrote it, found ${found}`;
    return [{ sk, problems: [{ place: '', reason }] }];
  });
}

const skOf = ({ sk }: Item): string => String(sk);
/** 0 for items with intents that an older version wrote. */
const versionOf = ({ version }: Item): number => (typeof version === 'number' ? version : 0);
const isSlot = (item: Item): boolean => rowKindOf(skOf(item)) !== null;
const isNotice = (item: Item): boolean => skOf(item).startsWith(NOTICE_PREFIX);
const isPause = (item: Item): boolean => skOf(item).startsWith(PAUSE_PREFIX);
const isIntents = (item: Item): boolean => skOf(item).startsWith(INTENT_PREFIX);

function rowsIn(slots: readonly StoredSlot[]): RowsByKind {
  const byKind = Object.fromEntries(ROW_KINDS.map((kind) => [kind, new Map<string, StateRow>()])) as Record<
    (typeof ROW_KINDS)[number],
    Map<string, StateRow>
  >;
  for (const { kind, rows } of slots) {
    for (const [name, row] of rows) {
      byKind[kind].set(name, row);
    }
  }
  return byKind;
}

function loadable(batches: readonly StoredIntents[]): readonly Intent[] {
  let withEnded = 0;
  return batches
    .flatMap(({ intents }) => {
      if (intents.some(({ status }) => status !== 'pending')) {
        withEnded++;
      }
      return withEnded <= MAX_SETTLED_ITEMS ? intents : intents.filter(({ status }) => status === 'pending');
    })
    .sort((a, b) => byName(a.id, b.id));
}
