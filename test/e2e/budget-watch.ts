import type { V1Pod, V1PodDisruptionBudget } from '@kubernetes/client-node';
import { setTimeout as delay } from 'node:timers/promises';
import type { E2eCluster } from './cluster.ts';

/** A moment at which fewer pods of a budget were healthy than it wants, and fewer than before. */
export interface Violation {
  /** `performance.now()`. */
  readonly at: number;
  readonly budget: string;
  readonly healthy: number;
  readonly desired: number;
}

/** Looks at the budgets of a cluster's namespace all the time, with nothing but the API server. */
export interface BudgetWatch {
  readonly violations: readonly Violation[];
  /** The least that was seen of each budget: healthy pods beyond those that it wants. */
  readonly leastSpare: ReadonlyMap<string, number>;
  /** How many looks there were. */
  looks(): number;
  /**
   * Stops.
   *
   * @throws when a budget was violated, with every violation; or when nobody looked often enough to know.
   */
  stop(): Promise<void>;
}

const POLL_MS = 50;
/** A longer time than this between two looks may have hidden something. */
const LONGEST_GAP_MS = 2_000;

/**
 * Starts to look. What a budget wants is what the disruption controller has made of it, `status.desiredHealthy`; which
 * pods are healthy is counted here: those that it selects by labels, are ready, and have not been told to go. A budget
 * whose pods have come to be too few by themselves is not violated until one more goes.
 */
export function watchBudgets({ kube, name }: E2eCluster): BudgetWatch {
  const stopped = new AbortController();
  const violations: Violation[] = [];
  const leastSpare = new Map<string, number>();
  const healthyBefore = new Map<string, number>();
  let looks = 0;
  let longestGap = 0;
  let last = performance.now();

  const look = async (): Promise<void> => {
    const [budgets, pods] = await Promise.all([
      kube.list<V1PodDisruptionBudget>(`/apis/policy/v1/namespaces/${name}/poddisruptionbudgets`),
      kube.list<V1Pod>(`/api/v1/namespaces/${name}/pods`),
    ]);
    const at = performance.now();
    for (const budget of budgets) {
      const known = budget.metadata?.name ?? '';
      const { desiredHealthy: desired, observedGeneration } = budget.status ?? {};
      // Until the controller has looked at it, nobody knows what it wants.
      if (desired === undefined || observedGeneration !== budget.metadata?.generation) continue;
      const healthy = pods.filter((pod) => selects(budget, pod) && isHealthy(pod)).length;
      leastSpare.set(known, Math.min(leastSpare.get(known) ?? Infinity, healthy - desired));
      if (healthy < desired && healthy < (healthyBefore.get(known) ?? 0)) {
        violations.push({ at, budget: known, healthy, desired });
      }
      healthyBefore.set(known, healthy);
    }
    looks += 1;
    longestGap = Math.max(longestGap, at - last);
    last = at;
  };

  const finished = (async () => {
    while (!stopped.signal.aborted) {
      await look();
      await delay(POLL_MS, undefined, { signal: stopped.signal }).catch(() => undefined);
    }
  })();
  // Whoever stops the watch hears of it.
  finished.catch(() => undefined);

  return {
    violations,
    leastSpare,
    looks: () => looks,
    async stop() {
      stopped.abort();
      await finished;
      if (violations.length > 0) {
        const all = violations.map(({ budget, healthy, desired }) => `${budget}: ${healthy} healthy, wants ${desired}`);
        throw new Error(`Disruption budgets of ${name} were violated: ${all.join('; ')}`);
      }
      if (longestGap > LONGEST_GAP_MS) {
        throw new Error(`Nobody looked at the budgets of ${name} for ${Math.round(longestGap)} ms`);
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
