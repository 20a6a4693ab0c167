import type { V1Pod, V1PodDisruptionBudget } from '@kubernetes/client-node';
import type { E2eCluster } from './cluster.ts';

/** A moment at which fewer pods of a budget were healthy than it requires, and fewer than before. */
export interface Violation {
  /** `performance.now()`. */
  readonly at: number;
  readonly budget: string;
  readonly healthy: number;
  readonly desired: number;
}

/** Follows every change of a cluster's pods and their budgets, with nothing but the API server. */
export interface BudgetWatch {
  readonly violations: readonly Violation[];
  /** The least that was seen of each budget: healthy pods beyond those that it requires. */
  readonly leastSpare: ReadonlyMap<string, number>;
  /** How many changes of pods there were. */
  changes(): number;
  /**
   * Stops.
   *
   * @throws when a budget was violated, with every violation; or when the pods or the budgets could not be followed.
   */
  stop(): Promise<void>;
}

/**
 * Watches from the moment that it resolves. What a budget requires is what the disruption controller has made of it, `status.desiredHealthy`; which
 * pods are healthy is counted here: those that it selects by labels, are ready, and have not been told to go. A budget
 * whose pods have come to be too few by themselves is not violated until one more goes.
 *
 * Each change is seen, however late, and in its order: however busy the host is, nothing is missed.
 */
export async function watchBudgets({ kube, name }: E2eCluster): Promise<BudgetWatch> {
  const stopped = new AbortController();
  const violations: Violation[] = [];
  const leastSpare = new Map<string, number>();
  const healthyBefore = new Map<string, number>();
  let changes = 0;
  let budgets: readonly V1PodDisruptionBudget[] | null = null;
  let pods: readonly V1Pod[] | null = null;
  const begun = Promise.withResolvers<void>();

  const check = (): void => {
    if (budgets === null || pods === null) return;
    for (const budget of budgets) {
      const known = budget.metadata?.name ?? '';
      const { desiredHealthy: desired, observedGeneration } = budget.status ?? {};
      // The number of required pods is unknown until the controller has processed the budget.
      if (desired === undefined || observedGeneration !== budget.metadata?.generation) continue;
      const healthy = pods.filter((pod) => selects(budget, pod) && isHealthy(pod)).length;
      leastSpare.set(known, Math.min(leastSpare.get(known) ?? Infinity, healthy - desired));
      if (healthy < desired && healthy < (healthyBefore.get(known) ?? 0)) {
        violations.push({ at: performance.now(), budget: known, healthy, desired });
      }
      healthyBefore.set(known, healthy);
    }
    begun.resolve();
  };

  const finished = Promise.all([
    kube.watch<V1PodDisruptionBudget>(
      `/apis/policy/v1/namespaces/${name}/poddisruptionbudgets`,
      (there) => {
        budgets = there;
        check();
        return false;
      },
      stopped.signal,
    ),
    kube.watch<V1Pod>(
      `/api/v1/namespaces/${name}/pods`,
      (there) => {
        pods = there;
        changes += 1;
        check();
        return false;
      },
      stopped.signal,
    ),
  ]);
  // `stop` rejects with it.
  finished.catch(() => undefined);
  await Promise.race([begun.promise, finished]);

  return {
    violations,
    leastSpare,
    changes: () => changes,
    async stop() {
      stopped.abort();
      await finished;
      if (violations.length > 0) {
        const all = violations.map(
          ({ budget, healthy, desired }) => `${budget}: ${healthy} healthy, requires ${desired}`,
        );
        throw new Error(`Disruption budgets of ${name} were violated: ${all.join('; ')}`);
      }
    },
  };
}

function selects({ spec }: V1PodDisruptionBudget, { metadata }: V1Pod): boolean {
  const { matchLabels = {}, matchExpressions = [] } = spec?.selector ?? {};
  if (matchExpressions.length > 0) throw new Error('Budgets are watched that select by labels alone');
  return Object.entries(matchLabels).every(([label, value]) => metadata?.labels?.[label] === value);
}

const isHealthy = ({ metadata, status }: V1Pod): boolean =>
  metadata?.deletionTimestamp === undefined &&
  status?.conditions?.some((condition) => condition.type === 'Ready' && condition.status === 'True') === true;
