import { getExisting, itemAt } from '../../model/values/existing.ts';
import type { Increase } from '../../model/decision.ts';
import { CPU } from '../../model/values/resources.ts';
import { hasGpus } from '../../model/accelerators.ts';
import { providerOf } from '../../model/provider.ts';
import { costOfIncreases, costsOf } from '../../nodegroups/cost.ts';
import { type Demand, leavesNoMore } from '../../estimator/demand.ts';
import { planGangs } from '../orchestrator/gangs.ts';
import type { PlanInput } from '../orchestrator/plan-input.ts';
import type { Plan } from '../orchestrator/plan-scale-up.ts';
import type { Packing, Packings } from '../reservations/pack-existing-nodes.ts';

/**
 * The packing of existing and upcoming nodes that needs the fewest USD per hour of new nodes. Pods that come late may
 * be large, and pods with places small: giving all places out anew, the large pods first, may leave out as much as
 * before, but small pods, which fill new nodes better.
 *
 * Of 400 pods of a production trace that become unschedulable in steps, the smallest first, this saves 13 of 156 nodes
 * (decision 11). The first packing is only given up for one that saves more than `nearTieRatio`.
 *
 * @param input its demands do not count: each packing leaves its own. The snapshot shows none of the packings, and is left so.
 * @param wanting all pods that want a node.
 */
export function cheapestPacking(packings: Packings, input: PlanInput, wanting: readonly Demand[]): Packing {
  const [least, ...others] = packings;
  const different = others.filter(({ fitted }, i) =>
    packings.slice(0, i + 1).every((packing) => !leavesAlike(packing, fitted.left)),
  );
  if (different.length === 0) {
    return least;
  }
  const { scheduler } = input;
  const before = scheduler.schedulerChecks();
  const usual = planBeside(least, input, wanting);
  const spent = scheduler.schedulerChecks() - before;
  if (nodesAdded(usual.plan.increases) <= 1) {
    return least;
  }
  let best = usual;
  for (const packing of different) {
    if (scheduler.schedulerChecks() - before + spent > MAX_SCHEDULER_CHECKS) {
      break;
    }
    const other = planBeside(packing, input, wanting);
    if (leavesNoMore(other.plan.left, usual.plan.left) && isCheaper(other, usual, input) && other.cost < best.cost) {
      best = other;
    }
  }
  return best.packing;
}

/** The budget of scheduler checks for planning beside the packings, the first one among them. */
const MAX_SCHEDULER_CHECKS = 150_000;

/** Nodes for the pods that a packing leaves out, and what they cost, USD per hour. */
interface PlanBeside {
  readonly packing: Packing;
  readonly plan: Plan;
  readonly cost: number;
}

function planBeside(packing: Packing, input: PlanInput, wanting: readonly Demand[]): PlanBeside {
  const { snapshot, scenario, templates } = input;
  snapshot.fork();
  snapshot.redo(packing.changes);
  const plan = planGangs({ ...input, demands: packing.fitted.left }, wanting);
  snapshot.revert();
  return { packing, plan, cost: costOfIncreases(plan.increases, costsOf(scenario.nodeGroups, templates)) };
}

/** Does it save more than `nearTieRatio`, without larger nodes, or more nodes with GPUs, which should stay free for others? */
const isCheaper = (other: PlanBeside, usual: PlanBeside, input: PlanInput): boolean =>
  other.cost * (1 + input.scenario.options.nearTieRatio) < usual.cost &&
  largestNode(other.plan, input) <= largestNode(usual.plan, input) &&
  gpuNodesOf(other.plan, input) <= gpuNodesOf(usual.plan, input);

const nodesAdded = (increases: readonly Increase[]): number =>
  increases.reduce((sum, { from, to }) => sum + to - from, 0);

const gpuNodesOf = ({ increases }: Plan, { templates, scenario }: PlanInput): number =>
  nodesAdded(
    increases.filter(({ group }) => {
      const template = getExisting(templates, group);
      return hasGpus(template.node, providerOf(template, scenario));
    }),
  );

/** The CPU of the largest node that the plan adds. */
const largestNode = ({ increases }: Plan, { templates }: PlanInput): number =>
  Math.max(0, ...increases.map(({ group }) => getExisting(templates, group).node.capacity[CPU] ?? 0));

/** Does the packing leave the same numbers of pods of each kind? */
const leavesAlike = ({ fitted: { left } }: Packing, other: readonly Demand[]): boolean =>
  left.length === other.length &&
  left.every(({ kind, pods }, i) => itemAt(other, i).kind === kind && itemAt(other, i).pods.length === pods.length);
