import type { Kube, KubeObject } from '../servers/kube.ts';

/** Names of the objects that ever had a mark, and of the objects that were ever being deleted or are gone. */
export interface MarkWatch {
  readonly marked: ReadonlySet<string>;
  readonly deleted: ReadonlySet<string>;
  stop(): Promise<void>;
}

interface Watched extends KubeObject {
  readonly metadata: {
    readonly name: string;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly deletionTimestamp?: string;
  };
  readonly spec?: { readonly taints?: readonly { readonly key: string }[] };
}

/**
 * Watches a collection from now on.
 *
 * @param mark the annotation of a Machine, or the taint of a Node.
 */
export function watchMarks(kube: Kube, path: string, mark: string): MarkWatch {
  const marked = new Set<string>();
  const deleted = new Set<string>();
  const known = new Set<string>();
  const stopped = new AbortController();
  const watching = kube.watch<Watched>(
    path,
    (objects) => {
      const there = new Set<string>();
      for (const { metadata, spec } of objects) {
        known.add(metadata.name);
        there.add(metadata.name);
        if (metadata.annotations?.[mark] !== undefined || spec?.taints?.some(({ key }) => key === mark) === true)
          marked.add(metadata.name);
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
