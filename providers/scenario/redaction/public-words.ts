import { ACTIVE_CAPACITY } from '@outrigger/core/model/cluster/capacity-buffer.ts';
import { INSTANCE_TYPE_LABEL, REGION_LABEL, ZONE_LABEL } from '@outrigger/core/model/cluster/node.ts';
import { BEST_EFFORT_ATOMIC, CHECK_CAPACITY } from '@outrigger/core/model/cluster/provisioning-request.ts';
import { PRIORITY_CONFIG_MAP } from '@outrigger/core/model/cluster/priorities.ts';
import { CLUSTER_OPTIONS } from '@outrigger/core/model/options.ts';
import { CONSUME_ANNOTATIONS, READ_ANNOTATIONS } from '@outrigger/core/model/cluster/read-annotations.ts';

/** Keys whose values state a node's type, place and capacity type: such a value is kept with its key. */
export const PLAIN_KEYS: ReadonlySet<string> = new Set([
  ZONE_LABEL,
  REGION_LABEL,
  INSTANCE_TYPE_LABEL,
  'beta.kubernetes.io/arch',
  'beta.kubernetes.io/instance-type',
  'beta.kubernetes.io/os',
  'cluster-api/accelerator',
  'eks.amazonaws.com/capacityType',
  'failure-domain.beta.kubernetes.io/region',
  'failure-domain.beta.kubernetes.io/zone',
  'k8s.amazonaws.com/accelerator',
  'karpenter.sh/capacity-type',
  'kubernetes.io/arch',
  'kubernetes.io/os',
  'node-lifecycle.kubernetes.io/disruption',
  'node.kubernetes.io/lifecycle',
  'storage.alpha.kubernetes.io/migrated-plugins',
  'topology.diskplugin.csi.alibabacloud.com/zone',
  'topology.ebs.csi.aws.com/zone',
  'topology.gke.io/zone',
  'topology.k8s.aws/zone-id',
]);

/**
 * Instance types of AWS, such as `m5.xlarge` and `u-6tb1.112xlarge`: other clouds' types may be names that a user has
 * chosen.
 */
export const INSTANCE_TYPE =
  /^(?:u-)?[a-z]{0,4}\d[a-z0-9-]{0,12}\.(?:nano|micro|small|medium|large|metal|\d{0,3}xlarge)(?:-\d{1,2}xl)?$/;

export const INSTANCE_TYPE_KEYS: ReadonlySet<string> = new Set([
  INSTANCE_TYPE_LABEL,
  'beta.kubernetes.io/instance-type',
]);

/** Keys whose values are names: of nodes, node groups, launch templates, images, namespaces and classes. */
export const NAMING_KEYS: ReadonlySet<string> = new Set([
  ...CONSUME_ANNOTATIONS,
  'alpha.eksctl.io/instance-id',
  'alpha.eksctl.io/nodegroup-name',
  'eks.amazonaws.com/nodegroup',
  'eks.amazonaws.com/nodegroup-image',
  'eks.amazonaws.com/sourceLaunchTemplateId',
  'ibm-cloud.kubernetes.io/worker-id',
  'k8s.amazonaws.com/eniConfig',
  'kops.k8s.io/instancegroup',
  'kubernetes.io/hostname',
  'kubernetes.io/metadata.name',
  'metadata.name',
  'volume.beta.kubernetes.io/storage-class',
  'volume.kubernetes.io/selected-node',
]);

/** Further keys of labels, annotations and taints that are read: such a key is kept, and of its values switches and figures. */
const READ_KEYS: readonly string[] = [
  ...READ_ANNOTATIONS,
  'DeletionCandidateOfClusterAutoscaler',
  'ToBeDeletedByClusterAutoscaler',
  'beta.kubernetes.io/fluentd-ds-ready',
  // Not a key, but a name of the same form.
  ACTIVE_CAPACITY,
  'cloud.google.com/impending-node-termination',
  'cluster-autoscaler.kubernetes.io/scale-down-disabled',
  'eks.amazonaws.com/sourceLaunchTemplateVersion',
  'karpenter.sh/disrupted',
  'karpenter.sh/disruption',
  'node.cloudprovider.kubernetes.io/shutdown',
  'node.cloudprovider.kubernetes.io/uninitialized',
  'node.kubernetes.io/disk-pressure',
  'node.kubernetes.io/exclude-from-external-load-balancers',
  'node.kubernetes.io/memory-pressure',
  'node.kubernetes.io/network-unavailable',
  'node.kubernetes.io/not-ready',
  'node.kubernetes.io/pid-pressure',
  'node.kubernetes.io/unreachable',
  'node.kubernetes.io/unschedulable',
  'outrigger.dev/awaiting-pods',
  'outrigger.dev/cordoned',
  'outrigger.dev/filled-last',
  'outrigger.dev/filled-late',
  'outrigger.dev/filled-later',
  'outrigger.dev/rebalance-recommendation',
  'outrigger.dev/removal',
  'outrigger.dev/unneeded-since',
  'pv.kubernetes.io/bind-completed',
  // Parameters of ProvisioningRequests.
  'noRetry',
  'ValidUntilSeconds',
  'lifecycle',
  'type',
  'vpc-block-csi-driver-labels',
];

