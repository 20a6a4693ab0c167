import type { Node } from './node.ts';
import type { NodeChange } from './ports.ts';

/** Leaves a node as it is: a start for changes of one thing. */
export const NO_CHANGE: NodeChange = Object.freeze({
  addTaints: [],
  removeTaints: [],
  unschedulable: null,
  labels: {},
  annotations: {},
});

/** The node as it is after a change; a taint of the same key and effect has the new value. */
export function changedNode(node: Node, change: NodeChange): Node {
  const kept = node.taints.filter(
    ({ key, effect }) =>
      !change.removeTaints.some((taint) => taint.key === key && (taint.effect === null || taint.effect === effect)) &&
      !change.addTaints.some((taint) => taint.key === key && taint.effect === effect),
  );
  return {
    ...node,
    taints: [...kept, ...change.addTaints],
    unschedulable: change.unschedulable ?? node.unschedulable,
    labels: merged(node.labels, change.labels),
    annotations: merged(node.annotations, change.annotations),
  };
}

const merged = (
  before: Readonly<Record<string, string>>,
  change: Readonly<Record<string, string | null>>,
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries({ ...before, ...change }).filter((entry): entry is [string, string] => entry[1] !== null),
  );
