/** A resource, as in the API server's paths and in RBAC rules. */
export interface ApiResource {
  /** `''` is the core group. */
  readonly group: string;
  readonly version: string;
  /** Plural and lower-case: `pods`. */
  readonly resource: string;
}

/** The RBAC verbs in use. */
export type Verb = 'list' | 'get' | 'create' | 'update' | 'patch' | 'delete';

export interface ApiRequest {
  readonly verb: Verb;
  readonly resource: ApiResource;
  /** `null` for cluster-scoped objects, and to list all namespaces. */
  readonly namespace: string | null;
  /** `null` to list and to create. */
  readonly name: string | null;
  /** `status`, `eviction` … */
  readonly subresource: string | null;
  readonly query: Readonly<Record<string, string>>;
  readonly accept: string;
  readonly body: { readonly contentType: string; readonly text: string } | null;
  /** Whether the transport may retry; off where the caller schedules its own retries, as with evictions. */
  readonly retried: boolean;
  /** The user to act as, which takes the right to impersonate it; `null`: the connection's own. */
  readonly actingAs: string | null;
}

export const JSON_TYPE = 'application/json';

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
    query: {},
    accept: JSON_TYPE,
    body: null,
    retried: true,
    actingAs: null,
    ...rest,
  };
}

const METHOD: Readonly<Record<Verb, string>> = {
  list: 'GET',
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
  const { group, version, resource } = request.resource;
  const steps = group === '' ? ['api', version] : ['apis', group, version];
  if (request.namespace !== null) {
    steps.push('namespaces', request.namespace);
  }
  steps.push(resource);
  if (request.name !== null) {
    steps.push(request.name);
  }
  if (request.subresource !== null) {
    steps.push(request.subresource);
  }
  for (const step of steps) {
    if (step === '' || step === '.' || step === '..' || /[/%]/.test(step)) {
      throw new Error(
        `${describe(request)}: ${JSON.stringify(step)} cannot be a segment of a request's path. Validate the name before the request`,
      );
    }
  }
  const url = new URL(server);
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/${steps.map(encodeURIComponent).join('/')}`;
  url.search = new URLSearchParams(request.query).toString();
  return url;
}

/**
 * A request in words, for messages: `list pods`, `get configmaps kube-system/x`, `create pods/eviction default/web-1`.
 */
export function describe(request: ApiRequest): string {
  const what = request.subresource === null ? '' : `/${request.subresource}`;
  const where = [request.namespace, request.name].filter((part) => part !== null).join('/');
  return `${request.verb} ${qualified(request.resource)}${what}${where === '' ? '' : ` ${where}`}`;
}

/** `pods`, `replicasets.apps`: as `kubectl` accepts it. */
export const qualified = ({ group, resource }: ApiResource): string =>
  group === '' ? resource : `${resource}.${group}`;

/** The ClusterRole rule that allows a request, as in a manifest. */
export function neededRule(request: ApiRequest): string {
  const subresource = request.subresource === null ? '' : `/${request.subresource}`;
  return `{apiGroups: [${JSON.stringify(request.resource.group)}], resources: [${JSON.stringify(request.resource.resource + subresource)}], verbs: ["${request.verb}"]}`;
}
