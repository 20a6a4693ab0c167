import { assert, integer, property, tuple } from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  addressLimit,
  nodeResources,
  reservedCpu,
  reservedMemory,
} from '../../../../providers/aws/templates/allocatable.ts';
import type { InstanceType } from '../../../../providers/aws/launches/instance-types.ts';
import type { PodLimit } from '../../../../providers/aws/launches/user-data.ts';
import { instanceType } from '../builders.ts';

const MIB = 2 ** 20;
const GIB = 2 ** 30;
const ADDRESSES: PodLimit = { kind: 'addresses' };

const type = (
  name: string,
  vCpus: number,
  memoryMib: number,
  [interfaces, addressesPerInterface]: readonly [number, number] = [3, 10],
  extra: Partial<InstanceType> = {},
): InstanceType => instanceType(name, vCpus, { memoryMib, network: { interfaces, addressesPerInterface }, ...extra });

const T3_NANO = type('t3.nano', 2, 512, [2, 2]);
const M5_LARGE = type('m5.large', 2, 8_192, [3, 10]);
const M6G_LARGE = type('m6g.large', 2, 8_192, [3, 10], { architecture: 'arm64' });
const C5_9XLARGE = type('c5.9xlarge', 36, 73_728, [8, 30]);

describe('a new EKS node', () => {
  test.each([
    // type, pods, capacity and allocatable in MiB, allocatable CPU
    [M5_LARGE, 29, 8_192 - 615, 6_903, 1_930],
    [M6G_LARGE, 29, 8_128 - 610, 8_128 - 610 - 574 - 100, 1_930],
    [type('m5.xlarge', 4, 16_384, [4, 15]), 58, 16_384 - 1_229, 16_384 - 1_229 - 893 - 100, 3_920],
    [C5_9XLARGE, 234, 73_728 - 5_530, 73_728 - 5_530 - 2_829 - 100, 35_840],
    [T3_NANO, 4, 512 - 39, 512 - 39 - 299 - 100, 1_930],
  ])('$name', (given, pods, capacityMib, allocatableMib, milliCpu) => {
    const { capacity, allocatable } = nodeResources(given, ADDRESSES, 20 * GIB);
    expect(capacity).toEqual({
      cpu: given.vCpus * 1_000,
      memory: capacityMib * MIB,
      pods,
      'ephemeral-storage': 20 * GIB,
    });
    expect(allocatable).toEqual({
      cpu: milliCpu,
      memory: allocatableMib * MIB,
      pods,
      'ephemeral-storage': 17 * GIB,
    });
  });

  test('shows the devices of its type in full', () => {
    const { capacity, allocatable } = nodeResources(
      type('g5.xlarge', 4, 16_384, [4, 15], { devices: { 'nvidia.com/gpu': 1 } }),
      ADDRESSES,
      20 * GIB,
    );
    expect([capacity['nvidia.com/gpu'], allocatable['nvidia.com/gpu']]).toEqual([1, 1]);
  });
});

describe('pod limit', () => {
  test.each<readonly [InstanceType, PodLimit, number]>([
    [M5_LARGE, { kind: 'addresses' }, 29],
    [M5_LARGE, { kind: 'prefixes' }, 110],
    [C5_9XLARGE, { kind: 'prefixes' }, 250],
    [M5_LARGE, { kind: 'fixed', pods: 17 }, 17],
    [type('odd', 2, 8_192, [3, 10], { network: null }), { kind: 'addresses' }, 110],
  ])('$0.name with $1', (given, limit, pods) => {
    expect(nodeResources(given, limit, GIB).allocatable['pods']).toBe(pods);
  });

  test('set by the user leaves the reserve as the images compute it, from addresses', () => {
    expect(nodeResources(M5_LARGE, { kind: 'fixed', pods: 110 }, GIB).allocatable['memory']).toBe(6_903 * MIB);
  });
});

test.each([
  [1, 60],
  [2, 70],
  [4, 80],
  [8, 90],
  [16, 110],
  [64, 230],
  [96, 310],
  [6, 85],
])('%i cores reserve %i milli', (cores, milli) => {
  expect(reservedCpu(cores)).toBe(milli);
});

test('allocatable never exceeds capacity and never falls below zero', () => {
  assert(
    property(
      integer({ min: 1, max: 896 }),
      integer({ min: 256, max: 32 * 1_024 * 1_024 }),
      tuple(integer({ min: 1, max: 60 }), integer({ min: 1, max: 64 })),
      integer({ min: 0, max: 16_384 }),
      (vCpus, memoryMib, network, gib) => {
        const { capacity, allocatable } = nodeResources(type('any', vCpus, memoryMib, network), ADDRESSES, gib * GIB);
        for (const [resource, amount] of Object.entries(allocatable)) {
          expect(Number.isSafeInteger(amount)).toBe(true);
          expect(amount).toBeGreaterThanOrEqual(0);
          expect(amount).toBeLessThanOrEqual(capacity[resource]!);
        }
      },
    ),
  );
});

test('the reserve grows by 11 MiB with each pod', () => {
  expect([reservedMemory(0), reservedMemory(29), reservedMemory(addressLimit(C5_9XLARGE))]).toEqual([255, 574, 2_829]);
});
