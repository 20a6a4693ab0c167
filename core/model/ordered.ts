import { type ClusterObjects, NO_OBJECTS, type ObjectLists, type Scenario } from './scenario.ts';
import { sortedControllers, sortedNodes, sortedPods } from './cluster/sorted-objects.ts';
import { rememberedOf } from './values/remembered.ts';
import { sortedBy } from './values/sorted.ts';
import { orderedState } from './state.ts';

/** The scenario with every list in the order of names, so that the order of its input cannot matter. */
export const ordered = rememberedOf((scenario: Scenario): Scenario => {
  const { nodeGroups, objects, state } = scenario;
  return {
    ...scenario,
    nodeGroups: sortedBy(nodeGroups, ({ name }) => name).map((group) => ({
      ...group,
      nodes: group.nodes.toSorted(),
      instances: sortedBy(group.instances, ({ id }) => id),
      launchFailures: sortedBy(group.launchFailures, ({ id }) => id),
    })),
    objects: {
      ...objects,
      ...byNameInEach(objects),
      nodes: sortedNodes(objects.nodes),
      pods: sortedPods(objects.pods),
      controllers: sortedControllers(objects.controllers),
      excludedNodes: sortedBy(objects.excludedNodes, ({ node, reason, message }) => `${node}\n${reason}\n${message}`),
    },
    state: orderedState(state),
  };
});

/** Lists with an order of their own. */
const OTHERWISE: ReadonlySet<string> = new Set(['nodes', 'pods', 'controllers', 'excludedNodes']);

const byNameInEach = (objects: ClusterObjects): Partial<ObjectLists> =>
  Object.fromEntries(
    (Object.keys(NO_OBJECTS) as (keyof ObjectLists)[])
      .filter((list) => !OTHERWISE.has(list))
      .map((list) => [list, sortedBy(objects[list] as readonly NamedObject[], keyOf)]),
  );

interface NamedObject {
  readonly namespace?: string;
  readonly name: string;
}

const keyOf = ({ namespace, name }: NamedObject): string => (namespace === undefined ? name : `${namespace}/${name}`);
