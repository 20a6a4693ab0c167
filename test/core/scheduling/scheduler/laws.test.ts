import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NEWEST_MINOR } from '../../../../core/model/cluster/kubernetes-version.ts';
import type { Pod } from '../../../../core/model/cluster/pod.ts';
import type { ClusterObjects } from '../../../../core/model/scenario.ts';
import type { PodKind } from '../../../../core/model/snapshot/pod-kind.ts';
import type { Snapshot } from '../../../../core/model/snapshot/snapshot.ts';
import { clusterSnapshot } from '../../../../core/scheduling/cluster-snapshot.ts';
import { createScheduler, type Scheduler } from '../../../../core/scheduling/scheduler.ts';
import { KINDS } from '../../../../providers/manifest/objects.ts';
import { FIXTURES, type Manifest, randomCluster } from '../../../conformance/cluster.ts';
import { type Random, random } from '../../../conformance/random.ts';
import { clusterObjects } from '../../../builders.ts';
import { cases } from '../../../cases.ts';
import { settled } from '../../../manifest-readers.ts';

interface Given {
  readonly objects: ClusterObjects;
  readonly pending: readonly Pod[];
}

/** The clusters that the real scheduler is asked about, without asking it. */
function given(seed: number): Given {
  const cluster = randomCluster('x', random(seed), 8, NEWEST_MINOR);
  const read: Record<string, unknown[]> = {};
  const readers = new Map(Object.entries(KINDS).map(([kind, { reader }]) => [kind, settled<unknown>(reader())]));
  const object = (manifest: Manifest): unknown => {
    const result = readers.get(manifest.kind)!(
      { ...manifest, metadata: { ...manifest.metadata, uid: `uid-${manifest.metadata.name}` } },
      manifest.metadata.name,
    );
    if (!result.ok) {
      throw new Error(JSON.stringify(result.error));
    }
    return result.value;
  };
  for (const manifest of [...FIXTURES, ...cluster.objects]) {
    if (KINDS[manifest.kind] !== undefined) {
      (read[KINDS[manifest.kind]!.collection] ??= []).push(object(manifest));
    }
  }
  return { objects: clusterObjects(read), pending: cluster.pending.map((manifest) => object(manifest) as Pod) };
}

/** Every verdict and every room, by pod and node. */
function matrix(snapshot: Snapshot, scheduler: Scheduler, pods: readonly Pod[]): Readonly<Record<string, string>> {
  const entries: Record<string, string> = {};
  for (const pod of pods) {
    const kind = snapshot.kindOf(pod);
    for (const info of snapshot.nodes) {
      if (info !== null) {
        const no = scheduler.check(kind, info);
        entries[`${pod.name} on ${info.name}`] =
          no === null ? `room ${scheduler.room(kind, info, 30)}` : `${no.plugin}: ${no.reasons.join(', ')}`;
      }
    }
  }
  return entries;
}

/** A snapshot that never was anything else: nodes and pods as they are on this one. */
function rebuilt(snapshot: Snapshot, objects: ClusterObjects, podOf: ReadonlyMap<PodKind, Pod>, all: readonly Pod[]) {
  const fresh = clusterSnapshot({ ...objects, nodes: [], pods: [] }, all);
  for (const info of snapshot.nodes) {
    if (info !== null) {
      const twin = fresh.addNode(info.node, info.group);
      for (const [kind, count] of info.pods) {
        fresh.place(fresh.kindOf(podOf.get(kind)!), twin, count);
      }
    }
  }
  return fresh;
}

interface World extends Given {
  readonly snapshot: Snapshot;
  readonly scheduler: Scheduler;
  readonly podOf: Map<PodKind, Pod>;
  readonly all: readonly Pod[];
}

function world(seed: number): World {
  const { objects, pending } = given(seed);
  const all = [...objects.pods, ...pending];
  const snapshot = clusterSnapshot(objects, pending);
  const podOf = new Map(all.map((pod) => [snapshot.kindOf(pod), pod]));
  return { objects, pending, snapshot, scheduler: createScheduler(snapshot, objects), podOf, all };
}

