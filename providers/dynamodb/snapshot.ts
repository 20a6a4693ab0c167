import type { Item } from './access.ts';

/**
 * What a commit has to know about the version that it replaces. While a version lasts this cannot change: only commits
 * write slots, add intents and take them away, and each of them makes another version.
 */
export interface Snapshot {
  readonly version: number;
  /** Of the commit that wrote this version; `null` where it cannot be told. */
  readonly token: string | null;
  /** The slots that there are, by sort key. */
  readonly slots: ReadonlyMap<string, SlotSnapshot>;
  /** The items that hold intents, by sort key. */
  readonly intents: ReadonlyMap<string, IntentsSnapshot>;
  /** Items that could not be read, or not wholly: they are kept under another key before they are replaced. */
  readonly unreadable: readonly Item[];
  /** Items that a newer version has written, in words; where there are any, this version writes nothing. */
  readonly newer: readonly string[];
}

export interface SlotSnapshot {
  /** The version that wrote it last. */
  readonly version: number;
  /** Its document; `null` where it has to be written anew, whatever it holds. */
  readonly text: string | null;
}

export interface IntentsSnapshot {
  /** The version that wrote it last; claims and ends do not count. */
  readonly version: number;
  /** What it holds, the ids of intents that could not be read included. */
  readonly ids: readonly string[];
}
