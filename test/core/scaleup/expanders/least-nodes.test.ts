import { describe, expect, test } from 'vitest';
import { option } from './option.ts';
import { chosen } from './chosen.ts';

describe('one expander alone', () => {
  test.each([
    {
      chain: ['least-nodes'],
      options: [option('a', { nodes: 3 }), option('b', { nodes: 1 }), option('c', { nodes: 2 })],
      winners: ['b'],
      why: 'least-nodes: 1 node, the next best 2',
    },
    {
      chain: ['least-nodes'],
      options: [option('a', { nodes: 2 }), option('b', { nodes: 2 })],
      winners: ['a', 'b'],
      why: 'least-nodes: 2 groups need 2 nodes; random: one of 2 equals',
    },
  ])('$chain.0 among $options.length: $why', ({ chain, options, winners, why }) => {
    expect(chosen(chain, options)).toEqual({ winners, why });
  });
});
