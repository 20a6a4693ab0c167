import { firstItem, getExisting, itemAt } from '../model/values/existing.ts';
import { addCount, countBy, mapAt } from '../model/values/counts.ts';
import { getOrMake } from '../model/values/get-or-make.ts';
import { rememberedOf } from '../model/values/remembered.ts';
import { clippedList } from '../model/values/clip.ts';
import { isFinished, type Pod } from '../model/cluster/pod.ts';
import type { Labels } from '../model/cluster/selectors.ts';
import type { PodDisruptionBudget } from '../model/cluster/workloads.ts';
import { compileSelector } from '../scheduling/label-selector.ts';
import type { LabelMatcher } from '../scheduling/requirement.ts';

/** Whether the API server would let a pod be evicted now, and if not, why. */
type EvictionVerdict = { readonly ok: true } | { readonly ok: false; readonly reason: string };

/** The verdict of the budgets on evicting several pods, such as the pods of one node. */
interface PdbVerdict {
  /** `false` when more pods need a budget than it has left: some must wait until others have been replaced. */
  readonly inParallel: boolean;
  /** The first pod that cannot be evicted; `null`: all can be, now or one after another. */
  readonly blocked: { readonly pod: Pod; readonly reason: string } | null;
}

/** The evictions that PodDisruptionBudgets leave for the drains of one evaluation. */
export interface PdbTracker {
  allows(pod: Pod): EvictionVerdict;
  /** At least one budget covers the pod, whatever it allows. */
  covers(pod: Pod): boolean;
  canTake(pods: readonly Pod[]): PdbVerdict;
  /** Counts the pods as evicted: what is asked later sees less. */
  take(pods: readonly Pod[]): void;
  /** The same budgets as they stand now; neither sees what the other takes from then on. */
  fork(): PdbTracker;
}

/**
 * Counts PodDisruptionBudgets as the API server does when it is asked to evict a pod (`eviction.go` of
 * k8s.io/kubernetes, 1.35), and shares what is left among all drains of an evaluation (Cluster Autoscaler's
 * `RemainingPdbTracker`). How percentages and `minAvailable` come to a number of pods is the disruption controller's
 * business.
 *
 * @param inProgress pods on nodes that are being drained. Those that have not been evicted yet will need their budget,
 *   so it is theirs already; those that have been are in the budget's own numbers.
 * @param endsWithNode whether a pod is never evicted, and ends with the instance of its node. Such pods of a node end together:
 *   none waits until another one has been replaced.
 */
export function createPdbTracker(
  budgets: readonly PodDisruptionBudget[],
  inProgress: readonly Pod[] = [],
  endsWithNode: EndsWithNode = () => false,
): PdbTracker {
  if (budgets.length === 0) {
    return NO_BUDGETS;
  }
  const coveringOf = coverage(budgets);
  const standing = standingAt(
    { coveringOf, endsWithNode },
    Float64Array.from(budgets, ({ disruptionsAllowed }) => disruptionsAllowed),
  );
  standing.take(
    inProgress.filter((pod) => !coveringOf(pod).some(({ budget }) => Object.hasOwn(budget.disruptedPods, pod.name))),
  );
  return standing;
}

/** A budget whose pods are known. */
interface CountedPdb {
  /** Its index in the list of remaining disruptions. */
  readonly id: number;
  readonly budget: PodDisruptionBudget;
  readonly matches: LabelMatcher;
  /** Why the API server takes nothing from it, whatever it has left; `null` when it does. */
  readonly closed: string | null;
}

/** The budgets that cover a pod, in the order in which they were given. */
type Coverage = (pod: Pod) => readonly CountedPdb[];
type EndsWithNode = (pod: Pod) => boolean;

const OK: EvictionVerdict = Object.freeze({ ok: true });
const ALL_AT_ONCE: PdbVerdict = Object.freeze({ inParallel: true, blocked: null });
const ONE_AFTER_ANOTHER: PdbVerdict = Object.freeze({ inParallel: false, blocked: null });

