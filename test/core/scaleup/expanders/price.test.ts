import { describe, expect, test } from 'vitest';
import { createChooser } from '../../../../core/scaleup/expanders/chooser.ts';
import { option } from './option.ts';
import { context, chosen } from './chosen.ts';

describe('price', () => {
  const large = { cpu: 8, memory: '32Gi' };
  test.each([
    {
      what: 'the cheaper of two that are alike',
      nodes: 10,
      options: [option('a', { price: 0.2 }), option('b', { price: 0.1 })],
      winners: ['b'],
    },
    {
      what: 'equal prices',
      nodes: 10,
      options: [option('a', { price: 0.1 }), option('b', { price: 0.1 })],
      winners: ['a', 'b'],
    },
    {
      what: 'more pods for the same money',
      nodes: 10,
      options: [option('a', { price: 0.2 }), option('b', { price: 0.2, requested: { cpu: 4, memory: '16Gi' } })],
      winners: ['b'],
    },
    {
      what: 'the size that suits a small cluster, at a somewhat higher price',
      nodes: 10,
      options: [option('a', { price: 0.19, node: large }), option('b', { price: 0.2 })],
      winners: ['b'],
    },
    {
      what: 'the size that suits a larger cluster, at a somewhat higher price',
      nodes: 40,
      options: [option('a', { price: 0.2, node: large }), option('b', { price: 0.19 })],
      winners: ['a'],
    },
    {
      what: 'price before size where many nodes are needed',
      nodes: 10,
      options: [option('a', { price: 0.38, nodes: 40, node: large }), option('b', { price: 0.2, nodes: 80 })],
      winners: ['a'],
    },
    {
      what: 'GPUs as a last resort',
      nodes: 10,
      options: [
        option('a', { price: 0.01, node: { cpu: 4, memory: '16Gi', 'nvidia.com/gpu': 1 } }),
        option('b', { price: 1 }),
      ],
      winners: ['b'],
    },
    {
      what: 'a known price before none',
      nodes: 10,
      options: [option('a'), option('b', { price: 9 })],
      winners: ['b'],
    },
    { what: 'any where no price is known', nodes: 10, options: [option('a'), option('b')], winners: ['a', 'b'] },
    {
      what: 'a node whose size is not known',
      nodes: 10,
      options: [option('a', { price: 0.1, node: {} }), option('b', { price: 0.2 })],
      winners: ['a'],
    },
  ])('chooses $what', ({ options, winners, nodes }) => {
    expect(chosen(['price'], options, { market: { provider: 'aws', nodes } }).winners).toEqual(winners);
  });

  test('nodes with the label of GPUs are a last resort before their devices are announced', () => {
    const labelled = option('a', { price: 0.01 });
    const a = { ...labelled, node: { ...labelled.node, labels: { 'k8s.amazonaws.com/accelerator': 'nvidia-t4' } } };
    expect(chosen(['price'], [a, option('b', { price: 1 })]).winners).toEqual(['b']);
  });

  test.each([
    {
      options: [option('a', { price: 0.1, nodes: 2 }), option('b', { price: 0.3 }), option('c')],
      why: 'price: $0.200/h (score 1.81), the next best $0.300/h (score 2.64) (1 group without a known price left out)',
    },
    {
      options: [option('a', { price: 0.1 }), option('b', { price: 0.1 })],
      why: 'price: 2 groups at $0.100/h (score 0.98); random: one of 2 equals',
    },
    {
      options: [option('a'), option('b')],
      why: 'price: not used, no group that helps has a known price; random: one of 2 equals',
    },
  ])('$why', ({ options, why }) => {
    expect(chosen(['price'], options).why).toBe(why);
  });

  test('is the ratio of prices, both with that of a small pod, times how unfit the node is', () => {
    // 500m and 500 MiB: 0.016587 + 0.002171; 2 cores and 8 GiB: 0.066348 + 0.035568 USD per hour.
    const stabilisation = 0.5 * 0.033174 + (500 / 1024) * 0.004446;
    const pods = 2 * 0.033174 + 8 * 0.004446;
    const { figures } = createChooser(['price'], context({ market: { provider: 'aws', nodes: 61 } }));
    const unfitness = 3 * (1 - Math.tanh(2 / 15)) + 1; // 16 cores are preferred, nodes have 4, and there are 3.
    const { price, priceScore } = figures(option('a', { price: 0.2, nodes: 3 }));
    expect(price).toBeCloseTo(0.6, 6);
    expect(priceScore).toBeCloseTo(((0.6 + stabilisation) / (pods + stabilisation)) * unfitness, 5);
  });

  test.each([
    [0, 1],
    [2, 1],
    [3, 2],
    [6, 2],
    [7, 4],
    [20, 4],
    [21, 8],
    [60, 8],
    [61, 16],
    [200, 16],
    [201, 32],
  ])('in a cluster of %i nodes those with %i cores suit best', (nodes, cores) => {
    const options = [1, 2, 4, 8, 16, 32].map((cpu) => option(`of-${cpu}`, { price: 0.1, node: { cpu } }));
    expect(chosen(['price'], options, { market: { provider: 'aws', nodes } }).winners).toEqual([`of-${cores}`]);
  });
});
