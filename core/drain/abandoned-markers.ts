import { hasEnded, type StoredDrain } from '../model/drain.ts';
import type { Node } from '../model/cluster/node.ts';
import { REMOVAL_ANNOTATION } from './removal-markers.ts';

/**
 * Nodes that are freed when no drain is driven any more, because Outrigger is removed: nodes with its markers, except
 * where a drain has asked for the end of the instance. Such instances are terminating, and nothing must be scheduled to
 * them.
 *
 * @param drains listed after the nodes
 */
export function abandonedMarkers(nodes: readonly Node[], drains: readonly StoredDrain[]): readonly Node[] {
  const ending = drains
    .map(({ drain }) => drain)
    .filter(({ terminateAskedAt, outcome }) => terminateAskedAt !== null && outcome?.kind !== 'rolledBack');
  const leaving = new Set(ending.map(({ node }) => node));
  return nodes.filter(({ name, annotations }) => REMOVAL_ANNOTATION in annotations && !leaving.has(name));
}

/** Drains that are still going on. */
export const unfinished = (drains: readonly StoredDrain[]): readonly StoredDrain[] =>
  drains.filter(({ drain }) => !hasEnded(drain));
