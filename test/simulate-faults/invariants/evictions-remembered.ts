import type { NodeName } from '../../../core/model/values/names.ts';
import { type EpochMs, minutes } from '../../../core/model/values/time.ts';
import type { Invariant } from './invariant.ts';

/** The capacity of an evicted pod is held for ten minutes (docs/drain.md). Its eviction is known to the second evaluation after it. */
const HELD = { from: minutes(3), until: minutes(9) };

/** The capacity of a pod that a drain has evicted is reserved for the pod in its place: for ten minutes the state knows the pod. */
export const evictionsRemembered: Invariant = {
  name: 'evicted pods are remembered for ten minutes',
  assumes: ['skew'],
  watch: ({ world: { api, clock }, forgottenAt, strikes, orders }, violate, count) => {
    const evicted = new Map<string, { readonly pod: string; readonly node: NodeName; readonly at: EpochMs }>();
    return {
      event: (event) => {
        const pod = event.kind === 'PodEvicted' ? api.pods.get(event.pod) : undefined;
        if (event.kind === 'PodEvicted' && pod?.controller?.kind === 'ReplicaSet') {
          evicted.set(pod.uid, { pod: event.pod, node: event.node, at: event.at });
        }
      },
      committed: ({ state }) => {
        const known = new Set(state.recentEvictions.map(({ uid }) => uid));
        for (const [uid, { pod, node, at }] of evicted) {
          const age = clock.now() - at;
          if (age > HELD.until) {
            evicted.delete(uid);
          } else if (age > HELD.from) {
            const isArmed = Math.max(strikes.troubledUntil(), forgottenAt(), orders.lostAt()) < at;
            count(isArmed);
            if (isArmed && !known.has(uid)) {
              violate(
                `${pod} was evicted from ${node} ${Math.round(age / 1_000)} s ago, and the state does not know it`,
              );
            }
          }
        }
      },
    };
  },
};
