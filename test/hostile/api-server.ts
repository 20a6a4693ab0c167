import { ApiError } from '../../providers/kubernetes/client/api-error.ts';
import { type ApiRequest, JSON_TYPE, qualified, urlOf } from '../../providers/kubernetes/client/api-request.ts';
import { PROTOBUF } from '../../providers/kubernetes/protobuf/envelope.ts';
import { DEFAULT_TRANSPORT, type Transport } from '../../providers/kubernetes/client/transport.ts';
import { encodePod, type Json } from '../providers/kubernetes/protobuf/pod-encoder.ts';
import { listOf } from '../providers/kubernetes/wire-encoder.ts';

/** An object as manifests write it, with the fields that the server fills in. */
export interface RawObject {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly uid: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly finalizers?: readonly string[];
    readonly deletionTimestamp?: string;
    readonly [field: string]: unknown;
  };
  readonly spec?: Json;
  readonly status?: Json;
  readonly [field: string]: unknown;
}

/** The resources that are served, and the kinds of their objects. */
const KIND_OF: Readonly<Record<string, string>> = {
  nodes: 'Node',
  pods: 'Pod',
  'replicasets.apps': 'ReplicaSet',
  'statefulsets.apps': 'StatefulSet',
  'daemonsets.apps': 'DaemonSet',
  replicationcontrollers: 'ReplicationController',
  'jobs.batch': 'Job',
  'poddisruptionbudgets.policy': 'PodDisruptionBudget',
  namespaces: 'Namespace',
  'priorityclasses.scheduling.k8s.io': 'PriorityClass',
  persistentvolumes: 'PersistentVolume',
  persistentvolumeclaims: 'PersistentVolumeClaim',
  'storageclasses.storage.k8s.io': 'StorageClass',
  'csidrivers.storage.k8s.io': 'CSIDriver',
  'csinodes.storage.k8s.io': 'CSINode',
  'resourceslices.resource.k8s.io': 'ResourceSlice',
  'deviceclasses.resource.k8s.io': 'DeviceClass',
  'volumeattachments.storage.k8s.io': 'VolumeAttachment',
  configmaps: 'ConfigMap',
  podtemplates: 'PodTemplate',
  resourcequotas: 'ResourceQuota',
  'capacitybuffers.autoscaling.x-k8s.io': 'CapacityBuffer',
  'provisioningrequests.autoscaling.x-k8s.io': 'ProvisioningRequest',
};

export const RESOURCE_OF: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(KIND_OF).map(([resource, kind]) => [kind, resource]),
);

/** Go's default for a request's line and headers (`http.DefaultMaxHeaderBytes`). */
const MAX_URL = 1 << 20;
/** Evicted pods that heed SIGTERM end so long after it. */
const ENDS_AFTER_MS = 3_000;

export interface HostileApiServer extends Transport {
  readonly put: (kind: string, object: RawObject) => void;
  readonly delete: (kind: string, namespace: string | undefined, name: string) => void;
  readonly list: (kind: string) => readonly RawObject[];
  /** Lets pods end whose time has come by now. */
  readonly settle: () => void;
  /** Told of each pod that is gone after an eviction. */
  onGone: (pod: RawObject) => void;
}

/**
 * The part of an API server that Outrigger speaks to, in this process: paths are taken apart as kube-apiserver does, after
 * decoding, and lists are answered as bytes.
 *
 * @param stubborn the uids of pods that do not heed SIGTERM: they take their whole grace period.
 */
