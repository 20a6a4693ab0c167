import { describe, expect, test } from 'vitest';
import { option } from './option.ts';
import { chosen } from './chosen.ts';

describe('one expander alone', () => {
  test.each([
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
  ])('$chain.0 among $options.length: $why', ({ chain, options, winners, why }) => {
    expect(chosen(chain, options)).toEqual({ winners, why });
  });
});
