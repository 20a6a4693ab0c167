import type { GroupName, InstanceId, NodeName } from './names.ts';
import type { Node } from './node.ts';
import type { GroupOptions } from './options.ts';
import type { Pod } from './pod.ts';

export type InstanceState = 'Creating' | 'Running' | 'Deleting';

/** Why the cloud could not give a machine. */
export type FailureClass =
  | 'OutOfResources'
  | 'Quota'
  | 'Addresses'
  | 'Configuration'
  | 'Authorisation'
  | 'Throttled'
  | 'Timeout'
  | 'Other';

export interface InstanceError {
  readonly class: FailureClass;
  readonly code: string;
  readonly message: string;
}

/** The cloud's view of one machine. */
export interface Instance {
  readonly id: InstanceId;
  /** The Node it registered as; `null` before that. */
  readonly node: NodeName | null;
  readonly zone: string | null;
  readonly state: InstanceState;
  readonly error: InstanceError | null;
}

/** What a new node of a group looks like, with the DaemonSet and mirror pods that it will carry. */
export interface NodeTemplate {
  readonly node: Node;
  readonly pods: readonly Pod[];
}

export interface NodeGroup {
  readonly name: GroupName;
  readonly minSize: number;
  readonly maxSize: number;
  /** What the cloud was asked for. */
  readonly targetSize: number;
  /** Per-group overrides, from tags. */
  readonly options: Partial<GroupOptions>;
  /** `null` where neither the cloud nor a live node shows what a new node looks like. */
  readonly template: NodeTemplate | null;
  /** What else the next node may be: every other instance type and zone of a mixed group. Empty for a fixed shape. */
  readonly alternatives: readonly NodeTemplate[];
  /** USD per hour of one node; `null` where it is not known. */
  readonly price: number | null;
  /** Registered nodes that belong to the group. */
  readonly nodes: readonly NodeName[];
  readonly instances: readonly Instance[];
  /** Why this group cannot be used at all (a malformed tag, say): it is left out, the others go on. */
  readonly invalid: string | null;
}
