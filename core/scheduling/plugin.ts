import { clip } from '../model/values/clip.ts';
import type { NodeName } from '../model/values/names.ts';
import type { PluginName } from '../model/cluster/plugin-names.ts';
import type { ClusterObjects } from '../model/scenario.ts';
import type { PodKind } from '../model/snapshot/pod-kind.ts';
import type { NodeInfo, Snapshot } from '../model/snapshot/snapshot.ts';
import type { CountTable } from './counts/count-table.ts';

/** Why a pod may not go onto a node, in kube-scheduler's words. */
export interface Rejection {
  readonly plugin: PluginName;
  readonly reasons: readonly string[];
}

/** A pod may ask for thousands of resources that no node has. */
const MOST_REASONS = 16;

/** Made once and handed out for every node: checks allocate nothing. What reasons repeat of an object is clipped here. */
export function rejection(plugin: PluginName, ...reasons: readonly string[]): Rejection {
  const more = reasons.length - MOST_REASONS;
  const kept = reasons.slice(0, MOST_REASONS).map((reason) => clip(reason));
  return Object.freeze({ plugin, reasons: Object.freeze(more > 0 ? [...kept, `and ${more} more reasons`] : kept) });
}

/** The context that a plugin may use. */
interface PluginContext {
  readonly snapshot: Snapshot;
  readonly objects: ClusterObjects;
  /** Running counts of pods, shared by everyone who counts the same. */
  readonly counts: CountTable;
}

/**
 * A plugin's work for one kind of pod, done once: kube-scheduler's PreFilter and Filter. It stays valid while the
 * snapshot changes, so whatever it counts must follow the snapshot (`CountTable`).
 */
export interface KindFilter {
  /** PreFilter's verdict about all nodes at once; absent: go on. */
  readonly everywhere?: Rejection;
  /** PreFilter's narrowing to these nodes; the others are rejected by this plugin before any filter runs. */
  readonly only?: ReadonlySet<NodeName>;
  /** Filter: `null` passes. */
  readonly node: (info: NodeInfo) => Rejection | null;
  /**
   * How many more pods of this kind the plugin lets onto a node that passes now, one after another, other nodes left
   * alone.
   */
  readonly room: (info: NodeInfo) => number;
  /** Number of terms that a check looks at; absent: a fixed few. */
  readonly terms?: () => number;
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

/** `room` where a second pod of the kind is in the way of the first. */
export const one = (): number => 1;

/** A filter that rejects a kind of pod on every node, before any node is looked at. */
export const rejectEverywhere = (everywhere: Rejection): KindFilter => ({
  everywhere,
  node: () => everywhere,
  room: () => 0,
});
