import { json } from 'node:stream/consumers';
import type { Readable } from 'node:stream';
import type { EKSClient } from '@aws-sdk/client-eks';
import { SignatureV4 } from '@smithy/signature-v4';
import * as z from 'zod';
import { epochMs, type EpochMs } from '../../../core/model/values/time.ts';
import { NodeSha256 } from '../../kubernetes/auth/eks-token.ts';

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
const SERVICE = 'arc-zonal-shift';

/**
 * `GetManagedResource` of ARC zonal shift, with the connections and the credentials of another client: the one call would otherwise
 * need a client of its own in each function. It is tried once; the next evaluation is the next attempt.
 *
 * @param endpoint in place of that of AWS; absent: as the SDK's variables of the environment say.
 */
export function createReadShifts({ config }: EKSClient, region: string, endpoint?: string): ReadShifts {
  const domain = region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';
  const { AWS_ENDPOINT_URL_ARC_ZONAL_SHIFT: own, AWS_ENDPOINT_URL: any } = process.env;
  const url = new URL(endpoint ?? own ?? any ?? `https://${SERVICE}.${region}.${domain}`);
  const signer = new SignatureV4({
    service: SERVICE,
    region,
    credentials: () => config.credentials(),
    sha256: NodeSha256,
  });
  return async (arn, signal) => {
    const signed = await signer.sign({
      method: 'GET',
      protocol: url.protocol,
      hostname: url.hostname,
      ...(url.port !== '' && { port: Number(url.port) }),
      path: `/managedresources/${encodeURIComponent(arn)}`,
      query: {},
      headers: { host: url.host },
    });
    const { response } = (await config.requestHandler.handle(signed as never, {
      requestTimeout: TIMEOUT_MS,
      ...(signal !== undefined && { abortSignal: signal }),
    })) as { readonly response: Answer };
    const body = await json(response.body).catch(() => null);
    if (response.statusCode !== 200) {
      throw serviceError(response, body);
    }
    const parsed = managedResource.safeParse(body);
    if (!parsed.success) {
      throw serviceError(response, { message: `the answer cannot be read: ${z.prettifyError(parsed.error)}` });
    }
    const { zonalShifts, autoshifts } = parsed.data;
    return [
      ...zonalShifts
        .filter(isApplied)
        .map(({ awayFrom, expiryTime }) => ({ zoneId: awayFrom, until: epochMs(expiryTime * 1_000) })),
      ...autoshifts.filter(isApplied).map(({ awayFrom }) => ({ zoneId: awayFrom, until: null })),
    ];
  };
}

interface Answer {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readable;
}

const isApplied = ({ appliedStatus }: { readonly appliedStatus: string }): boolean => appliedStatus === 'APPLIED';

const errorBody = z.object({ message: z.string().default('') }).catch({ message: '' });

/** An error as the SDK's clients throw it. */
function serviceError({ statusCode, headers }: Answer, body: unknown): Error {
  const [code] = (headers['x-amzn-errortype'] ?? (statusCode === 404 ? 'ResourceNotFoundException' : 'Error')).split(
    ':',
  );
  return Object.assign(new Error(errorBody.parse(body).message), {
    name: code!,
    $metadata: { httpStatusCode: statusCode },
  });
}
