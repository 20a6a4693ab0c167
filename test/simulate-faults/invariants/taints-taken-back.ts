import { hasEnded } from '../../../core/model/drain.ts';
import { isBeingRemoved } from '../../../core/model/cluster/removal-taints.ts';
import type { NodeName } from '../../../core/model/values/names.ts';
import { type EpochMs, minutes } from '../../../core/model/values/time.ts';
import { lookEvery, members } from '../truth.ts';
import type { Invariant } from './invariant.ts';

/** Evaluations within this time find and take back what a drain has left behind. */
const LONGEST = minutes(10);

/** A node that stays takes pods again: it does not bear the taint of a removal for ten minutes without a drain. */
export const taintsTakenBack: Invariant = {
  name: 'no node keeps the taint of a removal without a drain',
  watch: ({ scenario, world: { api, clock, scaling }, drains, orders, strikes, unread }, violate, count) => {
    /** Since when a node bears the taint without a drain. */
    const since = new Map<NodeName, EpochMs>();
    const look = (): void => {
      const now = clock.now();
      const busy = new Set([
        ...drains().flatMap(({ drain }) => (hasEnded(drain) ? [] : drain.node)),
        ...orders.open().flatMap((one) => (one.kind === 'RemoveNodes' ? one.nodes.map(({ node }) => node) : [])),
        ...unread(),
      ]);
      const own = scaling.groups().flatMap((view) => (view.untagged === true ? [] : members(view)));
      const left = own.flatMap(({ node: name }) => {
        const node = name === null ? undefined : api.nodes.get(name);
        if (node === undefined || !isBeingRemoved(node)) {
          return [];
        }
        count(now > strikes.troubledUntil());
        return busy.has(node.name) ? [] : node.name;
      });
      [...since.keys()].filter((name) => !left.includes(name)).forEach((name) => since.delete(name));
      for (const name of left) {
        since.set(name, since.get(name) ?? now);
        const quiet = now - Math.max(since.get(name)!, strikes.troubledUntil());
        if (quiet > LONGEST) {
          violate(
            `${name} has no drain, and has borne the taint of a removal for ${Math.round(quiet / 60_000)} minutes`,
          );
        }
      }
    };
    lookEvery(minutes(1), { clock }, scenario.start, scenario.until, look);
    return {};
  },
};
