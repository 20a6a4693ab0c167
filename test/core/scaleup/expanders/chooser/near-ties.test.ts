import { describe, expect, test } from 'vitest';
import { createChooser } from '../../../../../core/scaleup/expanders/chooser.ts';
import type { Option } from '../../../../../core/scaleup/expanders/expander.ts';
import { node, resources } from '../../../../builders.ts';
import { option } from '../option.ts';
import { context } from '../chosen.ts';

describe('of options that are nearly as good as the best', () => {
  const LARGE = option('large', { nodes: 1, pods: 10, waste: 0.754, price: 3.02, node: { cpu: 48, memory: '384Gi' } });
  const SMALL = option('small', { nodes: 4, pods: 10, waste: 0.756, price: 0.767, node: { cpu: 16, memory: '64Gi' } });
  const winnerOf = (options: readonly Option[], nearTieRatio = 0.02, chain = ['least-waste']) =>
    createChooser(chain, context({ nearTieRatio })).choose(options, () => 0);

  test('those with the smallest nodes win, and it is said', () => {
    const { winner, why } = winnerOf([LARGE, SMALL]);
    expect(winner).toBe(SMALL);
    expect(why).toBe(
      'least-waste: 38% unused, the next best 38%, as good as the best within nearTieRatio 0.02, and its nodes are smaller',
    );
  });

  test('exactly alike, too', () => {
    expect(winnerOf([LARGE, { ...SMALL, waste: LARGE.waste }]).winner.group.name).toBe('small');
  });

  test('the best of those wins', () => {
    const better = option('b', {
      ...SMALL,
      nodes: 4,
      pods: 10,
      waste: 0.755,
      price: 0.76,
      node: { cpu: 16, memory: '64Gi' },
      requested: {},
    });
    expect(winnerOf([LARGE, SMALL, better]).winner).toBe(better);
  });

  test.each([
    ['with a ratio of 0, as Cluster Autoscaler', [LARGE, SMALL], 0],
    ['beyond the ratio', [LARGE, SMALL], 0.002],
    ['that help fewer pods', [LARGE, { ...SMALL, pods: 9 }], 0.02],
    [
      'that cost more',
      [LARGE, option('dear', { nodes: 4, pods: 10, waste: 0.756, price: 0.8, node: { cpu: 16, memory: '64Gi' } })],
      0.02,
    ],
    [
      'whose nodes have GPUs',
      [
        LARGE,
        option('gpu', {
          nodes: 4,
          pods: 10,
          waste: 0.756,
          price: 0.7,
          node: { cpu: 16, memory: '64Gi', 'nvidia.com/gpu': 1 },
        }),
      ],
      0.02,
    ],
    ['that were given up', [LARGE, { ...SMALL, incomplete: true }], 0.02],
  ])('not those %s', (_, options, ratio) => {
    expect(winnerOf(options, ratio).winner).toBe(LARGE);
  });

  test('by price as by waste, and not by the number of nodes or pods', () => {
    const requested = { cpu: 40, memory: '150Gi' };
    const [one, four] = [
      option('one', { nodes: 1, pods: 10, price: 3.02, node: { cpu: 16, memory: '64Gi' }, requested }),
      option('four', { nodes: 4, pods: 10, price: 0.757, node: { cpu: 15, memory: '60Gi' }, requested }),
    ];
    expect(winnerOf([one, four], 0.05, ['price']).winner).toBe(four);
    expect(winnerOf([one, four], 0.05, ['least-nodes']).winner).toBe(one);
  });

  test('no estimate is given up that may still be one of them', () => {
    const { stopRule } = createChooser(['least-waste'], context({ nearTieRatio: 0.02 }));
    const part = (waste: number) =>
      stopRule!.bound({
        groups: [],
        node: node('n', { cpu: 100 }),
        nodes: 1,
        pods: 1,
        requested: resources({ cpu: (1 - waste) * 100 }),
      });
    expect(part(0.51)).toBeLessThan(0.501);
    expect(part(0.52)).toBeGreaterThan(0.501);
  });
});
