/**
 * A store for copies of lists that outlive the process that made them. Only the evaluations of one cluster have rights
 * to it, and what is read from it is checked all the same.
 */
export interface SnapshotStore {
  /**
   * The copy of this name; `null` where there is none.
   *
   * @throws Error, with a remedy, where the copy has more than `mostBytes`, or cannot be read
   */
  load(name: string, mostBytes: number, signal: AbortSignal): Promise<Uint8Array | null>;
  /** Replaces the copy of this name. */
  save(name: string, bytes: Uint8Array, signal: AbortSignal): Promise<void>;
  /** The place of the copy of this name, for messages. */
  placeOf(name: string): string;
}
