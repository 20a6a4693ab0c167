import type { State } from '../../../core/model/state.ts';
import { isDaemon } from '../../../core/model/cluster/pod.ts';
import { hasEnded } from '../../../core/model/drain.ts';
import { type DurationMs, type EpochMs, minutes } from '../../../core/model/values/time.ts';
import type { Invariant } from './invariant.ts';

/** Bytes for what is always there, and for each thing that something may have to be remembered of. */
const BASE = 1_000;
const PER_GROUP = 500;
const PER_INSTANCE = 80;
/** Bytes for a node that is on its way out, or is found unneeded, and for some minutes after its end. */
const PER_NODE = 250;
const GONE_LATELY = minutes(5);
/**
 * Bytes for each pending or moving pod: identical pods share an entry, but a pod with a volume of its own is identical
 * to no other pod. A pod may be planned on a node with any number of pods, and is then named again with that node.
 */
const PER_PLACED = 140;
/** A decision is stored so long after the pods were listed for it. */
const DECIDED_WITHIN = minutes(1);
/** A pod that was evicted lately is remembered as it was. */
const PER_EVICTION = 2_000;
/** For ten minutes from when its drain has stored that it is evicted, by clocks that may be some minutes off. */
const EVICTED_LATELY = minutes(11 + 5);
/**
 * Intents of a group: what is decided waits for what was decided before, and that for a claim to end; and what is done is
 * known for as long. A load that comes in many small pieces makes a decision for each of them.
 */
const INTENTS_PER_GROUP = 16;

/** The state is about things that are there: it does not grow with time, nor with what has gone wrong. */
export const stateBounded: Invariant = {
  name: 'the state stays bounded',
  watch: ({ world, scenario, remembered, drains }, violate, count) => {
    const countSince = (times: readonly EpochMs[], length: DurationMs): number =>
      times.filter((at) => world.clock.now() - at < length).length;
    const evictions: EpochMs[] = [];
    const bound: EpochMs[] = [];
    const gone: EpochMs[] = [];
    return {
      event: ({ kind, at }) => {
        if (kind === 'PodBound') bound.push(at);
        if (kind === 'NodeGone') gone.push(at);
      },
      // However long the driver that asked for it was dead.
      drain: ({ drain }, before) => {
        const known = new Set(before?.drain.evictions.flatMap(({ uid, evictedAt }) => (evictedAt === null ? [] : uid)));
        const found = drain.evictions.filter(({ uid, evictedAt }) => evictedAt !== null && !known.has(uid));
        evictions.push(...found.map(() => world.clock.now()));
      },
      committed: ({ state }) => {
        count(true);
        const groups = scenario.groups.length;
        const decided = (remembered()?.intents ?? []).flatMap((intent) =>
          intent.kind === 'SetSize' && intent.status === 'pending' ? intent : [],
        );
        // Instances that are wanted and could not be launched, or are not requested yet, may be remembered too.
        const wanted = world.scaling.groups().reduce((sum, { group, instances: there, desired }) => {
          const sizes = decided.flatMap((intent) => (intent.group === group.name ? intent.to : []));
          return sum + Math.max(there.length, desired, ...sizes);
        }, 0);
        const evicted = countSince(evictions, EVICTED_LATELY);
        const left = new Set(drains().flatMap(({ drain }) => (hasEnded(drain) ? [] : drain.node)));
        const placed =
          countSince(bound, DECIDED_WITHIN) +
          [...world.api.pods.values()].filter(
            (pod) => !isDaemon(pod) && (pod.nodeName === null || left.has(pod.nodeName)),
          ).length;
        const most =
          BASE +
          PER_GROUP * groups +
          PER_INSTANCE * wanted +
          PER_NODE * (world.api.nodes.size + countSince(gone, GONE_LATELY)) +
          PER_EVICTION * evicted +
          PER_PLACED * placed;
        const size = JSON.stringify(state).length;
        if (size > most) {
          violate(`the state has ${size} bytes, ${most} are allowed: ${largest(state)}`);
        }
        const intents = remembered()?.intents.length ?? 0;
        if (intents > INTENTS_PER_GROUP * groups) {
          violate(`${intents} intents are remembered for ${groups} groups`);
        }
      },
      ended: (atRest) => {
        const known = remembered();
        if (!atRest || known === null) {
          return;
        }
        const there = new Set(world.scaling.groups().flatMap(({ instances }) => instances.map(({ id }) => id)));
        const { state, intents } = known;
        const gone = Object.keys(state.unregisteredSince).filter((id) => !there.has(id as never));
        const left: readonly (readonly [string, number])[] = [
          ['instances that are gone', gone.length],
          ['open requests', state.scaleUpRequests.length],
          ['nodes on their way out', state.deletionsInProgress.length + state.scaleDownRequests.length],
          ['open drains', drains().filter(({ drain }) => !hasEnded(drain)).length],
          ['open intents', intents.filter(({ status }) => status === 'pending').length],
        ];
        for (const [what, count] of left) {
          if (count > 0) {
            violate(`the cluster is at rest, and ${count} ${what} are remembered`);
          }
        }
      },
    };
  },
};

/** The parts that take most, in words. */
const largest = (state: State): string =>
  Object.entries(state)
    .map(([name, part]) => [name, (JSON.stringify(part) ?? '').length] as const)
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, 3)
    .map(([name, size]) => `${name} ${size}`)
    .join(', ');
