import type { GroupName, NodeName } from './values/names.ts';
import type { EpochMs } from './values/time.ts';

/**
 * Why a node is removed. Karpenter's names, of which `Empty` and `Underutilized` are the reasons of ordinary scale-down too, and
 * `Expired` and `Unhealthy` those of its expiration and its node repair.
 */
export const DISRUPTION_REASONS = ['Empty', 'Underutilized', 'Drifted', 'Expired', 'Unhealthy'] as const;
export type DisruptionReason = (typeof DISRUPTION_REASONS)[number];

/** Unit of costs: USD per hour, or size at reference prices where no group has a price (`PlanReport.basis`). */
export type CostBasis = 'price' | 'size';

/**
 * A disruption: these nodes are removed once their pods have places on ready nodes, some of which may have to be launched.
 * Until then nothing is evicted, and the nodes have a soft taint at most.
 */
export interface Disruption {
  /** Sorted; at least one. Together they go or stay. */
  readonly nodes: readonly NodeName[];
  readonly reason: DisruptionReason;
  /**
   * The group whose new nodes were found to fit; scale-up may choose another group. `null`: no node has to be launched.
   */
  readonly replacement: GroupName | null;
  /** Upper bound on the cost of the new nodes together. */
  readonly maxCost: number;
  readonly basis: CostBasis;
  /** The decrease in the cluster's cost; 0 where saving is not the reason, negative where the cost rises. */
  readonly saving: number;
  /** Number of pods that are evicted for it. */
  readonly moves: number;
  readonly since: EpochMs;
  /** When it is given up, unless the new node is ready. */
  readonly deadline: EpochMs;
}

/** The same disruption, in every evaluation. */
export const disruptionName = ({ nodes }: Pick<Disruption, 'nodes'>): string => nodes.join(',');

/**
 * - `Waiting`: for places on nodes that are ready
 * - `Ready`: its nodes are among the removals of this evaluation
 * - `Held`: its pods have their places, and a limit or a disruption budget is used up for now
 * - `Cancelled`: the disruption is given up, and its nodes stay as they were
 */
export type DisruptionState = 'Waiting' | 'Ready' | 'Held' | 'Cancelled';

/** Why a disruption was given up. */
export type DisruptionCancelled =
  /** The disruption's deadline has passed, and the new node is not ready. */
  | 'DeadlineExceeded'
  /** The cloud cannot launch the new node. */
  | 'ReplacementFailed'
  /** A node of it is gone, or is being removed for another reason. */
  | 'NodeGone'
  /** The nodes are not drifted, expired or unhealthy any more, or the saving is gone. */
  | 'ReasonGone'
  /** The option that asked for it is off. */
  | 'TurnedOff'
  /** Traffic is shifted away from the zone of a node of it; or from any zone, and it is to save costs. */
  | 'ZonalShift'
  /** Scale-down of a node of it is paused. */
  | 'Paused'
  /** A disruption budget allows none of its kind for as long as it may wait. */
  | 'BudgetZero'
  /** A pod, an annotation or a limit keeps a node of it. */
  | 'Unremovable';

/** Why no places are planned for the pods of a disruption that waits, in an evaluation. */
export const DEFERRED_REASONS = [
  /** With it, a pod that waits would go without a node. */
  'PodsComeFirst',
  /**
   * The replacement would exceed the disruption's `maxCost`: pods may be placed on the disruption's nodes, as on any other.
   */
  'TooExpensive',
  /** `maxCost` is in another unit than the costs of the node groups are now. */
  'PricesChanged',
  'ScaleUpFailed',
] as const;
export type DeferredReason = (typeof DEFERRED_REASONS)[number];

/** The result of a disruption in an evaluation. */
export interface DisruptionReport extends Disruption {
  readonly state: DisruptionState;
  /** `Cancelled` alone. */
  readonly cancelled?: DisruptionCancelled;
  /** Waiting disruption: why nothing is planned or launched for it; absent where something is, or nothing has to be. */
  readonly deferred?: DeferredReason;
  /** Why the nodes are drifted, expired or unhealthy, in words. */
  readonly cause?: string;
  /** Work of running pods that would restart, core-seconds; absent where unknown. */
  readonly workAtRisk?: number;
  /** In words, where there is more to say. */
  readonly message?: string;
}

/** In a scenario in which they count as being removed (`disruption/waiting.ts`): the nodes that only wait for their replacement. */
export const waitingNodes = ({ disruptions = [] }: { readonly disruptions?: readonly Disruption[] | undefined }) =>
  new Set<NodeName>(disruptions.flatMap(({ nodes }) => nodes));

/** How many nodes of a group wait for nodes of the same group: its minimum is to hold without them. */
export function replacedWithin(
  { name, nodes }: { readonly name: GroupName; readonly nodes: readonly NodeName[] },
  { disruptions = [] }: { readonly disruptions?: readonly Disruption[] | undefined },
): number {
  const own = waitingNodes({ disruptions: disruptions.filter(({ replacement }) => replacement === name) });
  return nodes.filter((node) => own.has(node)).length;
}