export function hostileApiServer(
  now: () => number,
  encoding: 'json' | 'protobuf',
  stubborn: ReadonlySet<string>,
): HostileApiServer {
  const objects = new Map<string, Map<string, RawObject>>(Object.keys(KIND_OF).map((name) => [name, new Map()]));
  const texts = new WeakMap<RawObject, string>();
  const wires = new WeakMap<RawObject, Buffer>();
  const ends = new Map<string, number>();
  /** In the order of lists, by uid. A list goes on after the last object of its page, whichever objects are selected. */
  const positions = new Map<string, number>();
  const positionOf = ({ metadata }: RawObject): number => positions.get(metadata.uid)!;
  let version = 1;

  const keyOf = (namespace: string | undefined, name: string): string =>
    namespace === undefined ? name : `${namespace}/${name}`;
  const textOf = (object: RawObject): string => {
    const known = texts.get(object) ?? JSON.stringify(object);
    texts.set(object, known);
    return known;
  };
  const wireOf = (object: RawObject): Buffer => {
    const known = wires.get(object) ?? encodePod(object);
    wires.set(object, known);
    return known;
  };
  const collection = (kind: string): Map<string, RawObject> => objects.get(RESOURCE_OF[kind]!)!;
  const put = (kind: string, object: RawObject): void => {
    version += 1;
    const { metadata } = object;
    const key = keyOf(metadata.namespace, metadata.name);
    if (!collection(kind).has(key)) {
      positions.set(metadata.uid, version);
    }
    collection(kind).set(key, { ...object, metadata: { ...metadata, resourceVersion: String(version) } });
  };

  const settle = (): void => {
    for (const [key, at] of ends) {
      const pod = collection('Pod').get(key);
      if (pod === undefined || now() < at) {
        continue;
      }
      ends.delete(key);
      // A pod with a finalizer stays until the owner removes the finalizer; this owner never does.
      if ((pod.metadata.finalizers ?? []).length === 0) {
        collection('Pod').delete(key);
        server.onGone(pod);
      }
    }
  };

  const listed = (resource: string, request: ApiRequest): readonly RawObject[] => {
    const all = [...objects.get(resource)!.values()].filter(
      ({ metadata }) => request.namespace === null || metadata.namespace === request.namespace,
    );
    const conditions = (request.query['fieldSelector'] ?? '').split(',').filter((one) => one !== '');
    return all.filter((object) => conditions.every((condition) => holds(condition, object)));
  };

  const listAnswer = (resource: string, request: ApiRequest): { contentType: string; body: Buffer } => {
    const kind = KIND_OF[resource]!;
    const after = Number(request.query['continue'] ?? 0);
    const rest = listed(resource, request).filter((object) => positionOf(object) > after);
    const limit = Number(request.query['limit'] ?? rest.length);
    const page = rest.slice(0, limit);
    const token = limit < rest.length ? String(positionOf(page.at(-1)!)) : '';
    if (kind === 'Pod' && encoding === 'protobuf') {
      return { contentType: PROTOBUF, body: listOf('v1', kind, page.map(wireOf), token) };
    }
    const written = page.map(textOf);
    // The transport reads no more of an answer, and the reader asks for a smaller page then.
    if (written.reduce((sum, { length }) => sum + length, 0) > DEFAULT_TRANSPORT.maxBodyBytes) {
      throw new ApiError(`"list ${resource}" failed: the response is too large`, {
        kind: 'too large',
        retryable: false,
      });
    }
    const text = `{"kind":"${kind}List","apiVersion":"v1","metadata":{"continue":"${token}"},"items":[${written.join(',')}]}`;
    return { contentType: JSON_TYPE, body: Buffer.from(text) };
  };

  const evict = (request: ApiRequest): void => {
    const key = keyOf(request.namespace ?? undefined, request.name!);
    const pod = collection('Pod').get(key);
    const body = JSON.parse(request.body!.text) as {
      readonly deleteOptions?: {
        readonly preconditions?: { readonly uid?: string };
        readonly gracePeriodSeconds?: number;
      };
    };
    if (pod === undefined) {
      throw refusal(request, 404, 'NotFound', 'pods not found');
    }
    if (body.deleteOptions?.preconditions?.uid !== pod.metadata.uid) {
      throw refusal(request, 409, 'Conflict', 'the UID in the precondition does not match the UID in record');
    }
    const over = [...collection('PodDisruptionBudget').values()].filter((budget) => covers(budget, pod));
    if (over.length > 1) {
      throw refusal(
        request,
        500,
        'InternalError',
        'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
      );
    }
    if (over.some(({ status }) => status?.['disruptionsAllowed'] === 0)) {
      throw refusal(
        request,
        429,
        'TooManyRequests',
        "Cannot evict pod as it would violate the pod's disruption budget.",
        ['DisruptionBudget'],
      );
    }
    if (pod.metadata.deletionTimestamp === undefined) {
      const grace = body.deleteOptions?.gracePeriodSeconds ?? Number(pod.spec?.['terminationGracePeriodSeconds'] ?? 30);
      const ownGrace = Math.min(grace, 2 ** 31) * 1_000;
      put('Pod', {
        ...pod,
        metadata: { ...pod.metadata, deletionTimestamp: timeText(now()), deletionGracePeriodSeconds: grace },
      });
      ends.set(key, now() + (stubborn.has(pod.metadata.uid) ? ownGrace : Math.min(ownGrace, ENDS_AFTER_MS)));
    }
  };

  const patch = (resource: string, request: ApiRequest): void => {
    const kind = KIND_OF[resource]!;
    const object = collection(kind).get(keyOf(request.namespace ?? undefined, request.name!));
    if (object === undefined) {
      throw refusal(request, 404, 'NotFound', `${resource} not found`);
    }
    if (request.body!.contentType === 'application/json-patch+json') {
      // A merge patch follows.
      throw refusal(request, 422, 'Invalid', 'the server rejected our request due to an error in our request');
    }
    const changed = JSON.parse(request.body!.text) as { readonly metadata: Readonly<Record<string, unknown>> };
    if (
      ['uid', 'resourceVersion'].some(
        (field) => (changed.metadata[field] ?? object.metadata[field]) !== object.metadata[field],
      )
    ) {
      throw refusal(request, 409, 'Conflict', 'the object has been modified');
    }
    put(kind, mergePatch(object, changed) as RawObject);
  };

  /** Refuses a path that means something else to the server, which splits it after decoding. */
  const refuseOddPath = (request: ApiRequest): void => {
    if (request.name === null) {
      return;
    }
    const { pathname } = urlOf(new URL('https://api-server/'), request);
    if (pathname.length > MAX_URL) {
      throw refusal(request, 431, '', 'Request Header Fields Too Large');
    }
    const meant = [request.resource.resource, request.name, request.subresource].filter((part) => part !== null);
    const steps = decodeURIComponent(pathname).split('/');
    const after = steps.slice(steps.indexOf(request.resource.resource));
    if (request.name.includes('%')) {
      throw refusal(request, 400, 'BadRequest', `invalid resource name "${request.name}": [may not contain '%']`);
    }
    if (after.join('\n') !== meant.join('\n')) {
      throw refusal(request, 403, 'Forbidden', `cannot ${request.verb} this path`);
    }
  };

  const answer = (request: ApiRequest): { contentType: string; body: Buffer } => {
    const resource = qualified(request.resource);
    refuseOddPath(request);
    if (resource === 'events') {
      return { contentType: JSON_TYPE, body: Buffer.from('{}') };
    }
    if (request.verb === 'list') {
      return listAnswer(resource, request);
    }
    if (request.subresource === 'eviction') {
      evict(request);
      return { contentType: JSON_TYPE, body: Buffer.from('{}') };
    }
    if (request.verb === 'patch') {
      patch(resource, request);
      return { contentType: JSON_TYPE, body: Buffer.from('{}') };
    }
    const found = objects.get(resource)?.get(keyOf(request.namespace ?? undefined, request.name!));
    if (found === undefined) {
      throw refusal(request, 404, 'NotFound', `${resource} not found`);
    }
    return { contentType: JSON_TYPE, body: Buffer.from(textOf(found)) };
  };

  const server: HostileApiServer = {
    put,
    delete: (kind, namespace, name) => void collection(kind).delete(keyOf(namespace, name)),
    list: (kind) => [...collection(kind).values()],
    settle,
    onGone: () => {},
    send: async (request, read, signal) => {
      signal?.throwIfAborted();
      settle();
      return read({ status: 200, headers: {}, ...answer(request) });
    },
    close: () => {},
  };
  return server;
}

