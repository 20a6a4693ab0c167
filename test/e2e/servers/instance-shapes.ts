import { DescribeInstanceTypesCommand, type _InstanceType } from '@aws-sdk/client-ec2';
import type { AwsClients } from './aws-clients.ts';

/** Report of an EKS node's kubelet, with quantities as Kubernetes writes them. */
export interface InstanceShape {
  readonly arch: 'amd64' | 'arm64';
  readonly capacity: Readonly<Record<string, string>>;
  readonly allocatable: Readonly<Record<string, string>>;
}

/** Share that the kernel and the firmware keep: less than any estimate made before the instance runs. */
const MEMORY_OVERHEAD = 0.02;
const DISK_GIB = 80;

/** Asks for the type's hardware and reckons as the EKS image does: reserved resources and the eviction threshold. */
export async function instanceShape({ ec2 }: AwsClients, instanceType: string): Promise<InstanceShape> {
  const { InstanceTypes = [] } = await ec2.send(
    new DescribeInstanceTypesCommand({ InstanceTypes: [instanceType as _InstanceType] }),
  );
  const cores = InstanceTypes[0]?.VCpuInfo?.DefaultVCpus;
  const memoryMib = InstanceTypes[0]?.MemoryInfo?.SizeInMiB;
  const interfaces = InstanceTypes[0]?.NetworkInfo?.MaximumNetworkInterfaces;
  const addresses = InstanceTypes[0]?.NetworkInfo?.Ipv4AddressesPerInterface;
  if (cores === undefined || memoryMib === undefined || interfaces === undefined || addresses === undefined)
    throw new Error(`This AWS does not describe instance type ${instanceType}`);
  const pods = interfaces * (addresses - 1) + 2;
  const capacityMib = Math.floor(memoryMib * (1 - MEMORY_OVERHEAD));
  const reservedMib = 11 * pods + 255;
  const evictionMib = 100;
  // 6 % of the first core, 1 % of the second, 0.5 % of the next two, 0.25 % of the rest.
  const shares = Array.from({ length: cores }, (_, core) => (core === 0 ? 60 : core === 1 ? 10 : core < 4 ? 5 : 2.5));
  const reservedMilli = Math.floor(shares.reduce((sum, share) => sum + share, 0));
  return {
    arch: InstanceTypes[0]?.ProcessorInfo?.SupportedArchitectures?.includes('arm64') === true ? 'arm64' : 'amd64',
    capacity: {
      cpu: String(cores),
      memory: `${capacityMib * 1024}Ki`,
      pods: String(pods),
      'ephemeral-storage': `${DISK_GIB}Gi`,
    },
    allocatable: {
      cpu: `${cores * 1000 - reservedMilli}m`,
      memory: `${(capacityMib - reservedMib - evictionMib) * 1024}Ki`,
      pods: String(pods),
      'ephemeral-storage': `${DISK_GIB - DISK_GIB / 10 - 1}Gi`,
    },
  };
}
