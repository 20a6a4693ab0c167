/**
 * kube-scheduler's filter plugins, in the order in which its default profile runs them. `NotSimulated` is not one of
 * them: it stands for what is not simulated, so that this is never taken for a yes.
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
  'NotSimulated',
] as const;
export type PluginName = (typeof PLUGIN_NAMES)[number];
