import { type Disruption, disruptionName } from './disruption.ts';
import type { MonthCost } from './month-cost.ts';
import type { LearnedTime } from './unneeded-time.ts';
import type { FailureClass } from './node-group.ts';
import type { GroupName, InstanceId, NodeName } from './values/names.ts';
import { type StoredHealthProblem, nameOfHealthProblem } from './health-problem.ts';
import { keyOf, type Pod } from './cluster/pod.ts';
import { sortedBy } from './values/sorted.ts';
import { type DurationMs, type EpochMs, minutes } from './values/time.ts';

/** The state that one evaluation leaves for the next. Every list is sorted, so that equal states are equal bytes. */
export interface State {
  readonly unneededSince: Readonly<Record<NodeName, EpochMs>>;
  readonly unregisteredSince: Readonly<Record<InstanceId, EpochMs>>;
  readonly backoff: Readonly<Record<GroupName, Backoff>>;
  readonly scaleUpRequests: readonly ScaleUpRequest[];
  readonly deletionsInProgress: readonly DeletionInProgress[];
  readonly scaleDownRequests: readonly ScaleDownRequest[];
  /** Disruptions that wait for their replacement, by their nodes; absent where there are none. */
  readonly disruptions?: readonly Disruption[] | undefined;
  /** Unneeded times that `scaleDownUnneededTime: auto` has learned, by group; absent where there are none. */
  readonly unneededTimes?: readonly LearnedTime[] | undefined;
  /** Pods that consolidation has moved within a day; absent where there are none. */
  readonly consolidationMoves?: readonly ConsolidationMoves[] | undefined;
  readonly unremovableUntil: Readonly<Record<NodeName, EpochMs>>;
  readonly recentEvictions: readonly Pod[];
  /**
   * Places of formerly pending pods, by the node group of the place. The next evaluation looks there first: other pods
   * never take a node that was launched for these pods, and no node is launched twice.
   */
  readonly reservations: Readonly<Record<GroupName, readonly Reservation[]>>;
  /** Details of these places, where needed. */
  readonly reservedPacking: Readonly<Record<GroupName, ReservedPacking>>;
  /**
   * Start of the last evaluation, or of the last scale-down if evaluated separately: the timers of nodes have been
   * watched until then.
   */
  readonly lastEvaluation: EpochMs | null;
  /** Time of the last scale-up, if evaluated separately; absent before the first. */
  readonly lastScaleUpEvaluation?: EpochMs | undefined;
  /** When the webhook last notified of a pod without a node, to the minute; absent before the first. */
  readonly lastNotification?: EpochMs | undefined;
  /**
   * Pending pods that the last evaluation of scale-up had no time for, as `namespace/name`: the next evaluation
   * considers them first. Absent: none.
   */
  readonly deferredPods?: readonly string[] | undefined;
  /** Since when a pause without an end is in force; absent: none is. */
  readonly pausedSince?: EpochMs | undefined;
  /** Names of the pauses in force at the latest stored evaluation of scale-up (`nameOfPause`); absent where none was. */
  readonly pausesInForce?: readonly string[] | undefined;
  /** Problems of the latest stored evaluation of scale-up that raised an alarm; absent where there are none. */
  readonly problems?: readonly StoredHealthProblem[] | undefined;
  /** Costs of the nodes in this month and the one before, as far as they are known; absent before the first price is. */
  readonly monthCosts?: readonly MonthCost[] | undefined;
  readonly incorrectSize: Readonly<Record<GroupName, IncorrectSize>>;
  /** Target size of each group that the latest stored evaluation of scale-up observed. */
  readonly seenSizes: Readonly<Record<GroupName, number>>;
  readonly seenErrors: Readonly<Record<GroupName, readonly InstanceId[]>>;
  readonly shortages: readonly Shortage[];
  /** Groups whose last repair could not be made: none is tried again before this time. */
  readonly repairBackoff: Readonly<Record<GroupName, EpochMs>>;
  readonly lastScaleUp: EpochMs | null;
  readonly lastScaleDownDelete: EpochMs | null;
  readonly lastScaleDownFailure: EpochMs | null;
  readonly groups: Readonly<Record<GroupName, GroupTimes>>;
}

export interface Backoff {
  readonly until: EpochMs;
  readonly duration: DurationMs;
  readonly lastFailure: EpochMs;
  readonly class: FailureClass;
}

export interface ScaleUpRequest {
  readonly group: GroupName;
  readonly increase: number;
  readonly time: EpochMs;
  readonly expectedAddTime: EpochMs;
}

/** A number of pods of one kind. */
export interface ReservedPlaces {
  /** `KindTable.fingerprint`: equal pods have equal fingerprints, in every evaluation. */
  readonly kind: string;
  readonly count: number;
}

