import { getExisting } from '../../model/values/existing.ts';
import { addCount, countBy } from '../../model/values/counts.ts';
import type { Increase } from '../../model/decision.ts';
import { byName, type GroupName } from '../../model/values/names.ts';
import type { PodKind } from '../../model/snapshot/pod-kind.ts';
import { decreasing } from '../../estimator/demand.ts';
import type { Load } from '../../estimator/load.ts';
import { NodeRow } from '../../estimator/node-row.ts';
import { fill, firstFit, type Placement, type Placer } from '../../estimator/placing.ts';
import { Ledger } from '../orchestrator/ledger.ts';
import { tryNode } from '../orchestrator/new-nodes.ts';
import { besides, isAllOrNothing, type PlanInput } from '../orchestrator/plan-input.ts';
import type { QueuedPod } from './arrivals.ts';

/** The groups in which the pods of a kind have their places. */
export type Homes = ReadonlyMap<PodKind, readonly GroupName[]>;

/** The homes of all kinds that have a place. */
export function homesOf(placements: readonly Placement[]): Homes {
  const homes = new Map<PodKind, Set<GroupName>>();
  for (const { kind, info } of placements) {
    const groups = homes.get(kind) ?? new Set();
    homes.set(kind, info.group === null ? groups : groups.add(info.group));
  }
  return new Map([...homes].map(([kind, groups]) => [kind, [...groups].sort(byName)]));
}

/** The sizes of all groups after a plan, with these nodes besides. */
export function sizesAfter(
  { scenario }: PlanInput,
  increases: readonly Increase[],
  extra: readonly GroupName[],
): ReadonlyMap<GroupName, number> {
  const sizes = new Map(scenario.nodeGroups.map(({ name, targetSize }) => [name, targetSize]));
  for (const { group, to } of increases) {
    sizes.set(group, to);
  }
  for (const group of extra) {
    addCount(sizes, group);
  }
  return sizes;
}

/**
 * The nodes that the remaining pods need when packed, each of a group in which pods of its kind have places, or of a
 * similar group: the smallest of these. The snapshot shows all other pods in their places; it keeps the new nodes.
 *
 * @param sizes of the groups as they have grown already.
 * @returns `null` when limits do not allow as many.
 */
export function nodesFor(
  given: PlanInput,
  left: readonly QueuedPod[],
  homes: Homes,
  sizes: ReadonlyMap<GroupName, number>,
): readonly GroupName[] | null {
  const input = besides(given, sizes);
  const ledger = new Ledger(input);
  const growing = input.scenario.nodeGroups.filter(
    (group) => !isAllOrNothing(input, group) && ledger.skipOf(group) === null,
  );
  const loads = loadsOf(input, left, homes);
  if (loads === null) {
    return null;
  }
  const created = new NodeRow();
  const placer: Placer = { snapshot: input.snapshot, scheduler: input.scheduler, placements: [] };
  const nodes: GroupName[] = [];
  for (const { kind, count } of loads) {
    const groups = growing.filter(({ name }) => isHome(input, getExisting(homes, kind), name)).map(({ name }) => name);
    let missing = count - firstFit(placer, [created], { kind, count });
    while (missing > 0) {
      const added = addNodeFor({ kind, count: missing }, groups, input, ledger, placer, created);
      if (added === null) {
        return null;
      }
      nodes.push(added.group);
      missing -= added.placed;
    }
  }
  return nodes;
}

/** The pods by kind, the largest first as against a node of one of their homes; `null` where they have none. */
function loadsOf({ templates }: PlanInput, left: readonly QueuedPod[], homes: Homes): readonly Load[] | null {
  const counts = countBy(left, ({ kind }) => kind);
  const [reference] = [...counts.keys()].flatMap((kind) => getExisting(homes, kind));
  return reference === undefined
    ? null
    : decreasing(
        [...counts].map(([kind, count]) => ({ kind, count })),
        getExisting(templates, reference).node.allocatable,
      );
}

/** Is the group one of the homes, or similar to one (`balanceSimilarNodeGroups`)? */
const isHome = (
  { scenario, templates, similarity }: PlanInput,
  homes: readonly GroupName[],
  group: GroupName,
): boolean =>
  homes.some((home) => {
    const [a, b] = [templates.get(home), templates.get(group)];
    return (
      home === group ||
      (scenario.options.balanceSimilarNodeGroups && a !== undefined && b !== undefined && similarity.isSimilar(a, b))
    );
  });

/** Adds a node of the smallest of these groups that can grow and holds some of the pods; `null` where none does. */
function addNodeFor(
  load: Load,
  groups: readonly GroupName[],
  input: PlanInput,
  ledger: Ledger,
  placer: Placer,
  created: NodeRow,
): { readonly group: GroupName; readonly placed: number } | null {
  if (ledger.nodesLeft() === 0) {
    return null;
  }
  let placed = 0;
  const group = input.scenario.nodeGroups
    .filter((one) => groups.includes(one.name) && ledger.skipOf(one) === null)
    .map(({ name }) => name)
    .toSorted((a, b) => ledger.sizeOf(a) - ledger.sizeOf(b) || byName(a, b))
    .find((name) =>
      tryNode(input, ledger, name, (info) => {
        placed = fill(placer, info, load);
        if (placed > 0) {
          created.add(info);
        }
        return placed > 0;
      }),
    );
  if (group === undefined) {
    return null;
  }
  ledger.addOne(group);
  return { group, placed };
}