export const timeText = (ms: number): string => new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z');

function refusal(
  request: ApiRequest,
  status: number,
  reason: string,
  message: string,
  causes: readonly string[] = [],
): ApiError {
  const shown = (request.name ?? '').slice(0, 60);
  return new ApiError(
    `"${request.verb} ${qualified(request.resource)} ${shown}" was refused (HTTP ${status}: ${message})`,
    { kind: 'refused', status, reason, causes, retryable: status === 429 || status >= 500 },
  );
}

/** `path=value` and `path!=value`, of `metadata.namespace`, and of pods' `spec.nodeName` and `status.phase`. */
function holds(condition: string, object: RawObject): boolean {
  const [, path, operator, value] = /^([\w.]+)(!?=)(.*)$/.exec(condition)!;
  const [part, field] = path!.split('.') as ['metadata' | 'spec' | 'status', string];
  const found = (object[part]?.[field] ?? '') as string;
  return (found === value) === (operator === '=');
}

/** Does a budget's selector of labels match a pod of its namespace? */
function covers({ metadata, spec }: RawObject, pod: RawObject): boolean {
  const selector = spec?.['selector'] as
    | { readonly matchLabels?: Readonly<Record<string, string>>; readonly matchExpressions?: readonly unknown[] }
    | undefined;
  return (
    metadata.namespace === pod.metadata.namespace &&
    selector !== undefined &&
    (selector.matchExpressions ?? []).length === 0 &&
    Object.entries(selector.matchLabels ?? {}).every(([key, value]) => pod.metadata.labels?.[key] === value)
  );
}

/** RFC 7396. */
function mergePatch(target: unknown, patch: unknown): unknown {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) {
    return patch;
  }
  const merged: Record<string, unknown> = { ...(target as Record<string, unknown> | undefined) };
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) {
      delete merged[key];
    } else {
      merged[key] = mergePatch(merged[key], value);
    }
  }
  return merged;
}
