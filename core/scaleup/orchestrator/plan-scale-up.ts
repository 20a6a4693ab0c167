import { costOfIncreases, costsOf } from '../../nodegroups/cost.ts';
import { groupOfNew, remaining } from './new-nodes.ts';
import { nonEmpty } from '../../model/values/present.ts';
import { getExisting } from '../../model/values/existing.ts';
import { about } from '../../model/fault.ts';
import type { Consideration, Increase, SkippedGroup, UnbalancedGroup } from '../../model/decision.ts';
import { countBy } from '../../model/values/counts.ts';
import { byName, type GroupName } from '../../model/values/names.ts';
import { mapOptional } from '../../model/values/optional.ts';
import { sortedBy } from '../../model/values/sorted.ts';
import { randomFrom } from '../../model/values/random.ts';
import type { NodeInfo } from '../../model/snapshot/snapshot.ts';
import { type Demand, demandsWithout, leavesNoMore, loadsIn } from '../../estimator/demand.ts';
import { NodeRow } from '../../estimator/node-row.ts';
import { type Placer, placeInTurn } from '../../estimator/placing.ts';
import { chooseExpansion, type Expansion } from './choose.ts';
import { expandMixed, mayMix, type MixTarget } from './mixed.ts';
import { type EvenPlan, evenOut } from './even-out.ts';
import { Ledger } from './ledger.ts';
import { increasesTo, type PlanInput } from './plan-input.ts';
import { type PlacedPods, prune } from './prune.ts';
import { deferredAmong, leftForTime, type LeftOver, leftOvers } from './left-overs.ts';

export interface Plan {
  readonly increases: readonly Increase[];
  readonly skipped: readonly SkippedGroup[];
  readonly considered: readonly Consideration[];
  /** Places for the demands, of each kind for the first ones by name, and the groups that are raised for them. */
  readonly placements: readonly PlacedPods[];
  readonly left: readonly LeftOver[];
  /** Some new nodes are in another group than the group that they were packed for. */
  readonly isEvened: boolean;
}

/**
 * Decides which groups grow by how much: estimates every group that may grow, lets the expanders choose, splits the
 * choice over similar groups, and goes on with the pods that are left (`salvoScaleUp`) until nothing more can be
 * helped. Nodes that turn out not to be needed in the end are taken back.
 *
 * The snapshot is left with the new nodes and their pods. Follows Cluster Autoscaler's scaleup/orchestrator.
 */
export function planScaleUp(input: PlanInput): Plan {
  const { scenario } = input;
  const before = new Ledger(input);
  const skippedAtFirst = scenario.nodeGroups.flatMap(
    (group) => about({ kind: 'group', group: group.name }, () => before.skipOf(group)) ?? [],
  );
  const { ledger, expansions, left, ...expanded } = expandAtLeastCost(input, before);
  const nodes = nodesOf(input, expansions);
  const { places, moved, unbalanced } = evenOut(input, ledger, nodes, expanded.places);
  if (moved.size > 0) {
    ledger.recount(nodes.map((info) => moved.get(info) ?? info));
  }
  const increases = increasesTo(input, ({ name }) => ledger.sizeOf(name));
  // A group that was the last resort has grown.
  const grown = new Set(increases.map(({ group }) => group));
  const skipped = skippedAtFirst.filter(({ group }) => !grown.has(group));
  return {
    increases,
    skipped: sortedBy([...skipped, ...neverEstimated(expansions)], ({ group }) => group),
    considered: considerations(input, expansions, moved, unbalanced),
    placements: places,
    left: input.scheduler.isTimeUp()
      ? leftForTime(left)
      : leftOvers({ ...input, demands: left }, ledger, new Set(skipped.map(({ group }) => group))),
    isEvened: moved.size > 0,
  };
}

/** The expansions of a plan, which are on the snapshot. */
interface PlanExpansions {
  readonly ledger: Ledger;
  readonly expansions: readonly Expansion[];
  readonly places: readonly PlacedPods[];
  readonly left: readonly Demand[];
}

/** Plans for which a mix is tried take at most this many scheduler checks. */
const MAX_SCHEDULER_CHECKS = 150_000;

