import type { Item } from './access.ts';

/**
 * The stored items of the version that a commit replaces. They cannot change while that version is current: only
 * commits write slots, and add and remove intents, and each commit writes a new version.
 */
export interface ItemSet {
  readonly version: number;
  /** Token of the commit that wrote this version; `null` where it is unknown. */
  readonly token: string | null;
  /** The existing slots, by sort key. */
  readonly slots: ReadonlyMap<string, SlotSnapshot>;
  /** The items with intents, by sort key. */
  readonly intents: ReadonlyMap<string, IntentsSnapshot>;
  /** Items that could not be read in full: they are copied to another key before they are replaced. */
  readonly unreadable: readonly Item[];
  /** Items that a newer version has written, in words; if any exist, this version writes nothing. */
  readonly newer: readonly string[];
}

export interface SlotSnapshot {
  /** The version that wrote the slot last. */
  readonly version: number;
  /** Text of the slot's document; `null` where the slot has to be rewritten in any case. */
  readonly text: string | null;
}

export interface IntentsSnapshot {
  /** The version that wrote the item last; claims and ends of intents do not change it. */
  readonly version: number;
  /** The IDs of its intents, unreadable ones included. */
  readonly ids: readonly string[];
}
