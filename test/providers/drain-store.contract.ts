import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type Drain, drainId } from '../../core/model/drain.ts';
import { clusterName, groupName, instanceId, nodeName } from '../../core/model/values/names.ts';
import { keyOf } from '../../core/model/cluster/pod.ts';
import type { DrainStore } from '../../core/ports/drain-store.ts';
import { addTime, minutes, seconds } from '../../core/model/values/time.ts';
import { pod } from '../builders.ts';
import { NOW } from '../scenario-builders.ts';
import { NOON } from './state-store.contract.ts';

const LATER = addTime(NOW, seconds(30));

export const drainOf = (node: string, given: Partial<Drain> = {}): Drain => ({
  id: drainId('7-a', nodeName(node)),
  node: nodeName(node),
  nodeUid: `uid-of-${node}`,
  group: groupName('a'),
  instance: instanceId(`i-of-${node}`),
  kind: 'drain',
  phase: 'Tainting',
  createdAt: NOW,
  phaseSince: NOW,
  nextAt: NOW,
  taintAskedAt: null,
  evictions: [],
  terminateAskedAt: null,
  waitingFor: null,
  outcome: null,
  ...given,
});

/** With everything in it that a drain may remember. */
export function richDrain(): Drain {
  const evicted = pod('web-1', { requests: { cpu: '500m', memory: '1Gi' }, owner: 'ReplicaSet/web' });
  return drainOf('n1', {
    phase: 'RolledBack',
    // The table would let go of a drain of long ago by itself.
    phaseSince: NOON,
    taintAskedAt: NOW,
    terminateAskedAt: LATER,
    waitingFor: 'pod default/web-1 to end',
    together: 3,
    evictions: [
      {
        pod: keyOf(evicted),
        uid: evicted.uid,
        manifest: evicted,
        graceSeconds: 30,
        firstTriedAt: NOW,
        giveUpAt: addTime(NOW, minutes(2)),
        evictedAt: LATER,
        goneAt: null,
        tries: 3,
        throttles: 1,
        nextTryAt: LATER,
        refusal: 'Cannot evict pod as it would violate the pod’s disruption budget.',
      },
    ],
    outcome: {
      kind: 'rolledBack',
      at: LATER,
      failure: 'FailedToEvictPods',
      blocker: 'PodNotEvicted',
      message: 'default/web-1 would not go',
      pod: keyOf(evicted),
    },
  });
}

/** Tests of every store of drains. */
export function drainStoreContract(open: () => DrainStore): void {
  const fresh = () => clusterName(`drains-${randomUUID()}`);
  const first = (drain: Drain) => ({ drain, attempt: 1, drivenUntil: LATER });

  describe('a store of drains', () => {
    it('has none of a cluster that it does not have', async () => {
      const store = open();
      const cluster = fresh();
      expect(await store.list(cluster)).toEqual([]);
      expect(await store.load(cluster, '7-a/n1')).toBeNull();
    });

    it('gives back what was stored, with everything in it', async () => {
      const store = open();
      const cluster = fresh();
      const drain = richDrain();
      await store.create(cluster, first(drain));
      const stored = { ...first(drain), revision: 1 };
      expect(await store.load(cluster, drain.id)).toEqual(stored);
      expect(await store.list(cluster)).toEqual([stored]);
      expect(await store.list(fresh())).toEqual([]);
    });

    it('lists drains by id', async () => {
      const store = open();
      const cluster = fresh();
      for (const node of ['n2', 'n10', 'n1']) {
        await store.create(cluster, first(drainOf(node)));
      }
      expect((await store.list(cluster)).map(({ drain }) => drain.node)).toEqual(['n1', 'n10', 'n2']);
    });

    it('leaves a drain that is there as it is when it is to be created again', async () => {
      const store = open();
      const cluster = fresh();
      const drain = drainOf('n1');
      await store.create(cluster, first(drain));
      const moved = { drain: { ...drain, phase: 'Validating' as const }, attempt: 1, drivenUntil: LATER };
      expect(await store.save(cluster, moved, 1)).toEqual({ ...moved, revision: 2 });
      await store.create(cluster, first(drain));
      expect(await store.load(cluster, drain.id)).toEqual({ ...moved, revision: 2 });
    });

    it('lets one of many go on from the same revision', async () => {
      const store = open();
      const cluster = fresh();
      const drain = drainOf('n1');
      await store.create(cluster, first(drain));
      const attempts = await Promise.all(
        Array.from({ length: 10 }, (_, attempt) =>
          store.save(cluster, { drain, attempt: attempt + 1, drivenUntil: LATER }, 1),
        ),
      );
      const won = attempts.filter((stored) => stored !== null);
      expect(won).toHaveLength(1);
      expect(await store.load(cluster, drain.id)).toEqual(won[0]);
    });

    it('does not bring a drain back that was removed', async () => {
      const store = open();
      const cluster = fresh();
      const drain = drainOf('n1');
      await store.create(cluster, first(drain));
      await store.remove(cluster, [drain.id, '7-a/never-there']);
      expect(await store.save(cluster, first(drain), 1)).toBeNull();
      expect(await store.list(cluster)).toEqual([]);
    });

    it('is not changed through what it hands out', async () => {
      const store = open();
      const cluster = fresh();
      const drain = richDrain();
      await store.create(cluster, first(drain));
      const handed = await store.load(cluster, drain.id);
      // A copy may be changed; what is frozen refuses, which is as good.
      Reflect.set(handed!.drain.evictions, 'length', 0);
      expect((await store.load(cluster, drain.id))!.drain.evictions).toHaveLength(1);
    });
  });
}