/**
 * The choices of the expanders or, where that saves more than `nearTieRatio`, a mix of node types.
 *
 * @param ledger of the choices; a mix has a ledger of its own.
 */
function expandAtLeastCost(input: PlanInput, ledger: Ledger): PlanExpansions {
  const { snapshot, scenario, scheduler } = input;
  if (!mayMix(input)) {
    return expand(input, ledger);
  }
  const before = scheduler.schedulerChecks();
  snapshot.fork();
  const chosen = expand(input, ledger);
  const [first] = chosen.expansions;
  if (first === undefined || scheduler.isTimeUp() || scheduler.schedulerChecks() - before > MAX_SCHEDULER_CHECKS) {
    snapshot.commit();
    return chosen;
  }
  const cost = costOf(input, chosen);
  const changes = snapshot.revert();
  const most = cost / (1 + scenario.options.nearTieRatio);
  snapshot.fork();
  const mixed = expand(input, new Ledger(input), { cost, most, options: first.consideration.options });
  if (costOf(input, mixed) < most && leavesNoMore(mixed.left, chosen.left)) {
    snapshot.commit();
    return mixed;
  }
  snapshot.revert();
  snapshot.fork();
  snapshot.redo(changes);
  snapshot.commit();
  return chosen;
}

const costOf = (input: PlanInput, { expansions }: PlanExpansions): number =>
  costOfIncreases(
    [...countBy(nodesOf(input, expansions), groupOfNew)].map(([group, to]) => ({ group, from: 0, to })),
    costsOf(input.scenario.nodeGroups, input.templates),
  );

/** The new nodes that have not been taken back. */
const nodesOf = ({ snapshot }: PlanInput, expansions: readonly Expansion[]): readonly NodeInfo[] =>
  remaining(
    snapshot,
    expansions.flatMap(({ nodes }) => nodes),
  );

/**
 * Chooses one expansion after another, then prunes them; chooses again where that allows more nodes.
 *
 * @param mix a mix comes before other choices; where none is worth having, nothing is chosen.
 */
function expand(input: PlanInput, ledger: Ledger, mix: MixTarget | null = null): PlanExpansions {
  const { scenario } = input;
  const chooseNext = choosing(input, ledger, mix);
  const expansions: Expansion[] = [];
  let places: readonly PlacedPods[] = [];
  let demands = input.demands;
  for (let again = true; again;) {
    const found = [...places];
    for (let chosen = chooseNext(demands); chosen.length > 0; chosen = chooseNext(demands)) {
      for (const expansion of chosen) {
        const next = withDependents(input, demands, expansion);
        expansions.push(next);
        found.push(...placesOf(next));
        demands = demandsWithout(demands, next.placements);
      }
      if (!scenario.options.salvoScaleUp || ledger.schedulerChecksLeft() <= 0) {
        break;
      }
    }
    places = prune(input, nodesOf(input, expansions), found);
    // If a limit has cut pods off, taking a node back allows another node.
    again = places !== found && demands.length > 0 && scenario.options.salvoScaleUp && ledger.schedulerChecksLeft() > 0;
    if (places !== found) {
      ledger.recount(nodesOf(input, expansions));
    }
  }
  return { ledger, expansions, places, left: demands };
}

/** Adds pods whose affinity the pods of an expansion satisfy, on new or existing nodes. */
function withDependents({ snapshot, scheduler }: PlanInput, demands: readonly Demand[], chosen: Expansion): Expansion {
  const dependent = demandsWithout(demands, chosen.placements).filter(({ kind }) => kind.spec.podAffinity.length > 0);
  if (dependent.length === 0) {
    return chosen;
  }
  const placer: Placer = { snapshot, scheduler, placements: [] };
  const loads = loadsIn(dependent);
  const left = new Map(loads.map((load) => [load.kind, load.count]));
  placeInTurn(placer, new NodeRow(snapshot.nodes), loads, { left, again: true });
  return { ...chosen, placements: [...chosen.placements, ...placer.placements] };
}