/** Lets everything go. */
const NO_BUDGETS: PdbTracker = Object.freeze({
  allows: () => OK,
  covers: () => false,
  canTake: () => ALL_AT_ONCE,
  take: () => {},
  fork: () => NO_BUDGETS,
});

/** The budgets with so much left of each. */
function standingAt(
  about: { readonly coveringOf: Coverage; readonly endsWithNode: EndsWithNode },
  left: Float64Array,
): PdbTracker {
  const { coveringOf, endsWithNode } = about;
  return {
    allows(pod) {
      const covering = coveringOf(pod);
      return verdictOf(payerOf(pod, covering), covering, left);
    },
    covers: (pod) => coveringOf(pod).length > 0,
    canTake(pods) {
      const wanted = new Map<CountedPdb, number>();
      const ending = new Map<CountedPdb, number>();
      let inParallel = true;
      for (const pod of pods) {
        const covering = coveringOf(pod);
        const payer = payerOf(pod, covering);
        const verdict = verdictOf(payer, covering, left);
        if (!verdict.ok) {
          return { inParallel: false, blocked: { pod, reason: verdict.reason } };
        }
        if (payer !== null && payer !== 'Several') {
          const most = itemAt(left, payer.id);
          inParallel &&= getExisting(addCount(wanted, payer), payer) <= most;
          if (endsWithNode(pod) && getExisting(addCount(ending, payer), payer) > most) {
            return { inParallel: false, blocked: { pod, reason: tooManyEnd(payer.budget, most) } };
          }
        }
      }
      return inParallel ? ALL_AT_ONCE : ONE_AFTER_ANOTHER;
    },
    take(pods) {
      for (const pod of pods) {
        const payer = payerOf(pod, coveringOf(pod));
        if (payer !== null && payer !== 'Several') {
          left[payer.id]! -= 1;
        }
      }
    },
    fork: () => standingAt(about, left.slice()),
  };
}

/** The budget that the pod's eviction is taken from; `null` when it is taken from none. */
function payerOf(pod: Pod, covering: readonly CountedPdb[]): CountedPdb | 'Several' | null {
  const [first] = covering;
  // Before a budget is looked up at all: such a pod is not up, and is not missed.
  if (first === undefined || pod.phase === 'Pending' || isFinished(pod) || pod.deletedAt !== null) {
    return null;
  }
  if (covering.length > 1) {
    return 'Several';
  }
  return !pod.ready && letsUnreadyGo(first.budget) ? null : first;
}

/** A pod that is not ready is not among the healthy ones: it may be spared when enough others are. */
const letsUnreadyGo = ({ unhealthyPodEvictionPolicy, currentHealthy, desiredHealthy }: PodDisruptionBudget): boolean =>
  unhealthyPodEvictionPolicy === 'AlwaysAllow' || (currentHealthy >= desiredHealthy && desiredHealthy > 0);

/** Leaves room for the rest of the sentence. */
const LONGEST_NAMES = 200;

function verdictOf(
  payer: CountedPdb | 'Several' | null,
  covering: readonly CountedPdb[],
  left: Float64Array,
): EvictionVerdict {
  if (payer === null) {
    return OK;
  }
  if (payer === 'Several') {
    const names = clippedList(
      covering.map(({ budget }) => budget.name),
      LONGEST_NAMES,
    );
    return {
      ok: false,
      reason: `several PodDisruptionBudgets cover it (${names}), and the API server evicts no such pod`,
    };
  }
  if (payer.closed !== null) {
    return { ok: false, reason: payer.closed };
  }
  return itemAt(left, payer.id) >= 1 ? OK : { ok: false, reason: usedUp(payer.budget) };
}

function usedUp({ name, disruptionsAllowed, currentHealthy, desiredHealthy }: PodDisruptionBudget): string {
  if (disruptionsAllowed < 1) {
    return `PodDisruptionBudget ${name} allows no disruption: ${currentHealthy} healthy pods, of which it needs ${desiredHealthy}`;
  }
  return `what PodDisruptionBudget ${name} allows (${disruptionsAllowed}) is needed by other nodes that are drained`;
}

