import { expect, test } from 'vitest';
import { groupName, nodeName } from '../../../core/model/values/names.ts';
import { groupTemplates } from '../../../core/nodegroups/node-templates.ts';
import { node } from '../../builders.ts';
import { group, scenario } from '../../scenario-builders.ts';

const templateOf = (unreadable: readonly string[]) =>
  groupTemplates(
    scenario({
      groups: [group('a', { template: null, nodes: ['n1', 'n2'] })],
      objects: {
        nodes: [node('n1', {}), node('n2', { cpu: 4 })],
        excludedNodes: unreadable.map((name) => ({ node: nodeName(name), reason: 'UnreadableNode', message: '' })),
      },
    }),
  ).get(groupName('a'));

test('a node that cannot be read is no template of its group: what stands for it has no room', () => {
  expect(templateOf([])?.free).toEqual(node('n1', {}).allocatable);
  expect(templateOf(['n1'])?.free).toEqual(node('n2', { cpu: 4 }).allocatable);
  expect(templateOf(['n1', 'n2'])).toBeUndefined();
});
