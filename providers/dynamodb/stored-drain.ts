import { abridged } from '@outrigger/core/drain/evicted-pod.ts';
import type { Drain } from '@outrigger/core/model/drain.ts';
import { byName, type PodKey } from '@outrigger/core/model/values/names.ts';
import { type Document, MAX_DOCUMENT_BYTES } from '../compressed/document.ts';
import { leaveOut } from './leave-out.ts';
import { mapOptional } from '@outrigger/core/model/values/optional.ts';

interface WrittenDrain {
  readonly document: Document;
  /** Pods that are abridged because the whole drain does not fit. */
  readonly abridged: readonly PodKey[];
}

/**
 * Writes a drain that fits one item. Where the whole does not fit, manifests of evicted pods are abridged, the largest
 * first: their replacements are then planned for only once they exist.
 *
 * @returns `null` where even that does not fit: with about a thousand pods with the longest names.
 */
export async function writeDrain(drain: Drain): Promise<WrittenDrain | null> {
  const largest = drain.evictions
    .filter((eviction) => eviction.abridged === undefined)
    .map(({ uid, pod, manifest }) => ({ uid, pod, size: JSON.stringify(manifest).length }))
    .sort((a, b) => b.size - a.size || byName(a.pod, b.pod) || byName(a.uid, b.uid));
  const written = await leaveOut(
    largest.map(({ size }) => size),
    (count) => JSON.stringify(withAbridged(drain, new Set(largest.slice(0, count).map(({ uid }) => uid)))),
    MAX_DOCUMENT_BYTES,
  );
  return mapOptional(written, ({ document, leftOut }) => ({
    document,
    abridged: largest.slice(0, leftOut).map(({ pod }) => pod),
  }));
}

const withAbridged = (drain: Drain, uids: ReadonlySet<string>): Drain => ({
  ...drain,
  evictions: drain.evictions.map((eviction) =>
    uids.has(eviction.uid) ? { ...eviction, ...abridged(eviction.manifest) } : eviction,
  ),
});
