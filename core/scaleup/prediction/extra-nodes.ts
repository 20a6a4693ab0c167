import type { Increase, PredictedPlacement } from '../../model/decision.ts';
import type { GroupName } from '../../model/values/names.ts';
import { groupOption } from '../../model/node-group.ts';
import { rounded } from '../../model/values/rounded.ts';
import type { NodeInfo } from '../../model/snapshot/snapshot.ts';
import { nodesToScore } from '../../scheduling/scoring/nodes-to-score.ts';
import type { Demand } from '../../estimator/demand.ts';
import { podsByKind } from '../../estimator/load.ts';
import type { Placement } from '../../estimator/placing.ts';
import type { Costs } from '../../nodegroups/cost.ts';
import type { PlanInput } from '../orchestrator/plan-input.ts';
import { createPredictor, WAYS_OF_ARRIVAL } from './arrivals.ts';
import { homesOf, nodesFor, sizesAfter } from './nodes-for.ts';

export interface ExtraNodesInput {
  readonly plan: PlanInput;
  readonly costs: Costs;
  /** The upcoming nodes, of the plan's snapshot, that are empty. */
  readonly upcoming: readonly NodeInfo[];
  /** The nodes of `upcoming` that earlier evaluations added beyond their plans. */
  readonly spare: ReadonlySet<NodeInfo>;
  /** The packed plan; it is not on the snapshot. */
  readonly increases: readonly Increase[];
  /** All places that pods found or got, on whichever nodes. */
  readonly placements: readonly Placement[];
  /** The pods that want a node. */
  readonly demands: readonly Demand[];
}

export interface Prediction {
  /** `null` when no option asks for one, or no node is added. */
  readonly predicted: PredictedPlacement | null;
  /** The groups of the nodes to add beyond the plan. */
  readonly extra: readonly GroupName[];
}

/** The number of times that more nodes are added to see whether that is enough. */
const MOST_ROUNDS = 6;

/**
 * Predicts how many of the pods kube-scheduler will leave without a place when the nodes of a packed plan arrive one by
 * one, and how many more nodes it takes until it leaves none, in whichever way they arrive. These are added at once
 * where they cost no more than `predictedPlacementRatio` allows: all nodes added for the pending pods, against those
 * that packing needs.
 *
 * The snapshot is left as it is.
 */
export function predictExtraNodes(input: ExtraNodesInput): Prediction {
  const outright = predictedOutright(input);
  if (outright !== null) {
    return outright;
  }
  const { pods, extra, end } = playArrivals(input);
  if (end !== 'enough') {
    return { predicted: { pods, nodes: null, cost: null, bought: false, why: WHY_NOT[end] }, extra: [] };
  }
  if (extra.length === 0) {
    return { predicted: { pods, nodes: 0, cost: 0, bought: false, why: 'the plan is enough' }, extra: [] };
  }
  const { cost, bought, why } = priceOf(input, extra);
  return { predicted: { pods, nodes: extra.length, cost: rounded(cost), bought, why }, extra: bought ? extra : [] };
}

/** The prediction where none is wanted or it is clearly too expensive; `null` where arrivals must be played. */
export function predictedOutright({ plan, increases, placements, upcoming }: ExtraNodesInput): Prediction | null {
  const { objects, options } = plan.scenario;
  if (options.predictedPlacementRatio === 0 || increases.length === 0 || comesAsPlanned(plan, increases)) {
    return { predicted: null, extra: [] };
  }
  const nodes = increases.reduce((sum, { from, to }) => sum + to - from, upcoming.length);
  const registered = new Set(objects.nodes.map(({ name }) => name));
  const there = placements.filter(({ info }) => registered.has(info.name));
  // Half of the pods wait when a node arrives; pods that fit on existing nodes are scored on many of these.
  const least =
    WAYS_OF_ARRIVAL * ((podsOf(placements) * nodes) / 2 + podsOf(there) * nodesToScore(objects.nodes.length));
  return least > options.predictedPlacementBudget
    ? { predicted: { pods: null, nodes: null, cost: null, bought: false, why: WHY_NOT['too much'] }, extra: [] }
    : null;
}

