/**
 * The small interfaces that stand between decisions and the world. `providers/` implements them, `functions/` calls
 * them. Every call may be given an `AbortSignal` and rejects with an error that says what was tried, on what.
 */
import type { Decision } from './decision.ts';
import type { Drain } from './drain.ts';
import type { ClusterName, GroupName, InstanceId, NodeName } from './names.ts';
import type { Node, Taint } from './node.ts';
import type { FailureClass, NodeGroup } from './node-group.ts';
import type { ClusterObjects } from './scenario.ts';
import type { State } from './state.ts';
import type { EpochMs } from './time.ts';

/** An object that could not be read: reported, and the rest goes on (docs/unreadable-objects.md). */
export interface Rejected {
  /** What and where, as `Pod default/web-1: spec.containers[0].resources.requests.cpu`. */
  readonly place: string;
  readonly expected: string;
  readonly found: string;
  /** The node that is closed for it (`ClusterObjects.closedNodes`); absent where there is none, or it is not known. */
  readonly node?: NodeName;
}

export interface ClusterObservation {
  readonly objects: ClusterObjects;
  readonly rejected: readonly Rejected[];
}

/** Reads a cluster: nodes before pods, so that a race over-counts capacity rather than over-provisions. */
export interface ClusterReader {
  /** A cheap question first: is any pod unschedulable? When not, there is nothing to scale up for. */
  hasPendingPods(signal?: AbortSignal): Promise<boolean>;
  read(signal?: AbortSignal): Promise<ClusterObservation>;
  /**
   * What a drain asks about one node: the node itself, its pods, and everything that may keep these from going
   * (budgets, controllers, claims). No other nodes; `nodes` is empty when the node is gone.
   *
   * @param scope `alone`: nothing but the node itself is wanted, which can be read whatever its pods are like.
   */
  readNode(node: NodeName, signal?: AbortSignal, scope?: 'alone' | 'with pods'): Promise<ClusterObservation>;
  /** The names of the persistent volumes that are attached to a node. The API server has to list those of all nodes. */
  attachedVolumes(node: NodeName, signal?: AbortSignal): Promise<readonly string[]>;
}

/** What becomes of a change to an object. `gone`: there is no such object (any more), or it is another one by now. */
export type WriteOutcome =
  | { readonly kind: 'done' }
  | { readonly kind: 'gone' }
  | { readonly kind: 'failed'; readonly code: string; readonly message: string };

export type EvictOutcome =
  | WriteOutcome
  /** By a PodDisruptionBudget: try again. */
  | { readonly kind: 'refused'; readonly message: string; readonly retryAfterSeconds: number | null }
  /** The API server is busy, and says nothing about the pod. */
  | { readonly kind: 'throttled'; readonly retryAfterSeconds: number | null };

export interface NodeChange {
  /** Put on, or given a new value where the node has one of that key and effect. */
  readonly addTaints: readonly Taint[];
  /** Taken off: all of that key, whatever their value; with an effect only those. */
  readonly removeTaints: readonly { readonly key: string; readonly effect: string | null }[];
  /** `null` leaves it as it is. */
  readonly unschedulable: boolean | null;
  /** `null` takes a label off. */
  readonly labels: Readonly<Record<string, string | null>>;
  readonly annotations: Readonly<Record<string, string | null>>;
}

/** A Kubernetes Event, for people who look at the object. */
export interface ClusterEvent {
  readonly about:
    | { readonly kind: 'Node'; readonly name: NodeName; readonly uid: string }
    | { readonly kind: 'Pod'; readonly namespace: string; readonly name: string; readonly uid: string };
  readonly type: 'Normal' | 'Warning';
  /** Cluster Autoscaler's reasons: ScaleDown, ScaleDownFailed, … */
  readonly reason: string;
  readonly message: string;
}

