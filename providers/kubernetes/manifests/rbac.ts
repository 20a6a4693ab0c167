import { DRAIN_GROUP, KUBERNETES_GROUP } from './groups.ts';
import { MANAGED_BY } from './object.ts';
import { binding, clusterRole } from './roles.ts';

const list = (apiGroup: string, ...resources: string[]) => ({ apiGroups: [apiGroup], resources, verbs: ['list'] });

/** Rights of a drain, which reads a node, the pods' controllers and the pods' claims. */
const listAndGet = (apiGroup: string, ...resources: string[]) => ({
  apiGroups: [apiGroup],
  resources,
  verbs: ['get', 'list'],
});

/**
 * The namespace of Cluster Autoscaler's ConfigMaps, and the name of the ConfigMap with its status, unless the options
 * say otherwise.
 */
export const CONFIG_NAMESPACE = 'kube-system';
export const STATUS_CONFIG_MAP = 'cluster-autoscaler-status';

const CHANGES = [
  { apiGroups: [''], resources: ['nodes'], verbs: ['patch'] },
  { apiGroups: [''], resources: ['events'], verbs: ['create'] },
];

/** With the option `plannedPlacement`. */
const NOMINATIONS = [{ apiGroups: [''], resources: ['pods/status'], verbs: ['patch'] }];

/** `create` is asked for by name, too: a server-side apply names what it creates. */
const statusRule = (name: string) => ({
  apiGroups: [''],
  resources: ['configmaps'],
  resourceNames: [name],
  verbs: ['create', 'patch'],
});

/** Rights for the sources of headroom and the quotas, where the option is on: as few as each kind needs. */
export interface RoomRights {
  readonly capacityBuffers?: boolean | undefined;
  readonly provisioningRequests?: boolean | undefined;
  readonly capacityQuotas?: boolean | undefined;
  readonly enableProactiveScaleup?: boolean | undefined;
}

function roomRules(
  {
    capacityBuffers = false,
    provisioningRequests = false,
    capacityQuotas = false,
    enableProactiveScaleup = false,
  }: RoomRights,
  dryRun: boolean,
) {
  const resources = [
    ...(capacityBuffers ? ['capacitybuffers'] : []),
    ...(provisioningRequests ? ['provisioningrequests'] : []),
  ];
  const statuses = resources.map((resource) => `${resource}/status`);
  const quotas = capacityQuotas ? [list('autoscaling.x-k8s.io', 'capacityquotas')] : [];
  if (resources.length === 0) {
    return [...quotas, ...(enableProactiveScaleup ? [list('', 'resourcequotas')] : [])];
  }
  return [
    ...quotas,
    list('autoscaling.x-k8s.io', ...resources),
    list('', 'podtemplates', 'resourcequotas'),
    ...(dryRun ? [] : [{ apiGroups: ['autoscaling.x-k8s.io'], resources: statuses, verbs: ['patch'] }]),
  ];
}

/** With the option `incrementalReads`. */
const WATCHES = [
  { apiGroups: [''], resources: ['nodes', 'pods'], verbs: ['watch'] },
  { apiGroups: ['apps'], resources: ['replicasets'], verbs: ['watch'] },
  { apiGroups: ['batch'], resources: ['jobs'], verbs: ['watch'] },
];

const EVICTIONS = [{ apiGroups: [''], resources: ['pods/eviction'], verbs: ['create'] }];

/** Options that take rights of their own; absent: off. */
export interface OptionsWithRights extends RoomRights {
  readonly plannedPlacement?: boolean | undefined;
  readonly incrementalReads?: boolean | undefined;
}

/**
 * The functions' rights in the cluster: read the objects that scheduling depends on, taint nodes, write events, and
 * write their status; one of the functions may evict pods, as their budgets allow. None may delete anything. For
 * `kubectl apply`, again when the mode changes.
 *
 * @param configNamespace the namespace of the ConfigMaps with the expander's priorities and with the status
 * @param dryRun whether they only observe: then they may read, and no more. The objects are the same.
 * @param status the name of the ConfigMap with the status; `null`: none is written
 * @param options of which each takes rights of its own
 */
export const rbac = (
  configNamespace: string = CONFIG_NAMESPACE,
  dryRun = false,
  status: string | null = STATUS_CONFIG_MAP,
  { plannedPlacement = false, incrementalReads = false, ...room }: OptionsWithRights = {},
) =>
  ({
    apiVersion: 'v1',
    kind: 'List',
    items: [
      clusterRole(KUBERNETES_GROUP, [
        listAndGet('', 'nodes', 'persistentvolumeclaims', 'replicationcontrollers'),
        listAndGet('apps', 'daemonsets', 'replicasets', 'statefulsets'),
        listAndGet('batch', 'jobs'),
        list('', 'pods', 'namespaces', 'persistentvolumes'),
        list('policy', 'poddisruptionbudgets'),
        list('storage.k8s.io', 'storageclasses', 'csinodes', 'csidrivers', 'volumeattachments'),
        list('scheduling.k8s.io', 'priorityclasses', 'podgroups'),
        list('resource.k8s.io', 'resourceslices', 'deviceclasses'),
        ...roomRules(room, dryRun),
        ...(plannedPlacement && !dryRun ? NOMINATIONS : []),
        ...(incrementalReads ? WATCHES : []),
        ...(dryRun ? [] : CHANGES),
      ]),
      binding(KUBERNETES_GROUP),
      clusterRole(DRAIN_GROUP, dryRun ? [] : EVICTIONS),
      binding(DRAIN_GROUP),
      {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'Role',
        metadata: { name: KUBERNETES_GROUP, namespace: configNamespace, labels: MANAGED_BY },
        rules: [
          {
            apiGroups: [''],
            resources: ['configmaps'],
            resourceNames: ['cluster-autoscaler-priority-expander', ...(status === null || dryRun ? [] : [status])],
            verbs: ['get'],
          },
          ...(status === null || dryRun ? [] : [statusRule(status)]),
        ],
      },
      {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'RoleBinding',
        metadata: { name: KUBERNETES_GROUP, namespace: configNamespace, labels: MANAGED_BY },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: KUBERNETES_GROUP },
        subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: KUBERNETES_GROUP }],
      },
    ],
  }) as const;
