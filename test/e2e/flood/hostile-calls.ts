import { randomUUID } from 'node:crypto';
import { newToken } from '../../../providers/kubernetes/webhook-token.ts';
import type { Call } from './ingest-sandbox.ts';

/** Review that an API server sends for a pod that found no node. */
export const reviewOf = (uid: string, padding = ''): string =>
  JSON.stringify({
    kind: 'AdmissionReview',
    apiVersion: 'admission.k8s.io/v1',
    request: {
      uid,
      kind: { group: 'events.k8s.io', version: 'v1', kind: 'Event' },
      operation: 'CREATE',
      userInfo: { username: 'system:kube-scheduler' },
      object: { reason: 'FailedScheduling', note: `0/3 nodes are available.${padding}` },
    },
  });

const MEGABYTE = 'x'.repeat(1_000_000);

/**
 * 10 000 calls of one who has recorded `recorded` and does not know how to write another: most without a valid token,
 * repetitions, bodies of a megabyte, and junk. All of them are mixed, in the same order each time.
 */
export function hostileCalls(recorded: Call, cluster: string): readonly Call[] {
  const { path, body } = recorded;
  const { uid } = (JSON.parse(body) as { readonly request: { readonly uid: string } }).request;
  const kinds: readonly (readonly [number, () => Call])[] = [
    // Their reviews are as good as any: only the token is not.
    [5_000, () => ({ path: `/${newToken()}/${cluster}`, body: reviewOf(randomUUID()) })],
    [500, () => ({ path: `${path.slice(0, -1)}x`, body: reviewOf(randomUUID()) })],
    [500, () => ({ path: `/${cluster}`, body: reviewOf(randomUUID()) })],
    [100, () => ({ path: `/${newToken()}/${cluster}`, body: reviewOf(randomUUID(), MEGABYTE) })],
    [2_800, () => recorded],
    [100, () => ({ path, body: reviewOf(uid, MEGABYTE) })],
    [500, () => ({ path, body: body.slice(0, -1) })],
    [500, () => ({ path, body: `${body}}` })],
  ];
  const calls = kinds.flatMap(([count, make]) => Array.from({ length: count }, make));
  // 7 919 is prime to 10 000: each call once.
  return calls.map((_call, index) => calls[(index * 7_919) % calls.length]!);
}
