import type { InstanceId, NodeName } from '../../../core/model/values/names.ts';
import type { Invariant } from './invariant.ts';

/**
 * A pod is evicted only from a node whose removal was ordered, or whose end the cloud has announced: the instance counts, and not the
 * name, which a later node may have, too.
 */
export const evictionsOrdered: Invariant = {
  name: 'pods are evicted only from nodes that are to be removed',
  watch: ({ world: { scaling, onEvent }, orders, announcements }, violate, count) => {
    const instances = new Map<NodeName, InstanceId>();
    scaling
      .groups()
      .forEach((view) => view.instances.forEach(({ id, node }) => node !== null && instances.set(node, id)));
    onEvent((event) => {
      if (event.kind === 'NodeRegistered') {
        instances.set(event.node, event.instance);
      }
    });
    return {
      event: (event) => {
        const instance = event.kind === 'PodEvicted' ? instances.get(event.node) : undefined;
        if (event.kind !== 'PodEvicted' || instance === undefined) {
          return;
        }
        count(true);
        if (orders.removalsOf(instance) === 0 && announcements.of(instance).length === 0) {
          violate(
            `${event.pod} is evicted from ${event.node}, whose instance ${instance} nobody has ordered to remove`,
          );
        }
      },
    };
  },
};
