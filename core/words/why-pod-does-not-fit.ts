import type { PluginName } from '../model/cluster/plugin-names.ts';
import type { Words } from './words.ts';

/** Why kube-scheduler would not put a pod on a node, by its filter plugins; the sentences have its own messages. */
export const WHY_POD_DOES_NOT_FIT: Readonly<Record<PluginName, Words>> = {
  SchedulingGates: {
    short: 'has scheduling gates',
    sentence: 'Scheduling is blocked due to non-empty scheduling gates.',
    advice: 'Wait for the controller that removes the gates.',
  },
  NodeUnschedulable: {
    short: 'node is unschedulable',
    sentence: 'The node(s) were unschedulable: they are cordoned.',
    advice: 'Uncordon the nodes if they are to take pods.',
  },
  NodeName: { short: 'another node is requested', sentence: "The node(s) didn't match the requested node name." },
  TaintToleration: {
    short: 'untolerated taint',
    sentence: 'The node(s) had untolerated taint(s).',
    advice: 'Add a toleration to the pod if it may run there.',
  },
  NodeAffinity: {
    short: 'node affinity or selector',
    sentence: "The node(s) didn't match Pod's node affinity/selector.",
    advice: 'Check the node selector and node affinity of the pod against the labels of the nodes.',
  },
  NodePorts: { short: 'host port in use', sentence: "The node(s) didn't have free ports for the requested pod ports." },
  NodeResourcesFit: {
    short: 'insufficient resources',
    sentence: 'Insufficient cpu, memory or another resource, or too many pods.',
    advice: 'Lower the requests of the pod, or add a node group with larger nodes.',
  },
  VolumeRestrictions: {
    short: 'volume in use',
    sentence:
      'The node(s) had no available disk, or a PersistentVolumeClaim with ReadWriteOncePod access mode is already in use by another pod.',
  },
  NodeVolumeLimits: { short: 'max volume count', sentence: 'The node(s) exceed max volume count.' },
  VolumeBinding: {
    short: 'volume cannot be bound',
    sentence:
      'The pod has unbound immediate PersistentVolumeClaims, or its volumes cannot be bound or reached from the node(s).',
    advice: 'Check the PersistentVolumeClaims of the pod and their StorageClass.',
  },
  VolumeZone: {
    short: 'volume in another zone',
    sentence: 'The node(s) had no available volume zone.',
    advice: 'Add a node group in the zone of the volume.',
  },
  PodTopologySpread: {
    short: 'topology spread constraints',
    sentence: "The node(s) didn't match pod topology spread constraints.",
    advice: 'Add a node group in the zones that lack pods, or allow more skew.',
  },
  InterPodAffinity: {
    short: 'pod affinity or anti-affinity',
    sentence: "The node(s) didn't match pod affinity or anti-affinity rules, or those of existing pods.",
  },
  NodeDeclaredFeatures: {
    short: 'features of the kubelet',
    sentence:
      "The node(s) didn't match Pod's required features: their kubelet does not declare a feature that the pod uses.",
    advice: 'Upgrade the kubelet of a node group.',
  },
  NotSimulated: {
    short: 'not simulated',
    sentence:
      'The node(s) were not simulated: the pod needs something that is not simulated, or something on the node cannot be read.',
    advice: 'See what is not simulated, and correct the objects that cannot be read.',
  },
};
