import { describe, expect, test } from 'vitest';
import { createChooser } from '../../../../core/scaleup/expanders/chooser.ts';
import { option } from './option.ts';
import { context, chosen } from './chosen.ts';

describe('price', () => {
  const large = { cpu: 8, memory: '32Gi' };
  test.each([
    ['the cheaper of two that are alike', [option('a', { price: 0.2 }), option('b', { price: 0.1 })], ['b']],
    ['equal prices', [option('a', { price: 0.1 }), option('b', { price: 0.1 })], ['a', 'b']],
    [
      'more pods for the same money',
      [option('a', { price: 0.2 }), option('b', { price: 0.2, requested: { cpu: 4, memory: '16Gi' } })],
      ['b'],
    ],
    [
      'the cheaper of two whatever the size of the nodes',
      [option('a', { price: 0.19, node: large }), option('b', { price: 0.2 })],
      ['a'],
    ],
    [
      'fewer large nodes where they cost less together',
      [option('a', { price: 0.38, nodes: 40, node: large }), option('b', { price: 0.2, nodes: 80 })],
      ['a'],
    ],
    [
      'GPUs as a last resort',
      [option('a', { price: 0.01, node: { cpu: 4, memory: '16Gi', 'nvidia.com/gpu': 1 } }), option('b', { price: 1 })],
      ['b'],
    ],
    ['a known price before none', [option('a'), option('b', { price: 9 })], ['b']],
    ['any where no price is known', [option('a'), option('b')], ['a', 'b']],
    ['a node whose size is not known', [option('a', { price: 0.1, node: {} }), option('b', { price: 0.2 })], ['a']],
  ])('chooses %s', (_, options, winners) => {
    expect(chosen(['price'], options).winners).toEqual(winners);
  });

  test('nodes with the label of GPUs are a last resort before their devices are announced', () => {
    const labelled = option('a', { price: 0.01 });
    const a = { ...labelled, node: { ...labelled.node, labels: { 'k8s.amazonaws.com/accelerator': 'nvidia-t4' } } };
    expect(chosen(['price'], [a, option('b', { price: 1 })]).winners).toEqual(['b']);
  });

  test.each([
    [
      'price: $0.200/h (score 1.81), the next best $0.300/h (score 2.64) (1 group without a known price left out)',
      [option('a', { price: 0.1, nodes: 2 }), option('b', { price: 0.3 }), option('c')],
    ],
    [
      'price: 2 groups at $0.100/h (score 0.98); random: one of 2 equals',
      [option('a', { price: 0.1 }), option('b', { price: 0.1 })],
    ],
    ['price: not used, no group that helps has a known price; random: one of 2 equals', [option('a'), option('b')]],
  ])('%s', (why, options) => {
    expect(chosen(['price'], options).why).toBe(why);
  });

  test('is the ratio of prices, both with that of a small pod, whatever the size of a node is', () => {
    // 500m and 500 MiB: 0.016587 + 0.002171; 2 cores and 8 GiB: 0.066348 + 0.035568 USD per hour.
    const stabilisation = 0.5 * 0.033174 + (500 / 1024) * 0.004446;
    const pods = 2 * 0.033174 + 8 * 0.004446;
    const { figures } = createChooser(['price'], context());
    const { price, priceScore } = figures(option('a', { price: 0.2, nodes: 3 }));
    expect(price).toBeCloseTo(0.6, 6);
    expect(priceScore).toBeCloseTo((0.6 + stabilisation) / (pods + stabilisation), 5);
  });
});
