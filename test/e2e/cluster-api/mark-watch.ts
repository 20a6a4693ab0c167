import type { Kube, KubeObject } from '../servers/kube.ts';

/** Machines by name: those that were ever marked for deletion, and those that were ever being deleted, or gone. */
export interface MarkWatch {
  readonly marked: ReadonlySet<string>;
  readonly deleted: ReadonlySet<string>;
  stop(): Promise<void>;
}

interface Marked extends KubeObject {
  readonly metadata: {
    readonly name: string;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly deletionTimestamp?: string;
  };
}

/**
 * Watches machines from now on.
 *
 * @param mark the annotation.
 */
export function watchMarks(kube: Kube, machinesPath: string, mark: string): MarkWatch {
  const marked = new Set<string>();
  const deleted = new Set<string>();
  const known = new Set<string>();
  const stopped = new AbortController();
  const watching = kube.watch<Marked>(
    machinesPath,
    (machines) => {
      const there = new Set<string>();
      for (const { metadata } of machines) {
        known.add(metadata.name);
        there.add(metadata.name);
        if (metadata.annotations?.[mark] !== undefined) marked.add(metadata.name);
        if (metadata.deletionTimestamp !== undefined) deleted.add(metadata.name);
      }
      for (const name of known) if (!there.has(name)) deleted.add(name);
      return false;
    },
    stopped.signal,
  );
  return {
    marked,
    deleted,
    async stop() {
      stopped.abort();
      await watching;
    },
  };
}
