import type { WithCloudActions } from './cloud-action.ts';
import type { Instance, NodeGroup } from './node-group.ts';

/** The result of a few small requests about a cluster's objects. */
export interface ObjectsSummary {
  /** Is there a pod that may want a node: one without a node that is not held back by a gate? */
  readonly waiting: boolean;
  readonly nodes: number;
  /** All pods, those that have ended too. */
  readonly pods: number;
}

/** The description of a node group without its templates. */
export interface GroupSummary
  extends Pick<NodeGroup, 'name' | 'minSize' | 'maxSize' | 'targetSize' | 'options'>, WithCloudActions {
  readonly instances: readonly Pick<Instance, 'id' | 'state'>[];
}
