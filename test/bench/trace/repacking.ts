import type { Amounts, NodeShape, Wanted } from './demand.ts';

const INTERVAL = 600;
/** Tolerance of an amount: sums of shares of cores are no whole numbers. */
const ROUNDING = 1e-9;

interface Node {
  shape: NodeShape;
  readonly used: number[];
  readonly pods: Set<Wanted>;
}

/**
 * Cost of the load (USD) where everything is packed anew every ten minutes, for free and at once, and each pod that comes
 * in between goes to the first node that has room, or a new one of the cheapest type that holds it, without a boot. A node
 * that its pods have left ends with the next packing.
 *
 * @param end in seconds from the start.
 */
export function repackingCost(
  demand: readonly Wanted[],
  shapes: readonly NodeShape[],
  end: number,
): { readonly cost: number; readonly nodeHours: number } {
  const coming = demand.toSorted((a, b) => a.from - b.from);
  const going = demand.toSorted((a, b) => a.to - b.to);
  let nodes: Node[] = [];
  let [cost, seconds, came, went, last] = [0, 0, 0, 0, 0];
  const homes = new Map<Wanted, Node>();
  const pay = (until: number): void => {
    cost += (nodes.reduce((sum, { shape }) => sum + shape.price, 0) * (until - last)) / 3_600;
    seconds += nodes.length * (until - last);
    last = until;
  };
  const leave = (pod: Wanted): void => {
    take(homes.get(pod)!, pod, -1);
    homes.delete(pod);
  };
  const come = (pod: Wanted): void => {
    const node = nodes.find((one) => fits(pod.amounts, one)) ?? newNode(nodes, cheapestFor(pod.amounts, shapes));
    take(node, pod, 1);
    homes.set(pod, node);
  };
  for (let next = 0; next < end; next += INTERVAL) {
    pay(next);
    nodes = packed([...homes.keys()], shapes);
    for (const node of nodes) {
      for (const pod of node.pods) {
        homes.set(pod, node);
      }
    }
    const until = Math.min(next + INTERVAL, end);
    for (;;) {
      const from = coming[came]?.from ?? Infinity;
      const to = going[went]?.to ?? Infinity;
      const at = Math.min(from, to);
      if (at >= until) {
        break;
      }
      pay(at);
      if (to <= from) {
        leave(going[went]!);
        went += 1;
      } else {
        come(coming[came]!);
        came += 1;
      }
    }
  }
  pay(end);
  return { cost, nodeHours: seconds / 3_600 };
}

/** First-fit-decreasing on nodes of each type, each node then as small as its pods allow; of all types the cheapest. */
function packed(pods: readonly Wanted[], shapes: readonly NodeShape[]): Node[] {
  const largest = shapes.reduce((most, shape) => (shape.price > most.price ? shape : most));
  const size = ({ amounts }: Wanted): number => Math.max(...amounts.map((amount, of) => shareOf(amount, largest, of)));
  const inOrder = pods.toSorted((a, b) => size(b) - size(a));
  let best: Node[] = [];
  let least = Infinity;
  for (const shape of shapes) {
    const nodes: Node[] = [];
    for (const pod of inOrder) {
      const node =
        nodes.find((one) => fits(pod.amounts, one)) ??
        newNode(nodes, holds(shape, pod.amounts) ? shape : cheapestFor(pod.amounts, shapes));
      take(node, pod, 1);
    }
    for (const node of nodes) {
      node.shape = cheapestFor(node.used, shapes);
    }
    const cost = nodes.reduce((sum, node) => sum + node.shape.price, 0);
    if (cost < least) {
      [best, least] = [nodes, cost];
    }
  }
  return best;
}

const shareOf = (amount: number, { room }: NodeShape, of: number): number => (amount > 0 ? amount / room[of]! : 0);

const holds = ({ room }: NodeShape, amounts: Amounts): boolean =>
  amounts.every((amount, of) => amount <= room[of]! * (1 + ROUNDING));

const fits = (amounts: Amounts, { shape: { room }, used }: Node): boolean =>
  amounts.every((amount, of) => amount === 0 || used[of]! + amount <= room[of]! * (1 + ROUNDING));

function cheapestFor(amounts: Amounts, shapes: readonly NodeShape[]): NodeShape {
  const enough = shapes.filter((shape) => holds(shape, amounts));
  if (enough.length === 0) {
    throw new Error(`bench: no instance type holds a pod of ${amounts.join(', ')}`);
  }
  return enough.reduce((least, shape) => (shape.price < least.price ? shape : least));
}

function newNode(nodes: Node[], shape: NodeShape): Node {
  const node: Node = { shape, used: shape.room.map(() => 0), pods: new Set() };
  nodes.push(node);
  return node;
}

function take({ used, pods }: Node, pod: Wanted, by: 1 | -1): void {
  for (const [of, amount] of pod.amounts.entries()) {
    used[of]! += by * amount;
  }
  if (by === 1) {
    pods.add(pod);
  } else {
    pods.delete(pod);
  }
}
