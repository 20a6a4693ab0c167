import { firstItem } from '@outrigger/core/model/values/existing.ts';
import * as z from 'zod';
import { present } from '@outrigger/core/model/values/present.ts';
import { type EpochMs, addTime, minutes } from '@outrigger/core/model/values/time.ts';
import { ApiError, isRefusal } from '../../kubernetes/client/api-error.ts';
import { type ApiResource, nonResourceRequest } from '../../kubernetes/client/api-request.ts';
import type { Transport } from '../../kubernetes/client/transport.ts';
import { parsedOf } from '../../kubernetes/read/parsed.ts';
import { type ClusterApiKind, apiResource, RESOURCE_NAMES } from './resources.ts';

const ApiGroup = z.object({
  versions: z.array(z.object({ version: z.string().min(1) })).min(1),
  preferredVersion: z.object({ version: z.string().min(1) }).optional(),
});
const ApiResourceList = z.object({ resources: z.array(z.object({ name: z.string() })) });

/** Versions that `objects.ts` reads, the best-known version first. */
const KNOWN_VERSIONS = ['v1beta2', 'v1beta1'] as const;

/** How long kinds count as served, or not. CRDs change when Cluster API is upgraded. */
const KEPT = minutes(30);

/** The kinds of an API group that a management cluster serves. */
interface ServedApi {
  /** The resource of a kind in the version to use; `null` where the kind is not served. Asked once, by two requests. */
  resourceOf(kind: ClusterApiKind, signal?: AbortSignal): Promise<ApiResource | null>;
  /**
   * Reads objects of a kind; `null` where the kind is not served. If the known version is not served any more, the
   * served versions are requested again.
   */
  read<T>(kind: ClusterApiKind, read: (resource: ApiResource) => Promise<T>, signal?: AbortSignal): Promise<T | null>;
}

/**
 * Asks which version and kinds of a group are served. Of several versions the newest that can be read is used, else the
 * one that the API server prefers.
 */
export function createServedApi(transport: Transport, group: string, now: () => EpochMs): ServedApi {
  let known: {
    readonly until: EpochMs;
    readonly served: Promise<ServedVersion>;
    readonly signal?: AbortSignal;
  } | null = null;
  const served = async (signal?: AbortSignal): Promise<ServedVersion> => {
    if (known === null || known.until <= now()) {
      known = { until: addTime(now(), KEPT), served: askFor(transport, group, signal), ...present({ signal }) };
    }
    const asked = known;
    try {
      return await asked.served;
    } catch (error) {
      // A failure is the answer to these calls alone, and the abort of one call no answer to the others.
      known = known === asked ? null : known;
      if (asked.signal?.aborted === true && signal?.aborted !== true) {
        return await served(signal);
      }
      throw error;
    }
  };
  const resourceOf = async (kind: ClusterApiKind, signal?: AbortSignal): Promise<ApiResource | null> => {
    const { version, resources } = await served(signal);
    return resources.has(RESOURCE_NAMES[kind]) ? apiResource(group, version, kind) : null;
  };
  return {
    resourceOf,
    async read(kind, read, signal) {
      const resource = await resourceOf(kind, signal);
      if (resource === null) {
        return null;
      }
      try {
        return await read(resource);
      } catch (error) {
        if (!isUnserved(error)) {
          throw error;
        }
        known = null;
        const again = await resourceOf(kind, signal);
        return again === null ? null : await read(again);
      }
    },
  };
}

/** A path that is not served; of an object that does not exist the API server says `NotFound`. */
export const isUnserved = (error: unknown): boolean =>
  isRefusal(error, 404) && error instanceof ApiError && error.reason !== 'NotFound';

interface ServedVersion {
  readonly version: string;
  readonly resources: ReadonlySet<string>;
}

async function askFor(transport: Transport, group: string, signal?: AbortSignal): Promise<ServedVersion> {
  try {
    const { versions, preferredVersion } = await ask(transport, `/apis/${group}`, ApiGroup, signal);
    const all = versions.map(({ version }) => version);
    const version = KNOWN_VERSIONS.find((one) => all.includes(one)) ?? preferredVersion?.version ?? firstItem(all);
    const { resources } = await ask(transport, `/apis/${group}/${version}`, ApiResourceList, signal);
    return { version, resources: new Set(resources.map(({ name }) => name)) };
  } catch (error) {
    throw isRefusal(error, 404) ? notServed(group, error) : error;
  }
}

const notServed = (group: string, cause: unknown): Error =>
  new Error(
    `The management cluster does not serve the API group ${group}. Install Cluster API there, or correct clusterApi.apiGroup.`,
    { cause },
  );

const ask = <T>(transport: Transport, url: string, answer: z.ZodType<T>, signal?: AbortSignal): Promise<T> =>
  transport.send(
    nonResourceRequest(url),
    ({ body }) => {
      const read = answer.safeParse(parsedOf(body));
      if (!read.success) {
        throw new ApiError(`the response is not that of an API server: ${z.prettifyError(read.error)}`, {
          kind: 'unreadable',
          retryable: true,
        });
      }
      return read.data;
    },
    signal,
  );
