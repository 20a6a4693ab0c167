/** Why a role in the cluster has some rights. Each right has one reason. */
export interface Rule {
  readonly role: string;
  /** With their API group, such as `apps/daemonsets`; of the core group, the name alone. */
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
  readonly why: string;
  readonly without: string;
  /** The option that it is for; absent: for none in particular. */
  readonly option?: string;
}

/** An evaluation reads all or nothing: deciding on part of a cluster would be wrong. */
const NOTHING_EVALUATED = 'The evaluation fails: `EvaluationsFail` or `NeedsCorrection` is raised.';

export const KUBERNETES_REASONS: readonly Rule[] = [
  {
    role: 'outrigger',
    resources: ['nodes', 'pods'],
    verbs: ['list'],
    why: 'What there is, and what waits for a node.',
    without: NOTHING_EVALUATED,
  },
  {
    role: 'outrigger',
    resources: ['namespaces'],
    verbs: ['list'],
    why: 'Affinity terms select namespaces by labels.',
    without: NOTHING_EVALUATED,
  },
  {
    role: 'outrigger',
    resources: [
      'persistentvolumes',
      'persistentvolumeclaims',
      'storage.k8s.io/storageclasses',
      'storage.k8s.io/csinodes',
      'storage.k8s.io/volumeattachments',
    ],
    verbs: ['list'],
    why: 'Where the volumes of a pod are, and how many of them a node can attach.',
    without: NOTHING_EVALUATED,
  },
  {
    role: 'outrigger',
    resources: ['scheduling.k8s.io/podgroups'],
    verbs: ['list'],
    why: 'How many pods of a PodGroup are scheduled together; asked for where a pod names one.',
    without: 'Pods with a PodGroup are reported as `NotSimulated`, and no node is added for them.',
  },
  {
    role: 'outrigger',
    resources: ['storage.k8s.io/csidrivers'],
    verbs: ['list'],
    why: 'Whether pods with volumes of a driver wait for a node that has the driver (`preventPodSchedulingIfMissing`).',
    without: 'Such pods count on nodes that lack the driver.',
  },
  {
    role: 'outrigger',
    resources: ['resource.k8s.io/deviceclasses'],
    verbs: ['list'],
    why: 'Which extended resources stand for devices of dynamic resource allocation.',
    without: 'Pods that request such a resource are reported as `NodeResourcesFit`, not as `NotSimulated`.',
  },
  {
    role: 'outrigger',
    resources: ['resource.k8s.io/resourceslices'],
    verbs: ['list'],
    why: 'Which nodes have devices that a DRA driver has published, and await no device plugin.',
    without: 'A node whose devices a DRA driver has counts as not started for `maxNodeStartupTime`.',
  },
  {
    role: 'outrigger',
    resources: ['scheduling.k8s.io/priorityclasses'],
    verbs: ['list'],
    why: 'Which pods come first, and which are below the cutoff of scale-up.',
    without: NOTHING_EVALUATED,
  },
  {
    role: 'outrigger',
    resources: ['apps/daemonsets'],
    verbs: ['list'],
    why: 'What of a new node its DaemonSets take.',
    without: NOTHING_EVALUATED,
  },
  {
    role: 'outrigger',
    resources: ['apps/replicasets', 'apps/statefulsets', 'batch/jobs', 'replicationcontrollers'],
    verbs: ['list'],
    why: 'Whether a pod is created again after an eviction.',
    without: NOTHING_EVALUATED,
  },
  {
    role: 'outrigger',
    resources: ['policy/poddisruptionbudgets'],
    verbs: ['list'],
    why: 'Whether pods may be evicted.',
    without: NOTHING_EVALUATED,
  },
  {
    role: 'outrigger',
    resources: ['nodes'],
    verbs: ['get'],
    why: 'A node is read before it is changed, and in each step of its drain.',
    without: 'No taint is set or removed; drains are rolled back.',
  },
  {
    role: 'outrigger',
    resources: ['apps/daemonsets', 'apps/replicasets', 'apps/statefulsets', 'batch/jobs', 'replicationcontrollers'],
    verbs: ['get'],
    why: 'The controllers of the pods of a node that is drained.',
    without: 'Their pods keep the node: its drain is rolled back.',
  },
  {
    role: 'outrigger',
    resources: ['persistentvolumeclaims'],
    verbs: ['get'],
    why: 'The claims of the pods of a node that is drained.',
    without: 'Pods with such claims keep the node: its drain is rolled back.',
  },
  {
    role: 'outrigger',
    resources: ['nodes'],
    verbs: ['patch'],
    why: 'Taints, the cordon, and annotations of removal. RBAC cannot limit this to fields.',
    without: 'Nodes are not marked as unneeded, and none is drained.',
  },
  {
    role: 'outrigger',
    resources: ['events'],
    verbs: ['create'],
    why: 'Says in `kubectl describe pod` why a pod got a node or none, and reports removals in `kubectl describe node`.',
    without: 'There are no such events; the log has a warning instead.',
  },
  {
    role: 'outrigger',
    resources: ['configmaps'],
    verbs: ['get'],
    why: 'The priorities of the expander `priority`, in one ConfigMap of one namespace; and, with `mode: act`, what the ConfigMap with the status says already, and whether its annotation `outrigger.dev/paused` pauses the cluster.',
    without: NOTHING_EVALUATED,
  },
  {
    role: 'outrigger',
    resources: ['configmaps'],
    verbs: ['create', 'patch'],
    why: 'The status, in one ConfigMap of one namespace (`statusConfigMapName`). Not granted with `writeStatusConfigmap: false`.',
    without: 'There is no status, or an old one; the log has a warning.',
  },
  {
    role: 'outrigger',
    resources: ['pods/status'],
    verbs: ['patch'],
    why: 'Nominations of pods to the nodes that they have their places on. Kubernetes has no right to nominate alone: this one is to write any part of the status of a pod.',
    without: 'New nodes are opened without nominations: pods go where kube-scheduler likes.',
    option: 'plannedPlacement',
  },
  {
    role: 'outrigger',
    resources: ['nodes', 'pods', 'apps/replicasets', 'batch/jobs'],
    verbs: ['watch'],
    why: 'What has changed since the evaluation before, where [long lists are kept](large-clusters.md).',
    without: 'Lists are read in full; the log has a warning.',
    option: 'incrementalReads',
  },
  {
    role: 'outrigger-drain',
    resources: ['pods/eviction'],
    verbs: ['create'],
    why: 'Evictions, which the API server refuses where a PodDisruptionBudget does not allow them.',
    without: 'Only empty nodes are removed.',
  },
  {
    role: 'outrigger-cluster-api',
    resources: [
      'cluster.x-k8s.io/machinedeployments',
      'cluster.x-k8s.io/machinesets',
      'cluster.x-k8s.io/machinepools',
      'cluster.x-k8s.io/machines',
      'cluster.x-k8s.io/clusters',
    ],
    verbs: ['list'],
    why: 'The node groups, their machines, and which clusters are paused.',
    without: NOTHING_EVALUATED,
  },
  {
    role: 'outrigger-cluster-api',
    resources: [
      'cluster.x-k8s.io/machinedeployments',
      'cluster.x-k8s.io/machinesets',
      'cluster.x-k8s.io/machinepools',
      'cluster.x-k8s.io/clusters',
    ],
    verbs: ['get'],
    why: 'A resource and its cluster are read again before the resource or its machines are changed.',
    without: 'No size is set, and no machine is deleted.',
  },
  {
    role: 'outrigger-cluster-api',
    resources: ['infrastructure.cluster.x-k8s.io/*'],
    verbs: ['list'],
    why: 'Infrastructure templates, which show what a node of a group at zero is like. The setting `clusterApi.infrastructureTemplates` names the resources.',
    without: 'Groups at zero grow by their capacity annotations alone.',
  },
  {
    role: 'outrigger-machines',
    resources: [
      'cluster.x-k8s.io/machinedeployments/scale',
      'cluster.x-k8s.io/machinesets/scale',
      'cluster.x-k8s.io/machinepools/scale',
    ],
    verbs: ['patch'],
    why: 'Sizes. Nothing else of these resources can be changed by it.',
    without: 'No size is set, and no machine is deleted.',
  },
  {
    role: 'outrigger-machines',
    resources: ['cluster.x-k8s.io/machines'],
    verbs: ['patch'],
    why: 'Marks the machine that is to go when its group gets smaller, and takes the mark back where that fails.',
    without: 'No machine is deleted.',
  },
  {
    role: 'outrigger-machines',
    resources: ['cluster.x-k8s.io/machines'],
    verbs: ['delete'],
    why: 'A machine that is to be replaced: its group keeps its size.',
    without: 'Machines that never became nodes of a group at its minimum stay.',
  },
];
