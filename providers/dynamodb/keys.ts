import { createHash } from 'node:crypto';
import type { ClusterName } from '../../core/model/names.ts';

/** Where one item is. */
export interface Key {
  readonly pk: string;
  readonly sk: string;
}

/** Sort keys from `INTENT#` to `STATE` are what an evaluation loads; history sorts before, broken items after. */
export const FIRST_LOADED = 'INTENT#';
export const LAST_LOADED = 'STATE';
export const DECISION_PREFIX = 'DECISION#';

export const partitionOf = (cluster: ClusterName): string => `CLUSTER#${cluster}`;

export const stateKey = (cluster: ClusterName): Key => ({ pk: partitionOf(cluster), sk: LAST_LOADED });

/** Padded, so that decisions sort in the order in which they were taken. */
export const decisionKey = (cluster: ClusterName, version: number): Key => ({
  pk: partitionOf(cluster),
  sk: `${DECISION_PREFIX}${String(version).padStart(12, '0')}`,
});

/** Where a state that could not be read is kept when the next one takes its place. */
export const unreadableStateKey = (cluster: ClusterName, version: number): Key => ({
  pk: partitionOf(cluster),
  sk: `UNREADABLE#STATE#${version}`,
});

/** Over so many items the intents of one commit are spread. Part of the stored format: never change it. */
export const SLOTS = 8;

/**
 * The item that holds an intent: `INTENT#<version>#<slot>`, told from the intent's id alone (`<version>-<group>`, or
 * `<version>.<n>-<group>` for a group's later ones).
 * A commit of three intents is about three items, a commit of five hundred is eight.
 */
export function intentsKey(cluster: ClusterName, id: string): Key {
  const decidedBy = /^[^-.]*/.exec(id)![0];
  const slot = createHash('sha256').update(id).digest()[0]! % SLOTS;
  return { pk: partitionOf(cluster), sk: `${FIRST_LOADED}${decidedBy}#${slot}` };
}
