import type { Answer } from '../servers/proxy.ts';
import { json } from './denials.ts';
import { type Backend, forward } from './gateway.ts';

/** What moto does not answer, or answers wrongly. */
export const emulatorGaps = (moto: string): Readonly<Record<string, Backend>> => ({
  ec2: async ({ operation }, request) =>
    operation === 'GetInstanceTypesFromInstanceRequirements' ? instanceTypes('m5.large') : forward(moto, request),
  // No product of the list: prices are then unknown.
  pricing: async () => json({ FormatVersion: 'aws_v1', PriceList: [] }),
});

const instanceTypes = (type: string): Answer => ({
  status: 200,
  headers: { 'content-type': 'text/xml' },
  body: Buffer.from(
    `<GetInstanceTypesFromInstanceRequirementsResponse><instanceTypeSet><item><instanceType>${type}</instanceType></item></instanceTypeSet></GetInstanceTypesFromInstanceRequirementsResponse>`,
  ),
});
