import type { CsiDriver, CsiNode } from './cluster/storage.ts';
import type { NodeName } from './values/names.ts';
import { rememberedOf } from './values/remembered.ts';

/** The names of the drivers without which a node takes no pod with their volumes (`preventPodSchedulingIfMissing`). */
export const requiredDrivers = rememberedOf(
  (drivers: readonly CsiDriver[]): ReadonlySet<string> =>
    new Set(
      drivers.filter(({ preventPodSchedulingIfMissing }) => preventPodSchedulingIfMissing).map(({ name }) => name),
    ),
);

export const hasDriver = (csiNode: CsiNode | undefined, name: string): boolean =>
  csiNode?.drivers.some((driver) => driver.name === name) === true;

/**
 * Does a node lack a required driver that other nodes of its group have, or that no node of the group can tell of? A
 * driver registers some time after the node is Ready. Pods with volumes of the driver would find no place on the node,
 * and start another node. A node that has had the time to start awaits no drivers any more (`readinessOf`).
 *
 * @param group the nodes of the node's group.
 */
export function awaitsDrivers(
  node: NodeName,
  group: readonly NodeName[],
  required: ReadonlySet<string>,
  csiNodes: ReadonlyMap<NodeName, CsiNode>,
): boolean {
  const missing = [...required].filter((driver) => !hasDriver(csiNodes.get(node), driver));
  if (missing.length === 0) {
    return false;
  }
  const others = group.filter((name) => name !== node).flatMap((name) => csiNodes.get(name) ?? []);
  return others.length === 0 || missing.some((driver) => others.some((other) => hasDriver(other, driver)));
}

/** The CSINodes of a cluster by name. */
export const csiNodesByName = rememberedOf(
  (csiNodes: readonly CsiNode[]): ReadonlyMap<NodeName, CsiNode> => new Map(csiNodes.map((one) => [one.name, one])),
);
