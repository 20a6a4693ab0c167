import { valueOf } from '@outrigger/core/model/values/records.ts';
import { type NodeResources, nodeResources } from '@outrigger/providers/aws/templates/allocatable.ts';

/** vCPUs, GiB, network interfaces, addresses of each, USD per hour on demand in us-east-1, GPUs. */
type Row = readonly [vCpus: number, gib: number, interfaces: number, addresses: number, price: number, gpus?: number];

/** vCPUs, network interfaces and addresses of each of the sizes that families of Nitro have in common. */
const SIZES = {
  large: [2, 3, 10],
  xlarge: [4, 4, 15],
  '2xlarge': [8, 4, 15],
  '4xlarge': [16, 8, 30],
  '8xlarge': [32, 8, 30],
  '9xlarge': [36, 8, 30],
  '12xlarge': [48, 8, 30],
  '16xlarge': [64, 15, 50],
  '18xlarge': [72, 15, 50],
  '24xlarge': [96, 15, 50],
  '32xlarge': [128, 15, 50],
  '48xlarge': [192, 15, 50],
} as const;

/** The sizes up to 64 vCPUs, which all families but the c5 have, and what the larger families have beyond them. */
const TO_16 = ['large', 'xlarge', '2xlarge', '4xlarge', '8xlarge', '12xlarge', '16xlarge'] as const;
const TO_24 = [...TO_16, '24xlarge'] as const;
const TO_32 = [...TO_24, '32xlarge'] as const;
const TO_48 = [...TO_24, '48xlarge'] as const;
const WITH_32_AND_48 = [...TO_32, '48xlarge'] as const;

/** The types of a family, whose memory and price are in proportion to the vCPUs. */
const family = (name: string, gib: number, price: number, ...sizes: readonly (keyof typeof SIZES)[]) =>
  Object.fromEntries(
    sizes.map((size): [string, Row] => {
      const [vCpus, interfaces, addresses] = SIZES[size];
      return [`${name}.${size}`, [vCpus, gib * vCpus, interfaces, addresses, Math.round(price * vCpus * 1e5) / 1e5]];
    }),
  );

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
  ...family('m5', 4, 0.048, ...TO_24),
  ...family('m6i', 4, 0.048, ...TO_32),
  ...family('m6a', 4, 0.0432, ...WITH_32_AND_48),
  ...family('m7i', 4, 0.0504, ...TO_48),
  ...family('m7a', 4, 0.05796, ...WITH_32_AND_48),
  ...family('m6g', 4, 0.0385, ...TO_16),
  ...family('m7g', 4, 0.0408, ...TO_16),
  ...family('m8g', 4, 0.04488, ...TO_48),
  ...family('c5', 2, 0.0425, 'large', 'xlarge', '2xlarge', '4xlarge', '9xlarge', '12xlarge', '18xlarge', '24xlarge'),
  ...family('c6i', 2, 0.0425, ...TO_32),
  ...family('c6a', 2, 0.03825, ...WITH_32_AND_48),
  ...family('c7i', 2, 0.044625, ...TO_48),
  ...family('c7a', 2, 0.05132, ...WITH_32_AND_48),
  ...family('c6g', 2, 0.034, ...TO_16),
  ...family('c7g', 2, 0.03625, ...TO_16),
  ...family('c8g', 2, 0.03988, ...TO_48),
  ...family('r5', 8, 0.063, ...TO_24),
  ...family('r6i', 8, 0.063, ...TO_32),
  ...family('r6a', 8, 0.0567, ...WITH_32_AND_48),
  ...family('r7i', 8, 0.06615, ...TO_48),
  ...family('r7a', 8, 0.076075, ...WITH_32_AND_48),
  ...family('r6g', 8, 0.0504, ...TO_16),
  ...family('r7g', 8, 0.05355, ...TO_16),
  ...family('r8g', 8, 0.05891, ...TO_48),
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
