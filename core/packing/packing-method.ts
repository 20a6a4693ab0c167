import { HOSTNAME_LABEL } from '../model/node.ts';
import { CPU, MEMORY, type Resources } from '../model/resources.ts';
import type { PodKind } from '../model/snapshot/pod-kind.ts';
import { CPU_INDEX, MEMORY_INDEX } from '../model/snapshot/resource-table.ts';
import type { NodeInfo } from '../model/snapshot/snapshot.ts';
import { decreasing } from './demand.ts';
import type { Load } from './placing.ts';

/** What makes a pod large: large ones are placed first. */
const ORDERS = ['sum', 'dominant', 'cpu', 'memory'] as const;
type Order = (typeof ORDERS)[number];

/**
 * On which of the nodes with room a pod goes: the first; the one that it leaves the least room on; or the one whose free
 * CPU and memory are most like what it asks for, so that no node is left with much of one and nothing of the other.
 */
const FITS = ['first', 'best', 'aligned'] as const;
export type Fit = (typeof FITS)[number];

/** A way of packing pods onto nodes. */
export interface PackingMethod {
  /** As the state and the decision have it: `aligned-fit by sum`. */
  readonly name: string;
  readonly fit: Fit;
  readonly order: Order;
}

/** How the promised places of a group are found again: by packing, or node by node. */
export interface PlacesMethod {
  readonly method: PackingMethod;
  /** Empty: by packing. */
  readonly nodes: readonly (readonly Load[])[];
}

const method = (fit: Fit, order: Order): PackingMethod => ({ name: `${fit}-fit by ${order}`, fit, order });

/** Cluster Autoscaler's: first fit, by the sum of the shares of CPU and memory. */
export const FIRST_FIT_DECREASING: PackingMethod = method('first', 'sum');

export const USUAL_PLACES: PlacesMethod = { method: FIRST_FIT_DECREASING, nodes: [] };

/** The others, the most promising ones first. */
export const OTHER_METHODS: readonly PackingMethod[] = [
  method('aligned', 'sum'),
  method('best', 'sum'),
  method('aligned', 'dominant'),
  method('best', 'dominant'),
  method('first', 'dominant'),
  method('first', 'cpu'),
  method('first', 'memory'),
];

const BY_NAME = new Map([FIRST_FIT_DECREASING, ...OTHER_METHODS].map((one) => [one.name, one]));

/** The method of that name; a name that is not known any more stands for the usual one. */
export const methodOf = (name: string | undefined): PackingMethod =>
  (name === undefined ? undefined : BY_NAME.get(name)) ?? FIRST_FIT_DECREASING;

/**
 * Largest first, as the method has it. As in the usual order, pods that keep apart by host come before all others, and
 * equals in the order of their kinds.
 *
 * @param allocatable of one node of the group to be filled.
 */
export function inOrder<D extends { readonly kind: PodKind }>(
  demands: readonly D[],
  allocatable: Resources,
  { order }: PackingMethod,
): readonly D[] {
  const usual = decreasing(demands, allocatable);
  if (order === 'sum') {
    return usual;
  }
  return usual
    .map((demand) => ({ demand, apart: keepsApart(demand.kind), size: SIZES[order](demand.kind, allocatable) }))
    .sort((a, b) => Number(b.apart) - Number(a.apart) || b.size - a.size || a.demand.kind.id - b.demand.kind.id)
    .map(({ demand }) => demand);
}

type Size = (kind: PodKind, allocatable: Resources) => number;

const shareOf =
  (resource: string): Size =>
  ({ requests }, allocatable) =>
    (allocatable[resource] ?? 0) > 0 ? (requests[resource] ?? 0) / allocatable[resource]! : 0;

const SIZES: Readonly<Record<Exclude<Order, 'sum'>, Size>> = {
  dominant: (kind, allocatable) => Math.max(shareOf(CPU)(kind, allocatable), shareOf(MEMORY)(kind, allocatable)),
  cpu: shareOf(CPU),
  memory: shareOf(MEMORY),
};

/** Wants a node that certain pods are not on. */
const keepsApart = ({ spec }: PodKind): boolean =>
  spec.podAntiAffinity.some(({ topologyKey }) => topologyKey === HOSTNAME_LABEL);

/** How well a pod goes onto a node; less is better. */
export type Fitness = (kind: PodKind, info: NodeInfo) => number;

export const FITNESS: Readonly<Record<Exclude<Fit, 'first'>, Fitness>> = {
  best: ({ requests }, { free, node: { allocatable } }) =>
    partOf(free[CPU_INDEX]! - (requests[CPU] ?? 0), allocatable[CPU]) +
    partOf(free[MEMORY_INDEX]! - (requests[MEMORY] ?? 0), allocatable[MEMORY]),
  aligned: ({ requests }, { free, node: { allocatable } }) =>
    -(
      partOf(requests[CPU] ?? 0, allocatable[CPU]) * partOf(free[CPU_INDEX]!, allocatable[CPU]) +
      partOf(requests[MEMORY] ?? 0, allocatable[MEMORY]) * partOf(free[MEMORY_INDEX]!, allocatable[MEMORY])
    ),
};

const partOf = (amount: number, of: number | undefined): number => (of === undefined || of === 0 ? 0 : amount / of);
