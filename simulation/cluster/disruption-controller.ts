import { isFinished, type Pod } from '@outrigger/core/model/cluster/pod.ts';
import type { PodDisruptionBudget } from '@outrigger/core/model/cluster/workloads.ts';
import { mapOptional } from '@outrigger/core/model/values/optional.ts';
import type { Clock } from '../clock.ts';
import type { Workload } from './workload.ts';

/** How many pods of the workload its budget wants to be available; `null`: it has none. A percentage is rounded up. */
export const neededOf = ({ minAvailable, minAvailablePercent, pods }: Workload): number | null =>
  mapOptional(minAvailablePercent, (percent) => Math.ceil((percent / 100) * pods)) ?? minAvailable ?? null;

/** The budget of one workload, as its status says. */
export interface Budget {
  /** All budgets that cover the workload's pods: two where it has a second budget. */
  readonly list: () => readonly PodDisruptionBudget[];
  /** The budget's spec has changed, or the number of pods that it is a percentage of. */
  readonly specChanged: () => void;
  /** The budget's pods have changed, or their conditions. */
  readonly podsChanged: () => void;
  /** The API server has let an eviction through, and counts it at once. */
  readonly taken: (pod: Pod) => void;
}

interface BudgetOptions {
  readonly clock: Clock;
  readonly workload: () => Workload;
  readonly pods: () => readonly Pod[];
  /** How long in milliseconds the controller does not come to count pods anew. */
  readonly lag: () => number;
}

/**
 * The disruption controller, for one workload: healthy pods beyond those that are to be available may be evicted. It counts
 * at once, unless it lags behind: the status then stays what it was, but for the evictions that the API server takes from it.
 */
export function createBudget({ clock, workload, pods, lag }: BudgetOptions): Budget {
  let generation = 1;
  let observed = 1;
  let behind = false;
  let status: PodDisruptionBudget | null = null;
  const counted = (): PodDisruptionBudget => {
    const { namespace, name, labels, pods: expectedPods, unhealthyPodEvictionPolicy = 'IfHealthyBudget' } = workload();
    const needed = neededOf(workload()) ?? 0;
    const healthy = pods().filter(({ ready, deletedAt }) => ready && deletedAt === null).length;
    return {
      namespace,
      name,
      selector: { matchLabels: labels, matchExpressions: [] },
      disruptionsAllowed: Math.max(0, healthy - needed),
      currentHealthy: healthy,
      desiredHealthy: needed,
      expectedPods,
      unhealthyPodEvictionPolicy,
      disruptedPods: {},
      generation,
      observedGeneration: observed,
    };
  };
  const changed = (): void => {
    if (behind) {
      return;
    }
    const ms = lag();
    if (ms > 0) {
      behind = true;
      status ??= counted();
      clock.after(ms, () => {
        behind = false;
        observed = generation;
        status = counted();
      });
    } else {
      observed = generation;
      status = null;
    }
  };
  const now = (): PodDisruptionBudget => (status ??= counted());
  return {
    list: () => {
      const own = { ...now(), generation, observedGeneration: observed };
      const { secondBudget = false } = workload();
      return secondBudget ? [own, { ...own, name: `${own.name}-too` }] : [own];
    },
    specChanged: () => {
      generation += 1;
      changed();
    },
    podsChanged: changed,
    taken: ({ name }) => {
      const before = now();
      status = {
        ...before,
        disruptionsAllowed: Math.max(0, before.disruptionsAllowed - 1),
        disruptedPods: { ...before.disruptedPods, [name]: clock.now() },
      };
    },
  };
}

/** The budgets that cover a pod, of all. */
export const covering = (pod: Pod, budgets: readonly PodDisruptionBudget[]): readonly PodDisruptionBudget[] =>
  budgets.filter(
    ({ namespace, selector }) =>
      namespace === pod.namespace &&
      selector !== null &&
      Object.entries(selector.matchLabels).every(([key, value]) => pod.labels[key] === value),
  );

/** The API server's answer to an eviction (`eviction.go` of k8s.io/kubernetes). */
export type Verdict =
  | { readonly kind: 'goes'; readonly from: PodDisruptionBudget | null }
  | { readonly kind: 'refused'; readonly by: PodDisruptionBudget; readonly message: string }
  /** Several budgets cover the pod: an error of the server. */
  | { readonly kind: 'error'; readonly by: readonly PodDisruptionBudget[]; readonly message: string };

/** @param budgets those that cover the pod. */
export function evictionOf(pod: Pod, budgets: readonly PodDisruptionBudget[]): Verdict {
  const [by] = budgets;
  if (by === undefined || pod.phase === 'Pending' || isFinished(pod) || pod.deletedAt !== null) {
    return { kind: 'goes', from: null };
  }
  if (budgets.length > 1) {
    return {
      kind: 'error',
      by: budgets,
      message: 'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
    };
  }
  const isSpared =
    by.unhealthyPodEvictionPolicy === 'AlwaysAllow' ||
    (by.currentHealthy >= by.desiredHealthy && by.desiredHealthy > 0);
  if (!pod.ready && isSpared) {
    return { kind: 'goes', from: null };
  }
  if (by.observedGeneration < by.generation) {
    const message = 'Cannot evict pod as its disruption budget is still being processed by the server.';
    return { kind: 'refused', by, message };
  }
  if (by.disruptionsAllowed < 1) {
    const message = `Cannot evict pod as it would violate the pod's disruption budget ${by.name}.`;
    return { kind: 'refused', by, message };
  }
  return { kind: 'goes', from: by };
}
