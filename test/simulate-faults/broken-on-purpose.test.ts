import { describe, expect, test } from 'vitest';
import { isDaemon } from '../../core/model/cluster/pod.ts';
import { podKey } from '../../core/model/values/names.ts';
import { epochMs } from '../../core/model/values/time.ts';
import type { ClusterObservation, ClusterReader } from '../../core/ports/cluster.ts';
import type { NodeGroups } from '../../core/ports/node-groups.ts';
import type { AwsWorld, SimulatedWorld } from '../../providers/simulated/world.ts';
import { type Broken, foundWithin, withGroups, withLoad } from './broken.ts';
import { backoffKept } from './invariants/backoff-kept.ts';
import { budgetsKept } from './invariants/budgets-kept.ts';
import { drainsEnd } from './invariants/drains-end.ts';
import { effectOnce } from './invariants/effect-once.ts';
import { endedWithCare } from './invariants/ended-with-care.ts';
import { evictionsRemembered } from './invariants/evictions-remembered.ts';
import { hooksCompleted } from './invariants/hooks-completed.ts';
import { noBugs } from './invariants/no-bugs.ts';
import { noticesAnswered } from './invariants/notices-answered.ts';
import { recovers } from './invariants/recovers.ts';
import { schedulesKept } from './invariants/schedules-kept.ts';
import { shrinks } from './invariants/shrinks.ts';
import { sizesInBounds } from './invariants/sizes-in-bounds.ts';
import type { Tamper } from './run.ts';

const withCloud = (change: (groups: NodeGroups, world: AwsWorld) => Partial<NodeGroups>): Tamper => ({
  world: (world) => ({ ...world, groups: { ...world.groups, ...change(world.groups, world as AwsWorld) } }),
});
const withReader = (change: (reader: ClusterReader, world: SimulatedWorld) => Partial<ClusterReader>): Tamper => ({
  world: (world) => ({ ...world, reader: { ...world.reader, ...change(world.reader, world) } }),
});
const withoutPods = (seen: ClusterObservation): ClusterObservation => ({
  ...seen,
  objects: { ...seen.objects, pods: seen.objects.pods.filter((pod) => pod.nodeName === null || isDaemon(pod)) },
});

const CASES: readonly Broken[] = [
  {
    name: 'an increase that is made relative to the size, twice',
    tamper: withCloud((groups, { scaling }) => ({
      setSize: async (group, size, signal) => {
        const before = scaling.sizeOf(group)!.target;
        const outcome = await groups.setSize(group, size, signal);
        scaling.setDesired(group, size + size - before);
        return outcome;
      },
    })),
    found: effectOnce,
  },
  {
    name: 'groups that are shown with a larger maximum than they have',
    tamper: withGroups((groups) => groups.map((group) => ({ ...group, maxSize: group.maxSize + 5 }))),
    found: sizesInBounds,
  },
  {
    name: 'groups that are thought to be as large as schedules want them',
    tamper: withGroups((groups) => groups.map((group) => ({ ...group, targetSize: group.targetSize + 3 }))),
    draw: ['capacitySchedules'],
    found: schedulesKept,
  },
  {
    name: 'intents that are lost, though the state is kept',
    tamper: {
      store: (store) => ({
        ...store,
        commit: (cluster, given, signal) => store.commit(cluster, { ...given, intents: [] }, signal),
      }),
    },
    found: recovers,
  },
  {
    name: 'failed launches that each evaluation forgets',
    tamper: withLoad(({ state }) => ({ state: { ...state, backoff: {} } })),
    found: backoffKept,
  },
  {
    name: 'evictions that are forgotten as soon as they are recorded',
    tamper: {
      drains: (store) => ({
        ...store,
        list: async (...call) =>
          (await store.list(...call)).map(({ drain, ...stored }) => ({
            ...stored,
            drain: { ...drain, evictions: drain.evictions.map((one) => ({ ...one, evictedAt: epochMs(0) })) },
          })),
      }),
    },
    found: evictionsRemembered,
  },
  {
    name: 'pods that are evicted whatever their budgets say',
    tamper: {
      world: (world) => ({
        ...world,
        writer: {
          ...world.writer,
          evict: async (pod, ...more) => {
            const outcome = await world.writer.evict(pod, ...more);
            if (outcome.kind !== 'refused') {
              return outcome;
            }
            const deletedAt = world.clock.now();
            world.api.updatePod(podKey(pod.namespace, pod.name), (was) => ({ ...was, ready: false, deletedAt }));
            return { kind: 'done' };
          },
        },
      }),
    },
    found: budgetsKept,
  },
  {
    name: 'drains that do not see the pods of their nodes',
    tamper: withReader((reader) => ({ readNode: async (...call) => withoutPods(await reader.readNode(...call)) })),
    found: endedWithCare,
  },
  {
    name: 'drains that are not looked up once their driver has died',
    tamper: { drains: (store) => ({ ...store, list: async () => [] }) },
    found: drainsEnd,
  },
  {
    name: 'clocks of unneeded nodes that begin anew each time',
    tamper: withLoad(({ state }) => ({ state: { ...state, unneededSince: {} } })),
    found: shrinks,
  },
  {
    name: 'notices that are not kept',
    tamper: { store: (store) => ({ ...store, addNotice: async () => {} }) },
    found: noticesAnswered,
  },
  {
    name: 'lifecycle hooks that are taken to be completed',
    tamper: {
      world: (world) => ({
        ...world,
        terminations: { ...world.terminations!, completeHook: async () => ({ kind: 'done' }) },
      }),
    },
    found: hooksCompleted,
  },
  {
    name: 'a step of a drain that has a mistake, catches it and goes on',
    tamper: withReader(() => ({
      readNode: async () => {
        throw new TypeError('Cannot read properties of undefined');
      },
    })),
    found: noBugs,
  },
];

/** Of the seeds that `npm run simulate-faults` runs. */
const SEEDS = 40;

describe(`found within ${SEEDS} seeds with faults of all kinds:`, () => {
  test.each(CASES)('$name', async (broken) => {
    const seed = await foundWithin(SEEDS, broken);
    expect(seed, `the number of seeds that "${broken.found.name}" takes`).not.toBeNull();
  });
});