/** The few changes that Outrigger makes in a cluster. */
export interface ClusterWriter {
  /**
   * Changes a node as it is now; repeated with what is found where somebody else changed it meanwhile.
   *
   * @param uid of the node that is meant: one of the same name with another uid is left alone (`gone`).
   */
  changeNode(node: NodeName, uid: string, change: NodeChange, signal?: AbortSignal): Promise<WriteOutcome>;
  /**
   * Asks for a pod to be evicted (policy/v1), if it still is the one that is meant.
   *
   * @param graceSeconds `null` leaves the pod its own.
   */
  evict(
    pod: { readonly namespace: string; readonly name: string; readonly uid: string },
    graceSeconds: number | null,
    signal?: AbortSignal,
  ): Promise<EvictOutcome>;
  /** Best effort: never rejects, but for an aborted signal. */
  recordEvent(event: ClusterEvent, signal?: AbortSignal): Promise<void>;
}

/** The node groups of one cluster, as the cloud has them. */
export interface NodeGroups {
  /**
   * Lists the groups with their templates.
   *
   * @param nodes the registered nodes, to tell which instance is which node and to prefer what a live node shows.
   */
  list(nodes: readonly Node[], signal?: AbortSignal): Promise<readonly NodeGroup[]>;
  /** Re-reads one group's sizes; `null` when it is gone. */
  readSize(group: GroupName, signal?: AbortSignal): Promise<GroupSize | null>;
  /** Re-reads one instance, and the sizes of the group that it belongs to. */
  readInstance(group: GroupName, instance: InstanceId, signal?: AbortSignal): Promise<InstanceView>;
  /**
   * Asks the cloud why instances that were asked for are missing: each that could not be launched comes back as a
   * placeholder instance (`placeholderId`) with the error. Cheap where nothing is missing; best effort, so where the
   * cloud does not answer the groups come back as they are.
   *
   * @param asked since when instances have been awaited, for the groups to ask about.
   */
  withLaunchFailures(
    groups: readonly NodeGroup[],
    asked: ReadonlyMap<GroupName, EpochMs>,
    signal?: AbortSignal,
  ): Promise<readonly NodeGroup[]>;
  /**
   * Says of groups whether the cloud is replacing their nodes (`NodeGroup.updating`). At most a minute old; best
   * effort, so where the cloud does not answer they come back as they are.
   *
   * @param asked the groups to ask about, for the cloud answers one by one.
   */
  withUpdates(
    groups: readonly NodeGroup[],
    asked: ReadonlySet<GroupName>,
    signal?: AbortSignal,
  ): Promise<readonly NodeGroup[]>;
  /** Asks the cloud for an absolute size. One below the instances that exist or are being launched is refused. */
  setSize(group: GroupName, size: number, signal?: AbortSignal): Promise<SetSizeOutcome>;
  /**
   * Ends one instance.
   *
   * @param decrement lower the group's target with it; otherwise the cloud replaces the instance.
   */
  terminate(
    group: GroupName,
    instance: InstanceId,
    decrement: boolean,
    signal?: AbortSignal,
  ): Promise<TerminateOutcome>;
}

export interface GroupSize {
  readonly min: number;
  readonly max: number;
  readonly target: number;
  /** Instances that exist or are being launched: with a lower target the cloud would choose which ones end. */
  readonly held: number;
}

export interface InstanceView {
  /** `gone`: no member of the group (any more); `ending`: still one, on its way out. */
  readonly state: 'in group' | 'ending' | 'gone';
  /** `null`: there is no such group. */
  readonly size: GroupSize | null;
}

export interface CallFailed {
  readonly kind: 'failed';
  readonly class: FailureClass;
  readonly code: string;
  readonly message: string;
}

export type SetSizeOutcome = { readonly kind: 'set' } | CallFailed;

/** `gone`: the instance is no member of the group any more, or on its way out already. */
export type TerminateOutcome = { readonly kind: 'terminated' | 'gone' } | CallFailed;

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
   * Somebody works on it at the moment, and until then at the latest. Of one that has ended: until when the claim would
   * have lasted under which it was ended; its effect may not be seen everywhere before.
   */
  readonly claimedUntil: EpochMs | null;
  /** Refused and failed: why. */
  readonly outcome: IntentOutcome | null;
}

