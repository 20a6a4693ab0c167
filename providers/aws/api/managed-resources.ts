import type { EKSClient } from '@aws-sdk/client-eks';
import * as z from 'zod';
import { epochMs, type EpochMs } from '@outrigger/core/model/values/time.ts';
import { createSignedCall, readAnswer } from './signed-call.ts';

/** A shift that is in effect for a resource. */
export interface AppliedShift {
  /** The ID of the zone that traffic is shifted away from, such as `use1-az1`. */
  readonly zoneId: string;
  /** `null` for an autoshift. */
  readonly until: EpochMs | null;
}

/** Reads the shifts of a resource, by its ARN. Rejects with an error that `failureOf` knows. */
export type ReadShifts = (arn: string, signal?: AbortSignal) => Promise<readonly AppliedShift[]>;

// AWS applies one shift of a resource: a user's shift before an autoshift, and an autoshift before a practice run.
const shift = { appliedStatus: z.string(), awayFrom: z.string() };
const managedResource = z.object({
  /** Times in seconds, as the protocol writes them. */
  zonalShifts: z.array(z.object({ ...shift, expiryTime: z.number() })).default([]),
  autoshifts: z.array(z.object(shift)).default([]),
});

const TIMEOUT_MS = 3_000;

/**
 * `GetManagedResource` of ARC zonal shift, with the connections and the credentials of another client: the one call would otherwise
 * need a client of its own in each function. It is tried once; the next evaluation is the next attempt.
 *
 * @param endpoint in place of that of AWS; absent: as the SDK's variables of the environment say.
 */
export function createReadShifts(client: EKSClient, region: string, endpoint?: string): ReadShifts {
  const { AWS_ENDPOINT_URL_ARC_ZONAL_SHIFT: own, AWS_ENDPOINT_URL: any } = process.env;
  const call = createSignedCall(client, {
    service: 'arc-zonal-shift',
    region,
    endpoint: endpoint ?? own ?? any,
    timeoutMs: TIMEOUT_MS,
  });
  return async (arn, signal) => {
    const body = await call({ method: 'GET', path: `/managedresources/${encodeURIComponent(arn)}` }, signal);
    const { zonalShifts, autoshifts } = readAnswer(managedResource, body);
    return [
      ...zonalShifts
        .filter(isApplied)
        .map(({ awayFrom, expiryTime }) => ({ zoneId: awayFrom, until: epochMs(expiryTime * 1_000) })),
      ...autoshifts.filter(isApplied).map(({ awayFrom }) => ({ zoneId: awayFrom, until: null })),
    ];
  };
}

const isApplied = ({ appliedStatus }: { readonly appliedStatus: string }): boolean => appliedStatus === 'APPLIED';
