import type { Node, Taint } from './node.ts';

/** A change to be made to a node as it then is. */
export interface NodeChange {
  /** Put on, or given a new value where the node has one of that key and effect. */
  readonly addTaints: readonly Taint[];
  /** Taken off: all of that key, whatever their value; with an effect only those. */
  readonly removeTaints: readonly { readonly key: string; readonly effect: string | null }[];
  /** `null` leaves the field as it is. */
  readonly unschedulable: boolean | null;
  /** `null` takes a label off. */
  readonly labels: Readonly<Record<string, string | null>>;
  readonly annotations: Readonly<Record<string, string | null>>;
}

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
