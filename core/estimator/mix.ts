import { itemAt } from '../model/values/existing.ts';
import { PODS, type Resources } from '../model/values/resources.ts';

/** New nodes of one type. */
export interface NodeOffer<Kind> {
  /** Cost of a node, USD per hour; more than 0. */
  readonly cost: number;
  /** Free capacity of a node. */
  readonly free: Resources;
  /** Kinds of pods that pass the filters of the scheduler on an empty node. */
  readonly holds: ReadonlySet<Kind>;
  /** The most nodes. */
  readonly most: number;
}

/** New nodes that hold the same pods. */
export interface AlikeNodes<Kind, Offer> {
  readonly offer: Offer;
  readonly nodes: number;
  /** Number of pods of each kind on a node. */
  readonly pods: ReadonlyMap<Kind, number>;
}

/** Most comparisons of a pod with the room that a node has left: about a tenth of a second. */
const MOST_STEPS = 10_000_000;
/** Rounds with other values of the pods: eight cost 3 % less than one, and sixteen 0.4 % less than eight (decision 44). */
const ROUNDS = 8;

/**
 * Nodes of several types for all of the pods, by their requests alone: pods that ask for much CPU share a node with pods that
 * ask for much memory, and each type gets the pods that it is cheap for. Fills a node of each type, and takes the type whose
 * node holds the most value for its cost, as often as there are such pods; and so on with the rest.
 *
 * A pod's value is what it costs. At first that is its part of a node of the type that is cheapest for it; in each further round
 * it is the pod's part of the nodes that it was on, so that pods that fill nodes badly come earlier. The cheapest round counts.
 *
 * @param loads in an order that does not depend on chance: it breaks ties.
 * @returns `null` where some pods find no node, or there are too many kinds.
 */
export function mixOf<Kind extends { readonly requests: Resources }, Offer extends NodeOffer<Kind>>(
  loads: readonly { readonly kind: Kind; readonly count: number }[],
  offers: readonly Offer[],
): readonly AlikeNodes<Kind, Offer>[] | null {
  const names = [...new Set([PODS, ...loads.flatMap(({ kind }) => Object.keys(kind.requests))])];
  const requests = loads.map(({ kind }) => requestOf(kind, names));
  const types = offers.map((offer) => typeOf(offer, loads, names, requests));
  const counts = loads.map(({ count }) => count);
  const steps = { left: MOST_STEPS };
  let values: readonly number[] = requests.map((_, k) =>
    Math.min(...types.map(({ cost, shares }) => cost * itemAt(shares, k))),
  );
  let best: Round | null = null;
  for (let round = 0; round < ROUNDS; round++) {
    const next = roundOf(types, { requests, values, counts }, steps);
    if (next === null) {
      break;
    }
    if (best === null || next.cost < best.cost) {
      best = next;
    }
    values = repriced(values, next.nodes);
  }
  const kinds = loads.map(({ kind }) => kind);
  return (
    best?.nodes.map(({ type, held, nodes }) => ({
      offer: itemAt(offers, types.indexOf(type)),
      nodes,
      pods: new Map(held.map((count, k) => [itemAt(kinds, k), count] as const).filter(([, count]) => count > 0)),
    })) ?? null
  );
}

/** The amounts that a pod asks for, without zeros. */
type Request = readonly { readonly resource: number; readonly amount: number }[];

const requestOf = ({ requests }: { readonly requests: Resources }, names: readonly string[]): Request =>
  names
    .map((name, resource) => ({ resource, amount: name === PODS ? 1 : (requests[name] ?? 0) }))
    .filter(({ amount }) => amount > 0);

/** A type of node, with amounts in the order of the resources' names. */
interface NodeType {
  readonly cost: number;
  readonly free: readonly number[];
  /** The part of a node that a pod of each kind takes, by the resource that is short first; infinite for a kind that it does not hold. */
  readonly shares: readonly number[];
  /** The most nodes. */
  readonly most: number;
}

function typeOf<Kind>(
  { cost, free, holds, most }: NodeOffer<Kind>,
  loads: readonly { readonly kind: Kind }[],
  names: readonly string[],
  requests: readonly Request[],
): NodeType {
  const amounts = names.map((name) => free[name] ?? 0);
  const shares = loads.map(({ kind }, k) =>
    holds.has(kind) ? partOf(itemAt(requests, k), amounts) : Number.POSITIVE_INFINITY,
  );
  return { cost, free: amounts, shares, most };
}

