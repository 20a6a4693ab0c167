/** The Kubernetes group that EKS access entries put the functions' roles into. */
export const KUBERNETES_GROUP = 'outrigger';
/** And the one of the function that drains, besides. */
export const DRAIN_GROUP = 'outrigger-drain';

const list = (apiGroup: string, ...resources: string[]) => ({ apiGroups: [apiGroup], resources, verbs: ['list'] });

/** For a drain, which asks for one node, its pods' controllers and their claims. */
const listAndGet = (apiGroup: string, ...resources: string[]) => ({
  apiGroups: [apiGroup],
  resources,
  verbs: ['get', 'list'],
});

const clusterRole = <Rules>(name: string, rules: Rules) =>
  ({ apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata: { name }, rules }) as const;

/** Where Cluster Autoscaler's ConfigMap of priorities is, unless the options say otherwise. */
const CONFIG_NAMESPACE = 'kube-system';

const binding = (name: string) =>
  ({
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name }],
  }) as const;

/**
 * What the functions may do in the cluster: read what scheduling depends on, taint nodes and tell of it; and one of them
 * may evict pods, as their budgets allow. None may delete anything. For `kubectl apply`.
 *
 * @param configNamespace the namespace of the ConfigMap with the expander's priorities
 */
export const rbac = (configNamespace: string = CONFIG_NAMESPACE) =>
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
        list('storage.k8s.io', 'storageclasses', 'csinodes', 'volumeattachments'),
        list('scheduling.k8s.io', 'priorityclasses'),
        { apiGroups: [''], resources: ['nodes'], verbs: ['patch'] },
        { apiGroups: [''], resources: ['events'], verbs: ['create'] },
      ]),
      binding(KUBERNETES_GROUP),
      clusterRole(DRAIN_GROUP, [{ apiGroups: [''], resources: ['pods/eviction'], verbs: ['create'] }]),
      binding(DRAIN_GROUP),
      {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'Role',
        metadata: { name: KUBERNETES_GROUP, namespace: configNamespace },
        rules: [
          {
            apiGroups: [''],
            resources: ['configmaps'],
            resourceNames: ['cluster-autoscaler-priority-expander'],
            verbs: ['get'],
          },
        ],
      },
      {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'RoleBinding',
        metadata: { name: KUBERNETES_GROUP, namespace: configNamespace },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: KUBERNETES_GROUP },
        subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: KUBERNETES_GROUP }],
      },
    ],
  }) as const;

const events = (apiGroup: string) => ({
  apiGroups: [apiGroup],
  apiVersions: ['v1'],
  resources: ['events'],
  operations: ['CREATE', 'UPDATE'],
  scope: 'Namespaced',
});

const fromScheduler = (others: readonly string[]): string =>
  `request.userInfo.username in [${[...new Set(['system:kube-scheduler', ...others])].map((user) => `'${user}'`).join(', ')}]`;

/** The webhook in the cluster's API server: tells of pods that found no node. A test keeps it equal to the provider's. */
export const webhookConfiguration = (cluster: string, url: string, schedulerUsers: readonly string[] = []) => ({
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingWebhookConfiguration',
  metadata: {
    name: `outrigger-${cluster.toLowerCase().replaceAll(/[^a-z0-9.-]/g, '-')}`.replace(/[-.]+$/, ''),
    labels: { 'app.kubernetes.io/managed-by': 'outrigger' },
  },
  webhooks: [
    {
      name: 'failed-scheduling.outrigger.dev',
      clientConfig: { url },
      rules: [events(''), events('events.k8s.io')],
      matchPolicy: 'Exact',
      matchConditions: [
        { name: 'no-node-found', expression: "has(object.reason) && object.reason == 'FailedScheduling'" },
        { name: 'from-a-scheduler', expression: fromScheduler(schedulerUsers) },
        { name: 'not-a-dry-run', expression: '!(has(request.dryRun) && request.dryRun)' },
      ],
      sideEffects: 'NoneOnDryRun',
      failurePolicy: 'Ignore',
      timeoutSeconds: 2,
      admissionReviewVersions: ['v1'],
    },
  ],
});
