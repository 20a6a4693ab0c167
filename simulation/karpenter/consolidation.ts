import { podRequests } from '@outrigger/core/model/cluster/pod-requests.ts';
import { type Pod, priorityOf } from '@outrigger/core/model/cluster/pod.ts';
import type { NodeInfo } from '@outrigger/core/model/snapshot/snapshot.ts';
import { itemAt, required } from '@outrigger/core/model/values/existing.ts';
import { mapOptional } from '@outrigger/core/model/values/optional.ts';
import { CPU, MEMORY } from '@outrigger/core/model/values/resources.ts';
import { CPU_INDEX, MEMORY_INDEX } from '@outrigger/core/model/snapshot/resource-table.ts';
import type { FleetNode } from './fleet.ts';
import type { InstanceOffering } from './offerings.ts';
import { pack } from './packing.ts';
import { inOrder, isMovable, type PlanView, unbound } from './plan-view.ts';

/** Nodes that are ended together, once the new node is ready in their place, if there is one. */
export interface Command {
  readonly nodes: readonly FleetNode[];
  readonly replacement: InstanceOffering | null;
}

/** How many nodes of each NodePool may be disrupted now. */
export type Budgets = ReadonlyMap<string, number>;

/** Most nodes that are consolidated together. */
const MOST_TOGETHER = 100;

/** A way of disrupting nodes. */
export interface KarpenterMethod {
  /** @returns `null`: it finds nothing. */
  readonly find: (
    view: PlanView,
    candidates: readonly FleetNode[],
    offerings: readonly InstanceOffering[],
    budgets: Budgets,
  ) => Command | null;
  /** Nodes that may no longer be disrupted when the command is validated are left out; otherwise it is given up. */
  readonly inPart: boolean;
}

/** In Karpenter's order: all empty nodes; as many others as possible that at most one cheaper node replaces; one of the others. */
export const METHODS: readonly KarpenterMethod[] = [
  {
    find: (view, candidates, _, budgets) => {
      const nodes = withinBudgets(
        candidates.filter((node) => isEmpty(view, node)),
        budgets,
      );
      return nodes.length === 0 ? null : { nodes, replacement: null };
    },
    inPart: true,
  },
  {
    find: (view, candidates, offerings, budgets) =>
      severalNodes(view, withinBudgets(bySavings(view, candidates), budgets).slice(0, MOST_TOGETHER), offerings),
    inPart: false,
  },
  {
    find: (view, candidates, offerings, budgets) => oneNode(view, bySavings(view, candidates), offerings, budgets),
    inPart: false,
  },
];

const isEmpty = ({ podsOn }: PlanView, { name }: FleetNode): boolean => !podsOn(name).some(isMovable);

/** As many of the nodes, in their order, as the budgets of their NodePools allow. */
export function withinBudgets(nodes: readonly FleetNode[], budgets: Budgets): readonly FleetNode[] {
  const left = new Map(budgets);
  return nodes.filter(({ offering: { pool } }) => {
    const allowed = left.get(pool) ?? 0;
    left.set(pool, allowed - 1);
    return allowed > 0;
  });
}

/** The nodes with pods, first those that cost most for each pod that moves (`SavingsRatio`). */
function bySavings(view: PlanView, candidates: readonly FleetNode[]): readonly FleetNode[] {
  const nodes = candidates.filter((node) => !isEmpty(view, node));
  const ratios = new Map(
    nodes.map((node) => {
      const cost = view
        .podsOn(node.name)
        .filter(isMovable)
        .reduce((sum, pod) => sum + evictionCost(pod), 1);
      return [node, node.offering.price / cost];
    }),
  );
  return nodes.toSorted((a, b) => (ratios.get(b) ?? 0) - (ratios.get(a) ?? 0));
}

/** Annotations of the cost of a deletion are not simulated. */
const evictionCost = (pod: Pod): number => Math.min(10, Math.max(0, 1 + priorityOf(pod) / 2 ** 25));

