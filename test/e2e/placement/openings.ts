import type { V1Node } from '@kubernetes/client-node';
import { AWAITING_PODS_TAINT } from '../../../core/model/cluster/node.ts';
import { followChanges } from '../changes.ts';
import type { E2eCluster } from '../cluster.ts';

/** When a node that registered with the taint became ready, and when the taint was gone: `performance.now()`. */
interface Opening {
  readonly ready: number;
  readonly open: number | null;
}

const isReady = ({ status }: V1Node): boolean =>
  status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') === true;

const isClosed = ({ spec }: V1Node): boolean => spec?.taints?.some(({ key }) => key === AWAITING_PODS_TAINT) === true;

/** Watches nodes become ready and open, until stopped: nodes that are seen with the taint while they are ready. */
export function recordOpenings({ kube }: E2eCluster) {
  const seen = new Map<string, Opening>();
  const stop = followChanges<V1Node>(kube, '/api/v1/nodes', (nodes) => {
    const now = performance.now();
    for (const node of nodes) {
      const name = node.metadata?.name ?? '';
      const known = seen.get(name);
      if (known === undefined && isReady(node) && isClosed(node)) seen.set(name, { ready: now, open: null });
      if (known?.open === null && !isClosed(node)) seen.set(name, { ...known, open: now });
    }
  });
  return {
    stop,
    /**
     * How long the nodes kept the taint, in seconds, the shortest first; those that still have it up to now.
     *
     * @param since no time before this counts: nobody was there to open nodes.
     */
    held(since = 0): readonly number[] {
      const now = performance.now();
      return [...seen.values()]
        .map(({ ready, open }) => Math.max(0, (open ?? now) - Math.max(ready, since)) / 1_000)
        .toSorted((a, b) => a - b);
    },
  };
}

/** `median 0.41 s, p95 0.80 s, worst 1.02 s`, of times that are in order. */
export function spreadInWords(sorted: readonly number[]): string {
  const at = (share: number): string => `${(sorted[Math.ceil(share * sorted.length) - 1] ?? Number.NaN).toFixed(2)} s`;
  return `median ${at(0.5)}, p95 ${at(0.95)}, worst ${at(1)}`;
}
