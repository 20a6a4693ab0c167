import type { PodOutcome, ScaleUpDecision } from '../model/decision.ts';
import type { DeferredReason } from '../model/disruption.ts';
import type { GroupName, NodeName, PodKey } from '../model/values/names.ts';
import { valueOf } from '../model/values/records.ts';
import { keyOf } from '../model/cluster/pod.ts';
import type { NodeGroup } from '../model/node-group.ts';
import type { Scenario } from '../model/scenario.ts';
import { sortedRecord } from '../model/values/sorted.ts';
import type { GroupTimes, State } from '../model/state.ts';
import { costOfIncreases, type Costs } from '../nodegroups/cost.ts';
import { groupTemplates } from '../nodegroups/node-templates.ts';
import { similarityFor, similarSets } from '../nodegroups/similar.ts';
import { DISRUPTION_MESSAGES } from '../words/disruption.ts';
import { isAllCapacityHeld, ownerWithLessCapacity } from './held-capacity.ts';
import type { WaitingDisruption } from './waiting.ts';

/** The pods of the nodes of these disruptions: they run, and are planned for as pods that wait. */
export function podsOf(
  waiting: readonly WaitingDisruption[],
  { objects }: Pick<Scenario, 'objects'>,
): ReadonlySet<PodKey> {
  const nodes = new Set<NodeName | null>(waiting.flatMap(({ disruption }) => disruption.nodes));
  return new Set(objects.pods.filter(({ nodeName }) => nodeName !== null && nodes.has(nodeName)).map(keyOf));
}

/**
 * The groups of which new nodes for these disruptions may be. Nodes that are launched to save cost are balanced over similar groups
 * with the same purchase option, as others are. A node that replaces another one for any other cause comes from the group of the disruption.
 */
export function replacementsOf(waiting: readonly WaitingDisruption[], scenario: Scenario): ReadonlySet<GroupName> {
  const { nodeGroups, options, provider } = scenario;
  const groupsOf = (some: readonly WaitingDisruption[]) =>
    some.flatMap(({ disruption: { replacement } }) => replacement ?? []);
  const found = groupsOf(waiting);
  const forCost = new Set(groupsOf(waiting.filter(({ disruption: { reason } }) => reason === 'Underutilized')));
  if (!options.balanceSimilarNodeGroups || forCost.size === 0) {
    return new Set(found);
  }
  const templates = groupTemplates(scenario);
  const sets = similarSets([...templates.keys()], templates, similarityFor(options, provider));
  const known = nodeGroups.filter(({ name }) => templates.has(name));
  const setOf = ({ name, capacityType }: NodeGroup): string => `${sets.get(name)} ${capacityType}`;
  const balanced = new Set(known.filter(({ name }) => forCost.has(name)).map(setOf));
  return new Set([...found, ...known.filter((group) => balanced.has(setOf(group))).map(({ name }) => name)]);
}

/** The scenario in which only `groups` grow. */
export const growingOnly = (scenario: Scenario, groups: ReadonlySet<GroupName>): Scenario => ({
  ...scenario,
  nodeGroups: scenario.nodeGroups.map((group) =>
    groups.has(group.name)
      ? group
      : { ...group, maxSize: Math.min(group.maxSize, Math.max(group.minSize, group.targetSize)) },
  ),
});

const SERVED: ReadonlySet<PodOutcome['outcome']> = new Set(['Fits', 'Triggered']);

/** Does this plan add no nodes, and have a place for every pending pod, virtual pods included? */
export const needsNoIncrease = (plan: ScaleUpDecision, moving: ReadonlySet<PodKey>): boolean =>
  plan.increases.length === 0 &&
  plan.pods.every(({ pod, outcome }) => moving.has(pod) || SERVED.has(outcome) || outcome === 'Ignored') &&
  isAllCapacityHeld(plan, 'served');

/** A plan for pods that wait and for the pods of disruptions, and one for the first alone. */
export interface Plans {
  readonly withCommands: ScaleUpDecision;
  readonly withoutCommands: ScaleUpDecision;
}

