import { groupOfNew } from './new-nodes.ts';
import { getExisting, itemAt } from '../../model/values/existing.ts';
import { addCount, mapAt } from '../../model/values/counts.ts';
import { byName, type GroupName } from '../../model/values/names.ts';
import { CPU, MEMORY } from '../../model/values/resources.ts';
import { CPU_INDEX, MEMORY_INDEX } from '../../model/snapshot/resource-table.ts';
import type { PodKind } from '../../model/snapshot/pod-kind.ts';
import type { NodeInfo } from '../../model/snapshot/snapshot.ts';
import { decreasing, type Load } from '../../estimator/demand.ts';
import { NodeRow } from '../../estimator/node-row.ts';
import { fill, firstFit, type Placement } from '../../estimator/placing.ts';
import { isAllOrNothing, type PlanInput } from './plan-input.ts';

/** A place for pods, and the group that was raised for it: of a place on an old node, another one. */
export interface PlacedPods extends Placement {
  readonly group: GroupName;
}

/**
 * The budget of scheduler checks for moving pods from one new node to another. Checks for packing the remaining nodes
 * anew count only where the packing fails: the larger a plan, the more checks it takes and the less likely it is to
 * succeed.
 */
const MAX_SCHEDULER_CHECKS = 20_000;

/**
 * Takes new nodes back whose pods find places on the other new nodes, the nodes that hold the least first. A decision
 * does not know the nodes of later decisions, whose free capacity may do for its own pods.
 *
 * The remaining nodes are packed anew, group by group, as the next evaluation will pack them (see `pack-existing-nodes.ts`): a
 * node is only taken back where that, too, finds a place for every pod.
 *
 * @param nodes the new ones.
 * @param places of all pods of the plan.
 * @returns the places of all pods, the very same list where no node is taken back; nodes that are taken back have left
 *   the snapshot.
 */
export function prune(
  input: PlanInput,
  nodes: readonly NodeInfo[],
  places: readonly PlacedPods[],
): readonly PlacedPods[] {
  const { snapshot } = input;
  const budget = { schedulerChecks: MAX_SCHEDULER_CHECKS };
  let kept: KeptNodes = { nodes, places, held: heldBy(nodes, places) };
  for (const info of candidatesOf(input, kept)) {
    if (budget.schedulerChecks === 0) {
      break;
    }
    snapshot.fork();
    const without = withoutNode(input, kept, info, budget);
    if (without === null) {
      snapshot.revert();
    } else {
      snapshot.commit();
      kept = without;
    }
  }
  return kept.places;
}

interface KeptNodes {
  readonly nodes: readonly NodeInfo[];
  readonly places: readonly PlacedPods[];
  /** By new node. */
  readonly held: ReadonlyMap<NodeInfo, readonly PlacedPods[]>;
}

/** The plan without one of its new nodes, on the snapshot; `null` where that leaves a pod without a place. */
function withoutNode(
  input: PlanInput,
  plan: KeptNodes,
  gone: NodeInfo,
  budget: { schedulerChecks: number },
): KeptNodes | null {
  input.snapshot.removeNode(gone);
  const nodes = plan.nodes.filter((info) => info !== gone);
  const moved = move(input, decreasing(getExisting(plan.held, gone), gone.node.allocatable), nodes, budget);
  if (moved === null) {
    return null;
  }
  const old = plan.places.filter(({ info }) => !plan.held.has(info));
  const fresh = [...plan.places.filter(({ info }) => info !== gone && plan.held.has(info)), ...moved];
  const before = input.scheduler.schedulerChecks();
  const repacked = repack(input, nodes, fresh);
  if (repacked === null || !areKept(input, repacked.filter(hasAffinity))) {
    const spent = input.scheduler.schedulerChecks() - before;
    budget.schedulerChecks = Math.max(0, budget.schedulerChecks - spent);
    return null;
  }
  return { nodes, places: [...old, ...repacked], held: heldBy(nodes, repacked) };
}

