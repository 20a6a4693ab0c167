import type { Container, Pod } from '../model/cluster/pod.ts';
import { HOSTNAME_LABEL, ZONE_LABEL } from '../model/cluster/node.ts';
import { countBy } from '../model/values/counts.ts';
import { getOrMake } from '../model/values/get-or-make.ts';
import { CPU, MEMORY, type Resources } from '../model/values/resources.ts';
import type { PodKind } from '../model/snapshot/pod-kind.ts';
import type { Snapshot } from '../model/snapshot/snapshot.ts';

/** A number of pods of one kind. */
export interface Load {
  readonly kind: PodKind;
  readonly count: number;
}

/** Number of pods of each kind, in the order in which the kinds are first seen. */
export const podsByKind = (loads: Iterable<Load>): Map<PodKind, number> =>
  countBy(
    loads,
    ({ kind }) => kind,
    ({ count }) => count,
  );

/** Pods of one kind that want a node, by name; the first ones are served first. */
export interface Demand {
  readonly kind: PodKind;
  readonly pods: readonly Pod[];
}

/** Pods and their kinds, at the same place; `null` for a pod that wants nothing. */
export interface PodsWithKinds {
  readonly pods: readonly Pod[];
  readonly kinds: readonly (PodKind | null)[];
}

/** A row for each kind, in the order in which the kinds were first seen. */
export const demandOf = (snapshot: Snapshot, pods: readonly Pod[]): readonly Demand[] =>
  demandRows({ pods, kinds: pods.map((pod) => snapshot.kindOf(pod)) });

/** The same for pods whose kinds are known. */
export function demandRows(...lists: readonly PodsWithKinds[]): readonly Demand[] {
  const byKind = new Map<PodKind, Pod[]>();
  for (const { pods, kinds } of lists) {
    for (const [i, pod] of pods.entries()) {
      const kind = kinds[i] ?? null;
      if (kind !== null) {
        getOrMake(byKind, kind, () => []).push(pod);
      }
    }
  }
  return [...byKind].map(([kind, pods]) => ({ kind, pods }));
}

/** The number of pods of demands. */
export const podCount = (demands: readonly Pick<Demand, 'pods'>[]): number =>
  demands.reduce((sum, { pods }) => sum + pods.length, 0);

/** The numbers of pods of demands, by kind. */
export const loadsIn = (demands: readonly Demand[]): readonly Load[] =>
  demands.map(({ kind, pods }) => ({ kind, count: pods.length }));

/** The demands less these pods: the first ones by name are taken out. */
export function demandsWithout(demands: readonly Demand[], taken: Iterable<Load>): readonly Demand[] {
  const counts = podsByKind(taken);
  return demands
    .map(({ kind, pods }) => ({ kind, pods: pods.slice(counts.get(kind) ?? 0) }))
    .filter(({ pods }) => pods.length > 0);
}

/** Does `left` have at most as many pods of each kind as `others`? */
export function leavesNoMore(left: readonly Demand[], others: readonly Demand[]): boolean {
  const before = podsByKind(loadsIn(others));
  return [...podsByKind(loadsIn(left))].every(([kind, count]) => count <= (before.get(kind) ?? 0));
}

/**
 * First-fit-decreasing order: the larger share of a node first, CPU and memory added up; ties by kind, which follows
 * the names of the pods. Follows Cluster Autoscaler's decreasing_pod_orderer.go, but for pods that keep apart from
 * others: such pods come first, for each needs a node of its own however small it is, and the remaining pods then fill
 * these nodes.
 *
 * @param allocatable of one node of the group to be filled; a resource that it does not have counts for nothing.
 */
export function decreasing<D extends { readonly kind: PodKind }>(
  demands: readonly D[],
  allocatable: Resources,
): readonly D[] {
  const sizes = demands.map(({ kind }) => shareOf(kind, allocatable));
  const firsts = demands.map(({ kind }) => keepsApart(kind));
  // Positions are sorted, since an object for each demand would cost more than the sorting does.
  return Array.from(demands.keys())
    .sort(
      (a, b) =>
        Number(firsts[b]) - Number(firsts[a]) || sizes[b]! - sizes[a]! || demands[a]!.kind.id - demands[b]!.kind.id,
    )
    .map((position) => demands[position]!);
}

/** A pod's CPU and memory, each as a share of what a node has, added up; 0 of what the node does not have. */
export const shareOf = ({ requests }: PodKind, allocatable: Resources): number =>
  shareIn(CPU, requests, allocatable) + shareIn(MEMORY, requests, allocatable);

function shareIn(resource: string, requests: Resources, allocatable: Resources): number {
  const all = allocatable[resource] ?? 0;
  return all > 0 ? (requests[resource] ?? 0) / all : 0;
}

/**
 * Needs a node or a zone that certain pods are not on: by required anti-affinity, by a host port, or by a spread over
 * hosts that is not only a wish (decision 10).
 */
export const keepsApart = ({ spec }: PodKind): boolean =>
  spec.podAntiAffinity.some(({ topologyKey }) => topologyKey === HOSTNAME_LABEL || topologyKey === ZONE_LABEL) ||
  spec.topologySpread.some(
    ({ topologyKey, whenUnsatisfiable }) => topologyKey === HOSTNAME_LABEL && whenUnsatisfiable === 'DoNotSchedule',
  ) ||
  spec.containers.some(hasHostPort) ||
  // A sidecar holds its ports as long as the pod runs.
  spec.initContainers.some((container) => container.restartable && hasHostPort(container));

const hasHostPort = ({ hostPorts }: Container): boolean => hostPorts.some(({ hostPort }) => hostPort > 0);
