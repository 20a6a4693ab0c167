import { firstItem, getExisting } from '../../model/values/existing.ts';
import type { PodReason } from '../../model/decision.ts';
import { gangText, isFinished, keyOfPodGroup, type Pod, podGroupKeyOf, priorityOf } from '../../model/cluster/pod.ts';
import type { ClusterObjects } from '../../model/scenario.ts';
import { countBy } from '../../model/values/counts.ts';
import { getOrMake } from '../../model/values/get-or-make.ts';
import { type Demand, podCount } from '../../estimator/demand.ts';
import type { LeftOver } from './left-overs.ts';
import { placeOnSnapshot } from '../../estimator/placing.ts';
import { type Plan, planScaleUp } from './plan-scale-up.ts';
import { besides, type PlanInput } from './plan-input.ts';

/** Pending pods of gangs, by the key of the gang's controller. */
type Gangs = ReadonlyMap<string, readonly Demand[]>;

/** Pods without a place, of gangs of which other pods have one: by gang. */
type PartialGangs = ReadonlyMap<string, readonly LeftOver[]>;

/** How many pods of a PodGroup may be left without a place, by the key of the gang; of other gangs, none. */
type Dispensable = ReadonlyMap<string, number>;

interface GangsToPlan {
  readonly gangs: Gangs;
  readonly dispensable: Dispensable;
}

/** @param wanting all pods that want a node. */
function dispensablePods({ podGroups, pods }: ClusterObjects, wanting: Gangs): Dispensable {
  if (podGroups.length === 0) {
    return new Map();
  }
  const running = countBy(
    pods.filter((pod) => pod.nodeName !== null && !isFinished(pod)),
    podGroupKeyOf,
  );
  return new Map(
    podGroups.map((group) => {
      const key = keyOfPodGroup(group);
      const missing = Math.max(0, group.minCount - (running.get(key) ?? 0));
      return [key, Math.max(0, podCount(wanting.get(key) ?? []) - missing)];
    }),
  );
}

/**
 * A plan without partial gangs: either all pending pods of a gang have a place, or no node is added for any of them. Of a PodGroup,
 * `minCount` pods with places are enough, those that run included.
 * Pods that fit without new nodes do not count for either, since nothing keeps kube-scheduler from placing them.
 *
 * All gangs are planned for first. Those that come out partial, because of a limit or because no group holds them, are
 * left out and the others planned again, until none is partial. A gang that is left out gives up its nodes, so each is
 * then tried once more beside that plan, higher priorities first: of two gangs that limits do not allow together, one
 * may come.
 *
 * @param wanting everything that wants a node: the reasons count the pods that fit without new nodes, too.
 */
export function planGangs(input: PlanInput, wanting: readonly Demand[]): Plan {
  const gangs = gangsOf(input.demands);
  if (gangs.size === 0) {
    return planScaleUp(input);
  }
  const reasons = new Map<Pod, readonly PodReason[]>();
  const all = gangsOf(wanting);
  const dispensable = dispensablePods(input.scenario.objects, all);
  const first = withoutPartial(input, dispensable, (partial) => note(reasons, partial, gangs, all));
  const { plan, refused } = withMore(input, { gangs, dispensable }, first);
  input.snapshot.commit();
  const without = [...refused].flatMap((gang) => getExisting(gangs, gang));
  return {
    ...plan,
    left: [
      ...plan.left,
      ...without.flatMap(({ kind, pods }) =>
        pods.map((pod) => ({ kind, pods: [pod], awaiting: false, reasons: getExisting(reasons, pod) })),
      ),
    ],
  };
}

/** A plan for all but some gangs. It is on the snapshot, in a fork of its own. */
interface Attempt {
  readonly plan: Plan;
  readonly refused: ReadonlySet<string>;
}

/** Plans for all gangs, then again without those that come out partial, until none does. */
function withoutPartial(input: PlanInput, dispensable: Dispensable, found: (partial: PartialGangs) => void): Attempt {
  let refused: ReadonlySet<string> = new Set();
  let plan = attempt(input, refused);
  for (let partial = partialGangsOf(plan, dispensable); partial.size > 0; partial = partialGangsOf(plan, dispensable)) {
    found(partial);
    refused = new Set([...refused, ...partial.keys()]);
    plan = again(input, refused);
  }
  return { plan, refused };
}

