import type { GroupName, NodeName } from './values/names.ts';
import type { EpochMs } from './values/time.ts';

/**
 * Why a node is removed. Karpenter's names, of which `Empty` and `Underutilized` are the reasons of ordinary scale-down too, and
 * `Expired` and `Unhealthy` those of its expiration and its node repair.
 */
export const DISRUPTION_REASONS = ['Empty', 'Underutilized', 'Drifted', 'Expired', 'Unhealthy'] as const;
export type DisruptionReason = (typeof DISRUPTION_REASONS)[number];

/** What costs are in: USD per hour, or size at reference prices where no group has a price (`PlanReport.basis`). */
export type CostBasis = 'price' | 'size';

/**
 * A command: these nodes are to go once their pods have places on nodes that are ready, one of which may have to be bought. Until
 * then nothing is evicted, and the nodes bear a soft taint at most.
 */
export interface Disruption {
  /** Sorted; at least one. Together they go or stay. */
  readonly nodes: readonly NodeName[];
  readonly reason: DisruptionReason;
  /** Where the new node was found to fit; scale-up may choose another group. `null`: no node has to be bought. */
  readonly replacement: GroupName | null;
  /** The most that what is bought for it may cost. */
  readonly maxCost: number;
  readonly basis: CostBasis;
  /** What the cluster costs less afterward; 0 where saving is not what it is for, below 0 where it costs more. */
  readonly saving: number;
  /** Number of pods that are evicted for it. */
  readonly moves: number;
  readonly since: EpochMs;
  /** When it is given up, unless the new node is ready. */
  readonly deadline: EpochMs;
}

/** The same command, in every evaluation. */
export const disruptionName = ({ nodes }: Pick<Disruption, 'nodes'>): string => nodes.join(',');

/**
 * - `Waiting`: for places on nodes that are ready
 * - `Ready`: its nodes are among the removals of this evaluation
 * - `Held`: its pods have their places, and a limit or a disruption budget is used up for now
 * - `Cancelled`: it is given up, and its nodes are left as they were
 */
export type DisruptionState = 'Waiting' | 'Ready' | 'Held' | 'Cancelled';

/** Why a command was given up. */
export type DisruptionCancelled =
  /** Its time is over, and the new node is not ready. */
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

/** Why no places are planned for the pods of a command that waits, in an evaluation. */
export const DISRUPTION_LEFT_OUT = [
  /** With it, a pod that waits would go without a node. */
  'PodsComeFirst',
  /** What would be bought for it costs more than it may: its nodes are places for pods, like any others. */
  'TooExpensive',
  /** What it may cost is in another unit than the costs of the node groups are now. */
  'PricesChanged',
  /** Scale-up has failed. */
  'ScaleUpFailed',
] as const;
export type DisruptionLeftOut = (typeof DISRUPTION_LEFT_OUT)[number];

/** What became of a command in an evaluation. */
export interface DisruptionReport extends Disruption {
  readonly state: DisruptionState;
  /** `Cancelled` alone. */
  readonly cancelled?: DisruptionCancelled;
  /** Of one that waits: why nothing is planned or bought for it; absent where something is, or nothing has to be. */
  readonly leftOut?: DisruptionLeftOut;
  /** Of nodes that are drifted, expired or unhealthy: what is wrong with them, in words. */
  readonly cause?: string;
  /** Of running pods that would begin anew, core-seconds; absent where it is not known. */
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
  const own = new Set(disruptions.flatMap((command) => (command.replacement === name ? command.nodes : [])));
  return own.size === 0 ? 0 : nodes.filter((node) => own.has(node)).length;
}
