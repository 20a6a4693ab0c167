import { readable } from '../fault.ts';
import type { NodeName } from '../values/names.ts';
import type { Node } from '../cluster/node.ts';
import type { NodeGroup } from '../node-group.ts';
import type { Pod } from '../cluster/pod.ts';
import { type ExcludedNode, type ObjectLists, NO_OBJECTS, type Scenario } from '../scenario.ts';
import { unreadablePdb } from '../cluster/workloads.ts';
import { mapOptional, presentItems } from '../values/optional.ts';

/** Objects of a scenario that an evaluation cannot get through with, and what was thrown about each. */
export interface Quarantine {
  readonly pods: ReadonlyMap<Pod, string>;
  readonly nodes: ReadonlyMap<Node, string>;
  readonly groups: ReadonlyMap<NodeGroup, string>;
  /** Objects of all other kinds. */
  readonly others: ReadonlyMap<object, string>;
}

export const EMPTY_QUARANTINE: Quarantine = Object.freeze({
  pods: new Map(),
  nodes: new Map(),
  groups: new Map(),
  others: new Map(),
});

const isNothing = ({ pods, nodes, groups, others }: Quarantine): boolean =>
  pods.size + nodes.size + groups.size + others.size === 0;

export const mergeQuarantines = (a: Quarantine, b: Quarantine): Quarantine => ({
  pods: new Map([...a.pods, ...b.pods]),
  nodes: new Map([...a.nodes, ...b.nodes]),
  groups: new Map([...a.groups, ...b.groups]),
  others: new Map([...a.others, ...b.others]),
});

export const nodeOf = ({ nodeName, nominatedNodeName }: Pod): NodeName | null => nodeName ?? nominatedNodeName;

/** The kinds of objects that are handled individually. */
const OWN_WAYS: ReadonlySet<string> = new Set(['pods', 'nodes', 'podDisruptionBudgets', 'excludedNodes']);

/**
 * The scenario without these. A node with a pod that is set aside is excluded, as one is with a pod that cannot be read; a
 * node itself is excluded too, but keeps its place in its group; a group is there, and neither grows nor shrinks; a budget
 * covers its whole namespace.
 *
 * @param leaveOut whether groups are left out altogether: counting their nodes may throw again.
 */
export function withoutQuarantined(scenario: Scenario, aside: Quarantine, leaveOut = false): Scenario {
  if (isNothing(aside)) {
    return scenario;
  }
  const { objects, state } = scenario;
  const { pods, nodes, groups, others } = aside;
  const there = new Set(objects.pods);
  const excluded = [
    // A pod that was evicted is on no node any more.
    ...[...pods].map(([pod, message]) => [there.has(pod) ? nodeOf(pod) : null, message] as const),
    ...[...nodes].map(([{ name }, message]) => [name, message] as const),
  ].map(([name, message]) => mapOptional(name, (node): ExcludedNode => ({ node, reason: 'UnexpectedError', message })));
  const kept = Object.fromEntries(
    (Object.keys(NO_OBJECTS) as (keyof ObjectLists)[])
      .filter((name) => !OWN_WAYS.has(name))
      .map((name) => [name, (objects[name] as readonly object[]).filter((object) => !others.has(object))]),
  );
  return {
    ...scenario,
    nodeGroups: presentItems(
      scenario.nodeGroups.map((group) => {
        const reason = groups.get(group);
        if (reason === undefined) {
          return group;
        }
        return !leaveOut && standIn(group, reason);
      }),
    ),
    objects: {
      ...objects,
      ...kept,
      pods: objects.pods.filter((pod) => !pods.has(pod)),
      nodes: objects.nodes.filter((node) => !nodes.has(node)),
      podDisruptionBudgets: objects.podDisruptionBudgets.map((budget) =>
        others.has(budget) ? unreadablePdb(budget.namespace, budget.name) : budget,
      ),
      excludedNodes: presentItems([...objects.excludedNodes, ...excluded]),
    },
    state: { ...state, recentEvictions: state.recentEvictions.filter((pod) => !pods.has(pod)) },
  };
}

/** A group of the same name and nodes, of which nothing is decided. */
const standIn = (group: NodeGroup, reason: string): NodeGroup => ({
  name: group.name,
  minSize: group.minSize,
  maxSize: group.maxSize,
  targetSize: group.targetSize,
  options: {},
  template: null,
  templateProblem: null,
  alternatives: [],
  capacityType: null,
  price: null,
  launchSuspended: false,
  paused: null,
  nodes: group.nodes,
  instances: readable(() => group.instances.map((instance) => ({ ...instance })), []),
  launchFailures: readable(() => group.launchFailures.map((failure) => ({ ...failure })), []),
  invalid: reason,
});
