import type { Increase, PredictedPlacement } from '../../model/decision.ts';
import { byName, type GroupName } from '../../model/names.ts';
import type { PodKind } from '../../model/snapshot/pod-kind.ts';
import type { NodeInfo } from '../../model/snapshot/snapshot.ts';
import { nodesToScore } from '../../scheduling/scoring/nodes-to-score.ts';
import type { Costs } from '../../nodegroups/cost.ts';
import { decreasing, type Demand } from '../../estimator/demand.ts';
import { NodeRow } from '../../estimator/node-row.ts';
import { fill, type Placement, type Placer, firstFit } from '../../estimator/placing.ts';
import { createPredictor, type Queued, WAYS_OF_ARRIVAL } from './arrivals.ts';
import {
  isAllOrNothing,
  nodesLeft,
  type PlanInput,
  skipOf,
  startRound,
  tryNode,
  USUAL,
} from '../orchestrator/round.ts';
import { countedShapes } from '../../nodegroups/node-templates.ts';

export interface ExtraNodesInput extends Omit<PlanInput, 'demands' | 'variant'> {
  readonly costs: Costs;
  /** The nodes on their way, of `snapshot`, that are empty. */
  readonly upcoming: readonly NodeInfo[];
  /** So many of these were bought beyond earlier plans. */
  readonly spare: ReadonlySet<NodeInfo>;
  /** The packed plan; it is not on the snapshot. */
  readonly increases: readonly Increase[];
  /** All places that pods found or got, on whichever nodes. */
  readonly placements: readonly Placement[];
  /** Everything that wants a node. */
  readonly demands: readonly Demand[];
}

export interface Prediction {
  /** `null` when nobody asks, or nothing is bought. */
  readonly predicted: PredictedPlacement | null;
  /** The groups of the nodes to buy beyond the plan. */
  readonly extra: readonly GroupName[];
}

/** So often more nodes are added to see whether that is enough. */
const MOST_ROUNDS = 6;

/**
 * Predicts how many of the pods kube-scheduler will leave without a place when the nodes of a packed plan arrive one by
 * one, and how many more nodes it takes until it leaves none, in whichever way they arrive. These are bought at once
 * where they cost no more than `predictedPlacementRatio` allows: all nodes bought for the pods that wait, against those
 * that packing needs.
 *
 * The snapshot is left as it is.
 */
export function predictExtraNodes(input: ExtraNodesInput): Prediction {
  const { scenario, snapshot, scheduler, templates, costs, upcoming, spare, increases, placements } = input;
  const { predictedPlacementRatio: ratio, predictedPlacementBudget: budget } = scenario.options;
  const known = predictedOutright(input);
  if (known !== null) {
    return known;
  }
  const homes = homesOf(placements);
  const predictor = createPredictor({
    snapshot,
    scheduler,
    objects: scenario.objects,
    templates,
    upcoming,
    pods: placedPods(input.demands, placements),
    seed: scenario.seed,
    budget,
  });
  const planned = increases.flatMap(({ group, from, to }) => Array.from({ length: to - from }, () => group));
  const extra: GroupName[] = [];
  let pods: number | null = null;
  let stuck = false;
  let fine = 0;
  for (let round = 0; round < MOST_ROUNDS && fine < WAYS_OF_ARRIVAL && !stuck; round++) {
    fine = 0;
    for (let way = 0; way < WAYS_OF_ARRIVAL && !stuck; way++) {
      const sizes = sizesAfter(increases, extra);
      const answer = predictor.play([...planned, ...extra], way, (left) => ({
        left: left.length,
        nodes: left.length === 0 ? [] : nodesFor(input, left, homes, sizes),
      }));
      if (answer === null) {
        return { predicted: { pods, nodes: null, cost: null, bought: false, why: TOO_MUCH }, extra: [] };
      }
      pods ??= answer.left;
      fine += answer.left === 0 ? 1 : 0;
      stuck = answer.nodes === null;
      extra.push(...(answer.nodes ?? []));
    }
  }
  if (fine < WAYS_OF_ARRIVAL) {
    const why = stuck
      ? 'limits do not allow the nodes that it would take'
      : 'more nodes only make it spread the pods further';
    return { predicted: { pods, nodes: null, cost: null, bought: false, why }, extra: [] };
  }
  if (extra.length === 0) {
    return { predicted: { pods, nodes: 0, cost: 0, bought: false, why: 'the plan is enough' }, extra: [] };
  }
  const sum = (groups: readonly GroupName[]): number => groups.reduce((total, group) => total + costs.of(group), 0);
  const cost = sum(extra);
  const beyond = cost + sum([...spare].map(({ group }) => group!));
  const packed = sum(planned) + sum(upcoming.filter((info) => !spare.has(info)).map(({ group }) => group!));
  const bought = beyond <= (ratio - 1) * packed;
  const share = `${(1 + beyond / packed).toFixed(3)} × the packed plan`;
  const why = bought
    ? `${share}, predictedPlacementRatio ${ratio} allows it`
    : `${share}, more than predictedPlacementRatio ${ratio} allows`;
  return { predicted: { pods, nodes: extra.length, cost: rounded(cost), bought, why }, extra: bought ? extra : [] };
}