export const PUBLIC_KEYS: ReadonlySet<string> = new Set([...PLAIN_KEYS, ...NAMING_KEYS, ...READ_KEYS]);

/** Keys that begin so are read by their prefix: the rest of such a key is not kept. */
export const PUBLIC_PREFIXES = [
  'delay-deletion.cluster-autoscaler.kubernetes.io/',
  'deviceclass.resource.kubernetes.io/',
  'ignore-taint.cluster-autoscaler.kubernetes.io/',
  'startup-taint.cluster-autoscaler.kubernetes.io/',
  'status-taint.cluster-autoscaler.kubernetes.io/',
] as const;

/** The namespace that drain rules know, and that new nodes have their kube-proxy in. */
export const PUBLIC_NAMESPACE = 'kube-system';
export const PUBLIC_OBJECT = 'kube-proxy';

/** Names that mean the same in every cluster, wherever they are. */
export const PUBLIC_NAMES: ReadonlySet<string> = new Set([
  PUBLIC_OBJECT,
  PRIORITY_CONFIG_MAP.name,
  CLUSTER_OPTIONS.statusConfigMapName.default,
  'default-scheduler',
  ACTIVE_CAPACITY,
  // Addresses of a host port that stand for all.
  '0.0.0.0',
  '::',
  BEST_EFFORT_ATOMIC,
  CHECK_CAPACITY,
  // Media of volumes.
  'HugePages',
  'Memory',
  // Types and reasons of conditions.
  'Accepted',
  'BookingExpired',
  'DiskPressure',
  'Failed',
  'Infeasible',
  'MemoryPressure',
  'NetworkUnavailable',
  'PIDPressure',
  'PodResizePending',
  'PodScheduled',
  'Provisioned',
  'Ready',
  'SchedulingGated',
  'Suspended',
  'Unschedulable',
  // Provisioners and drivers of volumes.
  'cinder.csi.openstack.org',
  'disk.csi.azure.com',
  'ebs.csi.aws.com',
  'efs.csi.aws.com',
  'kubernetes.io/aws-ebs',
  'kubernetes.io/azure-disk',
  'kubernetes.io/azure-file',
  'kubernetes.io/cinder',
  'kubernetes.io/gce-pd',
  'kubernetes.io/no-provisioner',
  'kubernetes.io/portworx-volume',
  'kubernetes.io/vsphere-volume',
  'pd.csi.storage.gke.io',
  'pxd.portworx.com',
  // The type, and the instance type, of nodes that are no machines.
  'virtual-kubelet',
  // Owners of pods that are no controllers of `objects`.
  'CronJob',
  'Node',
  'Pod',
  'v1',
]);

/** Fields with words of Kubernetes, the cloud or Outrigger, or with times: such fields are kept as they are. */
export const PLAIN_FIELDS: ReadonlySet<string> = new Set([
  'accessModes',
  'capacityType',
  'class',
  'cloudActions',
  'code',
  'creationTimestamp',
  'deletionTimestamp',
  'effect',
  'endsAt',
  'heartbeatUntil',
  'lastTransitionTime',
  'nodeAffinityPolicy',
  'nodeTaintsPolicy',
  'operator',
  'phase',
  'preemptionPolicy',
  'protocol',
  'provider',
  'receivedAt',
  'restartPolicy',
  'scopeName',
  'startTime',
  'state',
  'status',
  'unhealthyPodEvictionPolicy',
  'until',
  'volumeBindingMode',
  'volumeMode',
  'waitsSince',
  'whenUnsatisfiable',
  'zone',
]);
