import type { V1Pod } from '@kubernetes/client-node';
import { followChanges } from '../changes.ts';
import type { E2eCluster } from '../cluster.ts';

/** Notes when each pod runs, until stopped. */
export function recordStarts({ kube, name }: E2eCluster) {
  const at = new Map<string, number>();
  const stop = followChanges<V1Pod>(kube, `/api/v1/namespaces/${name}/pods`, (pods) => {
    for (const { metadata, status } of pods) {
      const uid = metadata?.uid ?? '';
      if (status?.phase === 'Running' && !at.has(uid)) at.set(uid, performance.now());
    }
  });
  return {
    /** Seconds from a start until each pod ran, in order. */
    after: (start: number) => [...at.values()].map((time) => (time - start) / 1_000).toSorted((a, b) => a - b),
    stop,
  };
}
