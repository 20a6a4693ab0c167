import { describe, expect, test } from 'vitest';
import { defaultOptions, type Options } from '../../../core/model/options.ts';
import { similarityFor } from '../../../core/nodegroups/similar.ts';
import type { GroupTemplate } from '../../../core/nodegroups/node-templates.ts';
import { type Amounts, node, pod } from '../../builders.ts';
import { templateOf, zoneLabels } from '../../scenario-builders.ts';

const template = (amounts: Amounts, labels = {}, requests: Amounts = {}): GroupTemplate =>
  templateOf(node('n', amounts, { labels }), [pod('daemon', { requests })]);
const base = { cpu: 4, memory: '16000Mi' };
const similar = (a: GroupTemplate, b: GroupTemplate, options: Partial<Options> = {}) =>
  similarityFor({ ...defaultOptions(), ...options }, 'aws').isSimilar(a, b);

describe('similar node groups', () => {
  test.each([
    ['equal', true, template(base)],
    ['another zone', true, template(base, zoneLabels('us-east-1b'))],
    [
      'another launch template of EKS',
      true,
      template(base, {
        'eks.amazonaws.com/sourceLaunchTemplateId': 'lt-0b',
        'eks.amazonaws.com/sourceLaunchTemplateVersion': '7',
      }),
    ],
    ['another nodegroup label', true, template(base, { 'eks.amazonaws.com/nodegroup': 'x' })],
    ['another instance type', false, template(base, { 'node.kubernetes.io/instance-type': 'm5.large' })],
    ['another capacity type', false, template(base, { 'eks.amazonaws.com/capacityType': 'SPOT' })],
    ['a label more', false, template(base, { team: 'blue' })],
    ['memory 1.5 % apart', true, template({ ...base, memory: '15760Mi' })],
    ['memory more than 1.5 % apart', false, template({ ...base, memory: '15759Mi' })],
    ['another number of CPUs', false, template({ ...base, cpu: '4001m' })],
    ['a resource more', false, template({ ...base, 'nvidia.com/gpu': 1 })],
    ['daemons that take 5 %', true, template(base, {}, { cpu: '200m' })],
    ['daemons that take more than 5 %', false, template(base, {}, { cpu: '201m' })],
  ])('%s → %s, from either side', (_, expected, b) => {
    const a = template(base);
    expect(similar(a, b)).toBe(expected);
    expect(similar(b, a)).toBe(expected);
  });

  test('allocatable may be 5 % apart', () => {
    const a = template(base);
    const less = (cpu: string): GroupTemplate => ({
      ...a,
      node: { ...a.node, allocatable: node('n', { ...base, cpu }).allocatable },
    });
    expect(similar(less('3800m'), a)).toBe(true);
    expect(similar(less('3799m'), a)).toBe(false);
  });

  test.each([
    { of: 'spot', other: 'on-demand', expected: false },
    { of: 'spot', other: null, expected: false },
    { of: 'capacity-block', other: 'on-demand', expected: false },
    { of: 'on-demand', other: null, expected: true },
    { of: 'spot', other: 'spot', expected: true },
  ])('$of and $other, which no label says → $expected', ({ of, other, expected }) => {
    const [a, b] = [of, other].map((capacityType) => ({ ...template(base), capacityType }));
    expect(similar(a!, b!)).toBe(expected);
    expect(similarityFor(defaultOptions(), 'aws').onlyDifference(a!, b!)).toBe(expected ? null : 'purchase option');
    expect(similar(a!, b!, { balancingIgnoreLabel: ['lifecycle'] })).toBe(expected);
  });

  test('a label says the purchase option, and is the one difference', () => {
    const [a, b] = ['SPOT', 'ON_DEMAND'].map((value) => ({
      ...template(base, { 'eks.amazonaws.com/capacityType': value }),
      capacityType: value === 'SPOT' ? 'spot' : 'on-demand',
    }));
    expect(similarityFor(defaultOptions(), 'aws').onlyDifference(a!, b!)).toBe('label eks.amazonaws.com/capacityType');
  });

  test('taints are not compared', () => {
    const a = template(base);
    const tainted = { ...a, node: { ...a.node, taints: [{ key: 'x', value: '', effect: 'NoSchedule' }] } };
    expect(similar(a, tainted)).toBe(true);
  });

  test('balancingIgnoreLabel adds to the labels that may differ', () => {
    const b = template(base, { team: 'blue' });
    expect(similar(template(base), b, { balancingIgnoreLabel: ['team'] })).toBe(true);
  });

  test('balancingLabel replaces all comparison', () => {
    const options = { balancingLabel: ['pool'] };
    expect(similar(template(base, { pool: 'a' }), template({ cpu: 64 }, { pool: 'a' }), options)).toBe(true);
    expect(similar(template(base, { pool: 'a' }), template(base, { pool: 'b' }), options)).toBe(false);
    expect(similar(template(base), template(base), options)).toBe(false);
  });
});
