import { getExisting } from '@outrigger/core/model/values/existing.ts';
import { mapOptional } from '@outrigger/core/model/values/optional.ts';
import { type Pod, priorityOf } from '@outrigger/core/model/cluster/pod.ts';
import type { PodDisruptionBudget } from '@outrigger/core/model/cluster/workloads.ts';
import type { PodKind } from '@outrigger/core/model/snapshot/pod-kind.ts';
import type { NodeInfo, Snapshot } from '@outrigger/core/model/snapshot/snapshot.ts';
import { covering } from './disruption-controller.ts';

/** Whether a node passes all filters for a pod. */
export type Takes = (info: NodeInfo) => boolean;

/** A pod on a node, as the snapshot has it. */
export interface Resident {
  readonly pod: Pod;
  readonly kind: PodKind;
}

/** A node on which a pod has room once these pods are gone. */
export interface Preemption {
  readonly info: NodeInfo;
  /** The most important first. */
  readonly victims: readonly Pod[];
}

interface Candidate extends Preemption {
  /** How many of the victims their budgets do not let go. */
  readonly violations: number;
}

/**
 * May a pod that fits nowhere preempt other pods? Not while it waits for the end of pods that it has already preempted:
 * that is, of any pod of lower priority on its nominated node.
 *
 * @param lesser the pods of lower priorities, by node.
 */
export function mayPreempt(pod: Pod, lesser: ReadonlyMap<NodeInfo, readonly Resident[]>): boolean {
  const isWaiting = [...lesser].some(
    ([{ name }, residents]) =>
      name === pod.nominatedNodeName && residents.some((resident) => resident.pod.deletedAt !== null),
  );
  return pod.spec.preemptionPolicy !== 'Never' && !isWaiting;
}

/**
 * Chooses the pods of lower priorities that make room for a pod: on each node as few and as unimportant pods as will
 * do, and of the nodes the one whose pods are missed least. Budgets are kept if possible. Follows kube-scheduler's
 * DefaultPreemption (`SelectVictimsOnNode`, `pickOneNodeForPreemption`, 1.35), without extenders; all nodes are
 * candidates.
 *
 * @param lesser the pods of lower priorities, by node.
 * @returns `null`: the pod would have no room on any node without them.
 */
export function choosePreemption(
  { snapshot, takes }: Pick<Search, 'snapshot' | 'takes'>,
  lesser: ReadonlyMap<NodeInfo, readonly Resident[]>,
  budgets: readonly PodDisruptionBudget[],
): Preemption | null {
  const candidates = [...lesser].flatMap(([info, residents]) => {
    snapshot.fork();
    const candidate = victimsOn(info, residents.toSorted(byImportance), { snapshot, takes, budgets });
    snapshot.revert();
    return candidate ?? [];
  });
  return candidates.sort(byLoss)[0] ?? null;
}

interface Search {
  readonly snapshot: Snapshot;
  /** Whether a node passes all filters for the pod, beside those that are nominated to it. */
  readonly takes: Takes;
  readonly budgets: readonly PodDisruptionBudget[];
}

/** Takes all of them off the node, and puts back those beside which the pod has room, first those whose budgets are used up. */
function victimsOn(
  info: NodeInfo,
  residents: readonly Resident[],
  { snapshot, takes, budgets }: Search,
): Candidate | null {
  residents.forEach((resident) => snapshot.remove(resident.kind, info));
  if (!takes(info)) {
    return null;
  }
  const violating = beyondBudgets(residents, budgets);
  const victims = new Set<Resident>();
  for (const resident of [...violating, ...residents.filter((one) => !violating.has(one))]) {
    snapshot.place(resident.kind, info);
    if (!takes(info)) {
      snapshot.remove(resident.kind, info);
      victims.add(resident);
    }
  }
  return {
    info,
    victims: residents.filter((one) => victims.has(one)).map(({ pod }) => pod),
    violations: victims.intersection(violating).size,
  };
}

/** The pods that budgets protect, if the pods are evicted in this order. */
function beyondBudgets(residents: readonly Resident[], budgets: readonly PodDisruptionBudget[]): ReadonlySet<Resident> {
  const left = new Map(budgets.map((budget) => [budget, budget.disruptionsAllowed]));
  const beyond = new Set<Resident>();
  for (const resident of residents) {
    for (const budget of covering(resident.pod, budgets)) {
      if (!Object.hasOwn(budget.disruptedPods, resident.pod.name)) {
        left.set(budget, getExisting(left, budget) - 1);
        if (getExisting(left, budget) < 0) {
          beyond.add(resident);
        }
      }
    }
  }
  return beyond;
}

const startOf = ({ startedAt }: Pod): number => startedAt ?? Number.POSITIVE_INFINITY;

/** Higher priorities first, then those that have run longer. */
const byImportance = (a: Resident, b: Resident): number =>
  priorityOf(b.pod) - priorityOf(a.pod) || compare(startOf(a.pod), startOf(b.pod));

/** kube-scheduler adds this to each priority, so that each victim more counts whatever its priority is. */
const OFFSET = 2 ** 31;

/** The fewest violated budgets; then the lowest priorities, at their highest and in all; then the fewest pods; then the youngest. */
const byLoss = (a: Candidate, b: Candidate): number =>
  a.violations - b.violations ||
  compare(highest(a), highest(b)) ||
  sum(a) - sum(b) ||
  a.victims.length - b.victims.length ||
  compare(since(b), since(a));

const highest = ({ victims: [first] }: Candidate): number => mapOptional(first, priorityOf) ?? Number.NEGATIVE_INFINITY;

const sum = ({ victims }: Candidate): number => victims.reduce((total, pod) => total + priorityOf(pod) + OFFSET, 0);

/** Since when the longest running of the most important victims has run. */
const since = (candidate: Candidate): number =>
  Math.min(
    ...candidate.victims.filter((pod) => priorityOf(pod) === highest(candidate)).map(startOf),
    Number.POSITIVE_INFINITY,
  );

/** Compares numbers that may both be infinite. */
const compare = (a: number, b: number): number => Number(a > b) - Number(a < b);
