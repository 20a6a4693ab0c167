import { type Drain, hasEnded, type StoredDrain } from '../model/drain.ts';
import { endingNodes } from '../model/node-group.ts';
import type { Node } from '../model/cluster/node.ts';
import type { Scenario } from '../model/scenario.ts';
import { hasReturned, nodeUids } from '../model/returned-instance.ts';
import { REMOVAL_ANNOTATION } from './removal-markers.ts';

/** Nodes with the markers of a drain of Outrigger's, known or not. */
export const markedNodes = ({ objects }: Pick<Scenario, 'objects'>): readonly Node[] =>
  objects.nodes.filter(({ annotations }) => REMOVAL_ANNOTATION in annotations);

/**
 * Nodes with the markers of a drain that is not in the store any more, or has ended there: a table that was lost or
 * restored leaves such nodes, tainted for ever. Nodes with terminating instances are left out: nothing must be
 * scheduled to them. The cloud says which instances are terminating; a lifecycle hook may keep an instance for longer
 * than its drain is remembered. An instance that has come back from a warm pool is not terminating any more. A drain
 * takes over the markers of an earlier drain on its node.
 *
 * @param drains listed after the nodes were observed: a drain that marked one of them is in the store by then.
 */
export function strayMarkers(
  scenario: Pick<Scenario, 'objects' | 'nodeGroups' | 'now'>,
  drains: readonly StoredDrain[],
): readonly Node[] {
  const nodes = nodeUids(scenario.objects.nodes);
  const hasComeBack = (stored: StoredDrain): boolean =>
    scenario.nodeGroups.some((group) => hasReturned(stored, group, scenario.now, nodes));
  const known = drains.filter((stored) => !(hasEnded(stored.drain) && stays(stored.drain)) && !hasComeBack(stored));
  const leaving = new Set([...known.map(({ drain }) => drain.node), ...scenario.nodeGroups.flatMap(endingNodes)]);
  return markedNodes(scenario).filter(({ name }) => !leaving.has(name));
}

const stays = ({ outcome }: Drain): boolean => outcome?.kind === 'rolledBack' && outcome.failure !== 'Gone';

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
