import { removableNodes } from '../removable-nodes.ts';
import type { Invariant } from './invariant.ts';

/** When faults stop scale-down goes on: in the end no node is left that the cluster could do without. */
export const shrinks: Invariant = {
  name: 'unneeded nodes are removed in the end',
  watch: (stage, violate) => ({
    ended: (atRest) => {
      const left = atRest ? [] : removableNodes(stage);
      if (left.length > 0) {
        const { unremovable, message } = stage
          .remembered()
          ?.decisions.findLast(({ evaluation }) => evaluation !== 'ScaleUp')?.scaleDown ?? { unremovable: [] };
        const why = unremovable.filter(({ node }) => left.includes(node)).map((one) => JSON.stringify(one));
        violate(`in the end ${left.join(', ')} could go: ${message ?? ''} ${why.join(', ')}`);
      }
    },
  }),
};
