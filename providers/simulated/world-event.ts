import type { GroupName, InstanceId, NodeName, PodKey } from '../../core/model/values/names.ts';
import type { Taint } from '../../core/model/cluster/node.ts';
import type { EpochMs } from '../../core/model/values/time.ts';

/** Something that has happened in the simulated world. */
export type WorldEvent = { readonly at: EpochMs } & Happening;

/** One type for each kind, so that the kind tells the type. */
type Of<Kind extends string, Fields> = Kind extends string ? { readonly kind: Kind } & Fields : never;

interface OfPod {
  readonly pod: PodKey;
  /** What the pod belongs to, as `namespace/name`. */
  readonly workload: string;
}

interface OfInstance {
  readonly group: GroupName;
  readonly instance: InstanceId;
  readonly zone: string;
}

export type Happening =
  | Of<'PodCreated' | 'PodFinished' | 'PodDeleted', OfPod>
  /** The first time that the scheduler finds no place for a pod; `message` is its own. */
  | Of<'PodUnschedulable', OfPod & { readonly message: string }>
  | Of<'PodBound' | 'PodRunning' | 'PodEvicted', OfPod & { readonly node: NodeName }>
  /** A PodDisruptionBudget does not let a pod be evicted now. */
  | Of<'EvictionRefused', OfPod & { readonly node: NodeName; readonly budget: string }>
  /** A taint that says that a node is unneeded, or being removed, is put on or taken off. */
  | Of<'NodeTainted' | 'NodeUntainted', { readonly node: NodeName; readonly taint: Taint }>
  | Of<'SizeSet', { readonly group: GroupName; readonly from: number; readonly to: number }>
  | Of<'LaunchFailed', { readonly group: GroupName; readonly code: string; readonly message: string }>
  | Of<'InstanceLaunched', OfInstance>
  /** Somebody has asked for the end of this very machine; with `decrement` its group's size goes down with it, at once. */
  | Of<'InstanceTerminated', OfInstance & { readonly node: NodeName | null; readonly decrement: boolean }>
  | Of<'NodeRegistered' | 'NodeReady' | 'NodeGone', OfInstance & { readonly node: NodeName }>;

/** Tells of what happens, with the time. */
export type Tell = (happening: Happening) => void;
