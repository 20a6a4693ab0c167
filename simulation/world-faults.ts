import type { NodeName } from '@outrigger/core/model/values/names.ts';
import type { InstanceError } from '@outrigger/core/model/node-group.ts';
import type { CallFaults } from './api-call.ts';
import type { SimulatedScalingGroup } from './cloud/scaling-group.ts';

/** A launch of an instance by a group. */
export interface AttemptedLaunch {
  readonly group: SimulatedScalingGroup;
  readonly zone: string;
}

/** The fate of an instance after its launch. */
export type InstanceFate =
  /** The instance boots, registers and becomes ready in the times of its group. */
  | { readonly kind: 'sound' }
  /** The instance runs, but never becomes a node. */
  | { readonly kind: 'silent' }
  /** The instance becomes a node a number of milliseconds later than its group's instances do. */
  | { readonly kind: 'late'; readonly by: number }
  /** The instance becomes a node that never becomes ready. */
  | { readonly kind: 'unready' }
  /** The instance fails by itself, a number of milliseconds after its launch. */
  | { readonly kind: 'vanishing'; readonly after: number };

/** The milliseconds by which an instance becomes a node later than its group's instances do. */
export const latenessOf = (fate: InstanceFate): number => (fate.kind === 'late' ? fate.by : 0);

/** The kinds of objects that are listed, each on its own. */
export type ListedObjects = 'nodes' | 'pods' | 'controllers' | 'poddisruptionbudgets';

/** The faults of a world. Each is called where it may occur, in the order of the world's events. */
export interface WorldFaults extends CallFaults {
  /** Why the cloud does not launch an instance in a zone; `null`: it does. */
  readonly launch: (launch: AttemptedLaunch) => InstanceError | null;
  readonly fate: (launch: AttemptedLaunch) => InstanceFate;
  /** The additional time, in milliseconds, that a pod stays once it is asked to go: a finalizer, a hanging volume. */
  readonly podStop: () => number;
  /** The additional time, in milliseconds, that a volume stays attached once its pod is gone. */
  readonly volumeDetach: () => number;
  /** How long in milliseconds the disruption controller does not count pods anew after a change. */
  readonly budgetLag: () => number;
  /** The additional time, in milliseconds, in which the controller manager creates or deletes a pod. */
  readonly controllerDelay: () => number;
  /** Whether a Machine that was refused its instance has failed for good; otherwise it is tried again. */
  readonly isTerminal: (launch: AttemptedLaunch) => boolean;
  /** The additional time, in milliseconds, that the deletion of a Machine takes. */
  readonly deletion: (launch: AttemptedLaunch) => number;
  /** The time in milliseconds after which the mark of a Machine is lost; `null`: it stays. */
  readonly lostMark: () => number | null;
  /** Whether another client changes a scalable resource just before its scale is changed. */
  readonly conflict: () => boolean;
  /** How long in milliseconds a list is on its way: it shows what was when it was asked for. */
  readonly listAge: (list: ListedObjects) => number;
  /** The name for a new node that another one had which is gone; `null`: one that none has had. */
  readonly nodeName: (gone: readonly NodeName[]) => NodeName | null;
  /** Age in milliseconds of a Describe call's response. At most `LONGEST_LAG`. */
  readonly describeLag: () => number;
}

/** Descriptions are never older than this, in milliseconds. */
export const LONGEST_LAG = 20_000;

export const NO_FAULTS: WorldFaults = {
  call: () => null,
  answer: () => null,
  delay: () => 0,
  launch: () => null,
  fate: () => ({ kind: 'sound' }),
  podStop: () => 0,
  volumeDetach: () => 0,
  budgetLag: () => 0,
  controllerDelay: () => 0,
  isTerminal: () => true,
  deletion: () => 0,
  lostMark: () => null,
  conflict: () => false,
  listAge: () => 0,
  nodeName: () => null,
  describeLag: () => 0,
};
