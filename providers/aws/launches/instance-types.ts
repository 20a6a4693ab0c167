import { type EC2Client, type InstanceTypeInfo, paginateDescribeInstanceTypes } from '@aws-sdk/client-ec2';
import type { Resources } from '@outrigger/core/model/values/resources.ts';
import { ok } from '@outrigger/core/model/values/result.ts';
import { type EpochMs, minutes } from '@outrigger/core/model/values/time.ts';
import { abortable } from '../api/clients.ts';
import { type LookupResult, type Lookup, createLookup } from '../api/lookup.ts';
import { chunksOf } from '@outrigger/core/model/values/chunks.ts';

/** The fields of an EC2 instance type that a node depends on. */
export interface InstanceType {
  readonly name: string;
  readonly architecture: 'amd64' | 'arm64';
  readonly vCpus: number;
  readonly memoryMib: number;
  /** Limits of the default network card; `null` where EC2 does not report them. */
  readonly network: { readonly interfaces: number; readonly addressesPerInterface: number } | null;
  /** GPUs and other devices, under the names of their device plugins. */
  readonly devices: Resources;
  /** Bytes of the disks of the instance itself. */
  readonly instanceStore: number;
}

const TTL = minutes(20);
const PER_CALL = 100;

/** Looks types up by name, a hundred in one call. An unknown name is a cached result (`NotFound`). */
export function createInstanceTypes(ec2: EC2Client, now: () => EpochMs): Lookup<InstanceType> {
  return createLookup(
    async (names, signal) => {
      const found = new Map<string, LookupResult<InstanceType>>();
      for (const some of chunksOf(names, PER_CALL)) {
        const pages = paginateDescribeInstanceTypes(
          { client: ec2 },
          {
            // A filter, because with `InstanceTypes` one misspelled name fails the whole call.
            Filters: [{ Name: 'instance-type', Values: [...some] }],
          },
          abortable(signal),
        );
        for await (const { InstanceTypes = [] } of pages) {
          for (const info of InstanceTypes) {
            const type = toInstanceType(info);
            found.set(type.name, ok(type));
          }
        }
      }
      return found;
    },
    TTL,
    now,
  );
}

/** Reads EC2's description of a type. */
export function toInstanceType(info: InstanceTypeInfo): InstanceType {
  const architectures: readonly string[] = info.ProcessorInfo?.SupportedArchitectures ?? [];
  return {
    name: info.InstanceType ?? '',
    architecture: architectures.includes('arm64') ? 'arm64' : 'amd64',
    vCpus: info.VCpuInfo?.DefaultVCpus ?? 0,
    memoryMib: info.MemoryInfo?.SizeInMiB ?? 0,
    network: networkOf(info),
    devices: devicesOf(info),
    // Decimal, as Karpenter takes them, too (`ephemeralStorage` of pkg/providers/instancetype).
    instanceStore: (info.InstanceStorageInfo?.TotalSizeInGB ?? 0) * 1e9,
  };
}

function networkOf({ NetworkInfo: network }: InstanceTypeInfo): InstanceType['network'] {
  const card = network?.NetworkCards?.find(
    ({ NetworkCardIndex }) => NetworkCardIndex === (network.DefaultNetworkCardIndex ?? 0),
  );
  const interfaces = card?.MaximumNetworkInterfaces ?? network?.MaximumNetworkInterfaces;
  const addressesPerInterface = network?.Ipv4AddressesPerInterface;
  return interfaces === undefined || addressesPerInterface === undefined ? null : { interfaces, addressesPerInterface };
}

const GPU_RESOURCE: Readonly<Record<string, string>> = { nvidia: 'nvidia.com/gpu', amd: 'amd.com/gpu' };

function devicesOf({ GpuInfo, NeuronInfo, InferenceAcceleratorInfo }: InstanceTypeInfo): Resources {
  const devices: Record<string, number> = {};
  const add = (resource: string | undefined, count: number): void => {
    if (resource !== undefined && count > 0) {
      devices[resource] = (devices[resource] ?? 0) + count;
    }
  };
  for (const { Manufacturer = '', Count = 0 } of GpuInfo?.Gpus ?? []) {
    add(GPU_RESOURCE[Manufacturer.toLowerCase()], Count);
  }
  for (const { Count = 0, CoreInfo } of NeuronInfo?.NeuronDevices ?? []) {
    add('aws.amazon.com/neuron', Count);
    add('aws.amazon.com/neuroncore', Count * (CoreInfo?.Count ?? 0));
  }
  if (NeuronInfo === undefined) {
    for (const { Manufacturer = '', Count = 0 } of InferenceAcceleratorInfo?.Accelerators ?? []) {
      if (Manufacturer === 'AWS') {
        add('aws.amazon.com/neuron', Count);
      }
    }
  }
  return devices;
}
