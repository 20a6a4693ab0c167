import type { Container, Pod } from '../model/cluster/pod.ts';
import { HOSTNAME_LABEL, ZONE_LABEL } from '../model/cluster/node.ts';
import { CPU, MEMORY, type Resources } from '../model/values/resources.ts';
import type { PodKind } from '../model/snapshot/pod-kind.ts';
import type { Snapshot } from '../model/snapshot/snapshot.ts';

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

/** One row per kind, in the order in which the kinds were first seen. */
export const demandOf = (snapshot: Snapshot, pods: readonly Pod[]): readonly Demand[] =>
  rowsOf({ pods, kinds: pods.map((pod) => snapshot.kindOf(pod)) });

/** The same for pods whose kinds are known. */
export function rowsOf(...lists: readonly PodsWithKinds[]): readonly Demand[] {
  const byKind = new Map<PodKind, Pod[]>();
  for (const { pods, kinds } of lists) {
    for (let i = 0; i < pods.length; i++) {
      const kind = kinds[i]!;
      if (kind === null) {
        continue;
      }
      const same = byKind.get(kind);
      if (same === undefined) {
        byKind.set(kind, [pods[i]!]);
      } else {
        same.push(pods[i]!);
      }
    }
  }
  return [...byKind].map(([kind, pods]) => ({ kind, pods }));
}

/** How large a pod is, measured against a node of the group to be filled. */
export type SizeOf = (kind: PodKind, allocatable: Resources) => number;

/**
 * First-fit-decreasing order: the larger share of a node first, CPU and memory added up; ties by kind, which follows
 * the names of the pods. Follows Cluster Autoscaler's decreasing_pod_orderer.go, but for pods that keep apart from
 * others: these come first, for they need nodes without each other however small they are, and the others then fill
 * these nodes.
 *
 * @param allocatable of one node of the group to be filled; a resource that it does not have counts for nothing.
 */
export const decreasing = <D extends { readonly kind: PodKind }>(
  demands: readonly D[],
  allocatable: Resources,
  sizeOf: SizeOf = shareOf,
): readonly D[] => sorted(demands, allocatable, sizeOf, keepsApart);

/** The same without the exception: exactly Cluster Autoscaler's order. */
export const decreasingAlone = <D extends { readonly kind: PodKind }>(
  demands: readonly D[],
  allocatable: Resources,
): readonly D[] => sorted(demands, allocatable, shareOf, () => false);

function sorted<D extends { readonly kind: PodKind }>(
  demands: readonly D[],
  allocatable: Resources,
  sizeOf: SizeOf,
  first: (kind: PodKind) => boolean,
): readonly D[] {
  const sizes = demands.map(({ kind }) => sizeOf(kind, allocatable));
  const firsts = demands.map(({ kind }) => first(kind));
  // Positions are sorted, since an object for each demand would cost more than the sorting does.
  return Array.from(demands.keys())
    .sort((a, b) =>
      firsts[a] !== firsts[b]
        ? firsts[a]!
          ? -1
          : 1
        : sizes[b]! - sizes[a]! || demands[a]!.kind.id - demands[b]!.kind.id,
    )
    .map((position) => demands[position]!);
}

/** What a pod asks of one resource, as a share of what a node has; 0 where the node has none. */
export const shareIn =
  (resource: string): SizeOf =>
  ({ requests }, allocatable) =>
    (allocatable[resource] ?? 0) > 0 ? (requests[resource] ?? 0) / allocatable[resource]! : 0;

/** A pod's CPU and memory, each as a share of what a node has, added up. */
export const shareOf: SizeOf = (kind, allocatable) => cpuShare(kind, allocatable) + memoryShare(kind, allocatable);

const cpuShare = shareIn(CPU);
const memoryShare = shareIn(MEMORY);

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