/** The answer where none is wanted, or the question is clearly too large; `null` where it takes a look. */
export function predictedOutright({ scenario, increases, placements, upcoming }: ExtraNodesInput): Prediction | null {
  const { predictedPlacementRatio: ratio, predictedPlacementBudget: budget } = scenario.options;
  if (ratio === 0 || increases.length === 0) {
    return { predicted: null, extra: [] };
  }
  const nodes = increases.reduce((sum, { from, to }) => sum + to - from, upcoming.length);
  const registered = new Set(scenario.objects.nodes.map(({ name }) => name));
  const there = placements.filter(({ info }) => registered.has(info.name));
  // Half of the pods wait when a node arrives; those that fit on nodes that are there are scored on many of these.
  const least =
    WAYS_OF_ARRIVAL * ((podsOf(placements) * nodes) / 2 + podsOf(there) * nodesToScore(scenario.objects.nodes.length));
  return least > budget
    ? { predicted: { pods: null, nodes: null, cost: null, bought: false, why: TOO_MUCH }, extra: [] }
    : null;
}

const podsOf = (placements: readonly Placement[]): number => placements.reduce((sum, { count }) => sum + count, 0);

const TOO_MUCH = 'not foreseen: it would take more than predictedPlacementBudget';

/** Far more digits than prices have. */
const rounded = (value: number): number => Math.round(value * 1e6) / 1e6;

/** The groups in which the pods of a kind have their places. */
function homesOf(placements: readonly Placement[]): ReadonlyMap<PodKind, readonly GroupName[]> {
  const homes = new Map<PodKind, Set<GroupName>>();
  for (const { kind, info } of placements) {
    const groups = homes.get(kind) ?? new Set();
    homes.set(kind, info.group === null ? groups : groups.add(info.group));
  }
  return new Map([...homes].map(([kind, groups]) => [kind, [...groups].sort(byName)]));
}

/** As many of each kind as have a place, the first ones by name. */
function placedPods(demands: readonly Demand[], placements: readonly Placement[]) {
  const counts = new Map<PodKind, number>();
  for (const { kind, count } of placements) {
    counts.set(kind, (counts.get(kind) ?? 0) + count);
  }
  return demands.flatMap(({ kind, pods }) => pods.slice(0, counts.get(kind) ?? 0).map((pod) => ({ kind, pod })));
}

function sizesAfter(increases: readonly Increase[], extra: readonly GroupName[]): ReadonlyMap<GroupName, number> {
  const sizes = new Map(increases.map(({ group, to }) => [group, to]));
  for (const group of extra) {
    sizes.set(group, (sizes.get(group) ?? 0) + 1);
  }
  return sizes;
}

/**
 * The nodes that it takes for the pods that are left, packed, each of a group in which pods of its kind have places, or
 * of one similar to it: the smallest of these. The snapshot shows all others in their places; it keeps the new nodes.
 *
 * @returns `null` when limits do not allow as many.
 */
function nodesFor(
  input: ExtraNodesInput,
  left: readonly Queued[],
  homes: ReadonlyMap<PodKind, readonly GroupName[]>,
  sizes: ReadonlyMap<GroupName, number>,
): readonly GroupName[] | null {
  const { snapshot, scheduler, scenario, templates } = input;
  const balance = scenario.options.balanceSimilarNodeGroups;
  const nodeGroups = scenario.nodeGroups.map((group) => ({
    ...group,
    targetSize: sizes.get(group.name) ?? group.targetSize,
  }));
  const already = scenario.nodeGroups.reduce(
    (sum, { name, targetSize }) => sum + (sizes.get(name) ?? targetSize) - targetSize,
    0,
  );
  const round = startRound({ ...input, scenario: { ...scenario, nodeGroups }, demands: [], variant: USUAL, already });
  const counts = new Map<PodKind, number>();
  for (const { kind } of left) {
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  const growing = round.scenario.nodeGroups.filter(
    (group) => !isAllOrNothing(round, group) && skipOf(round, group) === null,
  );
  const [reference] = [...counts.keys()].flatMap((kind) => homes.get(kind)!);
  if (reference === undefined) {
    return null;
  }
  const loads = decreasing(
    [...counts].map(([kind, count]) => ({ kind, count })),
    templates.get(reference)!.node.allocatable,
  );
  const created = new NodeRow();
  const placer: Placer = { snapshot, scheduler, placements: [] };
  const nodes: GroupName[] = [];
  for (const { kind, count } of loads) {
    const groups = growing.filter(({ name }) => homes.get(kind)!.some((home) => home === name || alike(home, name)));
    const missing = { pods: count - firstFit(placer, [created], { kind, count }) };
    while (missing.pods > 0) {
      if (nodesLeft(round) === 0) {
        return null;
      }
      const group = groups
        .filter((one) => skipOf(round, one) === null)
        .toSorted((a, b) => round.sizes.get(a.name)! - round.sizes.get(b.name)! || byName(a.name, b.name))
        .find(({ name }) =>
          tryNode(round, name, (info) => {
            const placed = fill(placer, info, { kind, count: missing.pods });
            missing.pods -= placed;
            if (placed > 0) {
              created.add(info);
            }
            return placed > 0;
          }),
        );
      if (group === undefined) {
        return null;
      }
      nodes.push(group.name);
      round.sizes.set(group.name, round.sizes.get(group.name)! + 1);
      round.limits.add(countedShapes(templates.get(group.name)!));
    }
  }
  return nodes;

  function alike(one: GroupName, other: GroupName): boolean {
    const [a, b] = [templates.get(one), templates.get(other)];
    return balance && a !== undefined && b !== undefined && round.similar(a, b);
  }
}