/** Chooses the next expansions for these pods; none where none helps or no more nodes may be added. */
function choosing(
  input: PlanInput,
  ledger: Ledger,
  mix: MixTarget | null,
): (demands: readonly Demand[]) => readonly Expansion[] {
  const random = randomFrom(input.scenario.seed);
  let target = mix;
  const choose = (demands: readonly Demand[]): readonly Expansion[] => {
    if (demands.length === 0 || ledger.nodesLeft() === 0 || input.scheduler.isTimeUp()) {
      return [];
    }
    const choice = { ...input, demands };
    const mixed = mapOptional(target, (best) => expandMixed(choice, ledger, best));
    if (mixed !== null) {
      target = null;
      return mixed;
    }
    return chooseExpansion(choice, ledger, random);
  };
  return (demands) => {
    const first = choose(deferredAmong(demands, input.scenario.state));
    return first.length > 0 ? first : choose(demands);
  };
}

/** With a spread constraint the new nodes may open old ones: pods there wait for the new nodes all the same. */
function placesOf({ nodes, placements, consideration }: Expansion): readonly PlacedPods[] {
  const fresh = new Set(nodes);
  return placements.map((placement) => ({
    ...placement,
    group: fresh.has(placement.info) ? groupOfNew(placement.info) : consideration.winner,
  }));
}

/** Groups that no choice estimated, though they might have helped. */
function neverEstimated(expansions: readonly Expansion[]): readonly SkippedGroup[] {
  const estimated = new Set(expansions.flatMap(({ consideration }) => consideration.options.map(({ group }) => group)));
  const passedOver = new Set(expansions.flatMap(({ notEstimated }) => notEstimated));
  return [...passedOver.difference(estimated)].map((group) => ({
    group,
    reason: 'NotSimulated',
    message: 'maxBinpackingTime was used up',
  }));
}

/** How the choices were made, and what each comes to without the nodes that were taken back. */
function considerations(
  input: PlanInput,
  expansions: readonly Expansion[],
  moved: EvenPlan['moved'],
  unbalanced: EvenPlan['unbalanced'],
): readonly Consideration[] {
  const { scenario, snapshot } = input;
  const sizes = new Map(scenario.nodeGroups.map((group) => [group.name, group.targetSize]));
  return expansions.map((expansion) => {
    const { consideration, nodes } = expansion;
    const { why, winner } = consideration;
    const kept = remaining(
      snapshot,
      nodes.map((info) => moved.get(info) ?? info),
    );
    const back = nodes.length - kept.length;
    const split = splitOf(kept, sizes);
    const others = [...new Set(kept.map(groupOfNew)).union(new Set([winner]))].flatMap(
      (group) => unbalanced.get(group) ?? [],
    );
    const smaller = [...others, ...nearlySimilar(input, winner)];
    return {
      ...consideration,
      split,
      why: back > 0 ? `${why}; ${back} less, as the other new nodes hold their pods` : why,
      ...nonEmpty({ unbalanced: smaller }),
    };
  });
}

/** The first few groups that differ from the winner in one label or resource only, and are not balanced with it for that. */
function nearlySimilar({ scenario, templates, similarity }: PlanInput, winner: GroupName): readonly UnbalancedGroup[] {
  if (!scenario.options.balanceSimilarNodeGroups) {
    return [];
  }
  const its = getExisting(templates, winner);
  return scenario.nodeGroups
    .filter(({ name }) => name !== winner && templates.has(name))
    .map(({ name }) => ({ name, difference: similarity.onlyDifference(its, getExisting(templates, name)) }))
    .filter(({ difference }) => difference !== null)
    .map(({ name, difference }) => ({ group: name, reason: `${difference} differs` }))
    .slice(0, MOST_NAMED);
}

const MOST_NAMED = 5;

/** Splits new nodes into increases of their groups, and raises `sizes`. */
const splitOf = (nodes: readonly NodeInfo[], sizes: Map<GroupName, number>): readonly Increase[] =>
  [...countBy(nodes, groupOfNew)]
    .sort(([a], [b]) => byName(a, b))
    .map(([group, count]) => {
      const from = getExisting(sizes, group);
      sizes.set(group, from + count);
      return { group, from, to: from + count };
    });
