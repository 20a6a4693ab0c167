import type { SnapshotStore } from '../core/ports/snapshot-store.ts';

/** Snapshots in this process. A test may read and change `stored`. */
export function memorySnapshots(stored: Map<string, Uint8Array> = new Map()): SnapshotStore {
  return {
    async load(name, mostBytes) {
      const bytes = stored.get(name) ?? null;
      if (bytes !== null && bytes.length > mostBytes) {
        throw new Error(`it has ${bytes.length} bytes, and at most ${mostBytes} are read`);
      }
      return bytes;
    },
    async save(name, bytes) {
      stored.set(name, bytes);
    },
    placeOf: (name) => `memory:${name}`,
  };
}
