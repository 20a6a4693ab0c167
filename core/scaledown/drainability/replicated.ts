import type { DrainRule } from './rule.ts';
import { block } from './outcome.ts';

/** Controllers that are known to make their pods anew. */
const KINDS: ReadonlySet<string> = new Set(['ReplicationController', 'Job', 'ReplicaSet', 'StatefulSet']);

/** A pod that no controller recreates would be lost. */
export const replicated: DrainRule = {
  name: 'replicated',
  decide: ({ controller }, { options }) => {
    if (controller === null) {
      return block('NotReplicated', 'no controller would re-create the pod');
    }
    if (!options.skipNodesWithCustomControllerPods || KINDS.has(controller.kind)) {
      return null;
    }
    return block('NotReplicated', `its controller is a ${controller.kind}, which is not known to re-create pods`);
  },
};
