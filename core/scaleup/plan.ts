import type { Consideration, Increase, SkippedGroup } from '../model/decision.ts';
import type { GroupName } from '../model/names.ts';
import type { Pod } from '../model/pod.ts';
import { randomFrom } from '../model/random.ts';
import type { PodKind } from '../model/snapshot/pod-kind.ts';
import { decide, type Decided } from './decide.ts';
import type { Demand } from './demand.ts';
import { type LeftOver, leftOvers } from './left-over.ts';
import type { Placement } from './placing.ts';
import { type PlanInput, skipOf, startRound } from './round.ts';

export interface Plan {
  readonly increases: readonly Increase[];
  readonly skipped: readonly SkippedGroup[];
  readonly considered: readonly Consideration[];
  /** For which pods a group is raised. */
  readonly triggered: ReadonlyMap<Pod, GroupName>;
  /** Where their places are. */
  readonly placements: readonly Placement[];
  readonly left: readonly LeftOver[];
}

/**
 * Decides which groups grow by how much: estimates every group that may grow, lets the expanders choose, splits the
 * choice over similar groups, and goes on with the pods that are left (`salvoScaleUp`) until nothing more can be helped.
 *
 * The snapshot is left with the new nodes and their pods. Follows Cluster Autoscaler's scaleup/orchestrator.
 */
export function planScaleUp(input: PlanInput): Plan {
  const { scenario } = input;
  const round = startRound(input);
  const skipped = scenario.nodeGroups.flatMap((group) => skipOf(round, group) ?? []);
  const random = randomFrom(scenario.seed);
  const considered: Consideration[] = [];
  const triggered = new Map<Pod, GroupName>();
  const placements: Placement[] = [];
  let demands = input.demands;
  while (demands.length > 0) {
    const decision = decide(round, demands, random);
    if (decision === null) {
      break;
    }
    considered.push(decision.consideration);
    placements.push(...decision.placements);
    demands = assign(demands, decision, triggered);
    if (!scenario.options.salvoScaleUp) {
      break;
    }
  }
  return {
    increases: scenario.nodeGroups.flatMap(({ name, targetSize: from }) => {
      const to = round.sizes.get(name)!;
      return to > from ? [{ group: name, from, to }] : [];
    }),
    skipped,
    considered,
    triggered,
    placements,
    left: leftOvers(round, demands, new Set(skipped.map(({ group }) => group))),
  };
}

/** Takes the placed pods out of the demands, in the order of their names, and notes their groups. */
function assign(
  demands: readonly Demand[],
  { placements, nodes, consideration }: Decided,
  triggered: Map<Pod, GroupName>,
): readonly Demand[] {
  const fresh = new Set(nodes);
  const taken = new Map<PodKind, number>();
  const byKind = new Map(demands.map((demand) => [demand.kind, demand]));
  for (const { kind, info, count } of placements) {
    const from = taken.get(kind) ?? 0;
    for (const pod of byKind.get(kind)!.pods.slice(from, from + count)) {
      // With a spread constraint the new nodes may open old ones: such a pod waits for the new nodes all the same.
      triggered.set(pod, fresh.has(info) ? info.group! : consideration.winner);
    }
    taken.set(kind, from + count);
  }
  return demands
    .map(({ kind, pods }) => ({ kind, pods: pods.slice(taken.get(kind) ?? 0) }))
    .filter(({ pods }) => pods.length > 0);
}