/** Pods by kind. */
interface Pods {
  readonly requests: readonly Request[];
  /** USD per hour. */
  readonly values: readonly number[];
  readonly counts: readonly number[];
}

interface FilledNode {
  readonly type: NodeType;
  /** Number of pods of each kind. */
  readonly held: readonly number[];
  /** Sum of the values of these pods. */
  readonly value: number;
}

/** Nodes for all pods. */
interface Round {
  readonly nodes: readonly (FilledNode & { readonly nodes: number })[];
  /** USD per hour. */
  readonly cost: number;
}

function roundOf(types: readonly NodeType[], pods: Pods, steps: { left: number }): Round | null {
  const counts = [...pods.counts];
  const most = types.map((type) => type.most);
  const nodes: (FilledNode & { readonly nodes: number })[] = [];
  let cost = 0;
  while (counts.some((count) => count > 0)) {
    const offered = types.filter((_, t) => itemAt(most, t) > 0);
    const best = bestFilled(offered, { ...pods, counts }, steps);
    if (best === null) {
      return null;
    }
    const { type, held } = best;
    const times = held.flatMap((count, k) => (count > 0 ? [Math.floor(itemAt(counts, k) / count)] : []));
    const of = types.indexOf(type);
    const number = Math.min(itemAt(most, of), ...times);
    most[of] = itemAt(most, of) - number;
    held.forEach((count, k) => (counts[k] = itemAt(counts, k) - count * number));
    cost += type.cost * number;
    nodes.push({ ...best, nodes: number });
  }
  return { nodes, cost };
}

/** The full node whose pods have the most value for its cost; `null` where no type takes any of the pods. */
function bestFilled(types: readonly NodeType[], pods: Pods, steps: { left: number }): FilledNode | null {
  let best: FilledNode | null = null;
  if (steps.left <= 0) {
    return null;
  }
  for (const type of types) {
    const held = filled(type, pods, steps);
    const value = held.reduce((sum, count, k) => (count === 0 ? sum : sum + count * itemAt(pods.values, k)), 0);
    if (value > 0 && (best === null || value / type.cost > best.value / best.type.cost)) {
      best = { type, held, value };
    }
  }
  return best;
}

/** Number of pods of each kind on a node of a type: the pod comes next that has the most value for the room that it takes. */
function filled(
  { free, shares }: NodeType,
  { requests, values, counts }: Pods,
  steps: { left: number },
): readonly number[] {
  const room = [...free];
  const kinds = requests.map((request, k) => ({
    request,
    value: itemAt(values, k),
    left: itemAt(shares, k) <= 1 ? itemAt(counts, k) : 0,
  }));
  const open = kinds.filter(({ left }) => left > 0);
  for (;;) {
    steps.left -= open.length;
    let best: (typeof open)[number] | null = null;
    let most = 0;
    for (const kind of open) {
      const worth = kind.left > 0 ? kind.value / partOf(kind.request, room) : 0;
      if (worth > most) {
        most = worth;
        best = kind;
      }
    }
    if (best === null) {
      return kinds.map(({ left }, k) => (itemAt(shares, k) <= 1 ? itemAt(counts, k) - left : 0));
    }
    best.left -= 1;
    for (const { resource, amount } of best.request) {
      room[resource] = itemAt(room, resource) - amount;
    }
  }
}

/** The part of the room that a pod takes, of the resource of which it takes the largest part; infinite where it does not fit. */
function partOf(request: Request, room: readonly number[]): number {
  let part = 0;
  for (const { resource, amount } of request) {
    const free = itemAt(room, resource);
    if (amount > free) {
      return Number.POSITIVE_INFINITY;
    }
    part = Math.max(part, amount / free);
  }
  return part;
}

/** The cost of each node, divided among its pods in proportion to their values: the mean for the pods of each kind. */
function repriced(values: readonly number[], nodes: Round['nodes']): readonly number[] {
  const sums = values.map(() => ({ pods: 0, cost: 0 }));
  for (const { type, held, value, nodes: number } of nodes) {
    held.forEach((count, k) => {
      const sum = itemAt(sums, k);
      sum.pods += count * number;
      sum.cost += count * number * (type.cost / value);
    });
  }
  return values.map((value, k) => value * (itemAt(sums, k).cost / itemAt(sums, k).pods));
}
