import type { NodeName } from '../../../core/model/values/names.ts';
import { epochMs, minutes } from '../../../core/model/values/time.ts';
import { emptyNodes } from '../empty-nodes.ts';
import { lookEvery } from '../truth.ts';
import type { Invariant } from './invariant.ts';

/** Longer than all options let a node stay that is not needed. */
const LONGEST = minutes(45);

/** Scale-down goes on when faults stop: in the end no node of a group that may shrink has been empty for 45 minutes. */
export const shrinks: Invariant = {
  name: 'empty nodes are removed in the end',
  watch: (stage, violate, count) => {
    const { scenario, world } = stage;
    let left: ReadonlySet<NodeName> | null = null;
    const from = epochMs(scenario.until - LONGEST);
    lookEvery(minutes(1), world, from, scenario.until, () => {
      const empty = new Set(emptyNodes(stage));
      left = left === null ? empty : left.intersection(empty);
    });
    return {
      ended: () => {
        count(true);
        if (left !== null && left.size > 0) {
          violate(
            `${[...left].join(', ')} have been empty for 45 minutes, and their groups have more than their minimum`,
          );
        }
      },
    };
  },
};
