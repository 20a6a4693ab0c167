import { setTimeout as delay } from 'node:timers/promises';
import pRetry from 'p-retry';
import * as z from 'zod';
import { messageOf } from '@outrigger/core/model/values/error-message.ts';
import type { Log } from '@outrigger/core/ports/observability.ts';
import { capabilitiesOf } from '../../schema/regions.ts';

/** A change of a resource that CloudFormation leaves to a function. */
export interface ResourceChange {
  readonly type: 'Create' | 'Update' | 'Delete';
  /** The id that the last change gave; a new resource has none yet. */
  readonly physicalId: string | null;
  readonly properties: Readonly<Record<string, unknown>>;
  /** The properties before an update. */
  readonly oldProperties: Readonly<Record<string, unknown>>;
}

export interface ChangedResource {
  /** Another one than before: CloudFormation deletes the resource of the id before. */
  readonly physicalId: string;
  /** Attributes for `Fn::GetAtt`. CloudFormation shows them to no one. */
  readonly data: Readonly<Record<string, string>>;
}

// https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/crpg-ref-requests.html
const envelope = z.object({
  ResponseURL: z.url(),
  StackId: z.string(),
  RequestId: z.string(),
  LogicalResourceId: z.string(),
});
const Request = z.object({
  RequestType: z.enum(['Create', 'Update', 'Delete']),
  PhysicalResourceId: z.string().optional(),
  ResourceProperties: z.record(z.string(), z.unknown()),
  OldResourceProperties: z.record(z.string(), z.unknown()).optional(),
});

/** Time that is left for the answer, in milliseconds. */
const RESERVE_MS = 10_000;
/** The longest reason; an answer may have 4 KB. */
const MOST_REASON = 1_000;

interface CustomResourceOptions {
  readonly log: Log;
  /** ARN of the stack whose resources are changed. Others are refused: an event may be of anybody with the right to invoke the function. */
  readonly stack: string;
  /** Origins that answers are sent to (`cloudFormationOrigins`). */
  readonly origins: readonly string[];
}

/**
 * A custom resource's handler. CloudFormation waits for an answer, up to an hour, whatever has happened to the function:
 * so every request is answered, also one that fails, takes too long, or is of a type that is not known. A deletion that
 * fails is answered as done, and the log has why: otherwise the stack could not be deleted any more, least of all when the
 * cluster is gone.
 *
 * @param work makes the change; the signal aborts when there is time for the answer alone
 */
export const customResource =
  (
    { log, stack, origins }: CustomResourceOptions,
    work: (change: ResourceChange, signal: AbortSignal) => Promise<ChangedResource>,
  ) =>
  async (event: unknown, context: { readonly getRemainingTimeInMillis: () => number }): Promise<void> => {
    const { ResponseURL, StackId, RequestId, LogicalResourceId } = envelope.parse(event);
    if (!origins.includes(new URL(ResponseURL).origin)) {
      throw new Error('the answer is asked for at another place than CloudFormation takes answers at');
    }
    const change = StackId === stack ? work : refuseForeign;
    const outcome = await outcomeOf(event, change, Math.max(0, context.getRemainingTimeInMillis() - RESERVE_MS), log);
    await putAnswer(ResponseURL, JSON.stringify({ StackId, RequestId, LogicalResourceId, ...outcome }));
  };

const refuseForeign = (): Promise<never> => Promise.reject(new Error('The function is of another stack.'));

/**
 * The origins of CloudFormation's response URLs in a region: the bucket of the region, in the forms of S3's URLs. The
 * whole name counts, as anybody may create a bucket whose name begins the same.
 */
export function cloudFormationOrigins(region: string): readonly string[] {
  const bucket = `https://cloudformation-custom-resource-response-${region.replaceAll('-', '')}`;
  const { domain } = capabilitiesOf(region);
  return [`.s3.${region}`, `.s3-${region}`, '.s3'].map((service) => `${bucket}${service}.${domain}`);
}

async function outcomeOf(
  event: unknown,
  work: (change: ResourceChange, signal: AbortSignal) => Promise<ChangedResource>,
  limitMs: number,
  log: Log,
) {
  const before = physicalIdIn(event);
  const parsed = Request.safeParse(event);
  if (!parsed.success) {
    return { Status: 'FAILED', PhysicalResourceId: before, Reason: 'The request is of a type that is not known.' };
  }
  const { RequestType: type, ResourceProperties, OldResourceProperties = {} } = parsed.data;
  const change = {
    type,
    physicalId: parsed.data.PhysicalResourceId ?? null,
    properties: ResourceProperties,
    oldProperties: OldResourceProperties,
  };
  const stop = new AbortController();
  try {
    const { physicalId, data } = await Promise.race([
      work(change, stop.signal),
      delay(limitMs, null, { signal: stop.signal }).then(() => {
        throw new Error('there was no time left');
      }),
    ]);
    return { Status: 'SUCCESS', PhysicalResourceId: physicalId, Data: data, NoEcho: true };
  } catch (error) {
    log.error(type === 'Delete' ? 'What was applied could not be removed' : 'A change failed', { error });
    const Reason = messageOf(error).slice(0, MOST_REASON);
    return { Status: type === 'Delete' ? 'SUCCESS' : 'FAILED', PhysicalResourceId: before, Reason };
  } finally {
    stop.abort();
  }
}

/**
 * CloudFormation's ID of the resource of a failed change: the former ID, or a name for a resource that was not created.
 */
const physicalIdIn = (event: unknown): string =>
  z.object({ PhysicalResourceId: z.string() }).safeParse(event).data?.PhysicalResourceId ?? 'not-created';

const PUT_ATTEMPTS = 4;

/** Sends an answer. Its URL is signed without a content type, so it must have none. */
async function putAnswer(url: string, body: string): Promise<void> {
  await pRetry(
    async () => {
      const { status } = await fetch(url, {
        method: 'PUT',
        body: Buffer.from(body),
        headers: { 'content-type': '' },
        signal: AbortSignal.timeout(3_000),
      });
      if (status !== 200) {
        throw new Error(`the answer to CloudFormation was refused: HTTP ${status}`);
      }
    },
    { retries: PUT_ATTEMPTS - 1, minTimeout: 200 },
  );
}
