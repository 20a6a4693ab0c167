import type { ReadScope } from '../model/read-scope.ts';
import type { EvictOutcome, WriteOutcome } from '../model/answers.ts';
import type { AutoscalerStatus } from '../model/cluster/autoscaler-status.ts';
import type { BufferStatus } from '../model/cluster/capacity-buffer.ts';
import type { RequestStatus } from '../model/cluster/provisioning-request.ts';
import type { ClusterEvent } from '../model/cluster/cluster-event.ts';
import type { NodeName } from '../model/values/names.ts';
import type { Pause } from '../model/pause.ts';
import type { ObjectsSummary } from '../model/cluster-summary.ts';
import type { NodeChange } from '../model/cluster/node-change.ts';
import type { Taint } from '../model/cluster/node.ts';
import type { ExcludedNode, ClusterObjects } from '../model/scenario.ts';

/** An object that could not be read: reported, and the rest goes on (docs/unreadable-objects.md). */
export interface RejectedObject {
  /** Object and field, as `Pod default/web-1: spec.containers[0].resources.requests.cpu`. */
  readonly place: string;
  readonly expected: string;
  readonly found: string;
  /** The node that is excluded for the object; absent where no node is excluded, or the node is unknown. */
  readonly excludes?: Pick<ExcludedNode, 'node' | 'reason'>;
  /** Without the object, a limit of the whole cluster is not in force. */
  readonly liftsLimit?: boolean;
}

export interface ClusterObservation {
  readonly objects: ClusterObjects;
  readonly rejected: readonly RejectedObject[];
  /** Number of objects that lists kept from before had otherwise than full lists of the same version; absent: none. */
  readonly differing?: number | undefined;
}

/** Reads a cluster: nodes before pods, so that a race over-counts capacity rather than over-provisions. */
export interface ClusterReader {
  /** A cheap question first: is any pod unschedulable? When not, there is nothing to scale up for. */
  hasPendingPods(signal?: AbortSignal): Promise<boolean>;
  /** How many objects there are, by a few small requests. Rejects where a number cannot be known. */
  summarize(signal?: AbortSignal): Promise<ObjectsSummary>;
  /** @param scope what is not in it may be left out; absent: everything. */
  read(signal?: AbortSignal, scope?: ReadScope): Promise<ClusterObservation>;
  /** The nodes alone. */
  readNodes(signal?: AbortSignal): Promise<ClusterObservation>;
  /**
   * The objects that a drain needs of one node: the node itself, its pods, and everything that may block their eviction
   * (budgets, controllers, claims). No other nodes; `nodes` is empty when the node is gone.
   *
   * @param scope `alone`: the node without its pods, whose errors then do not matter.
   */
  readNode(node: NodeName, signal?: AbortSignal, scope?: 'alone' | 'with pods'): Promise<ClusterObservation>;
  /** The names of the persistent volumes that are attached to a node. The API server has to list those of all nodes. */
  attachedVolumes(node: NodeName, signal?: AbortSignal): Promise<readonly string[]>;
  /**
   * The pause that an annotation of the status ConfigMap asks for; `null`: none. Absent: the cluster has no such
   * ConfigMap.
   */
  pause?(signal?: AbortSignal): Promise<Pause | null>;
  /**
   * Stores what the first read of another process may begin with, where that is due. Best effort: never rejects. Absent: nothing is
   * stored.
   */
  saveSnapshots?(signal?: AbortSignal): Promise<void>;
}

/** Knowledge about a node that is changed. */
interface NodeKnowledge {
  /**
   * The taints that the node has as far as is known: where the change only takes some of them off, it is tried without
   * reading the node first, which halves the time. Absent: not known.
   */
  readonly knownTaints?: readonly Taint[] | undefined;
}

/** The few changes that Outrigger makes in a cluster. */
export interface ClusterWriter {
  /**
   * Changes a node as it is now; repeated with the node's new state where it was changed meanwhile.
   *
   * @param uid of the node that is meant: one of the same name with another uid is left alone (`gone`).
   */
  changeNode(
    node: NodeName,
    uid: string,
    change: NodeChange & NodeKnowledge,
    signal?: AbortSignal,
  ): Promise<WriteOutcome>;
  /**
   * Nominates a pod to a node (`status.nominatedNodeName`), if the pod still has its UID: kube-scheduler tries that
   * node first, and keeps its capacity for the pod. A pod that has a node by now needs none (`gone`).
   *
   * @param node `null` takes the nomination back.
   */
  nominate(
    pod: { readonly namespace: string; readonly name: string; readonly uid: string },
    node: NodeName | null,
    signal?: AbortSignal,
  ): Promise<WriteOutcome>;
  /**
   * Asks for a pod to be evicted (policy/v1), if the pod still has its UID.
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
  /**
   * Records the first of these events that are not recorded yet, within a bounded number of requests and a bounded time:
   * the others are left to the next call. Best effort, as `recordEvent`.
   */
  recordEvents(events: Iterable<ClusterEvent>, signal?: AbortSignal): Promise<void>;
  /** Writes the status if it differs from the stored status. Best effort, as `recordEvent`. */
  writeStatus(status: AutoscalerStatus, signal?: AbortSignal): Promise<void>;
  /** Writes the status of a CapacityBuffer. Best effort, as `recordEvent`. */
  writeBufferStatus(status: BufferStatus, signal?: AbortSignal): Promise<void>;
  /** Writes the status of a ProvisioningRequest. Best effort, as `recordEvent`. */
  writeRequestStatus(status: RequestStatus, signal?: AbortSignal): Promise<void>;
}
