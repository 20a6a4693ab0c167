import { getExisting, getOwn } from '../model/values/existing.ts';
import { type AmountsSpec, type Pod, type PodAffinityTerm } from '../model/cluster/pod.ts';
import { podRequests, specRequests } from '../model/cluster/pod-requests.ts';
import type { QuotaScope, ResourceQuota } from '../model/cluster/resource-quota.ts';
import { byName } from '../model/values/names.ts';
import { valueOf } from '../model/values/records.ts';
import { CPU, MEMORY, PODS } from '../model/values/resources.ts';

/** Alike pods that capacity is to be held for. */
export interface RequestedPods {
  readonly pod: Pod;
  readonly count: number;
  /** The PriorityClass of the pods; several if only their priority is known. */
  readonly priorityClasses: readonly string[];
  /** The containers' limits in the place of requests; absent: unknown, and at least the requests. */
  readonly limits?: AmountsSpec | undefined;
}

export interface QuotaDemand extends RequestedPods {
  readonly namespace: string;
}

/** The number of pods that the quotas of a namespace leave a demand. */
export interface QuotaGrant {
  readonly count: number;
  /** Names of the quotas that leave fewer pods than demanded. */
  readonly quotas: readonly string[];
  /** Amounts that the quotas limit and a container does not name, such as `cpu` and `limits.memory`: no pod is admitted. */
  readonly unnamed: readonly string[];
}

/** The ResourceQuotas of all namespaces, less what pods use and virtual pods were granted. */
export interface QuotaLedger {
  readonly grantFor: (demand: QuotaDemand) => QuotaGrant;
  /** Counts pods of the demand as used; a negative count gives them back. */
  readonly use: (demand: QuotaDemand, count: number) => void;
}

/**
 * Grants virtual pods as the API server's admission would admit real ones: a quota whose scopes match counts the number of pods, the
 * requests and the limits, and a pod whose containers name no CPU or memory is refused where the quota limits that amount
 * (`podEvaluator.Constraints` of k8s.io/kubernetes/pkg/quota/v1/evaluator/core). Stricter than `resourceQuotaAllocator` of
 * Cluster Autoscaler's `capacitybuffer/controller`, which counts requests alone.
 */
export function createQuotaLedger(quotas: readonly ResourceQuota[]): QuotaLedger {
  const inNamespace = Map.groupBy(quotas, ({ namespace }) => namespace);
  const left = new Map(quotas.map((quota) => [quota, amountsLeft(quota)]));
  const counting = (demand: QuotaDemand): readonly ResourceQuota[] =>
    (inNamespace.get(demand.namespace) ?? []).filter(({ scopes }) => scopes.every((scope) => matches(scope, demand)));
  return {
    grantFor: (demand) => {
      const allowed = counting(demand).map((quota) => ({ quota, count: podsWithin(getExisting(left, quota), demand) }));
      const unnamed = new Set(allowed.flatMap(({ quota }) => unnamedIn(quota, demand)));
      return {
        unnamed: [...unnamed].toSorted(byName),
        count: Math.min(demand.count, ...allowed.map(({ count }) => count)),
        quotas: allowed.filter(({ count }) => count < demand.count).map(({ quota }) => quota.name),
      };
    },
    use: (demand, count) => {
      for (const quota of counting(demand)) {
        const rest = getExisting(left, quota);
        for (const name in rest) {
          rest[name] = getOwn(rest, name) - count * amountIn(demand, name);
        }
      }
    },
  };
}

/** Why pods that do not name these amounts are not admitted. */
export const unnamedText = ({ unnamed, quotas }: Pick<QuotaGrant, 'unnamed' | 'quotas'>): string =>
  `its containers do not name ${unnamed.join(', ')}, which ResourceQuota ${quotas.join(', ')} limits`;