/** The same with those of the refused gangs that can come beside the others. */
function withMore(input: PlanInput, of: GangsToPlan, { plan, refused }: Attempt): Attempt {
  const more = placedBesides(input, plan, of, refused);
  if (more.size === 0) {
    return { plan, refused };
  }
  const fewer = refused.difference(more);
  const other = again(input, fewer);
  // Together they may not come out as they did one after another.
  if (partialGangsOf(other, of.dispensable).size === 0) {
    return { plan: other, refused: fewer };
  }
  return { plan: again(input, refused), refused };
}

function gangsOf(demands: readonly Demand[]): Gangs {
  const gangs = new Map<string, Demand[]>();
  for (const demand of demands) {
    const { gang } = demand.kind;
    if (gang !== null) {
      getOrMake(gangs, gang, () => []).push(demand);
    }
  }
  return gangs;
}

/** Plans for all but the refused gangs. The plan is on the snapshot, in a fork of its own. */
function attempt(input: PlanInput, refused: ReadonlySet<string>): Plan {
  input.snapshot.fork();
  return planScaleUp({
    ...input,
    demands: input.demands.filter(({ kind: { gang } }) => gang === null || !refused.has(gang)),
  });
}

/** The same in place of the plan that is on the snapshot. */
function again(input: PlanInput, refused: ReadonlySet<string>): Plan {
  input.snapshot.revert();
  return attempt(input, refused);
}

function partialGangsOf({ placements, left }: Plan, dispensable: Dispensable): PartialGangs {
  const begun = new Set(placements.map(({ kind }) => kind.gang));
  const partial = new Map<string, LeftOver[]>();
  for (const without of left) {
    const { gang } = without.kind;
    if (gang !== null && begun.has(gang)) {
      getOrMake(partial, gang, () => []).push(without);
    }
  }
  for (const [gang, without] of partial) {
    if (podCount(without) <= (dispensable.get(gang) ?? 0)) {
      partial.delete(gang);
    }
  }
  return partial;
}

/** The refused gangs that find places after a plan, one after another. The snapshot is left as it is. */
function placedBesides(
  input: PlanInput,
  { increases }: Plan,
  { gangs, dispensable }: GangsToPlan,
  refused: ReadonlySet<string>,
): ReadonlySet<string> {
  const { snapshot, scheduler } = input;
  const placed = new Set<string>();
  const sizes = new Map(increases.map(({ group, to }) => [group, to]));
  const byPriority = [...refused].toSorted(
    (a, b) => priorityOfGang(getExisting(gangs, b)) - priorityOfGang(getExisting(gangs, a)),
  );
  snapshot.fork();
  for (const gang of byPriority) {
    snapshot.fork();
    const left = placeOnSnapshot({ snapshot, scheduler, placements: [] }, getExisting(gangs, gang));
    const plan = planScaleUp({ ...besides(input, sizes), demands: left });
    if (podCount(plan.left) > (dispensable.get(gang) ?? 0)) {
      snapshot.revert();
      continue;
    }
    snapshot.commit();
    placed.add(gang);
    for (const { group, to } of plan.increases) {
      sizes.set(group, to);
    }
  }
  snapshot.revert();
  return placed;
}

const priorityOfGang = (gang: readonly Demand[]): number =>
  gang.reduce((most, { kind }) => Math.max(most, priorityOf(kind)), Number.NEGATIVE_INFINITY);

/** Notes for each pod of the partial gangs why no node is added for it. */
function note(reasons: Map<Pod, readonly PodReason[]>, partial: PartialGangs, gangs: Gangs, wanting: Gangs): void {
  for (const [gang, without] of partial) {
    const all = podCount(getExisting(wanting, gang));
    const missing = podCount(without);
    const of = gangText(firstItem(firstItem(without).pods));
    const reason = `the ${all} pods of ${of} go together, and ${missing} of them would have no place`;
    for (const { pods } of getExisting(gangs, gang)) {
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
