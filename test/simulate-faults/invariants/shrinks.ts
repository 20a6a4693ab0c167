import type { NodeName } from '../../../core/model/values/names.ts';
import { type EpochMs, minutes } from '../../../core/model/values/time.ts';
import { removableNodes } from '../removable-nodes.ts';
import type { Invariant } from './invariant.ts';

/** Where nodes are replaced for their age until the end: one that nobody needs for so long is removed. */
const LONGEST = minutes(30);

/** When faults stop scale-down goes on: in the end no node is left that the cluster could do without. */
export const shrinks: Invariant = {
  name: 'unneeded nodes are removed in the end',
  watch: (stage, violate) => {
    const { scenario, world, remembered } = stage;
    /** Since when each node could go, without a break. */
    const since = new Map<NodeName, EpochMs>();
    const removable = (): readonly NodeName[] =>
      removableNodes(stage, new Set((remembered()?.state.disruptions ?? []).flatMap(({ nodes }) => nodes)));
    const note = (): void => {
      const names = new Set(removable());
      for (const name of since.keys()) {
        if (!names.has(name)) {
          since.delete(name);
        }
      }
      names.forEach((name) => since.set(name, since.get(name) ?? world.clock.now()));
    };
    const rotates = scenario.options.expireAfter > 0;
    if (rotates) {
      for (let at = scenario.until - LONGEST - minutes(1); at < scenario.until; at += minutes(1)) {
        world.clock.at(at as EpochMs, note);
      }
    }
    return {
      ended: (atRest) => {
        const now = world.clock.now();
        const left = atRest ? [] : removable().filter((node) => !rotates || now - (since.get(node) ?? now) >= LONGEST);
        if (left.length > 0) {
          const { unremovable, message } = remembered()?.decisions.findLast(
            ({ evaluation }) => evaluation !== 'ScaleUp',
          )?.scaleDown ?? { unremovable: [] };
          const why = unremovable.filter(({ node }) => left.includes(node)).map((one) => JSON.stringify(one));
          violate(`in the end ${left.join(', ')} could go: ${message ?? ''} ${why.join(', ')}`);
        }
      },
    };
  },
};