/** Binary search for the longest prefix that can be replaced, as Karpenter's `firstNConsolidationOption`. */
function severalNodes(
  view: PlanView,
  nodes: readonly FleetNode[],
  offerings: readonly InstanceOffering[],
): Command | null {
  let best: Command | null = null;
  let [least, most] = [2, nodes.length];
  while (least <= most) {
    const middle = Math.floor((least + most) / 2);
    const command = replaced(view, nodes.slice(0, middle), offerings);
    if (command === null) {
      most = middle - 1;
    } else {
      best = command;
      least = middle + 1;
    }
  }
  return best;
}

function oneNode(
  view: PlanView,
  nodes: readonly FleetNode[],
  offerings: readonly InstanceOffering[],
  budgets: Budgets,
): Command | null {
  for (const node of nodes) {
    if ((budgets.get(node.offering.pool) ?? 0) > 0 && mayBeReplaced(view, node, offerings)) {
      const command = replaced(view, [node], offerings);
      if (command !== null) {
        return command;
      }
    }
  }
  return null;
}

/** Checks one node without a plan: the other nodes have enough free in all, or a cheaper offering exists. */
function mayBeReplaced(
  { existing, ready, podsOn }: PlanView,
  node: FleetNode,
  offerings: readonly InstanceOffering[],
): boolean {
  if (offerings.some(({ price, pool }) => pool === node.offering.pool && price < node.offering.price)) {
    return true;
  }
  let [cpu, memory] = [0, 0];
  for (const pod of podsOn(node.name).filter(isMovable)) {
    cpu += podRequests(pod)[CPU] ?? 0;
    memory += podRequests(pod)[MEMORY] ?? 0;
  }
  for (const { name, free } of existing.filter((info) => ready.has(info))) {
    if (name !== node.name) {
      cpu -= Math.max(0, itemAt(free, CPU_INDEX));
      memory -= Math.max(0, itemAt(free, MEMORY_INDEX));
    }
  }
  return cpu <= 0 && memory <= 0;
}

/**
 * The end of these nodes, if their pods have room on ready nodes, or on these and one new node that is cheaper than they are together.
 * `null`: they stay.
 */
export function replaced(
  view: PlanView,
  nodes: readonly FleetNode[],
  offerings: readonly InstanceOffering[],
): Command | null {
  const { snapshot, existing, ready, podsOn } = view;
  const infos = new Set<NodeInfo>(nodes.map(({ name }) => required(snapshot.byName(name) ?? null, name)));
  snapshot.fork();
  infos.forEach((info) => snapshot.removeNode(info));
  const pods = inOrder(nodes.flatMap(({ name }) => podsOn(name).filter(isMovable).map(unbound)));
  const others = existing.filter((info) => !infos.has(info));
  const { claims, used, unplaced } = pack(view, pods, { existing: others, offerings, mostClaims: 1 });
  snapshot.revert();
  if (unplaced.length > 0 || [...used].some((info) => !ready.has(info))) {
    return null;
  }
  const [claim] = claims;
  if (claim === undefined) {
    return { nodes, replacement: null };
  }
  const most = priceLimit(nodes, claim.options);
  const cheaper = claim.options.find(({ price }) => price < most);
  return mapOptional(cheaper, (replacement) => ({ nodes, replacement })) ?? null;
}

/** The price that a replacement stays below. With several nodes, a replacement of the type of a node has to be cheaper than this node. */
function priceLimit(nodes: readonly FleetNode[], options: readonly InstanceOffering[]): number {
  const sum = nodes.reduce((total, { offering }) => total + offering.price, 0);
  const types = new Set(options.map(({ instanceType }) => instanceType));
  const same = nodes.filter(({ offering }) => types.has(offering.instanceType)).map(({ offering }) => offering.price);
  return nodes.length === 1 ? sum : Math.min(sum, ...same);
}
