import { NO_REFRESHES, REFRESHES } from '../servers/instance-refreshes.ts';
import type { Answer } from '../servers/proxy.ts';
import { json } from './denials.ts';
import { type Backend, forward } from './gateway.ts';

/** Calls that moto does not answer, or answers wrongly. */
export const emulatorGaps = (moto: string): Readonly<Record<string, Backend>> => ({
  ec2: async ({ operation }, request) =>
    operation === 'GetInstanceTypesFromInstanceRequirements' ? instanceTypes('m5.large') : forward(moto, request),
  autoscaling: async ({ operation }, request) => (operation === REFRESHES ? NO_REFRESHES : forward(moto, request)),
  // An autoshift away from a zone that no group has: its name is asked for, and nothing is held up.
  'arc-zonal-shift': async () =>
    json({ zonalShifts: [], autoshifts: [{ appliedStatus: 'APPLIED', awayFrom: 'use1-az5', startTime: 0 }] }),
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
