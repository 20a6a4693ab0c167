/** The kinds that a cluster is read as, by their resource. */
export const KINDS: Readonly<Record<string, string>> = {
  nodes: 'Node',
  pods: 'Pod',
  replicasets: 'ReplicaSet',
  statefulsets: 'StatefulSet',
  daemonsets: 'DaemonSet',
  replicationcontrollers: 'ReplicationController',
  jobs: 'Job',
  poddisruptionbudgets: 'PodDisruptionBudget',
  namespaces: 'Namespace',
  priorityclasses: 'PriorityClass',
  persistentvolumes: 'PersistentVolume',
  persistentvolumeclaims: 'PersistentVolumeClaim',
  storageclasses: 'StorageClass',
  csinodes: 'CSINode',
  resourceslices: 'ResourceSlice',
  volumeattachments: 'VolumeAttachment',
};
