import { firstItem } from '@outrigger/core/model/values/existing.ts';
import { hash } from 'node:crypto';
import { ARRIVED_PREFIX, INTENT_PREFIX, partitionOf } from '@outrigger/core/model/table-keys.ts';
import { type Notice, noticeContent } from '@outrigger/core/model/notice.ts';
import type { Pause } from '@outrigger/core/model/pause.ts';
import type { ClusterName, GroupName } from '@outrigger/core/model/values/names.ts';

/** The key of one item. */
export interface Key {
  readonly pk: string;
  readonly sk: string;
}

/**
 * An evaluation loads the sort keys from `EVICTED#` to `STATE`: slots of the state's rows, intents, notices, pauses, and last
 * the state itself. Events that have arrived (`ARRIVED#`), the heartbeat (`ALIVE`), history (`DECIDED…`, `DECISION#`) and drains (`DRAIN#`), which are
 * written independently, sort before them; quarantined items sort after.
 */
export const FIRST_LOADED = 'EVICTED#';
export const LAST_LOADED = 'STATE';
export const DECISION_PREFIX = 'DECISION#';

/**
 * The kinds of rows, and the number of items over which the rows of each kind are spread: the changes of one decision
 * must fit one transaction (100 items) however many there are. A row is read from whichever item contains it, so that
 * with other numbers here it moves when the cluster is next committed.
 */
export const SLOTS_OF = { EVICTED: 4, GROUP: 16, INSTANCE: 4, NODE: 32, SHORTAGE: 1 } as const;

export type RowKind = keyof typeof SLOTS_OF;
export const ROW_KINDS = Object.keys(SLOTS_OF) as readonly RowKind[];

export const stateKey = (cluster: ClusterName): Key => ({ pk: partitionOf(cluster), sk: LAST_LOADED });

/** Sort key of the item that contains the row of this name: `<kind>#<slot>`. */
export function slotOf(kind: RowKind, name: string): string {
  const slot = firstItem(hash('sha256', name, 'buffer')) % SLOTS_OF[kind];
  return `${kind}#${String(slot).padStart(2, '0')}`;
}

/** The kind of the rows in an item with this sort key; `null` for other items. */
export const rowKindOf = (sk: string): RowKind | null => ROW_KINDS.find((kind) => sk.startsWith(`${kind}#`)) ?? null;

/** Sort keys of notices begin with it. */
export const NOTICE_PREFIX = 'NOTICE#';

/**
 * The item of one notice. What it says is part of the key: the same notice is the same item, and another one about the
 * same instance is an item of its own, so that neither is read before it is written.
 */
export function noticeKey(cluster: ClusterName, notice: Notice): Key {
  const digest = hash('sha256', noticeContent(notice), 'hex').slice(0, 16);
  return { pk: partitionOf(cluster), sk: `${NOTICE_PREFIX}${notice.instance}#${digest}` };
}

/** Sort keys of pauses begin with it. */
export const PAUSE_PREFIX = 'PAUSE#';

/** The item of one pause: one of the same part and node group takes its place. */
export const pauseKey = (cluster: ClusterName, { part, group }: Pick<Pause, 'part' | 'group'>): Key => ({
  pk: partitionOf(cluster),
  sk: `${PAUSE_PREFIX}${part}#${group ?? ''}`,
});

/** Is it the sort key of a pause of this node group? Names of node groups may have a `#`, parts have none. */
export const isPauseOf = (sk: string, group: GroupName): boolean =>
  sk.slice(sk.indexOf('#', PAUSE_PREFIX.length) + 1) === group;

/** The item of an event that has arrived. */
export const arrivedKey = (cluster: ClusterName, id: string): Key => ({
  pk: partitionOf(cluster),
  sk: `${ARRIVED_PREFIX}${id}`,
});

/** The item of the heartbeat of `outrigger local`. It sorts before what an evaluation loads. */
export const heartbeatKey = (cluster: ClusterName): Key => ({ pk: partitionOf(cluster), sk: 'ALIVE' });

/** Padded, so that decisions sort in the order of their versions. */
export const decisionKey = (cluster: ClusterName, version: number): Key => ({
  pk: partitionOf(cluster),
  sk: `${DECISION_PREFIX}${String(version).padStart(12, '0')}`,
});

/** Sort keys of the history begin with it; `DECISION#` is the last decision of each version, whatever it says. */
export const DECIDED_PREFIX = 'DECIDED#';

const padded = (version: string): string => version.padStart(12, '0');

/** A decision of the history, by its version. */
export const decidedKey = (cluster: ClusterName, id: string): Key => ({
  pk: partitionOf(cluster),
  sk: `${DECIDED_PREFIX}${padded(id)}`,
});

/** The scenario of that decision: an item of its own, so that a list of decisions does not read it. */
export const decidedFromKey = (cluster: ClusterName, id: string): Key => ({
  pk: partitionOf(cluster),
  sk: `DECIDED-FROM#${padded(id)}`,
});

/** The bytes of history that were written in an hour. */
export const decidedBytesKey = (cluster: ClusterName, hour: number): Key => ({
  pk: partitionOf(cluster),
  sk: `DECIDED-BYTES#${hour}`,
});

/** The key under which an unreadable item is kept when the commit on `version` replaces it. */
export const unreadableKey = (cluster: ClusterName, sk: string, version: number): Key => ({
  pk: partitionOf(cluster),
  sk: `UNREADABLE#${sk}#${version}`,
});

/** Number of items over which the intents of one commit are spread. Part of the stored format: never change it. */
const INTENT_SLOTS = 8;

/**
 * The item that contains an intent: `INTENT#<version>#<slot>`, computed from the intent's ID alone
 * (`<version>-<group>`, or `<version>.<n>-<group>` for a group's later ones). A commit of three intents has about three
 * items, a commit of five hundred has eight.
 */
export function intentsKey(cluster: ClusterName, id: string): Key {
  const decidedBy = firstItem(id.split(/[-.]/, 1));
  const slot = firstItem(hash('sha256', id, 'buffer')) % INTENT_SLOTS;
  return { pk: partitionOf(cluster), sk: `${INTENT_PREFIX}${decidedBy}#${slot}` };
}
