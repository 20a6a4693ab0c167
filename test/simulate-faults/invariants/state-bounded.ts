import type { State } from '../../../core/model/state.ts';
import { hasEnded } from '../../../core/model/drain.ts';
import type { Invariant } from './invariant.ts';

/** Bytes at rest: for what is always there, for each group and for each node. Pods that were evicted lately are remembered besides. */
const BYTES = { base: 1_000, group: 500, node: 250 };
/**
 * Intents of a group: what is decided waits for what was decided before, and that for a claim to end; and what is done is
 * known for as long. A load that comes in many small pieces makes a decision for each of them.
 */
const INTENTS_PER_GROUP = 16;

/** The state is about things that are there: it does not grow with time, nor with what has gone wrong. */
export const stateBounded: Invariant = {
  name: 'the state stays bounded',
  watch: ({ world, scenario, remembered, drains }, violate, count) => ({
    committed: () => {
      count(true);
      const intents = remembered()?.intents.length ?? 0;
      if (intents > INTENTS_PER_GROUP * scenario.groups.length) {
        violate(`${intents} intents are remembered for ${scenario.groups.length} groups`);
      }
    },
    ended: (atRest) => {
      const known = remembered();
      if (!atRest || known === null) {
        return;
      }
      const there = new Set(world.scaling.groups().flatMap(({ instances }) => instances.map(({ id }) => id)));
      const { state, intents } = known;
      const size = JSON.stringify({ ...state, recentEvictions: [] }).length;
      const most = BYTES.base + BYTES.group * scenario.groups.length + BYTES.node * world.api.nodes.size;
      if (size > most) {
        violate(`at rest the state has ${size} bytes, ${most} are allowed: ${largest(state)}`);
      }
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
  }),
};

/** The parts that take most, in words. */
const largest = (state: State): string =>
  Object.entries(state)
    .map(([name, part]) => [name, (JSON.stringify(part) ?? '').length] as const)
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, 3)
    .map(([name, size]) => `${name} ${size}`)
    .join(', ');
