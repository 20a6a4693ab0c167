import { describe, expect, test } from 'vitest';
import type { WarmPool } from '../../../../core/model/node-group.ts';
import { createChooser } from '../../../../core/scaleup/expanders/chooser.ts';
import type { Option } from '../../../../core/scaleup/expanders/expander.ts';
import { chosen, context } from './chosen.ts';
import { option, type OptionGiven } from './option.ts';

function pooled(name: string, warmPool: Partial<WarmPool>, given: OptionGiven = {}): Option {
  const plain = option(name, { nodes: 4, ...given });
  return { ...plain, group: { ...plain.group, warmPool: { size: 4, state: 'Stopped', reuse: false, ...warmPool } } };
}
const cold = option('cold', { nodes: 4 });

describe('of options that the expanders find equal', () => {
  test.each<{ name: string; options: readonly Option[]; winners: readonly string[]; why: string }>([
    {
      name: 'the one with a warm pool wins',
      options: [cold, pooled('warm', {})],
      winners: ['warm'],
      why: 'least-nodes: 2 groups need 4 nodes; warm pool: 4 of 4 from stopped instances, the next best 0 of 4',
    },
    {
      name: 'the one with the larger share in its warm pool wins, whatever the state',
      options: [pooled('few', { size: 1, state: 'Running' }), pooled('more', { size: 3 }), cold],
      winners: ['more'],
      why: 'least-nodes: 3 groups need 4 nodes; warm pool: 3 of 4 from stopped instances, the next best 1 of 4 from running instances',
    },
    {
      name: 'the one whose instances are up soonest wins',
      options: [pooled('c', {}), pooled('b', { state: 'Hibernated' }), pooled('a', { state: 'Running' })],
      winners: ['a'],
      why: 'least-nodes: 3 groups need 4 nodes; warm pool: 4 of 4 from running instances, the next best 4 of 4 from hibernated instances',
    },
    {
      name: 'instances beyond what is needed make no difference',
      options: [pooled('a', { size: 4 }), pooled('b', { size: 9 }), cold],
      winners: ['a', 'b'],
      why: 'least-nodes: 3 groups need 4 nodes; warm pool: 2 groups with 4 of 4 from stopped instances, the next best 0 of 4; random: one of 2 equals',
    },
    {
      name: 'an empty warm pool makes no difference',
      options: [pooled('a', { size: 0, state: 'Running' }), cold],
      winners: ['a', 'cold'],
      why: 'least-nodes: 2 groups need 4 nodes; random: one of 2 equals',
    },
  ])('$name', ({ options, winners, why }) => {
    expect(chosen(['least-nodes'], options)).toEqual({ winners, why });
  });

  test('what an expander finds better comes first, without a warm pool too', () => {
    const options = [option('cold', { nodes: 3 }), pooled('warm', { state: 'Running' })];
    expect(chosen(['least-nodes'], options)).toEqual({
      winners: ['cold'],
      why: 'least-nodes: 3 nodes, the next best 4',
    });
  });
});

test.each<readonly [Option, object]>([
  [cold, {}],
  [pooled('a', { size: 9 }), { warm: 4 }],
  [pooled('a', { size: 0 }), { warm: 0 }],
])('the figures have the nodes from the warm pool, where there is one', (one, figures) => {
  expect(createChooser(['least-nodes'], context()).figures(one)).toEqual(figures);
});
