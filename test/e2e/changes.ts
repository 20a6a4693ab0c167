import type { Kube, KubeObject } from './servers/kube.ts';

/** Is shown what a collection holds. */
type Note<T> = (objects: readonly T[]) => void;

/**
 * Shows what a collection holds at each change, until it is stopped. Only a diary: where the watch breaks off, what the test itself waits for
 * fails, too.
 *
 * @returns stops it.
 */
export function followChanges<T extends KubeObject>(kube: Kube, path: string, note: Note<T>): () => void {
  const stop = new AbortController();
  const goOn = (objects: readonly T[]): boolean => {
    note(objects);
    return false;
  };
  kube.watch<T>(path, goOn, stop.signal).catch(() => undefined);
  return () => stop.abort();
}
