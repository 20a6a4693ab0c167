import type { ClusterEvent } from '../model/cluster/cluster-event.ts';
import type { Node } from '../model/cluster/node.ts';

/** The event of a node that is freed from removal markers. The reason is Cluster Autoscaler's. */
export const freedEvent = ({ name, uid }: Pick<Node, 'name' | 'uid'>, message: string): ClusterEvent => ({
  about: { kind: 'Node', name, uid },
  type: 'Normal',
  reason: 'ClusterAutoscalerCleanup',
  message,
});
