import type { Node } from '@outrigger/core/model/cluster/node.ts';
import type { ApiKeys } from '../api/resources.ts';
import { claimOfMachine, idOfMachine, poolClaims } from './instances.ts';
import type { Group } from './group.ts';
import type { Inventory } from './inventory.ts';
import { type MatchedNodes, matchNodes } from './node-matching.ts';

/** Matches nodes with all Machines, so that none is taken for that of a Machine outside of the groups. */
export const matchInventory = ({ groups, machines }: Inventory, nodes: readonly Node[], keys: ApiKeys): MatchedNodes =>
  matchNodes([...machines.map(claimOfMachine), ...groups.flatMap(poolClaims)], nodes, keys);

/** The nodes of a group. */
export const nodesOfGroup = (group: Group, matched: MatchedNodes): readonly Node[] =>
  [...group.machines.map(idOfMachine), ...poolClaims(group).map(({ id }) => id)].flatMap(
    (id) => matched.nodes.get(id) ?? [],
  );
