/**
 * kube-scheduler's filter plugins, in the order in which its default profile runs them. `NotSimulated` is not a plugin
 * of kube-scheduler: it rejects pods and nodes that are not simulated.
 */
export const PLUGIN_NAMES = [
  'SchedulingGates',
  'NodeUnschedulable',
  'NodeName',
  'TaintToleration',
  'NodeAffinity',
  'NodePorts',
  'NodeResourcesFit',
  'VolumeRestrictions',
  'NodeVolumeLimits',
  'VolumeBinding',
  'VolumeZone',
  'PodTopologySpread',
  'InterPodAffinity',
  'NodeDeclaredFeatures',
  'NotSimulated',
] as const;
export type PluginName = (typeof PLUGIN_NAMES)[number];
