import { about } from '../../model/fault.ts';
import type { Consideration, Increase, SkippedGroup } from '../../model/decision.ts';
import { schedulerChecksIn } from '../../model/scheduler-checks.ts';
import { byName, type GroupName } from '../../model/names.ts';
import { sortedBy } from '../../model/sorted.ts';
import { randomFrom } from '../../model/random.ts';
import type { PodKind } from '../../model/snapshot/pod-kind.ts';
import type { NodeInfo, Snapshot } from '../../model/snapshot/snapshot.ts';
import { chooseExpansion, type Expansion } from './choose.ts';
import type { Demand } from '../../estimator/demand.ts';
import { type LeftOver, leftOvers } from './unschedulable.ts';
import { clusterLimits } from '../../nodegroups/resource-quotas.ts';
import { shapesOf } from '../../nodegroups/node-templates.ts';
import type { Placement } from '../../estimator/placing.ts';
import { type Place, prune } from './prune.ts';
import { nodesLeft, type PlanInput, type Round, skipOf, startRound } from './round.ts';

export interface Plan {
  readonly increases: readonly Increase[];
  readonly skipped: readonly SkippedGroup[];
  readonly considered: readonly Consideration[];
  /** Places for the demands, of each kind for the first ones by name, and the groups that are raised for them. */
  readonly placements: readonly Place[];
  readonly left: readonly LeftOver[];
}

/**
 * Decides which groups grow by how much: estimates every group that may grow, lets the expanders choose, splits the
 * choice over similar groups, and goes on with the pods that are left (`salvoScaleUp`) until nothing more can be
 * helped. Nodes that turn out not to be needed in the end are taken back.
 *
 * The snapshot is left with the new nodes and their pods. Follows Cluster Autoscaler's scaleup/orchestrator.
 */
export function planScaleUp(input: PlanInput): Plan {
  const { scenario, snapshot } = input;
  const { salvoScaleUp, salvoScaleUpBudget } = scenario.options;
  let round = startRound(input);
  const skipped = scenario.nodeGroups.flatMap(
    (group) => about({ kind: 'group', group: group.name }, () => skipOf(round, group)) ?? [],
  );
  const random = randomFrom(scenario.seed);
  const enough = round.scheduler.schedulerChecks() + schedulerChecksIn(salvoScaleUpBudget);
  const expansions: Expansion[] = [];
  let places: readonly Place[] = [];
  let demands = input.demands;
  for (let again = true; again;) {
    const found = [...places];
    while (demands.length > 0 && nodesLeft(round) > 0) {
      const expansion = chooseExpansion(round, demands, random);
      if (expansion === null) {
        break;
      }
      expansions.push(expansion);
      found.push(...placesOf(expansion));
      demands = without(demands, expansion.placements);
      if (!salvoScaleUp || round.scheduler.schedulerChecks() >= enough) {
        break;
      }
    }
    places = prune(round, newNodes(snapshot, expansions), found);
    // Where a limit has cut pods off, a node that is taken back makes room for another one.
    again = places !== found && demands.length > 0 && salvoScaleUp && round.scheduler.schedulerChecks() < enough;
    round = places === found ? round : recounted(round, newNodes(snapshot, expansions));
  }
  return {
    increases: scenario.nodeGroups.flatMap(({ name, targetSize: from }) => {
      const to = round.sizes.get(name)!;
      return to > from ? [{ group: name, from, to }] : [];
    }),
    skipped: sortedBy([...skipped, ...neverSeen(expansions)], ({ group }) => group),
    considered: considerations(input, expansions),
    placements: places,
    left: leftOvers(round, demands, new Set(skipped.map(({ group }) => group))),
  };
}

/** With a spread constraint the new nodes may open old ones: pods there wait for the new nodes all the same. */
function placesOf({ nodes, placements, consideration }: Expansion): readonly Place[] {
  const fresh = new Set(nodes);
  return placements.map((placement) => ({
    ...placement,
    group: fresh.has(placement.info) ? placement.info.group! : consideration.winner,
  }));
}

/** Takes the placed pods out of the demands, the first ones by name. */
function without(demands: readonly Demand[], placements: readonly Placement[]): readonly Demand[] {
  const taken = new Map<PodKind, number>();
  for (const { kind, count } of placements) {
    taken.set(kind, (taken.get(kind) ?? 0) + count);
  }
  return demands.flatMap((demand) => {
    const { kind, pods } = demand;
    const count = taken.get(kind) ?? 0;
    return count === 0 ? demand : count >= pods.length ? [] : { kind, pods: pods.slice(count) };
  });
}

/** The new nodes that have not been taken back. */
const newNodes = ({ nodes }: Snapshot, expansions: readonly Expansion[]): readonly NodeInfo[] =>
  expansions.flatMap((expansion) => expansion.nodes.filter((info) => nodes[info.index] === info));

/** The round with the sizes and limits that these new nodes leave. */
function recounted(round: Round, nodes: readonly NodeInfo[]): Round {
  const { scenario, snapshot, templates } = round;
  const sizes = new Map(scenario.nodeGroups.map((group) => [group.name, group.targetSize]));
  for (const { group } of nodes) {
    sizes.set(group!, sizes.get(group!)! + 1);
  }
  const all = snapshot.nodes.flatMap((info) => (info === null ? [] : [shapesOf(info, templates)]));
  return { ...round, sizes, limits: clusterLimits(all, scenario.options, scenario.provider) };
}

/** Groups that no decision looked at, though they might have helped. */
function neverSeen(expansions: readonly Expansion[]): readonly SkippedGroup[] {
  const seen = new Set(expansions.flatMap(({ consideration }) => consideration.options.map(({ group }) => group)));
  const unseen = new Set(expansions.flatMap((expansion) => expansion.unseen));
  return [...unseen.difference(seen)].map((group) => ({
    group,
    reason: 'NotSimulated',
    message: 'maxBinpackingTime was used up',
  }));
}

/** How the choices were made, and what each comes to without the nodes that were taken back. */
function considerations({ scenario, snapshot }: PlanInput, expansions: readonly Expansion[]): readonly Consideration[] {
  const sizes = new Map(scenario.nodeGroups.map((group) => [group.name, group.targetSize]));
  return expansions.map((expansion) => {
    const kept = newNodes(snapshot, [expansion]);
    const added = new Map<GroupName, number>();
    for (const { group } of kept) {
      added.set(group!, (added.get(group!) ?? 0) + 1);
    }
    const split = [...added]
      .sort(([a], [b]) => byName(a, b))
      .map(([group, count]): Increase => {
        const from = sizes.get(group)!;
        sizes.set(group, from + count);
        return { group, from, to: from + count };
      });
    const { consideration, nodes } = expansion;
    const back = nodes.length - kept.length;
    return back === 0
      ? { ...consideration, split }
      : { ...consideration, split, why: `${consideration.why}; ${back} less, as the other new nodes hold their pods` };
  });
}
