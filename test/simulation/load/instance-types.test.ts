import { expect, test } from 'vitest';
import { CPU, PODS } from '../../../core/model/values/resources.ts';
import { architectureOfType, describeType, KNOWN_TYPES } from '../../../simulation/load/instance-types.ts';

test.each([
  // vCPUs, pods, and USD per hour on demand in us-east-1.
  ['m5.24xlarge', 96, 737, 4.608],
  ['m6a.48xlarge', 192, 737, 8.2944],
  ['m7i.12xlarge', 48, 234, 2.4192],
  ['m8g.large', 2, 29, 0.08976],
  ['c5.18xlarge', 72, 737, 3.06],
  ['c7a.32xlarge', 128, 737, 6.56896],
  ['c8g.48xlarge', 192, 737, 7.65696],
  ['r6g.16xlarge', 64, 737, 3.2256],
  ['r7a.xlarge', 4, 58, 0.3043],
  ['r7i.48xlarge', 192, 737, 12.7008],
])('%s has %i vCPUs, %i pods and costs %f', (name, vCpus, pods, price) => {
  const described = describeType(name);
  expect(described?.capacity).toMatchObject({ [CPU]: vCpus * 1_000, [PODS]: pods });
  expect(described?.price).toBeCloseTo(price, 5);
});

test('families have the sizes that EC2 has of them', () => {
  const sizesOf = (family: string) =>
    KNOWN_TYPES.flatMap((name) => (name.startsWith(`${family}.`) ? name.slice(family.length + 1) : []));
  expect(sizesOf('m7g').at(-1)).toBe('16xlarge');
  expect(sizesOf('m7i')).not.toContain('32xlarge');
  expect(sizesOf('m7a').slice(-2)).toEqual(['32xlarge', '48xlarge']);
  expect(sizesOf('c5')).not.toContain('8xlarge');
});

test('Graviton is arm64', () => {
  expect(['m8g.large', 't4g.medium', 'm7a.large', 'g5.xlarge'].map(architectureOfType)).toEqual([
    'arm64',
    'arm64',
    'amd64',
    'amd64',
  ]);
});