/** Places of a group for pods of one kind. */
export interface Reservation extends ReservedPlaces {
  /** Number of such pods that the group's nodes had already; undefined in states of versions that did not count them. */
  readonly existing: number | undefined;
}

/** More about the reserved places of a group. */
export interface ReservedPacking {
  /** Pods of each node, where packing would not find the places again. */
  readonly nodes: readonly (readonly ReservedPlaces[])[];
}

export interface DeletionInProgress {
  readonly node: NodeName;
  readonly group: GroupName;
  readonly kind: 'empty' | 'drain';
  readonly since: EpochMs;
}

/** The nodes that are being removed. */
export const nodesBeingRemoved = ({ deletionsInProgress }: Pick<State, 'deletionsInProgress'>): ReadonlySet<NodeName> =>
  new Set(deletionsInProgress.map(({ node }) => node));

/** The state in which none of these nodes is being removed. */
export function withoutDeletions(state: State, nodes: ReadonlySet<NodeName>): State {
  if (nodes.size === 0) {
    return state;
  }
  return { ...state, deletionsInProgress: state.deletionsInProgress.filter(({ node }) => !nodes.has(node)) };
}

export interface ScaleDownRequest {
  readonly group: GroupName;
  readonly node: NodeName;
  /** When its removal was decided, or its drain began: a later Node of the same name is another node. */
  readonly time: EpochMs;
  readonly expectedDeleteTime: EpochMs;
}

/** Pods of one controller that consolidation has moved, within one hour by the clock. */
export interface ConsolidationMoves {
  /** The controller, or a pod without one. */
  readonly controller: string;
  /** When it decided to, first and last. */
  readonly first: EpochMs;
  readonly last: EpochMs;
  /** How many. */
  readonly pods: number;
}

/** The same for all moves of a controller within an hour by the clock. */
export const nameOfMoves = ({ controller, first }: Pick<ConsolidationMoves, 'controller' | 'first'>): string =>
  `${controller} ${Math.floor(first / minutes(60))}`;

export interface IncorrectSize {
  readonly current: number;
  readonly expected: number;
  readonly firstObserved: EpochMs;
}

export interface Shortage {
  readonly type: string;
  readonly zone: string;
  readonly capacityType: string;
  readonly until: EpochMs;
  /** Instances of it were interrupted, and no launch has failed: it is launched where nothing else helps. Absent: not at all. */
  readonly lastResort?: true | undefined;
}

export interface GroupTimes {
  readonly lastScaleUp: EpochMs | null;
  readonly lastScaleDownDelete: EpochMs | null;
  readonly lastScaleDownFailure: EpochMs | null;
}

export const NO_GROUP_TIMES: GroupTimes = { lastScaleUp: null, lastScaleDownDelete: null, lastScaleDownFailure: null };

/** A first start: nothing remembered, no cool-downs. */
export const EMPTY_STATE: State = Object.freeze({
  unneededSince: {},
  unregisteredSince: {},
  backoff: {},
  scaleUpRequests: [],
  deletionsInProgress: [],
  scaleDownRequests: [],
  unremovableUntil: {},
  recentEvictions: [],
  reservations: {},
  reservedPacking: {},
  lastEvaluation: null,
  incorrectSize: {},
  seenSizes: {},
  seenErrors: {},
  shortages: [],
  repairBackoff: {},
  ...NO_GROUP_TIMES,
  groups: {},
});

type ListPart = { [P in keyof State]-?: NonNullable<State[P]> extends readonly unknown[] ? P : never }[keyof State];
type Entry<P extends ListPart> = NonNullable<State[P]>[number];

/** Sort keys for each list of the state: the names of the objects that the entries are about. */
export const STATE_ORDER: { readonly [P in ListPart]: (entry: Entry<P>) => string } = {
  scaleUpRequests: ({ group }) => group,
  scaleDownRequests: ({ node }) => node,
  deletionsInProgress: ({ node }) => node,
  disruptions: disruptionName,
  unneededTimes: ({ group }) => group,
  consolidationMoves: nameOfMoves,
  problems: nameOfHealthProblem,
  monthCosts: ({ month }) => String(month),
  deferredPods: (pod) => pod,
  pausesInForce: (pause) => pause,
  recentEvictions: keyOf,
  shortages: ({ type, zone, capacityType }) => `${type}/${zone}/${capacityType}`,
};

/** The state with every list in its order. */
export const orderedState = (state: State): State => ({
  ...state,
  ...Object.fromEntries(
    Object.entries(STATE_ORDER).flatMap(([part, nameOf]) => {
      const entries = state[part as ListPart] as readonly unknown[] | undefined;
      return entries === undefined ? [] : [[part, sortedBy(entries, nameOf as (entry: unknown) => string)]];
    }),
  ),
});
