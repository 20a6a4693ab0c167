import { itemAt, lastItem, required } from '@outrigger/core/model/values/existing.ts';
import type { EpochMs } from '@outrigger/core/model/values/time.ts';
import type { ObjectStore } from './object-store.ts';
import {
  isDeleting,
  type MachineObject,
  type ManagedKind,
  type ManagedObject,
  type ScalableObject,
} from './objects.ts';
import { withMergePatch } from './merge-patch.ts';
import { SERVED_KINDS, SERVED_VERSION } from './served-kinds.ts';

/** A request as it arrives at the API server. */
interface ReceivedRequest {
  readonly method: string;
  /** Path and query. */
  readonly url: URL;
  readonly body: { readonly contentType: string; readonly text: string } | null;
  /** Time of the request; a slow server carries it out later. */
  readonly sentAt: EpochMs;
}

/** A response, with the object or `Status` that it has as JSON. */
interface Response {
  readonly status: number;
  readonly body: Fields;
}

type Fields = Readonly<Record<string, unknown>>;

/** Called for the changes of clients, before they are made. Controllers do not go through the API. */
interface ManagementHooks {
  /** Before the preconditions of a new scale are checked. */
  readonly onScaleAsked: (object: ScalableObject) => void;
  readonly onScale: (object: ScalableObject, replicas: number, sentAt: EpochMs) => void;
  readonly onDelete: (machine: MachineObject) => void;
  readonly onPatch: (before: ManagedObject, after: ManagedObject) => void;
  /** A change was made for an earlier version, and is refused. */
  readonly onConflict: (path: string) => void;
}

export interface SimulatedManagementApi {
  readonly handle: (request: ReceivedRequest) => Response;
}

/** The target of a request. */
interface Target {
  readonly kind: ManagedKind;
  readonly namespace: string | null;
  readonly name: string | null;
  readonly subresource: string | null;
}

/** A refusal of the API server, as a `Status`. */
class Refusal extends Error {
  readonly status: number;
  readonly reason: string;

  constructor(status: number, reason: string, message: string) {
    super(message);
    this.status = status;
    this.reason = reason;
  }
}

/**
 * The API server of a management cluster: discovery, lists with pages and label selectors, objects, merge patches, also of the
 * subresource `scale`, deletion; with the preconditions of an API server. The server refuses unknown requests, so that no request
 * seems to work that is only ignored.
 */
export function createSimulatedManagementApi(store: ObjectStore, hooks: ManagementHooks): SimulatedManagementApi {
  return {
    handle: (request) => {
      try {
        return { status: 200, body: answer({ store, hooks }, request) };
      } catch (error) {
        if (!(error instanceof Refusal)) {
          throw error;
        }
        const { status, reason, message } = error;
        if (reason === 'Conflict') {
          hooks.onConflict(request.url.pathname);
        }
        return { status, body: { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason, message, code: status } };
      }
    },
  };
}

interface Server {
  readonly store: ObjectStore;
  readonly hooks: ManagementHooks;
}

function answer(server: Server, request: ReceivedRequest): Fields {
  const [root, group, version, ...rest] = request.url.pathname.split('/').slice(1).map(decodeURIComponent);
  const isServed = Object.values(SERVED_KINDS).some((kind) => kind.group === group);
  if (root !== 'apis' || group === undefined || !isServed || (version ?? SERVED_VERSION) !== SERVED_VERSION) {
    throw notFound();
  }
  if (version === undefined) {
    const only = { groupVersion: `${group}/${SERVED_VERSION}`, version: SERVED_VERSION };
    return { kind: 'APIGroup', apiVersion: 'v1', name: group, versions: [only], preferredVersion: only };
  }
  if (rest.length === 0) {
    return resourcesOf(group);
  }
  const target = targetOf(group, rest);
  if (target.name === null) {
    expectMethod(request, ['GET']);
    return listed(server, target, request.url.searchParams);
  }
  const object = server.store.get(target.kind, target.namespace!, target.name);
  if (object === null) {
    const { resource, group: of } = SERVED_KINDS[target.kind];
    throw new Refusal(404, 'NotFound', `${resource}.${of} "${target.name}" not found`);
  }
  if (target.subresource === 'scale') {
    return scale(server, object as ScalableObject, request);
  }
  return single(server, object, request);
}