/** Makes a change of any sort; `depth` is how many forks are open. */
function change({ snapshot, pending, all }: World, choose: Random, depth: number): number {
  const nodes = snapshot.nodes.filter((info) => info !== null);
  const info = nodes.length === 0 ? null : choose.pick(nodes);
  switch (choose.int(0, 7)) {
    case 0:
      snapshot.fork();
      return depth + 1;
    case 1:
      if (depth > 0) {
        snapshot.revert();
        return depth - 1;
      }
      return depth;
    case 2:
      if (depth > 0) {
        snapshot.commit();
        return depth - 1;
      }
      return depth;
    case 3: {
      const like = choose.pick(nodes.length === 0 ? [] : nodes)?.node;
      if (like !== undefined) {
        const name = `new-${choose.int(0, 1_000_000)}` as typeof like.name;
        const labels = { ...like.labels, 'kubernetes.io/hostname': name };
        if (snapshot.byName(name) === undefined) {
          snapshot.addNode({ ...like, name, labels }, null);
        }
      }
      return depth;
    }
    case 4:
      if (info !== null && choose.chance(0.3)) {
        snapshot.removeNode(info);
      }
      return depth;
    case 5:
      if (info !== null && info.pods.size > 0) {
        const [kind, count] = choose.pick([...info.pods]);
        snapshot.remove(kind, info, choose.int(1, count));
      }
      return depth;
    default:
      if (info !== null) {
        snapshot.place(snapshot.kindOf(choose.pick(choose.chance(0.7) ? pending : all)), info, choose.int(1, 3));
      }
      return depth;
  }
}

const seeds = fc.integer({ min: 0, max: 2 ** 31 });
const runs = { numRuns: cases(20) };

describe('verdicts', () => {
  it('after any changes are those of a cluster that never was another', () => {
    fc.assert(
      fc.property(seeds, seeds, (seed, changes) => {
        const it = world(seed);
        const choose = random(changes);
        // Some filters are compiled before the changes, some after: both must follow.
        matrix(it.snapshot, it.scheduler, it.pending.slice(0, 4));
        let depth = 0;
        for (let i = 0; i < 40; i++) {
          depth = change(it, choose, depth);
        }
        const fresh = rebuilt(it.snapshot, it.objects, it.podOf, it.all);
        expect(matrix(it.snapshot, it.scheduler, it.pending)).toEqual(
          matrix(fresh, createScheduler(fresh, it.objects), it.pending),
        );
      }),
      runs,
    );
  });

  it('after a fork that is reverted are those from before', () => {
    fc.assert(
      fc.property(seeds, seeds, (seed, changes) => {
        const it = world(seed);
        const choose = random(changes);
        const before = matrix(it.snapshot, it.scheduler, it.pending);
        it.snapshot.fork();
        let depth = 0;
        for (let i = 0; i < 25; i++) {
          depth = change(it, choose, depth);
        }
        for (; depth > 0; depth--) {
          it.snapshot.revert();
        }
        it.snapshot.revert();
        expect(matrix(it.snapshot, it.scheduler, it.pending)).toEqual(before);
      }),
      runs,
    );
  });

  it('do not depend on the order of anything', () => {
    fc.assert(
      fc.property(seeds, seeds, (seed, order) => {
        const { objects, pending } = given(seed);
        const choose = random(order);
        const shuffled = Object.fromEntries(
          Object.entries(objects).map(([collection, list]) => [
            collection,
            choose.some(list as readonly unknown[], list.length),
          ]),
        ) as unknown as ClusterObjects;
        const one = clusterSnapshot(objects, pending);
        const other = clusterSnapshot(shuffled, pending.toReversed());
        const backwards = pending.toReversed();
        expect(matrix(other, createScheduler(other, shuffled), backwards)).toEqual(
          matrix(one, createScheduler(one, objects), pending),
        );
      }),
      runs,
    );
  });
});

it('room is how many pods can be placed one after another', () => {
  fc.assert(
    fc.property(seeds, (seed) => {
      const { snapshot, scheduler, pending } = world(seed);
      for (const pod of pending) {
        const kind = snapshot.kindOf(pod);
        for (const info of snapshot.nodes) {
          const room = scheduler.room(kind, info!, 20);
          snapshot.fork();
          let placed = 0;
          while (placed < 20 && scheduler.check(kind, info!) === null) {
            snapshot.place(kind, info!);
            placed++;
          }
          snapshot.revert();
          expect(`${pod.name} on ${info!.name}: ${room}`).toBe(`${pod.name} on ${info!.name}: ${placed}`);
        }
      }
    }),
    runs,
  );
});
