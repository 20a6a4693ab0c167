import type { InstanceTypeInfo } from '@aws-sdk/client-ec2';
import { expect, test } from 'vitest';
import { type InstanceType, toInstanceType } from '../../../../providers/aws/launches/instance-types.ts';

const M5_LARGE: InstanceTypeInfo = {
  InstanceType: 'm5.large',
  VCpuInfo: { DefaultVCpus: 2 },
  MemoryInfo: { SizeInMiB: 8_192 },
  ProcessorInfo: { SupportedArchitectures: ['x86_64'] },
  NetworkInfo: { MaximumNetworkInterfaces: 3, Ipv4AddressesPerInterface: 10 },
};

test('a type is projected to what its nodes show', () => {
  expect(toInstanceType(M5_LARGE)).toEqual({
    name: 'm5.large',
    architecture: 'amd64',
    vCpus: 2,
    memoryMib: 8_192,
    network: { interfaces: 3, addressesPerInterface: 10 },
    devices: {},
    instanceStore: 0,
  });
});

test.each<readonly [string, Partial<InstanceTypeInfo>, Partial<InstanceType>]>([
  ['arm', { ProcessorInfo: { SupportedArchitectures: ['arm64'] } }, { architecture: 'arm64' }],
  ['old 32-bit capable', { ProcessorInfo: { SupportedArchitectures: ['i386', 'x86_64'] } }, { architecture: 'amd64' }],
  [
    'several network cards: the default one counts',
    {
      NetworkInfo: {
        MaximumNetworkInterfaces: 60,
        Ipv4AddressesPerInterface: 50,
        DefaultNetworkCardIndex: 1,
        NetworkCards: [
          { NetworkCardIndex: 0, MaximumNetworkInterfaces: 45 },
          { NetworkCardIndex: 1, MaximumNetworkInterfaces: 15 },
        ],
      },
    },
    { network: { interfaces: 15, addressesPerInterface: 50 } },
  ],
  ['disks of its own', { InstanceStorageInfo: { TotalSizeInGB: 75 } }, { instanceStore: 75e9 }],
  ['network not told', { NetworkInfo: undefined }, { network: null }],
  [
    'NVIDIA GPUs',
    { GpuInfo: { Gpus: [{ Manufacturer: 'NVIDIA', Name: 'T4', Count: 4 }] } },
    { devices: { 'nvidia.com/gpu': 4 } },
  ],
  ['AMD GPUs', { GpuInfo: { Gpus: [{ Manufacturer: 'AMD', Count: 2 }] } }, { devices: { 'amd.com/gpu': 2 } }],
  ['GPUs of others', { GpuInfo: { Gpus: [{ Manufacturer: 'Habana', Count: 8 }] } }, { devices: {} }],
  [
    'Neuron devices and their cores',
    { NeuronInfo: { NeuronDevices: [{ Count: 6, CoreInfo: { Count: 2 } }] } },
    { devices: { 'aws.amazon.com/neuron': 6, 'aws.amazon.com/neuroncore': 12 } },
  ],
  [
    'Neuron devices in the words of older answers',
    { InferenceAcceleratorInfo: { Accelerators: [{ Manufacturer: 'AWS', Name: 'Inferentia', Count: 4 }] } },
    { devices: { 'aws.amazon.com/neuron': 4 } },
  ],
])('%s', (_, extra, expected) => {
  expect(toInstanceType({ ...M5_LARGE, ...extra })).toMatchObject(expected);
});
