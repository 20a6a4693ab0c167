import { hash } from 'node:crypto';
import type { ClusterName } from '../../core/model/values/names.ts';

/** Where one item is. */
export interface Key {
  readonly pk: string;
  readonly sk: string;
}

/**
 * Sort keys from `EVICTED#` to `STATE` are what an evaluation loads: slots of the state's rows, intents, and the state
 * itself, last. History (`DECISION#`) sorts before them, as everything else does that has a life of its own
 * (`DRAIN#`); broken items that were set aside come after.
 */
export const FIRST_LOADED = 'EVICTED#';
export const LAST_LOADED = 'STATE';
export const DECISION_PREFIX = 'DECISION#';
export const INTENT_PREFIX = 'INTENT#';

/**
 * What the state remembers something about, and over so many items the rows of each kind are spread: what changes with
 * one decision must fit one transaction (100 items) however much it is. A row is read wherever it is found, so that
 * with other numbers here it moves when the cluster is next committed.
 */
export const SLOTS_OF = { EVICTED: 4, GROUP: 16, INSTANCE: 4, NODE: 32, SHORTAGE: 1 } as const;

export type RowKind = keyof typeof SLOTS_OF;
export const ROW_KINDS = Object.keys(SLOTS_OF) as readonly RowKind[];

export const partitionOf = (cluster: ClusterName): string => `CLUSTER#${cluster}`;

export const stateKey = (cluster: ClusterName): Key => ({ pk: partitionOf(cluster), sk: LAST_LOADED });

/** Sort key of the item that holds the row of this name: `<kind>#<slot>`. */
export function slotOf(kind: RowKind, name: string): string {
  const slot = hash('sha256', name, 'buffer')[0]! % SLOTS_OF[kind];
  return `${kind}#${String(slot).padStart(2, '0')}`;
}

/** What an item with this sort key holds rows about; `null` for items of other kinds. */
export const rowKindOf = (sk: string): RowKind | null => ROW_KINDS.find((kind) => sk.startsWith(`${kind}#`)) ?? null;

/** Padded, so that decisions sort in the order in which they were taken. */
export const decisionKey = (cluster: ClusterName, version: number): Key => ({
  pk: partitionOf(cluster),
  sk: `${DECISION_PREFIX}${String(version).padStart(12, '0')}`,
});

/** Where an item that could not be read is kept when the commit on `version` writes another in its place. */
export const unreadableKey = (cluster: ClusterName, sk: string, version: number): Key => ({
  pk: partitionOf(cluster),
  sk: `UNREADABLE#${sk}#${version}`,
});

/** Over so many items the intents of one commit are spread. Part of the stored format: never change it. */
export const INTENT_SLOTS = 8;

/**
 * The item that holds an intent: `INTENT#<version>#<slot>`, told from the intent's id alone (`<version>-<group>`, or
 * `<version>.<n>-<group>` for a group's later ones).
 * A commit of three intents is about three items, a commit of five hundred is eight.
 */
export function intentsKey(cluster: ClusterName, id: string): Key {
  const decidedBy = /^[^-.]*/.exec(id)![0];
  const slot = hash('sha256', id, 'buffer')[0]! % INTENT_SLOTS;
  return { pk: partitionOf(cluster), sk: `${INTENT_PREFIX}${decidedBy}#${slot}` };
}