/** Why an intent was refused or failed. */
export interface IntentOutcome {
  /** In words, for people. */
  readonly message: string;
  /** What kind of failure the cloud reported; `null` for refusals. */
  readonly class: FailureClass | null;
}

export type IntentStatus = 'pending' | 'done' | 'refused' | 'failed';

export interface PersistedCluster {
  /** 0 for a cluster that was never evaluated. */
  readonly version: number;
  readonly state: State;
  /** Intents that are pending, and those that ended since the state was written. */
  readonly intents: readonly Intent[];
}

export interface Commit {
  readonly expectedVersion: number;
  readonly now: EpochMs;
  readonly state: State;
  readonly intents: readonly Intent[];
  /** Ended intents that this state has taken into account: they are not loaded again. */
  readonly settled: readonly string[];
  readonly decision: Decision;
}

export type CommitOutcome = { readonly kind: 'committed'; readonly version: number } | { readonly kind: 'conflict' };

/** What Outrigger remembers of its clusters. */
export interface StateStore {
  load(cluster: ClusterName, signal?: AbortSignal): Promise<PersistedCluster>;
  /** The intents that are pending, claimed or not, and nothing else: a small part of what `load` reads. */
  pendingIntents(cluster: ClusterName, signal?: AbortSignal): Promise<readonly Intent[]>;
  /** Next state and intents together or not at all, and only if nobody committed in between. */
  commit(cluster: ClusterName, commit: Commit, signal?: AbortSignal): Promise<CommitOutcome>;
  /** Takes a pending intent that nobody holds; `null` when it is not pending or somebody else holds it. */
  claimIntent(
    cluster: ClusterName,
    id: string,
    now: EpochMs,
    until: EpochMs,
    signal?: AbortSignal,
  ): Promise<Intent | null>;
  /**
   * Gives a claimed intent back for others to try at once.
   *
   * @param claimedUntil of the claim to give up: one that has run out, and was taken by somebody else, stays.
   */
  releaseIntent(cluster: ClusterName, id: string, claimedUntil: EpochMs, signal?: AbortSignal): Promise<void>;
  /** Ends an intent: once, and only from pending. */
  endIntent(
    cluster: ClusterName,
    id: string,
    status: Exclude<IntentStatus, 'pending'>,
    outcome: IntentOutcome | null,
    signal?: AbortSignal,
  ): Promise<void>;
  /** The latest decision, for `explain`; `null` before the first. */
  lastDecision(cluster: ClusterName, signal?: AbortSignal): Promise<Decision | null>;
}

/** A drain as it is stored. */
export interface StoredDrain {
  readonly drain: Drain;
  /** Rises with every change: whoever drives on from an older one has been overtaken. */
  readonly revision: number;
  /** How many drivers have been started for it; the first is 1. */
  readonly attempt: number;
  /** Somebody drives it, and will have written by then; later than that the driver is dead. */
  readonly drivenUntil: EpochMs;
}

export interface DrainChange {
  readonly drain: Drain;
  readonly attempt: number;
  readonly drivenUntil: EpochMs;
}

/** What Outrigger remembers of the nodes that are on their way out. */
export interface DrainStore {
  /** All of a cluster, those that have ended too, by id. */
  list(cluster: ClusterName, signal?: AbortSignal): Promise<readonly StoredDrain[]>;
  load(cluster: ClusterName, id: string, signal?: AbortSignal): Promise<StoredDrain | null>;
  /** Stores a new drain, as revision 1; one that is there already stays as it is. */
  create(cluster: ClusterName, change: DrainChange, signal?: AbortSignal): Promise<void>;
  /**
   * Changes a drain from the revision that was read; `null` when another driver has changed or removed it. `too large`:
   * nothing was changed, and this drain never can be stored.
   */
  save(
    cluster: ClusterName,
    change: DrainChange,
    revision: number,
    signal?: AbortSignal,
  ): Promise<StoredDrain | 'too large' | null>;
  /** Forgets ended drains whose outcome is in the state by now; those that are gone already are no error. */
  remove(cluster: ClusterName, ids: readonly string[], signal?: AbortSignal): Promise<void>;
}
