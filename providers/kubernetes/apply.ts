import { isRefusal } from './client/api-error.ts';
import { type ApiRequest, type ApiResource, apiRequest, type Verb } from './client/api-request.ts';
import type { Transport } from './client/transport.ts';
import type { KubernetesObject } from './manifests/object.ts';

/** The owner of the fields that Outrigger applies, whichever of its programs does: each replaces what another applied. */
const FIELD_MANAGER = 'outrigger';

/** The kinds that Outrigger applies, and the names of their resources. */
const RESOURCES: Readonly<Record<string, string>> = {
  ConfigMap: 'configmaps',
  ClusterRole: 'clusterroles',
  ClusterRoleBinding: 'clusterrolebindings',
  Role: 'roles',
  RoleBinding: 'rolebindings',
  ValidatingWebhookConfiguration: 'validatingwebhookconfigurations',
  FlowSchema: 'flowschemas',
  PriorityLevelConfiguration: 'prioritylevelconfigurations',
};

function resourceOf({ apiVersion, kind }: KubernetesObject): ApiResource {
  // The core group has no name: `v1`.
  const [version = '', group = ''] = apiVersion.split('/').toReversed();
  const resource = RESOURCES[kind];
  if (resource === undefined) {
    throw new Error(`${kind} is not among the kinds that are applied`);
  }
  return { group, version, resource };
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

/**
 * Creates or updates an object: a server-side apply that owns all fields that are given, and removes those that an
 * earlier one gave.
 *
 * @throws ApiError, also when the API server finds the object invalid.
 */
export async function applyObject(transport: Transport, object: KubernetesObject, signal?: AbortSignal): Promise<void> {
  const request = requestFor('patch', object, {
    query: { fieldManager: FIELD_MANAGER, force: 'true' },
    // JSON is YAML.
    body: { contentType: 'application/apply-patch+yaml', text: JSON.stringify(object) },
  });
  await transport.send(request, () => undefined, signal);
}

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

/**
 * Removes an object.
 *
 * @returns whether it was there
 */
export async function removeObject(
  transport: Transport,
  object: KubernetesObject,
  signal?: AbortSignal,
): Promise<boolean> {
  try {
    await transport.send(requestFor('delete', object), () => undefined, signal);
    return true;
  } catch (error) {
    if (!isRefusal(error, 404)) {
      throw error;
    }
    return false;
  }
}
