import { describe, expect, test } from 'vitest';
import { option } from './option.ts';
import { chosen } from './chosen.ts';

describe('one expander alone', () => {
  test.each([
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