const amountsLeft = ({ hard, used }: ResourceQuota): Record<string, number> =>
  Object.fromEntries(Object.entries(hard).map(([name, most]) => [name, most - (valueOf(used, name) ?? 0)]));

/** The number of pods of the demand that these amounts allow; infinite if the pods have none of the amounts. */
function podsWithin(rest: Readonly<Record<string, number>>, demand: QuotaDemand): number {
  if (unnamedIn({ hard: rest }, demand).length > 0) {
    return 0;
  }
  let most = Number.POSITIVE_INFINITY;
  for (const name in rest) {
    const amount = amountIn(demand, name);
    if (amount > 0) {
      most = Math.min(most, Math.max(0, Math.floor(getOwn(rest, name) / amount)));
    }
  }
  return most;
}

const unnamedIn = ({ hard }: Pick<ResourceQuota, 'hard'>, demand: QuotaDemand): readonly string[] =>
  Object.keys(hard).filter((name) => mustBeNamed(name) && !isNamed(demand, name));

const LIMITS = 'limits.';
/** Amounts that each container of a pod must name where a quota limits them. */
const mustBeNamed = (name: string): boolean => [CPU, MEMORY, `${LIMITS}${CPU}`, `${LIMITS}${MEMORY}`].includes(name);

/** The amount of one pod in a quota, by the name of the amount in {@link ResourceQuota}. */
function amountIn(demand: QuotaDemand, name: string): number {
  if (name === PODS) {
    return 1;
  }
  return valueOf(specRequests(specFor(demand, name)), resourceIn(name)) ?? 0;
}

function isNamed(demand: QuotaDemand, name: string): boolean {
  const { containers, initContainers, podRequests } = specFor(demand, name);
  const resource = resourceIn(name);
  return (
    (podRequests !== null && resource in podRequests) ||
    [...containers, ...initContainers].every(({ requests }) => resource in requests) ||
    // Pods of the scalable object were admitted with limits that are not read.
    (name.startsWith(LIMITS) && demand.limits === undefined)
  );
}

const specFor = ({ pod, limits }: QuotaDemand, name: string): AmountsSpec =>
  name.startsWith(LIMITS) && limits !== undefined ? limits : pod.spec;

const resourceIn = (name: string): string => (name.startsWith(LIMITS) ? name.slice(LIMITS.length) : name);

/** Virtual pods have no deadline, so they are not `Terminating`. A quota with an unknown scope counts no pod. */
function matches(scope: QuotaScope, { pod, priorityClasses }: QuotaDemand): boolean {
  switch (scope.name) {
    case 'NotTerminating':
      return true;
    case 'BestEffort':
      return isBestEffort(pod);
    case 'NotBestEffort':
      return !isBestEffort(pod);
    case 'PriorityClass':
      return isOfClass(priorityClasses, scope);
    case 'CrossNamespacePodAffinity':
      return hasAffinityAcrossNamespaces(pod);
    default:
      return false;
  }
}

const isBestEffort = (pod: Pod): boolean => ![CPU, MEMORY].some((name) => name in podRequests(pod));

function isOfClass(classes: readonly string[], { operator, values }: QuotaScope): boolean {
  switch (operator) {
    case 'Exists':
      return classes.length > 0;
    case 'DoesNotExist':
      return classes.length === 0;
    case 'In':
      return classes.some((name) => values.includes(name));
    case 'NotIn':
      return classes.every((name) => !values.includes(name));
    default:
      return false;
  }
}

const hasAffinityAcrossNamespaces = ({ spec }: Pod): boolean =>
  [
    ...spec.podAffinity,
    ...spec.podAntiAffinity,
    ...[...spec.preferredPodAffinity, ...spec.preferredPodAntiAffinity].map(({ term }) => term),
  ].some(isAcrossNamespaces);

const isAcrossNamespaces = ({ namespaces, namespaceSelector }: PodAffinityTerm): boolean =>
  namespaces.length > 0 || namespaceSelector !== null;
