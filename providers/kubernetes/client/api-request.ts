/** A kind of object as the API server's paths and RBAC rules name it. */
export interface ApiResource {
  /** `''` is the core group. */
  readonly group: string;
  readonly version: string;
  /** Plural and lower-case: `pods`. */
  readonly resource: string;
}

/** RBAC's verbs, as far as they are used. */
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
  /** Whether it may be sent again at once; off where the caller has its own pace, as with evictions. */
  readonly retried: boolean;
}

export const JSON_TYPE = 'application/json';

/** Fills in what most requests leave out. */
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

/** Whether sending it twice is as good as once. Patches are server-side applies and merges of absolute values here. */
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
        `${describe(request)}: ${JSON.stringify(step)} cannot be a step of a request's path. Check the name before asking`,
      );
    }
  }
  const url = new URL(server);
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/${steps.map(encodeURIComponent).join('/')}`;
  url.search = new URLSearchParams(request.query).toString();
  return url;
}

/** A request in words, for messages: `list pods`, `get configmaps kube-system/x`, `create pods/eviction default/web-1`. */
export function describe(request: ApiRequest): string {
  const what = request.subresource === null ? '' : `/${request.subresource}`;
  const where = [request.namespace, request.name].filter((part) => part !== null).join('/');
  return `${request.verb} ${qualified(request.resource)}${what}${where === '' ? '' : ` ${where}`}`;
}

/** `pods`, `replicasets.apps`: as `kubectl` takes it. */
export const qualified = ({ group, resource }: ApiResource): string =>
  group === '' ? resource : `${resource}.${group}`;

/** The ClusterRole rule that allows a request, as it is written in a manifest. */
export function neededRule(request: ApiRequest): string {
  const subresource = request.subresource === null ? '' : `/${request.subresource}`;
  return `{apiGroups: [${JSON.stringify(request.resource.group)}], resources: [${JSON.stringify(request.resource.resource + subresource)}], verbs: ["${request.verb}"]}`;
}