/** As an API server refuses a path that it does not serve: not with a reason, as for an object that does not exist. */
const notFound = (): Refusal => new Refusal(404, '', '404 page not found');

function expectMethod({ method }: ReceivedRequest, allowed: readonly string[]): void {
  if (!allowed.includes(method)) {
    throw new Refusal(405, 'MethodNotAllowed', 'the server does not allow this method on the requested resource');
  }
}

function resourcesOf(group: string): Fields {
  const resources = Object.entries(SERVED_KINDS)
    .filter(([, kind]) => kind.group === group)
    .flatMap(([kind, { resource, hasScale }]) => [
      { name: resource, namespaced: true, kind },
      ...(hasScale
        ? [{ name: `${resource}/scale`, namespaced: true, group: 'autoscaling', version: 'v1', kind: 'Scale' }]
        : []),
    ]);
  return { kind: 'APIResourceList', apiVersion: 'v1', groupVersion: `${group}/${SERVED_VERSION}`, resources };
}

function targetOf(group: string, steps: readonly string[]): Target {
  const [namespace, rest] = steps[0] === 'namespaces' ? [itemAt(steps, 1), steps.slice(2)] : [null, steps];
  const [resource, name = null, subresource = null, ...more] = rest;
  const found = Object.entries(SERVED_KINDS).find(([, kind]) => kind.group === group && kind.resource === resource);
  if (
    found === undefined ||
    more.length > 0 ||
    (name !== null && namespace === null) ||
    (subresource !== null && !(subresource === 'scale' && found[1].hasScale))
  ) {
    throw notFound();
  }
  return { kind: found[0] as ManagedKind, namespace, name, subresource };
}

/** A list has all pages of one moment: a page's token says after which object the next one begins. */
function listed({ store }: Server, { kind, namespace }: Target, query: URLSearchParams): Fields {
  for (const name of query.keys()) {
    if (!['limit', 'continue', 'labelSelector', 'resourceVersion', 'resourceVersionMatch'].includes(name)) {
      throw new Refusal(400, 'BadRequest', `the simulated API server does not know the parameter ${name}`);
    }
  }
  const selected = selectedLabels(query.get('labelSelector') ?? '');
  const after = query.get('continue') ?? '';
  const all = store
    .list(kind)
    .filter(
      ({ metadata }) =>
        (namespace === null || metadata.namespace === namespace) &&
        selected.every(([key, value]) => metadata.labels[key!] === value),
    )
    .filter((object) => placeOf(object) > after);
  const limit = Number(query.get('limit') ?? 0) || all.length;
  const page = all.slice(0, limit);
  const left = all.length - page.length;
  return {
    kind: `${kind}List`,
    apiVersion: apiVersionOf(kind),
    metadata: {
      resourceVersion: store.resourceVersion(),
      continue: left > 0 ? placeOf(lastItem(page)) : undefined,
      remainingItemCount: left || undefined,
    },
    items: page.map(shown),
  };
}

/** The labels that a selector names: it asks for equality alone. */
function selectedLabels(selector: string): readonly (readonly string[])[] {
  const labels = (selector === '' ? [] : selector.split(',')).map((part) => part.split('='));
  if (labels.some(({ length }) => length !== 2) || selector.includes('!')) {
    throw new Refusal(400, 'BadRequest', `the simulated API server does not know the selector ${selector}`);
  }
  return labels;
}

const apiVersionOf = (kind: ManagedKind): string => `${SERVED_KINDS[kind].group}/${SERVED_VERSION}`;

const shown = (object: ManagedObject): Fields => ({ apiVersion: apiVersionOf(object.kind), ...object });

const placeOf = ({ metadata: { namespace, name } }: ManagedObject): string => `${namespace}/${name}`;