/** Why disruptions are left out of a scale-up. */
export interface DeferredDisruption {
  readonly why: DeferredReason;
  readonly message: string;
}

/** Prices have errors of rounding. */
const CENT = 1e-9;

/** The limits on the cost of disruptions, per hour. */
export interface CostLimit {
  /** The cost of the nodes launched for disruptions that were accepted before. */
  readonly spent: number;
  /** How much more may be launched for the disruptions to be judged. */
  readonly most: number;
}

/**
 * Several disruptions that are planned together share the launched nodes, so the cost of each disruption is unknown: together
 * they may cost no more than each of them alone.
 */
export const sharedCostLimit = (waiting: readonly WaitingDisruption[]): CostLimit => ({
  spent: 0,
  most: Math.min(...waiting.map(({ disruption: { maxCost } }) => maxCost)),
});

/** The cost of the nodes launched for disruptions, per hour; negative where fewer nodes are launched with the disruptions. */
export const costBeside = ({ withCommands, withoutCommands }: Plans, costs: Costs): number =>
  costOfIncreases(withCommands.increases, costs) - costOfIncreases(withoutCommands.increases, costs);

/**
 * Why the disruptions are left out of a scale-up; `null` where they are not: no pending pod and no held capacity is worse
 * off with them, and the nodes launched for them cost no more than the limit.
 */
export function reasonToDefer(
  plans: Plans,
  waiting: readonly WaitingDisruption[],
  costs: Costs,
  { spent, most }: CostLimit,
): DeferredDisruption | null {
  const { withCommands, withoutCommands } = plans;
  const outcomes = new Map(withCommands.pods.map(({ pod, outcome }) => [pod, outcome]));
  const worse = withoutCommands.pods.find(
    ({ pod, outcome }) => SERVED.has(outcome) && !SERVED.has(outcomes.get(pod) ?? 'Fits'),
  );
  if (worse !== undefined) {
    return { why: 'PodsComeFirst', message: DISRUPTION_MESSAGES.podsComeFirst(worse.pod) };
  }
  const owner = ownerWithLessCapacity(withCommands, withoutCommands, 'served');
  if (owner !== null) {
    return { why: 'PodsComeFirst', message: DISRUPTION_MESSAGES.roomComesFirst(owner) };
  }
  const cost = costBeside(plans, costs) - spent;
  if (cost <= CENT) {
    return null;
  }
  if (waiting.some(({ disruption: { basis } }) => basis !== costs.basis)) {
    return { why: 'PricesChanged', message: DISRUPTION_MESSAGES.pricesChanged() };
  }
  if (cost > most + CENT) {
    return { why: 'TooExpensive', message: DISRUPTION_MESSAGES.tooDear(cost, most, costs.basis) };
  }
  return null;
}

/** The decision of both: what is said of pods that wait and find no place, and of groups, is said without the disruptions. */
export function merged({ withCommands, withoutCommands }: Plans, moving: ReadonlySet<PodKey>): ScaleUpDecision {
  const said = new Map(withoutCommands.pods.map((row) => [row.pod, row]));
  const pods = withoutMoving(withCommands, moving).pods.map((row) =>
    SERVED.has(row.outcome) ? row : (said.get(row.pod) ?? row),
  );
  return { ...withCommands, pods, skippedGroups: withoutCommands.skippedGroups };
}

/** The decision without a word about pods that do not wait. */
export const withoutMoving = (scaleUp: ScaleUpDecision, moving: ReadonlySet<PodKey>): ScaleUpDecision => ({
  ...scaleUp,
  pods: scaleUp.pods.filter(({ pod }) => !moving.has(pod)),
});

/** The state in which a scale-up for disruptions has begun no delay of scale-down: only one for pods that wait does. */
export function withoutDelay(state: State, withoutCommands: State): State {
  const times = (Object.entries(state.groups) as [GroupName, GroupTimes][]).map(
    ([group, of]) =>
      [group, { ...of, lastScaleUp: valueOf(withoutCommands.groups, group)?.lastScaleUp ?? null }] as const,
  );
  return { ...state, lastScaleUp: withoutCommands.lastScaleUp, groups: sortedRecord(times) };
}
