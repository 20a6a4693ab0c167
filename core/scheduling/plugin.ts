import type { ClusterObjects } from '../model/scenario.ts';
import type { NodeName } from '../model/names.ts';
import type { PodKind } from '../model/snapshot/pod-kind.ts';
import type { NodeInfo, Snapshot } from '../model/snapshot/snapshot.ts';

/** kube-scheduler's filter plugins, in the order in which its default profile runs them. */
export const PLUGIN_NAMES = [
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

/** Why a pod may not go onto a node, in kube-scheduler's words. */
export interface Rejection {
  readonly plugin: PluginName;
  readonly reasons: readonly string[];
}

/** What a plugin may ask about. */
export interface PluginContext {
  readonly snapshot: Snapshot;
  readonly objects: ClusterObjects;
}

/**
 * A plugin's work for one kind of pod, done once: kube-scheduler's PreFilter and Filter. It stays valid while the
 * snapshot changes, so whatever it counts must follow the snapshot (`Snapshot.observe`).
 */
export interface KindFilter {
  /** PreFilter's verdict about all nodes at once; `null`: go on. */
  readonly everywhere?: () => readonly string[] | null;
  /** PreFilter's narrowing to these nodes; the others are rejected by this plugin before any filter runs. */
  readonly only?: ReadonlySet<NodeName>;
  /** Filter: `null` passes. */
  readonly node: (info: NodeInfo) => readonly string[] | null;
  /**
   * How many more pods of this kind the plugin lets onto a node that it passes now, one after another, other nodes
   * left alone. Absent: one; ask again after each.
   */
  readonly room?: (info: NodeInfo) => number;
}

export interface Plugin {
  readonly name: PluginName;
  /**
   * Once per snapshot.
   *
   * @returns compiles the filter of one kind; `null`: this plugin has nothing to say about pods of that kind.
   */
  readonly prepare: (context: PluginContext) => (kind: PodKind) => KindFilter | null;
}

/** `room` of a verdict that pods of the same kind cannot change. */
export const unlimited = (): number => Number.POSITIVE_INFINITY;