function single(server: Server, object: ManagedObject, request: ReceivedRequest): Fields {
  expectMethod(request, ['GET', 'PATCH', 'DELETE']);
  switch (request.method) {
    case 'PATCH':
      return shown(patched(server, object, request));
    case 'DELETE':
      return removed(server, object, request);
    default:
      return shown(object);
  }
}

/** Refuses a change that was made for another object, or an earlier version of it. */
function expectSame({ kind, metadata }: ManagedObject, given: unknown): void {
  const { uid, resourceVersion } = (given ?? {}) as Fields;
  const what = `Operation cannot be fulfilled on ${SERVED_KINDS[kind].resource}.${SERVED_KINDS[kind].group} "${metadata.name}"`;
  if (uid !== undefined && uid !== '' && uid !== metadata.uid) {
    throw new Refusal(
      409,
      'Conflict',
      `${what}: Precondition failed: UID in precondition: ${JSON.stringify(uid)}, UID in object meta: ${metadata.uid}`,
    );
  }
  if (resourceVersion !== undefined && resourceVersion !== '' && resourceVersion !== metadata.resourceVersion) {
    throw new Refusal(
      409,
      'Conflict',
      `${what}: the object has been modified; please apply your changes to the latest version and try again`,
    );
  }
}

function patched({ store, hooks }: Server, object: ManagedObject, request: ReceivedRequest): ManagedObject {
  const patch = mergePatchOf(request);
  const { metadata = {} } = patch as { readonly metadata?: Fields };
  expectSame(object, metadata);
  const { uid: _uid, resourceVersion: _version, ...changed } = metadata;
  const after = withMergePatch(object, { ...patch, metadata: changed }) as ManagedObject;
  expectReplicas((after.spec as Fields)['replicas'], 'replicas' in object.spec);
  hooks.onPatch(object, after);
  store.update(object, () => after);
  return required(store.current(object), object.metadata.name);
}

function mergePatchOf({ body }: ReceivedRequest): Fields {
  if (body?.contentType !== 'application/merge-patch+json') {
    throw new Refusal(
      415,
      'UnsupportedMediaType',
      `the body of the request was in an unknown format - accepted media types include: application/merge-patch+json`,
    );
  }
  return JSON.parse(body.text) as Fields;
}

function expectReplicas(replicas: unknown, required: boolean): void {
  if (required && !(Number.isSafeInteger(replicas) && (replicas as number) >= 0)) {
    throw new Refusal(
      422,
      'Invalid',
      `spec.replicas: Invalid value: ${JSON.stringify(replicas)}: must be greater than or equal to 0`,
    );
  }
}

function removed({ store, hooks }: Server, object: ManagedObject, { body }: ReceivedRequest): Fields {
  if (object.kind !== 'Machine') {
    throw new Refusal(405, 'MethodNotAllowed', 'the simulated API server deletes nothing but machines');
  }
  const { preconditions } = (body === null ? {} : JSON.parse(body.text)) as Fields;
  expectSame(object, preconditions);
  if (!isDeleting(object)) {
    hooks.onDelete(object);
    store.remove(object);
  }
  return { kind: 'Status', apiVersion: 'v1', status: 'Success' };
}

function scale(server: Server, object: ScalableObject, request: ReceivedRequest): Fields {
  expectMethod(request, ['PATCH']);
  const given = mergePatchOf(request);
  server.hooks.onScaleAsked(object);
  expectSame(current(server, object), given['metadata']);
  const { replicas = object.spec.replicas } = (given['spec'] ?? {}) as Fields;
  expectReplicas(replicas, true);
  server.hooks.onScale(object, replicas as number, request.sentAt);
  server.store.update(object, (now) => ({ ...now, spec: { ...now.spec, replicas: replicas as number } }));
  return scaleOf(current(server, object));
}

const current = ({ store }: Server, object: ScalableObject): ScalableObject =>
  required(store.current(object), object.metadata.name);

function scaleOf({ metadata, spec, status }: ScalableObject): Fields {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = metadata;
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: { name, namespace, uid, resourceVersion, creationTimestamp },
    spec: { replicas: spec.replicas },
    status: { replicas: status.replicas, selector: status.selector },
  };
}
