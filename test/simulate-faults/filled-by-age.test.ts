import { expect, test } from 'vitest';
import { FILL_TAINTS, isFillTaint } from '../../core/model/cluster/fill-taints.ts';
import type { NodeChange } from '../../core/model/cluster/node-change.ts';
import { type Broken, findingOf } from './broken.ts';
import { filledByAge } from './invariants/filled-by-age.ts';
import type { Tamper } from './run.ts';

const FILL_KEYS: ReadonlySet<string> = new Set(FILL_TAINTS.map(({ key }) => key));

/** Nodes are changed otherwise than they are to be. */
const writing = (change: (asked: NodeChange) => NodeChange): Tamper => ({
  world: (world) => ({
    ...world,
    writer: {
      ...world.writer,
      changeNode: async (name, uid, asked, signal) => await world.writer.changeNode(name, uid, change(asked), signal),
    },
  }),
});

const CASES: readonly (Broken & { readonly says: RegExp })[] = [
  {
    name: 'an order of nodes that is never written',
    tamper: writing((asked) => ({ ...asked, addTaints: asked.addTaints.filter((taint) => !isFillTaint(taint)) })),
    found: filledByAge,
    draw: ['fillOldestNodesFirst'],
    says: /^0 of \d+ nodes bear 1 taints or more/,
  },
  {
    name: 'nodes that keep their places in the order',
    tamper: writing((asked) => ({
      ...asked,
      removeTaints: asked.removeTaints.filter(({ key }) => !FILL_KEYS.has(key)),
    })),
    found: filledByAge,
    draw: ['fillOldestNodesFirst'],
    says: /nodes bear \d taints or more, and \d should/,
  },
];

test.each(CASES)('$name: found', async ({ says, ...broken }) => {
  expect(await findingOf(broken)).toMatch(says);
});