const tooManyEnd = ({ name }: PodDisruptionBudget, most: number): string =>
  `PodDisruptionBudget ${name} has room for ${most} of its pods, and more than that tolerate the taint of the node and end with it`;

/** With more unconfirmed evictions than this, the API server refuses further ones. */
const MOST_DISRUPTED_PODS = 2_000;

function closedReason(budget: PodDisruptionBudget): string | null {
  const { name, generation, observedGeneration, disruptedPods } = budget;
  if (budget.unreadable === true) {
    return `PodDisruptionBudget ${name} cannot be read, and may cover it`;
  }
  if (observedGeneration < generation) {
    return `PodDisruptionBudget ${name} has changed, and its pods have not been counted again`;
  }
  if (Object.keys(disruptedPods).length > MOST_DISRUPTED_PODS) {
    return `PodDisruptionBudget ${name} has more than ${MOST_DISRUPTED_PODS} evictions that have not been seen yet`;
  }
  return null;
}

/** Selectors that Kubernetes would not accept cover no pod, as in the API server. */
function coverage(budgets: readonly PodDisruptionBudget[]): Coverage {
  const byNamespace = new Map<string, CountedPdb[]>();
  budgets.forEach((budget, id) => {
    const selector = compileSelector(budget.selector);
    if (selector.ok && budget.selector !== null) {
      const counted = { id, budget, matches: selector.value.matches, closed: closedReason(budget) };
      getOrMake(byNamespace, budget.namespace, () => []).push(counted);
    }
  });
  const finders = new Map([...byNamespace].map(([namespace, counted]) => [namespace, finder(counted)]));
  // A pod's budgets are asked for several times: for its own verdict, for the verdict on its node, and to count its
  // eviction.
  return rememberedOf((pod: Pod) => finders.get(pod.namespace)?.(pod.labels) ?? NONE);
}

const NONE: readonly CountedPdb[] = Object.freeze([]);

/**
 * Finds the budgets of one namespace that match a set of labels. Most budgets ask for labels with certain values: such
 * a budget is tried only on pods with its rarest value, the one that the fewest budgets ask for.
 */
function finder(budgets: readonly CountedPdb[]): (labels: Labels) => readonly CountedPdb[] {
  const asked = countBy(budgets.flatMap(pairsOf), keyOfPair);
  const byLabel = new Map<string, Map<string, CountedPdb[]>>();
  const others: CountedPdb[] = [];
  for (const counted of budgets) {
    let rarest: Pair | null = null;
    for (const pair of pairsOf(counted)) {
      if (rarest === null || getExisting(asked, keyOfPair(pair)) < getExisting(asked, keyOfPair(rarest))) {
        rarest = pair;
      }
    }
    if (rarest === null) {
      others.push(counted);
    } else {
      const [label, value] = rarest;
      getOrMake(mapAt(byLabel, label), value, () => []).push(counted);
    }
  }
  return (labels) => {
    const found = others.filter(({ matches }) => matches(labels));
    for (const label in labels) {
      for (const counted of byLabel.get(label)?.get(labels[label]!) ?? NONE) {
        if (counted.matches(labels)) {
          found.push(counted);
        }
      }
    }
    return found.sort((a, b) => a.id - b.id);
  };
}

/** A label with the one value that a selector requires. */
type Pair = readonly [label: string, value: string];

function pairsOf({ budget: { selector } }: CountedPdb): readonly Pair[] {
  const { matchLabels, matchExpressions } = selector!;
  const single = matchExpressions.filter(({ operator, values }) => operator === 'In' && values.length === 1);
  return [...Object.entries(matchLabels), ...single.map(({ key, values }): Pair => [key, firstItem(values)])];
}

const keyOfPair = ([label, value]: Pair): string => `${label}=${value}`;
