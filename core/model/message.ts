import type { ClusterName, GroupName, InstanceId, NodeName } from './values/names.ts';
import type { EpochMs } from './values/time.ts';

/**
 * The kinds of messages on an event bus:
 *
 * - `ScaleUp`: a node group is to grow
 * - `ScaleDown`: a node is to be removed
 * - `Interruption`: the cloud announces the end of an instance
 * - `GivenUp`: launches of a node group have failed, and the group is in backoff
 * - `Paused`: a pause is in force
 * - `NeedsAttention`: an alarm is raised about the cluster
 */
export const MESSAGE_KINDS = ['ScaleUp', 'ScaleDown', 'Interruption', 'GivenUp', 'Paused', 'NeedsAttention'] as const;
type MessageKind = (typeof MESSAGE_KINDS)[number];

/** The source of the events on the bus, for rules. */
export const EVENT_SOURCE = 'outrigger';

/** A message for people and programs outside of the cluster. */
export interface Message {
  readonly kind: MessageKind;
  /** The same for the same occurrence, and another one for each other occurrence: a message that arrives twice has it twice. */
  readonly id: string;
  readonly cluster: ClusterName;
  readonly time: EpochMs;
  /** A text for people, as events and the log have it. */
  readonly text: string;
  /** For rules: why a group is in backoff, the kind of a notice, of a problem, of a removal, or the paused part. */
  readonly reason?: string | undefined;
  /** The number of the decision, as `outrigger history` lists it. */
  readonly decision?: number | undefined;
  readonly group?: GroupName | undefined;
  readonly node?: NodeName | undefined;
  readonly instance?: InstanceId | undefined;
  /** Sizes of the node group. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}
