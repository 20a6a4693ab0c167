import { mapOptional } from '@outrigger/core/model/values/optional.ts';
import { clip } from '@outrigger/core/model/values/clip.ts';
import { byName } from '@outrigger/core/model/values/names.ts';
import type { Fields } from './fields.ts';

/**
 * The fields of a pod's `spec`, by their number in protobuf, that decide neither where kube-scheduler places the pod nor whether the pod
 * can be evicted, up to Kubernetes 1.37. The admission of a RuntimeClass writes its overhead, node selector and tolerations into the pod.
 */
export const UNREAD_POD_FIELDS: Readonly<Record<string, number>> = {
  restartPolicy: 3,
  activeDeadlineSeconds: 5,
  dnsPolicy: 6,
  serviceAccountName: 8,
  serviceAccount: 9,
  hostPID: 12,
  hostIPC: 13,
  securityContext: 14,
  imagePullSecrets: 15,
  hostname: 16,
  subdomain: 17,
  automountServiceAccountToken: 21,
  hostAliases: 23,
  priorityClassName: 24,
  dnsConfig: 26,
  shareProcessNamespace: 27,
  readinessGates: 28,
  runtimeClassName: 29,
  enableServiceLinks: 30,
  ephemeralContainers: 34,
  setHostnameAsFQDN: 35,
  os: 36,
  hostnameOverride: 41,
  evictionResponders: 44,
};

/** The known fields of an object; `null` for a field whose own fields are not compared. */
interface KnownFields {
  readonly [field: string]: KnownFields | null;
}

const fields = (...names: readonly string[]): KnownFields => Object.fromEntries(names.map((name) => [name, null]));

const REQUIREMENT = fields('key', 'operator', 'values');
const LABEL_SELECTOR = { matchLabels: null, matchExpressions: REQUIREMENT };
const NODE_TERM = { matchExpressions: REQUIREMENT, matchFields: REQUIREMENT };
const POD_TERM = {
  ...fields('topologyKey', 'namespaces', 'matchLabelKeys', 'mismatchLabelKeys'),
  labelSelector: LABEL_SELECTOR,
  namespaceSelector: LABEL_SELECTOR,
};
const POD_AFFINITY = {
  requiredDuringSchedulingIgnoredDuringExecution: POD_TERM,
  preferredDuringSchedulingIgnoredDuringExecution: { weight: null, podAffinityTerm: POD_TERM },
};

/**
 * Fields in containers and volumes are not compared: the API server adds defaults to every container, as it did with `resizePolicy` in
 * Kubernetes 1.33, and no pod would be simulated after an upgrade.
 */
const POD_SPEC: KnownFields = {
  ...fields(...Object.keys(UNREAD_POD_FIELDS)),
  ...fields(
    'containers',
    'initContainers',
    'volumes',
    'nodeName',
    'nodeSelector',
    'hostNetwork',
    'hostUsers',
    'overhead',
  ),
  ...fields('schedulerName', 'priority', 'preemptionPolicy', 'schedulingGates', 'resourceClaims'),
  ...fields('terminationGracePeriodSeconds'),
  resources: fields('limits', 'requests', 'claims'),
  schedulingGroup: fields('podGroupName'),
  affinity: {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: NODE_TERM },
      preferredDuringSchedulingIgnoredDuringExecution: { weight: null, preference: NODE_TERM },
    },
    podAffinity: POD_AFFINITY,
    podAntiAffinity: POD_AFFINITY,
  },
  tolerations: fields('key', 'operator', 'value', 'effect', 'tolerationSeconds'),
  topologySpreadConstraints: {
    ...fields('maxSkew', 'topologyKey', 'whenUnsatisfiable', 'minDomains'),
    ...fields('nodeAffinityPolicy', 'nodeTaintsPolicy', 'matchLabelKeys'),
    labelSelector: LABEL_SELECTOR,
  },
};

/** No field of Kubernetes has a longer path. */
const LONGEST_NAME = 100;

/**
 * The first field, by name, of a pod's `spec` that a newer Kubernetes has: its effect on scheduling is unknown. Absent where all fields
 * are known. Fields without a value do not count: Go writes them as well.
 */
export function unknownPodField(spec: Fields): string | undefined {
  const found: string[] = [];
  addUnknown(spec, POD_SPEC, '', found);
  const [first] = found.length > 1 ? found.toSorted(byName) : found;
  return mapOptional(first, (name) => clip(name, LONGEST_NAME));
}

function addUnknown(value: unknown, known: KnownFields, place: string, found: string[]): void {
  if (Array.isArray(value)) {
    for (const item of value) {
      addUnknown(item, known, place, found);
    }
    return;
  }
  if (typeof value !== 'object' || value === null) {
    return;
  }
  for (const [name, inner] of Object.entries(value)) {
    const of = Object.hasOwn(known, name) ? known[name] : undefined;
    if (of === undefined) {
      if (!isWithoutValue(inner)) {
        found.push(place + name);
      }
    } else if (of !== null) {
      addUnknown(inner, of, `${place}${name}.`, found);
    }
  }
}

function isWithoutValue(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) {
    return Object.keys(value).length === 0;
  }
  return value === undefined || value === null || value === false || value === 0 || value === '';
}
