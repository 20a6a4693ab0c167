import { describe, expect, test } from 'vitest';
import { isHeld } from '../../core/model/cluster/node-condition.ts';
import type { Node } from '../../core/model/cluster/node.ts';
import { CPU } from '../../core/model/values/resources.ts';
import { conditionsOf } from '../../providers/simulated/node-readiness.ts';
import { type Broken, findingOf, withGroups } from './broken.ts';
import { GPU, GPUS } from './gpus.ts';
import { heldNodesOpen } from './invariants/held-nodes-open.ts';
import { nominationsHold } from './invariants/nominations-hold.ts';
import { nodeUnits } from './node-sizes.ts';
import type { Tamper } from './run.ts';

/** Nodes that await their pods are seen otherwise than they are, and with `groups` the templates of their groups, too. */
const withHeldNodes = (change: (node: Node) => Node, groups?: 'and groups'): Tamper => {
  const seen = (node: Node): Node => (isHeld(node) ? change(node) : node);
  const templates = withGroups((all) =>
    all.map((group) => ({
      ...group,
      template: group.template === null ? null : { ...group.template, node: seen(group.template.node) },
    })),
  );
  return {
    world: (world) => {
      const { reader } = world;
      const changed = <Read extends { readonly objects: { readonly nodes: readonly Node[] } }>(all: Read): Read => ({
        ...all,
        objects: { ...all.objects, nodes: all.objects.nodes.map(seen) },
      });
      return {
        ...(groups === undefined ? world : templates.world!(world)),
        reader: {
          ...reader,
          read: async (...call) => changed(await reader.read(...call)),
          readNodes: async (...call) => changed(await reader.readNodes(...call)),
        },
      };
    },
  };
};

const CASES: readonly Broken[] = [
  {
    name: 'a node that awaits its pods is never seen ready',
    tamper: withHeldNodes((node) => ({ ...node, conditions: conditionsOf(false, node.createdAt) })),
    draw: ['plannedPlacement'],
    found: heldNodesOpen,
  },
  {
    name: 'a node that awaits its pods is taken for twice as large as it is',
    tamper: withHeldNodes(
      (node) => ({ ...node, allocatable: { ...node.allocatable, [CPU]: 2 * node.allocatable[CPU]! } }),
      'and groups',
    ),
    draw: ['plannedPlacement'],
    found: nominationsHold,
  },
  {
    name: 'a node that awaits its pods is thought to have its devices before they are announced',
    tamper: withHeldNodes((node) => ({
      ...node,
      allocatable: { [GPU]: nodeUnits({ units: Number.POSITIVE_INFINITY }, node), ...node.allocatable },
    })),
    draw: ['plannedPlacement', GPUS],
    found: nominationsHold,
  },
];

describe('planned placement that is broken on purpose is found', () => {
  test.each(CASES)('$name', async (broken) => {
    expect(await findingOf(broken)).not.toBeNull();
  });
});
