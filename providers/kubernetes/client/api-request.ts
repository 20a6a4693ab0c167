import type { Verb } from '../manifests/roles.ts';

/** A resource, as in the API server's paths and in RBAC rules. */
export interface ApiResource {
  /** `''` is the core group. */
  readonly group: string;
  readonly version: string;
  /** Plural and lower-case: `pods`. */
  readonly resource: string;
}

export interface ApiRequest {
  readonly verb: Verb;
  readonly resource: ApiResource;
  /** `null` for cluster-scoped objects, and to list all namespaces. */
  readonly namespace: string | null;
  /** `null` to list and to create. */
  readonly name: string | null;
  /** `status`, `eviction` … */
  readonly subresource: string | null;
  /** A path that is none of a resource, such as `/apis/GROUP`, which `resource` does not count for; else `null`. */
  readonly nonResourceUrl: string | null;
  readonly query: Readonly<Record<string, string>>;
  readonly accept: string;
  readonly body: { readonly contentType: string; readonly text: string } | null;
  /** Whether the transport may retry; off where the caller schedules its own retries, as with evictions. */
  readonly retried: boolean;
  /** The user to act as, which takes the right to impersonate it; `null`: the connection's own. */
  readonly actingAs: string | null;
}

export const JSON_TYPE = 'application/json';
const MERGE_PATCH = 'application/merge-patch+json';

type Body = NonNullable<ApiRequest['body']>;

/** A body of JSON. */
export const jsonBody = (value: object, contentType = JSON_TYPE): Body => ({
  contentType,
  text: JSON.stringify(value),
});

/** The body of a merge patch: `null` removes a field. */
export const mergePatch = (patch: object): Body => jsonBody(patch, MERGE_PATCH);

/**
 * A server-side apply of an object. The owner of the applied fields is Outrigger, whichever of its programs applies: each replaces
 * what another applied.
 */
export const serverSideApply = (object: object): Pick<ApiRequest, 'query' | 'body'> => ({
  query: { fieldManager: 'outrigger', force: 'true' },
  // JSON is YAML.
  body: jsonBody(object, 'application/apply-patch+yaml'),
});

/** Sets the defaults of a request. */
export function apiRequest(
  verb: Verb,
  resource: ApiResource,
  rest: Partial<Omit<ApiRequest, 'verb' | 'resource'>> = {},
): ApiRequest {
  return {
    verb,
    resource,
    namespace: null,
    name: null,
    subresource: null,
    nonResourceUrl: null,
    query: {},
    accept: JSON_TYPE,
    body: null,
    retried: true,
    actingAs: null,
    ...rest,
  };
}

const NO_RESOURCE: ApiResource = Object.freeze({ group: '', version: '', resource: '' });

/** Gets a path that is none of a resource: `/apis/GROUP`, say, which the API server's default roles let everyone read. */
export const nonResourceRequest = (url: string): ApiRequest => apiRequest('get', NO_RESOURCE, { nonResourceUrl: url });

const METHOD: Readonly<Record<Verb, string>> = {
  list: 'GET',
  watch: 'GET',
  get: 'GET',
  create: 'POST',
  update: 'PUT',
  patch: 'PATCH',
  delete: 'DELETE',
};

export const methodOf = (request: ApiRequest): string => METHOD[request.verb];

/** Whether the request is idempotent. Patches are server-side applies and merges of absolute values here. */
export const isIdempotent = (request: ApiRequest): boolean => request.verb !== 'create';

/**
 * The URL of a request below the server's base URL.
 *
 * @throws Error for a name that would be another path: `IsValidPathSegmentName` of k8s.io/apimachinery/pkg/api/validation
 */
export function urlOf(server: URL, request: ApiRequest): URL {
  const steps = stepsOf(request);
  for (const step of steps) {
    if (step === '' || step === '.' || step === '..' || /[/%]/.test(step)) {
      throw new Error(
        `${describeRequest(request)}: ${JSON.stringify(step)} cannot be a segment of a request's path. Validate the name before the request`,
      );
    }
  }
  const url = new URL(server);
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/${steps.map(encodeURIComponent).join('/')}`;
  url.search = new URLSearchParams(request.query).toString();
  return url;
}

function stepsOf({ nonResourceUrl, resource: of, namespace, name, subresource }: ApiRequest): readonly string[] {
  if (nonResourceUrl !== null) {
    return nonResourceUrl.split('/').slice(1);
  }
  return [
    ...(of.group === '' ? ['api', of.version] : ['apis', of.group, of.version]),
    ...(namespace === null ? [] : ['namespaces', namespace]),
    of.resource,
    ...[name, subresource].filter((step) => step !== null),
  ];
}

/**
 * A request in words, for messages: `list pods`, `get configmaps kube-system/x`, `create pods/eviction default/web-1`.
 */
export function describeRequest(request: ApiRequest): string {
  if (request.nonResourceUrl !== null) {
    return `${request.verb} ${request.nonResourceUrl}`;
  }
  const where = [request.namespace, request.name].filter((part) => part !== null).join('/');
  return `${request.verb} ${qualified(request.resource)}${subresourceOf(request)} ${where}`.trimEnd();
}

const subresourceOf = ({ subresource }: ApiRequest): string => (subresource === null ? '' : `/${subresource}`);

/** `pods`, `replicasets.apps`: as `kubectl` accepts it. */
export const qualified = ({ group, resource }: ApiResource): string =>
  group === '' ? resource : `${resource}.${group}`;

/** The ClusterRole rule that allows a request, as in a manifest. */
export function neededRule(request: ApiRequest): string {
  if (request.nonResourceUrl !== null) {
    return `{nonResourceURLs: [${JSON.stringify(request.nonResourceUrl)}], verbs: ["${request.verb}"]}`;
  }
  const { group, resource } = request.resource;
  return `{apiGroups: [${JSON.stringify(group)}], resources: [${JSON.stringify(resource + subresourceOf(request))}], verbs: ["${request.verb}"]}`;
}