/** Do all nodes that are added get the pods that the plan has for them? */
const comesAsPlanned = ({ scenario: { nodeGroups, options } }: PlanInput, increases: readonly Increase[]): boolean =>
  options.plannedPlacement &&
  nodeGroups.every(
    (group) =>
      groupOption(options, group, 'plannedPlacement') || !increases.some(({ group: name }) => name === group.name),
  );

const podsOf = (placements: readonly Placement[]): number => placements.reduce((sum, { count }) => sum + count, 0);

/** The result of playing the arrivals. */
interface Played {
  /** The number of pods that the plan alone leaves without a place; `null` where that is not known. */
  readonly pods: number | null;
  readonly extra: readonly GroupName[];
  readonly end: 'enough' | keyof typeof WHY_NOT;
}

const WHY_NOT = {
  'too much': 'not foreseen: it would take more than predictedPlacementBudget',
  stuck: 'limits do not allow the nodes that it would take',
  spreading: 'more nodes only make it spread the pods further',
} as const;

/** Plays all ways in which the nodes may arrive, each time with the nodes more that the one before has missed. */
function playArrivals(input: ExtraNodesInput): Played {
  const { plan, increases, placements } = input;
  const homes = homesOf(placements);
  const predictor = predictorFor(input);
  const planned = groupsOf(increases);
  const extra: GroupName[] = [];
  let pods: number | null = null;
  for (let round = 0; round < MOST_ROUNDS; round++) {
    let fine = 0;
    for (let way = 0; way < WAYS_OF_ARRIVAL; way++) {
      const sizes = sizesAfter(plan, increases, extra);
      const answer = predictor.play([...planned, ...extra], way, (left) => ({
        left: left.length,
        nodes: left.length === 0 ? [] : nodesFor(plan, left, homes, sizes),
      }));
      if (answer === null) {
        return { pods, extra, end: 'too much' };
      }
      pods ??= answer.left;
      if (answer.nodes === null) {
        return { pods, extra, end: 'stuck' };
      }
      fine += answer.left === 0 ? 1 : 0;
      extra.push(...answer.nodes);
    }
    if (fine === WAYS_OF_ARRIVAL) {
      return { pods, extra, end: 'enough' };
    }
  }
  return { pods, extra, end: 'spreading' };
}

function predictorFor({ plan, upcoming, demands, placements }: ExtraNodesInput) {
  const { snapshot, scheduler, scenario, templates } = plan;
  return createPredictor({
    snapshot,
    scheduler,
    objects: scenario.objects,
    templates,
    upcoming,
    pods: placedPods(demands, placements),
    seed: scenario.seed,
    budget: scenario.options.predictedPlacementBudget,
  });
}

/** As many of each kind as have a place, the first ones by name. */
function placedPods(demands: readonly Demand[], placements: readonly Placement[]) {
  const counts = podsByKind(placements);
  return demands.flatMap(({ kind, pods }) => pods.slice(0, counts.get(kind) ?? 0).map((pod) => ({ kind, pod })));
}

/** The cost of the extra nodes beside the packed plan, and whether `predictedPlacementRatio` allows it. */
function priceOf({ plan, costs, upcoming, spare, increases }: ExtraNodesInput, extra: readonly GroupName[]) {
  const ratio = plan.scenario.options.predictedPlacementRatio;
  const sum = (groups: readonly GroupName[]): number => groups.reduce((total, group) => total + costs.of(group), 0);
  const cost = sum(extra);
  const beyond = cost + sum([...spare].map(({ group }) => group!));
  const packed = sum(groupsOf(increases)) + sum(upcoming.filter((info) => !spare.has(info)).map(({ group }) => group!));
  const bought = beyond <= (ratio - 1) * packed;
  const share = `${(1 + beyond / packed).toFixed(3)} × the packed plan`;
  const why = bought
    ? `${share}, predictedPlacementRatio ${ratio} allows it`
    : `${share}, more than predictedPlacementRatio ${ratio} allows`;
  return { cost, bought, why };
}

/** The group of each node that is added. */
const groupsOf = (increases: readonly Increase[]): readonly GroupName[] =>
  increases.flatMap(({ group, from, to }) => Array.from({ length: to - from }, () => group));
