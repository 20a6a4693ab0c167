import { CPU, MEMORY, type Resources } from '../model/values/resources.ts';
import type { PodKind } from '../model/snapshot/pod-kind.ts';
import { CPU_INDEX, MEMORY_INDEX } from '../model/snapshot/resource-table.ts';
import type { NodeInfo } from '../model/snapshot/snapshot.ts';
import { decreasing, decreasingAlone, shareIn, shareOf, type SizeOf } from './demand.ts';
import type { Load } from './load.ts';

/**
 * What makes a pod large: large ones are placed first, after those that keep apart; by `sum alone` these have no
 * precedence.
 */
const ORDERS = ['sum', 'dominant', 'cpu', 'memory', 'sum alone'] as const;
type Order = (typeof ORDERS)[number];

/**
 * On which of the nodes with room a pod goes: the first; the one that it leaves the least room on; or the one whose
 * free CPU and memory are most like what it asks for, so that no node is left with much of one and nothing of the
 * other.
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

/** How the reserved places of a group are found again: by packing, or node by node. */
export interface PlacesMethod {
  readonly method: PackingMethod;
  /** Empty: by packing. */
  readonly nodes: readonly (readonly Load[])[];
}

const method = (fit: Fit, order: Order): PackingMethod => ({ name: `${fit}-fit by ${order}`, fit, order });

/** Cluster Autoscaler's, but for pods that keep apart: first fit, by the sum of the shares of CPU and memory. */
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
  method('first', 'sum alone'),
];

const BY_NAME = new Map([FIRST_FIT_DECREASING, ...OTHER_METHODS].map((one) => [one.name, one]));

/** The method of that name; a name that is not known any more stands for the usual one. */
export const methodOf = (name: string | undefined): PackingMethod =>
  (name === undefined ? undefined : BY_NAME.get(name)) ?? FIRST_FIT_DECREASING;

/**
 * Largest first, as the method has it. As in the usual order, pods that keep apart come before all others (but for the
 * order that is by the sum alone), and equals in the order of their kinds.
 *
 * @param allocatable of one node of the group to be filled.
 */
export const inOrder = <D extends { readonly kind: PodKind }>(
  demands: readonly D[],
  allocatable: Resources,
  { order }: PackingMethod,
): readonly D[] =>
  order === 'sum alone' ? decreasingAlone(demands, allocatable) : decreasing(demands, allocatable, SIZES[order]);

const SIZES: Readonly<Record<Exclude<Order, 'sum alone'>, SizeOf>> = {
  sum: shareOf,
  dominant: (kind, allocatable) => Math.max(shareIn(CPU)(kind, allocatable), shareIn(MEMORY)(kind, allocatable)),
  cpu: shareIn(CPU),
  memory: shareIn(MEMORY),
};

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
