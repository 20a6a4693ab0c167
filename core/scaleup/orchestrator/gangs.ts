import type { PodReason } from '../../model/decision.ts';
import { controllerText, type Pod } from '../../model/pod.ts';
import type { Demand } from '../../estimator/demand.ts';
import type { LeftOver } from './unschedulable.ts';
import { NodeRow } from '../../estimator/node-row.ts';
import { sweep } from '../../estimator/placing.ts';
import { type Plan, planScaleUp } from './salvo.ts';
import type { PlanInput } from './round.ts';

/** Pods of one controller that are to get their places together, by the controller's key. */
type Sets = ReadonlyMap<string, readonly Demand[]>;

/** Pods without a place, of sets that others of have one. */
type Torn = ReadonlyMap<string, readonly LeftOver[]>;

/**
 * A plan in which no set of pods that go together is torn: all of it that waits has a place, or nothing is bought for
 * any of it. Pods for which there is room without new nodes take part in neither: nobody could keep kube-scheduler from
 * placing them.
 *
 * First all sets are planned for; those that are torn, by a limit or for want of a group, are left out and the others
 * planned again, until none is torn. What is left out gives up its nodes, so it is then tried once more beside that plan,
 * higher priorities first: of two sets that limits do not allow together, one may come.
 *
 * @param wanting everything that wants a node, that what fits without new nodes is counted in the reasons.
 */
export function planAtomic(input: PlanInput, wanting: readonly Demand[]): Plan {
  const sets = setsOf(input.demands);
  if (sets.size === 0) {
    return planScaleUp(input);
  }
  const reasons = new Map<Pod, readonly PodReason[]>();
  let refused: ReadonlySet<string> = new Set();
  let plan = attempt(input, refused);
  for (let torn = tornBy(plan); torn.size > 0; torn = tornBy(plan)) {
    note(reasons, torn, sets, setsOf(wanting));
    refused = new Set([...refused, ...torn.keys()]);
    plan = again(input, refused);
  }
  for (let besides = placedBesides(input, plan, sets, refused); besides.size > 0;) {
    const other = again(input, refused.difference(besides));
    const torn = new Set(tornBy(other).keys());
    if (torn.size === 0) {
      plan = other;
      refused = refused.difference(besides);
      break;
    }
    // Together they do not come out as they did one after another; those that were there before are not given up.
    besides = torn.isDisjointFrom(besides) ? new Set() : besides.difference(torn);
    if (besides.size === 0) {
      plan = again(input, refused);
    }
  }
  input.snapshot.commit();
  const without = [...refused].flatMap((set) => sets.get(set)!);
  return {
    ...plan,
    left: [
      ...plan.left,
      ...without.flatMap(({ kind, pods }) =>
        pods.map((pod) => ({ kind, pods: [pod], awaiting: false, reasons: reasons.get(pod)! })),
      ),
    ],
  };
}

function setsOf(demands: readonly Demand[]): Sets {
  const sets = new Map<string, Demand[]>();
  for (const demand of demands) {
    const { atomicSet } = demand.kind;
    if (atomicSet !== null) {
      const set = sets.get(atomicSet);
      if (set === undefined) {
        sets.set(atomicSet, [demand]);
      } else {
        set.push(demand);
      }
    }
  }
  return sets;
}

/** Plans for all but the refused sets. The plan is on the snapshot, in a fork of its own. */
function attempt(input: PlanInput, refused: ReadonlySet<string>): Plan {
  input.snapshot.fork();
  return planScaleUp({
    ...input,
    demands: input.demands.filter(({ kind: { atomicSet } }) => atomicSet === null || !refused.has(atomicSet)),
  });
}

/** The same in place of the plan that is on the snapshot. */
function again(input: PlanInput, refused: ReadonlySet<string>): Plan {
  input.snapshot.revert();
  return attempt(input, refused);
}

function tornBy({ placements, left }: Plan): Torn {
  const begun = new Set(placements.map(({ kind }) => kind.atomicSet));
  const torn = new Map<string, LeftOver[]>();
  for (const without of left) {
    const set = without.kind.atomicSet;
    if (set !== null && begun.has(set)) {
      torn.set(set, [...(torn.get(set) ?? []), without]);
    }
  }
  return torn;
}

/** Which of the refused sets find places when they come after a plan, one after another. The snapshot is left as it is. */
function placedBesides(
  input: PlanInput,
  { increases }: Plan,
  sets: Sets,
  refused: ReadonlySet<string>,
): ReadonlySet<string> {
  const { snapshot, scheduler, scenario } = input;
  const placed = new Set<string>();
  const sizes = new Map(increases.map(({ group, to }) => [group, to]));
  const firsts = [...refused].toSorted((a, b) => priorityOf(sets.get(b)!) - priorityOf(sets.get(a)!));
  snapshot.fork();
  for (const set of firsts) {
    snapshot.fork();
    const row = new NodeRow(snapshot.nodes);
    const demands = sets
      .get(set)!
      .map(({ kind, pods }) => {
        const count = sweep({ snapshot, scheduler, placements: [] }, [row], { kind, count: pods.length });
        return { kind, pods: pods.slice(count) };
      })
      .filter(({ pods }) => pods.length > 0);
    const nodeGroups = scenario.nodeGroups.map((group) => ({
      ...group,
      targetSize: sizes.get(group.name) ?? group.targetSize,
    }));
    const already = scenario.nodeGroups.reduce(
      (sum, { name, targetSize }) => sum + (sizes.get(name) ?? targetSize) - targetSize,
      0,
    );
    const plan = planScaleUp({ ...input, scenario: { ...scenario, nodeGroups }, demands, already });
    if (plan.left.length > 0) {
      snapshot.revert();
      continue;
    }
    snapshot.commit();
    placed.add(set);
    for (const { group, to } of plan.increases) {
      sizes.set(group, to);
    }
  }
  snapshot.revert();
  return placed;
}

const priorityOf = (set: readonly Demand[]): number =>
  set.reduce((most, { kind }) => Math.max(most, kind.spec.priority ?? 0), Number.NEGATIVE_INFINITY);

/** Notes for each pod of the torn sets why nothing is bought for it. */
function note(reasons: Map<Pod, readonly PodReason[]>, torn: Torn, sets: Sets, wanting: Sets): void {
  for (const [set, without] of torn) {
    const all = wanting.get(set)!.reduce((sum, { pods }) => sum + pods.length, 0);
    const missing = without.reduce((sum, { pods }) => sum + pods.length, 0);
    const of = controllerText(without[0]!.pods[0]!);
    const reason = `the ${all} pods of ${of} go together, and ${missing} of them would have no place`;
    for (const { pods } of sets.get(set)!) {
      for (const pod of pods) {
        reasons.set(pod, [{ reason }]);
      }
    }
    for (const { pods, reasons: own } of without) {
      for (const pod of pods) {
        reasons.set(pod, [{ reason }, ...own]);
      }
    }
  }
}
