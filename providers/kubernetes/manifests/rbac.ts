import { itemsIf } from '@outrigger/core/model/values/optional.ts';
import { DRAIN_GROUP, KUBERNETES_GROUP } from './groups.ts';
import { MANAGED_BY } from './object.ts';
import { binding, clusterRole, rule, type Verb } from './roles.ts';

const LIST: readonly Verb[] = ['list'];
/** Rights of a drain, which reads a node, the pods' controllers and the pods' claims. */
const LIST_AND_GET: readonly Verb[] = ['get', 'list'];

/**
 * The namespace of Cluster Autoscaler's ConfigMaps, and the name of the ConfigMap with its status, unless the options
 * say otherwise.
 */
export const CONFIG_NAMESPACE = 'kube-system';
export const STATUS_CONFIG_MAP = 'cluster-autoscaler-status';

const CHANGES = [rule(['patch'], '', 'nodes'), rule(['create'], '', 'events')];

/** With the option `plannedPlacement`. */
const NOMINATIONS = [rule(['patch'], '', 'pods/status')];

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
    ...itemsIf(capacityBuffers, ['capacitybuffers']),
    ...itemsIf(provisioningRequests, ['provisioningrequests']),
  ];
  const quotas = itemsIf(capacityQuotas, [rule(LIST, 'autoscaling.x-k8s.io', 'capacityquotas')]);
  if (resources.length === 0) {
    return [...quotas, ...itemsIf(enableProactiveScaleup, [rule(LIST, '', 'resourcequotas')])];
  }
  const statuses = resources.map((resource) => `${resource}/status`);
  return [
    ...quotas,
    rule(LIST, 'autoscaling.x-k8s.io', ...resources),
    rule(LIST, '', 'podtemplates', 'resourcequotas'),
    ...itemsIf(!dryRun, [rule(['patch'], 'autoscaling.x-k8s.io', ...statuses)]),
  ];
}

/** With the option `incrementalReads`. */
const WATCHES = [
  rule(['watch'], '', 'nodes', 'pods'),
  rule(['watch'], 'apps', 'replicasets'),
  rule(['watch'], 'batch', 'jobs'),
];

const EVICTIONS = [rule(['create'], '', 'pods/eviction')];

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
) => {
  const written = itemsIf(
    !dryRun,
    [status].filter((name) => name !== null),
  );
  return {
    apiVersion: 'v1',
    kind: 'List',
    items: [
      clusterRole(KUBERNETES_GROUP, [
        rule(LIST_AND_GET, '', 'nodes', 'persistentvolumeclaims', 'replicationcontrollers'),
        rule(LIST_AND_GET, 'apps', 'daemonsets', 'replicasets', 'statefulsets'),
        rule(LIST_AND_GET, 'batch', 'jobs'),
        rule(LIST, '', 'pods', 'namespaces', 'persistentvolumes'),
        rule(LIST, 'policy', 'poddisruptionbudgets'),
        rule(LIST, 'storage.k8s.io', 'storageclasses', 'csinodes', 'csidrivers', 'volumeattachments'),
        rule(LIST, 'scheduling.k8s.io', 'priorityclasses', 'podgroups'),
        rule(LIST, 'resource.k8s.io', 'resourceslices', 'deviceclasses'),
        ...roomRules(room, dryRun),
        ...itemsIf(plannedPlacement && !dryRun, NOMINATIONS),
        ...itemsIf(incrementalReads, WATCHES),
        ...itemsIf(!dryRun, CHANGES),
      ]),
      binding(KUBERNETES_GROUP),
      clusterRole(DRAIN_GROUP, itemsIf(!dryRun, EVICTIONS)),
      binding(DRAIN_GROUP),
      {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'Role',
        metadata: { name: KUBERNETES_GROUP, namespace: configNamespace, labels: MANAGED_BY },
        rules: [
          {
            apiGroups: [''],
            resources: ['configmaps'],
            resourceNames: ['cluster-autoscaler-priority-expander', ...written],
            verbs: ['get'],
          },
          ...written.map(statusRule),
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
  } as const;
};
