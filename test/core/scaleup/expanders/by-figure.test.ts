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
    {
      chain: ['most-pods'],
      options: [option('a', { pods: 3 }), option('b', { pods: 12 }), option('c', { pods: 7 })],
      winners: ['b'],
      why: 'most-pods: 12 pods, the next best 7',
    },
    {
      chain: ['most-pods'],
      options: [option('a', { pods: 1 }), option('b', { pods: 1 })],
      winners: ['a', 'b'],
      why: 'most-pods: 2 groups help 1 pod; random: one of 2 equals',
    },
    {
      chain: ['least-waste'],
      options: [option('a', { waste: 0.8 }), option('b', { waste: 0.2 })],
      winners: ['b'],
      why: 'least-waste: 10% unused, the next best 40%',
    },
    {
      chain: ['least-waste'],
      options: [option('a', { waste: 0.2 }), option('b', { waste: 0.2 }), option('c', { waste: 1 })],
      winners: ['a', 'b'],
      why: 'least-waste: 2 groups leave 10% unused, the next best 50%; random: one of 2 equals',
    },
  ])('$chain.0 among $options.length: $why', ({ chain, options, winners, why }) => {
    expect(chosen(chain, options)).toEqual({ winners, why });
  });
});
