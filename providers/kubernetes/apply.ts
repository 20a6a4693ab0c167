import * as z from 'zod';
import { isRefusal } from './client/api-error.ts';
import { type ApiRequest, type ApiResource, apiRequest, jsonBody, serverSideApply } from './client/api-request.ts';
import type { Transport } from './client/transport.ts';
import { type KubernetesObject, MANAGED_BY } from './manifests/object.ts';
import type { Verb } from './manifests/roles.ts';

/** The kinds that Outrigger applies have resources with regular plurals. */
function resourceOf({ apiVersion, kind }: KubernetesObject): ApiResource {
  // The core group has no name: `v1`.
  const [version = '', group = ''] = apiVersion.split('/').toReversed();
  return { group, version, resource: `${kind.toLowerCase()}s` };
}

const requestFor = (
  verb: Verb,
  object: KubernetesObject,
  rest: Partial<Omit<ApiRequest, 'verb' | 'resource'>> = {},
): ApiRequest =>
  apiRequest(verb, resourceOf(object), {
    namespace: object.metadata.namespace ?? null,
    name: object.metadata.name,
    ...rest,
  });

/** Identifies one life and one content of an object. */
export interface ObjectVersion {
  readonly uid: string;
  readonly resourceVersion: string;
}

const Stored = z.object({
  metadata: z.object({
    uid: z.string().default(''),
    resourceVersion: z.string().default(''),
    labels: z.record(z.string(), z.string()).default({}),
  }),
});

/**
 * Creates or updates an object: a server-side apply that owns all given fields, and removes fields that only an earlier
 * apply set.
 *
 * @returns the version that the API server stores
 * @throws ApiError, also when the API server finds the object invalid.
 */
export async function applyObject(
  transport: Transport,
  object: KubernetesObject,
  signal?: AbortSignal,
): Promise<ObjectVersion> {
  const request = requestFor('patch', object, serverSideApply(object));
  return await transport.send(request, ({ body }) => versionIn(JSON.parse(body.toString('utf8'))), signal);
}

const versionIn = (stored: unknown): ObjectVersion => {
  const { uid, resourceVersion } = Stored.parse(stored).metadata;
  return { uid, resourceVersion };
};

/**
 * Reads an object as the API server has it.
 *
 * @returns `null` where it does not exist.
 */
export async function readObject(
  transport: Transport,
  object: KubernetesObject,
  signal?: AbortSignal,
): Promise<Readonly<Record<string, unknown>> | null> {
  try {
    return await transport.send(
      requestFor('get', object),
      ({ body }) => JSON.parse(body.toString('utf8')) as Readonly<Record<string, unknown>>,
      signal,
    );
  } catch (error) {
    if (isRefusal(error, 404)) {
      return null;
    }
    throw error;
  }
}

/** `changed`: the object is not what Outrigger made, and stays. */
export type ObjectRemoval = 'removed' | 'absent' | 'changed';

/**
 * Removes an object that carries the label of Outrigger's objects. An object of this name that other clients made, or
 * change meanwhile, stays.
 *
 * @throws ApiError
 */
export async function removeObject(
  transport: Transport,
  object: KubernetesObject,
  signal?: AbortSignal,
): Promise<ObjectRemoval> {
  const found = await readObject(transport, object, signal);
  if (found === null) {
    return 'absent';
  }
  const { labels } = Stored.parse(found).metadata;
  const isOurs = Object.entries(MANAGED_BY).every(([name, value]) => labels[name] === value);
  if (!isOurs) {
    return 'changed';
  }
  return await removeVersion(transport, object, versionIn(found), signal);
}

/**
 * Removes an object if it still has this UID and version: the API server checks both parts as preconditions.
 *
 * @throws ApiError
 */
export async function removeVersion(
  transport: Transport,
  object: KubernetesObject,
  version: ObjectVersion,
  signal?: AbortSignal,
): Promise<ObjectRemoval> {
  const body = jsonBody({ apiVersion: 'v1', kind: 'DeleteOptions', preconditions: version });
  const request = requestFor('delete', object, { body });
  try {
    await transport.send(request, () => undefined, signal);
    return 'removed';
  } catch (error) {
    if (isRefusal(error, 404)) {
      return 'absent';
    }
    if (isRefusal(error, 409)) {
      return 'changed';
    }
    throw error;
  }
}
