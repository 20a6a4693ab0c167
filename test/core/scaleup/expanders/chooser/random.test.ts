import { describe, expect, test } from 'vitest';
import { option } from '../option.ts';
import { chosen } from '../chosen.ts';

describe('one expander alone', () => {
  test.each([
    {
      chain: ['random'],
      options: [option('a'), option('b'), option('c')],
      winners: ['a', 'b', 'c'],
      why: 'random: one of 3 equals',
    },
    { chain: ['random'], options: [option('a')], winners: ['a'], why: 'the only node group that fits' },
  ])('$chain.0 among $options.length: $why', ({ chain, options, winners, why }) => {
    expect(chosen(chain, options)).toEqual({ winners, why });
  });
});
