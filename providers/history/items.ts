import type { HistoryEntry, HistoryKind, HistoryPeriod } from '@outrigger/core/ports/decision-history.ts';
import type { ClusterName } from '@outrigger/core/model/values/names.ts';
import type { Document } from '../compressed/document.ts';

/** A decision as it is stored, without its scenario. */
export interface StoredEntry extends HistoryEntry {
  /** SHA-256 of the whole decision. */
  readonly digest: string;
  /** SHA-256 of the decision's story. */
  readonly story: string;
  readonly decision: Document;
  readonly settings: Document;
  /** Epoch seconds. */
  readonly ttl: number;
}

/** Bytes to be used up in an hour. */
interface HourSpending {
  readonly hour: number;
  readonly bytes: number;
  /** The bytes that may be used up in the hour. */
  readonly most: number;
  /** The end of the count, in epoch seconds. */
  readonly ttl: number;
}

/** The store of a history. */
export interface HistoryItems {
  /** The story of the latest decision of this kind; `null` before the first. */
  lastStory(cluster: ClusterName, kind: HistoryKind, signal?: AbortSignal): Promise<string | null>;
  /**
   * Counts bytes as used up in an hour, unless they would be more than `most` then.
   *
   * @returns whether they were counted
   */
  spend(cluster: ClusterName, spending: HourSpending, signal?: AbortSignal): Promise<boolean>;
  /** Writes the scenario first, if there is one, so that every entry with a scenario has it. */
  put(cluster: ClusterName, entry: StoredEntry, scenario: Uint8Array | null, signal?: AbortSignal): Promise<void>;
  /** The latest first. */
  list(cluster: ClusterName, period: HistoryPeriod, signal?: AbortSignal): Promise<readonly StoredEntry[]>;
  get(cluster: ClusterName, id: string, signal?: AbortSignal): Promise<StoredEntry | null>;
  scenario(cluster: ClusterName, id: string, signal?: AbortSignal): Promise<Uint8Array | null>;
}
