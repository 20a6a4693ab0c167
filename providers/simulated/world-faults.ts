import type { InstanceError } from '../../core/model/node-group.ts';
import type { CallFaults } from './api-call.ts';
import type { ScalingGroup } from './scaling-group.ts';

/** A machine that a group wants to launch. */
export interface Launch {
  readonly group: ScalingGroup;
  readonly zone: string;
}

/** What becomes of a machine once it is launched. */
export type MachineFate =
  /** It boots, registers and gets ready in the times of its group. */
  | { readonly kind: 'sound' }
  /** It runs, but never becomes a node. */
  | { readonly kind: 'silent' }
  /** It becomes a node so many milliseconds later than its group's machines do. */
  | { readonly kind: 'late'; readonly by: number }
  /** It becomes a node that never gets ready. */
  | { readonly kind: 'unready' }
  /** It ends by itself, so many milliseconds after its launch. */
  | { readonly kind: 'vanishing'; readonly after: number };

/** What may go wrong in a world. Each is asked where it may strike, in the order of the world's events. */
export interface WorldFaults extends CallFaults {
  /** Why the cloud does not launch a machine in a zone; `null`: it does. */
  readonly launch: (launch: Launch) => InstanceError | null;
  readonly fate: (launch: Launch) => MachineFate;
  /** How old, in milliseconds, is what a Describe call shows. At most `LONGEST_LAG`. */
  readonly describeLag: () => number;
}

/** Descriptions are never older than this, in milliseconds. */
export const LONGEST_LAG = 10_000;

export const NO_FAULTS: WorldFaults = {
  call: () => null,
  answer: () => null,
  delay: () => 0,
  launch: () => null,
  fate: () => ({ kind: 'sound' }),
  describeLag: () => 0,
};