/** Puts pods onto the first of the nodes that take them; `null` where a pod finds no place. */
function move(
  { snapshot, scheduler }: PlanInput,
  loads: readonly Load[],
  nodes: readonly NodeInfo[],
  budget: { schedulerChecks: number },
): readonly Placement[] | null {
  const placements: Placement[] = [];
  for (const { kind, count } of loads) {
    const cpu = kind.requests[CPU] ?? 0;
    const memory = kind.requests[MEMORY] ?? 0;
    let left = count;
    for (const info of nodes) {
      if (left === 0 || budget.schedulerChecks === 0) {
        break;
      }
      budget.schedulerChecks -= 1;
      if ((cpu > 0 && itemAt(info.free, CPU_INDEX) < cpu) || (memory > 0 && itemAt(info.free, MEMORY_INDEX) < memory)) {
        // The scheduler's answer is known, and counts as a check all the same.
        scheduler.addSchedulerChecks(1);
        continue;
      }
      left -= fill({ snapshot, scheduler, placements }, info, { kind, count: left });
    }
    if (left > 0) {
      return null;
    }
  }
  return placements;
}

/** First-fit-decreasing of each group's pods onto its new nodes; `null` where a pod is left out. */
function repack(
  { snapshot, scheduler, templates }: PlanInput,
  nodes: readonly NodeInfo[],
  places: readonly Placement[],
): readonly PlacedPods[] | null {
  const loads = new Map<GroupName, Map<PodKind, number>>();
  for (const { kind, info, count } of places) {
    addCount(mapAt(loads, groupOfNew(info)), kind, count);
    snapshot.remove(kind, info, count);
  }
  const placements: Placement[] = [];
  for (const group of [...loads.keys()].sort(byName)) {
    const row = new NodeRow(nodes.filter((info) => info.group === group));
    const ofGroup = [...getExisting(loads, group)].map(([kind, count]) => ({ kind, count }));
    for (const load of decreasing(ofGroup, getExisting(templates, group).node.allocatable)) {
      if (firstFit({ snapshot, scheduler, placements }, [row], load) < load.count) {
        return null;
      }
    }
  }
  return placements.map((placement) => ({ ...placement, group: groupOfNew(placement.info) }));
}

function heldBy(nodes: readonly NodeInfo[], places: readonly PlacedPods[]): Map<NodeInfo, PlacedPods[]> {
  const held = new Map<NodeInfo, PlacedPods[]>(nodes.map((info) => [info, []]));
  for (const place of places) {
    held.get(place.info)?.push(place);
  }
  return held;
}

/** Nodes that are worth a try: their pods request no more than the other nodes have free. */
function candidatesOf(input: PlanInput, { nodes, places, held }: KeptNodes): readonly NodeInfo[] {
  // Pods on old nodes wait for the new ones of a group, and all-or-nothing groups come whole.
  const kept = new Set(places.filter(({ info }) => !held.has(info)).map(({ group }) => group));
  for (const group of input.scenario.nodeGroups) {
    if (isAllOrNothing(input, group)) {
      kept.add(group.name);
    }
  }
  const free = (index: number): number => nodes.reduce((sum, info) => sum + itemAt(info.free, index), 0);
  const [cpu, memory] = [free(CPU_INDEX), free(MEMORY_INDEX)];
  return nodes
    .filter((info) => !kept.has(groupOfNew(info)))
    .map((info) => {
      let [cpuHeld, memoryHeld] = [0, 0];
      for (const { kind, count } of getExisting(held, info)) {
        cpuHeld += (kind.requests[CPU] ?? 0) * count;
        memoryHeld += (kind.requests[MEMORY] ?? 0) * count;
      }
      return { info, cpu: cpuHeld, memory: memoryHeld };
    })
    .filter(
      (of) =>
        of.cpu <= cpu - itemAt(of.info.free, CPU_INDEX) && of.memory <= memory - itemAt(of.info.free, MEMORY_INDEX),
    )
    .map(({ info, ...of }) => ({
      info,
      share: of.cpu / (info.node.allocatable[CPU] ?? 1) + of.memory / (info.node.allocatable[MEMORY] ?? 1),
    }))
    .sort((a, b) => a.share - b.share || b.info.index - a.info.index)
    .map(({ info }) => info);
}

/** Would the scheduler leave all these pods on their nodes? */
export const areKept = ({ snapshot, scheduler }: PlanInput, places: readonly PlacedPods[]): boolean =>
  places.every(({ kind, info }) => {
    snapshot.remove(kind, info);
    const isKept = scheduler.check(kind, info) === null;
    snapshot.place(kind, info);
    return isKept;
  });

const hasAffinity = ({ kind }: PlacedPods): boolean => kind.spec.podAffinity.length > 0;
