import { valueOf } from '@outrigger/core/model/values/records.ts';
import { type NodeResources, nodeResources } from '@outrigger/providers/aws/templates/allocatable.ts';

/** vCPUs, GiB, network interfaces, addresses of each, USD per hour on demand in us-east-1, GPUs. */
type Row = readonly [vCpus: number, gib: number, interfaces: number, addresses: number, price: number, gpus?: number];

/** The types that a load may name without giving their capacity. */
const TYPES: Readonly<Record<string, Row>> = {
  't3.medium': [2, 4, 3, 6, 0.0416],
  't3.large': [2, 8, 3, 12, 0.0832],
  't3.xlarge': [4, 16, 4, 15, 0.1664],
  't4g.medium': [2, 4, 3, 6, 0.0336],
  't4g.large': [2, 8, 3, 12, 0.0672],
  't4g.xlarge': [4, 16, 4, 15, 0.1344],
  't3a.medium': [2, 4, 3, 6, 0.0376],
  't3a.large': [2, 8, 3, 12, 0.0752],
  't3a.xlarge': [4, 16, 4, 15, 0.1504],
  'm5.large': [2, 8, 3, 10, 0.096],
  'm5.xlarge': [4, 16, 4, 15, 0.192],
  'm5.2xlarge': [8, 32, 4, 15, 0.384],
  'm5.4xlarge': [16, 64, 8, 30, 0.768],
  'm5.8xlarge': [32, 128, 8, 30, 1.536],
  'm5.12xlarge': [48, 192, 8, 30, 2.304],
  'm5.16xlarge': [64, 256, 15, 50, 3.072],
  'm5.24xlarge': [96, 384, 15, 50, 4.608],
  'm6i.large': [2, 8, 3, 10, 0.096],
  'm6i.xlarge': [4, 16, 4, 15, 0.192],
  'm6i.2xlarge': [8, 32, 4, 15, 0.384],
  'm6i.4xlarge': [16, 64, 8, 30, 0.768],
  'm6g.large': [2, 8, 3, 10, 0.077],
  'm6g.xlarge': [4, 16, 4, 15, 0.154],
  'm6g.2xlarge': [8, 32, 4, 15, 0.308],
  'm6g.4xlarge': [16, 64, 8, 30, 0.616],
  'm7g.large': [2, 8, 3, 10, 0.0816],
  'm7g.xlarge': [4, 16, 4, 15, 0.1632],
  'm7g.2xlarge': [8, 32, 4, 15, 0.3264],
  'm7g.4xlarge': [16, 64, 8, 30, 0.6528],
  'm7i.large': [2, 8, 3, 10, 0.1008],
  'm7i.xlarge': [4, 16, 4, 15, 0.2016],
  'm7i.2xlarge': [8, 32, 4, 15, 0.4032],
  'm7i.4xlarge': [16, 64, 8, 30, 0.8064],
  'c5.large': [2, 4, 3, 10, 0.085],
  'c5.xlarge': [4, 8, 4, 15, 0.17],
  'c5.2xlarge': [8, 16, 4, 15, 0.34],
  'c5.4xlarge': [16, 32, 8, 30, 0.68],
  'c5.9xlarge': [36, 72, 8, 30, 1.53],
  'c6a.large': [2, 4, 3, 10, 0.0765],
  'c6a.xlarge': [4, 8, 4, 15, 0.153],
  'c6a.2xlarge': [8, 16, 4, 15, 0.306],
  'c6g.large': [2, 4, 3, 10, 0.068],
  'c6g.xlarge': [4, 8, 4, 15, 0.136],
  'c6g.2xlarge': [8, 16, 4, 15, 0.272],
  'c7g.large': [2, 4, 3, 10, 0.0725],
  'c7g.xlarge': [4, 8, 4, 15, 0.145],
  'c7g.2xlarge': [8, 16, 4, 15, 0.29],
  'c6i.large': [2, 4, 3, 10, 0.085],
  'c6i.xlarge': [4, 8, 4, 15, 0.17],
  'c6i.2xlarge': [8, 16, 4, 15, 0.34],
  'c6i.4xlarge': [16, 32, 8, 30, 0.68],
  'r5.large': [2, 16, 3, 10, 0.126],
  'r5.xlarge': [4, 32, 4, 15, 0.252],
  'r5.2xlarge': [8, 64, 4, 15, 0.504],
  'r5.4xlarge': [16, 128, 8, 30, 1.008],
  'r5.8xlarge': [32, 256, 8, 30, 2.016],
  'r5.12xlarge': [48, 384, 8, 30, 3.024],
  'r6g.large': [2, 16, 3, 10, 0.1008],
  'r6g.xlarge': [4, 32, 4, 15, 0.2016],
  'r6g.2xlarge': [8, 64, 4, 15, 0.4032],
  'r6i.xlarge': [4, 32, 4, 15, 0.252],
  'r6i.2xlarge': [8, 64, 4, 15, 0.504],
  'g4dn.xlarge': [4, 16, 3, 10, 0.526, 1],
  'g4dn.2xlarge': [8, 32, 3, 10, 0.752, 1],
  'g4dn.12xlarge': [48, 192, 8, 30, 3.912, 4],
  'g5.xlarge': [4, 16, 4, 15, 1.006, 1],
  'g5.2xlarge': [8, 32, 4, 15, 1.212, 1],
  'g5.4xlarge': [16, 64, 8, 30, 1.624, 1],
  'g5.8xlarge': [32, 128, 8, 30, 2.448, 1],
  'g5.12xlarge': [48, 192, 15, 50, 5.672, 4],
  'g5.48xlarge': [192, 768, 7, 50, 16.288, 8],
};

export const KNOWN_TYPES: readonly string[] = Object.keys(TYPES);

/** Graviton: `m7g` and `t4g`, not `g5`. */
export const architectureOfType = (type: string): 'arm64' | 'amd64' => (/^[a-z]\d+g/.test(type) ? 'arm64' : 'amd64');

const STORAGE = 20 * 2 ** 30;

/** Resources and price (USD per hour) of an EKS node of the type; `null` for a type that is not in the table. */
export function describeType(name: string): (NodeResources & { readonly price: number }) | null {
  const row = valueOf(TYPES, name);
  if (row === undefined) {
    return null;
  }
  const [vCpus, gib, interfaces, addressesPerInterface, price, gpus = 0] = row;
  const type = {
    name,
    architecture: architectureOfType(name),
    vCpus,
    memoryMib: gib * 1_024,
    network: { interfaces, addressesPerInterface },
    instanceStore: 0,
    devices: gpus > 0 ? { 'nvidia.com/gpu': gpus } : {},
  };
  return { ...nodeResources(type, { kind: 'addresses' }, STORAGE), price };
}
