import type { DrainNotice } from './drain.ts';
import type { FailureClass } from './node-group.ts';
import type { GroupName, InstanceId, NodeName } from './values/names.ts';
import type { Notice } from './notice.ts';
import type { Pause } from './pause.ts';
import type { State } from './state.ts';
import type { EpochMs } from './values/time.ts';

/** A change that was decided and must now be made, once. */
export type Intent = SetSizeIntent | DeleteInstancesIntent | RemoveNodesIntent;

/** An absolute size for a group, to be set only while the group has the size that it was decided from. */
export interface SetSizeIntent extends IntentCommon {
  readonly kind: 'SetSize';
  readonly from: number;
  readonly to: number;
  /** Instances that drains had taken from the group when it was decided: `from` does not count them. Sorted. */
  readonly drained: readonly InstanceId[];
}

/** Instances to end, each taking the group's target down by one. */
export interface DeleteInstancesIntent extends IntentCommon {
  readonly kind: 'DeleteInstances';
  readonly instances: readonly InstanceId[];
  /** At the group's minimum the instances are replaced; otherwise they are left alone then. */
  readonly force: boolean;
}

/** Nodes to take out of the cluster: a drain is to be started for each. */
export interface RemoveNodesIntent extends IntentCommon {
  readonly kind: 'RemoveNodes';
  readonly nodes: readonly NodeToRemove[];
}

export interface NodeToRemove {
  readonly node: NodeName;
  readonly uid: string;
  readonly instance: InstanceId;
  readonly kind: 'empty' | 'drain';
  /** `Drain.together` */
  readonly together?: number | undefined;
  /** Absent for a node that is not needed. */
  readonly notice?: DrainNotice | undefined;
}

interface IntentCommon {
  /**
   * Unique, and the same for the same decision: `<version of the state that decided it>-<group>`, and
   * `<version>.<n>-<group>` for what is to be done after that, in the order of n.
   */
  readonly id: string;
  readonly group: GroupName;
  readonly createdAt: EpochMs;
  readonly status: IntentStatus;
  readonly attempts: number;
  /**
   * The end of the current claim. Of an intent that is done: until then a description of the group may not show the
   * change.
   */
  readonly claimedUntil: EpochMs | null;
  /** Refused and failed: why. */
  readonly outcome: IntentOutcome | null;
}

/** Why an intent was refused or failed. */
export interface IntentOutcome {
  /** In words, for people. */
  readonly message: string;
  /** The class of the failure that the cloud reported; `null` for refusals. */
  readonly class: FailureClass | null;
}

/** The end of an intent, as it is stored. */
export interface IntentEnd extends Pick<Intent, 'outcome'> {
  readonly status: Exclude<IntentStatus, 'pending'>;
  /** When descriptions of the group show the change at the latest; absent: at the end of the claim. */
  readonly shownBy?: EpochMs | undefined;
}

export type IntentStatus = 'pending' | 'done' | 'refused' | 'failed';

/** The removals that have not begun. */
export const pendingRemovals = (intents: readonly Intent[]): readonly RemoveNodesIntent[] =>
  intents.filter((intent) => intent.kind === 'RemoveNodes').filter(({ status }) => status === 'pending');

export interface PersistedCluster {
  /** 0 for a cluster that was never evaluated. */
  readonly version: number;
  readonly state: State;
  /** Pending intents, and intents that ended since the state was written. */
  readonly intents: readonly Intent[];
  /** Notices of the cloud, by instance, each notice once; absent where there are none. */
  readonly notices?: readonly Notice[] | undefined;
  /** Absent where nothing is paused. */
  readonly pauses?: readonly Pause[] | undefined;
}
