import type { Plugin } from './plugin.ts';
import { interPodAffinity } from './plugins/InterPodAffinity.ts';
import { nodeAffinity } from './plugins/NodeAffinity.ts';
import { nodeDeclaredFeatures } from './plugins/NodeDeclaredFeatures.ts';
import { nodeNamePlugin } from './plugins/NodeName.ts';
import { nodePorts } from './plugins/NodePorts.ts';
import { nodeResourcesFit } from './plugins/NodeResourcesFit.ts';
import { nodeUnschedulable } from './plugins/NodeUnschedulable.ts';
import { nodeVolumeLimits } from './plugins/NodeVolumeLimits.ts';
import { notSimulated } from './plugins/NotSimulated.ts';
import { podTopologySpread } from './plugins/PodTopologySpread.ts';
import { schedulingGates } from './plugins/SchedulingGates.ts';
import { taintToleration } from './plugins/TaintToleration.ts';
import { volumeBinding } from './plugins/VolumeBinding.ts';
import { volumeRestrictions } from './plugins/VolumeRestrictions.ts';
import { volumeZone } from './plugins/VolumeZone.ts';

/** Every plugin, in the order in which kube-scheduler's default profile runs its filters (`PLUGIN_NAMES`). */
export const PLUGINS: readonly Plugin[] = [
  schedulingGates,
  nodeUnschedulable,
  nodeNamePlugin,
  taintToleration,
  nodeAffinity,
  nodePorts,
  nodeResourcesFit,
  volumeRestrictions,
  nodeVolumeLimits,
  volumeBinding,
  volumeZone,
  podTopologySpread,
  interPodAffinity,
  nodeDeclaredFeatures,
  notSimulated,
];
