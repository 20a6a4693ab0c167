import { firstItem, getExisting } from '../../model/values/existing.ts';
import type { UnbalancedGroup } from '../../model/decision.ts';
import { keyOf } from '../../model/cluster/pod.ts';
import { byName, type GroupName } from '../../model/values/names.ts';
import { mapOptional } from '../../model/values/optional.ts';
import { clippedList } from '../../model/values/clip.ts';
import type { NodeGroup } from '../../model/node-group.ts';
import type { NodeInfo } from '../../model/snapshot/snapshot.ts';
import { fill, opensNodes, type Placement } from '../../estimator/placing.ts';
import { isCoveredAlike } from '../../nodegroups/covered-prices.ts';
import { hasLimits } from '../../nodegroups/resource-quotas.ts';
import { skipReason } from '../../nodegroups/skip-reason.ts';
import type { Ledger } from './ledger.ts';
import { addNode, groupOfNew } from './new-nodes.ts';
import { isAllOrNothing, type PlanInput } from './plan-input.ts';
import { areKept, type PlacedPods } from './prune.ts';

/** A plan whose new nodes are spread over similar groups as evenly as the pods allow. */
export interface EvenPlan {
  readonly places: readonly PlacedPods[];
  /** The new nodes that were moved, and the nodes in their places. */
  readonly moved: ReadonlyMap<NodeInfo, NodeInfo>;
  /** By group with new nodes: the similar groups that stay smaller by two nodes or more. */
  readonly unbalanced: ReadonlyMap<GroupName, readonly UnbalancedGroup[]>;
}

/** The budget of scheduler checks for nodes that are tried in smaller groups. */
const MAX_SCHEDULER_CHECKS = 50_000;

/**
 * Moves new nodes, with all their pods, from the largest of similar groups to the smallest. A choice falls on one group alone
 * where a pod fits no other group, as with a volume in one zone, and the nodes of all other pods are in that group then: of
 * 24 nodes 1/23/0 instead of 8/8/8. Only nodes with such pods stay.
 *
 * The snapshot shows the nodes where they are in the end.
 *
 * @param nodes the new ones.
 * @param places of all pods of the plan.
 */
export function evenOut(
  input: PlanInput,
  ledger: Ledger,
  nodes: readonly NodeInfo[],
  places: readonly PlacedPods[],
): EvenPlan {
  const { snapshot } = input;
  const similar = similarGroups(input, nodes, places);
  const asPlanned = { places, moved: new Map<never, never>(), unbalanced: new Map<never, never>() };
  if (similar.size === 0) {
    return asPlanned;
  }
  snapshot.fork();
  const spread = spreadOf(input, ledger, nodes, places);
  moveAll(similar, spread);
  const { moved } = spread;
  const now = placesIn(spread, places);
  const dependent = now.filter(({ kind }) => opensNodes(kind));
  // A move may separate dependent pods from the pods that they depend on.
  if (moved.size === 0 || areKept(input, dependent)) {
    snapshot.commit();
    return { places: now, moved, unbalanced: unbalancedGroups(input, similar, spread) };
  }
  snapshot.revert();
  return asPlanned;
}

/** By group with new nodes that may move: the groups similar to it. */
type SimilarGroups = ReadonlyMap<GroupName, readonly NodeGroup[]>;

/** All-or-nothing groups come whole, and pods on old nodes wait for the new ones of a group: these keep their nodes. */
function similarGroups(input: PlanInput, nodes: readonly NodeInfo[], places: readonly PlacedPods[]): SimilarGroups {
  const { scenario, templates, similarity } = input;
  if (!scenario.options.balanceSimilarNodeGroups) {
    return new Map();
  }
  const fresh = new Set(nodes);
  const kept = new Set(places.filter(({ info }) => !fresh.has(info)).map(({ group }) => group));
  const growing = new Set(nodes.map(groupOfNew));
  const groups = scenario.nodeGroups.filter((group) => templates.has(group.name) && !isAllOrNothing(input, group));
  const isSimilar = (a: GroupName, b: GroupName): boolean =>
    a !== b && similarity.isSimilar(getExisting(templates, a), getExisting(templates, b));
  return new Map(
    groups
      .filter(({ name }) => growing.has(name) && !kept.has(name))
      .map(
        (group) =>
          [
            group.name,
            // Nodes that are paid for in one zone cost again in another.
            groups.filter((other) => isSimilar(group.name, other.name) && isCoveredAlike(group, other)),
          ] as const,
      )
      .filter(([, others]) => others.length > 0),
  );
}

/** How new nodes are spread over the groups at the moment. */
interface Spread {
  readonly input: PlanInput;
  readonly ledger: Ledger;
  readonly sizes: Map<GroupName, number>;
  /** The new nodes that have not moved. */
  readonly nodes: Map<GroupName, NodeInfo[]>;
  readonly held: Map<NodeInfo, readonly PlacedPods[]>;
  readonly moved: Map<NodeInfo, NodeInfo>;
  /** Why a group does not take such a node, by group and the kinds of the pods. */
  readonly refused: Map<string, string>;
}

const spreadOf = (
  input: PlanInput,
  ledger: Ledger,
  nodes: readonly NodeInfo[],
  places: readonly PlacedPods[],
): Spread => ({
  input,
  ledger,
  sizes: new Map(input.scenario.nodeGroups.map(({ name }) => [name, ledger.sizeOf(name)])),
  nodes: Map.groupBy(nodes, groupOfNew),
  held: Map.groupBy(places, ({ info }) => info),
  moved: new Map(),
  refused: new Map(),
});

function moveAll(similar: SimilarGroups, spread: Spread): void {
  const { input, sizes } = spread;
  const { scheduler } = input;
  const end = scheduler.schedulerChecks() + MAX_SCHEDULER_CHECKS;
  const open = new Set(similar.keys());
  while (open.size > 0 && scheduler.schedulerChecks() < end) {
    const largest = firstItem([...open].sort((a, b) => getExisting(sizes, b) - getExisting(sizes, a) || byName(a, b)));
    const recipients = getExisting(similar, largest)
      .filter(({ name }) => getExisting(sizes, name) + 1 < getExisting(sizes, largest))
      .toSorted((a, b) => getExisting(sizes, a.name) - getExisting(sizes, b.name) || byName(a.name, b.name));
    if (!recipients.some((recipient) => moveOne(spread, largest, recipient))) {
      open.delete(largest);
    }
  }
}

/** Moves the last of a group's new nodes that the other group would take. */
function moveOne(spread: Spread, from: GroupName, recipient: NodeGroup): boolean {
  const { registry, templates } = spread.input;
  const { sizes, nodes, held, moved } = spread;
  const to = recipient.name;
  if (skipReason(recipient, getExisting(sizes, to), registry.groups.get(to), templates) !== null) {
    return false;
  }
  const index = getExisting(nodes, from).findLastIndex((info) => {
    const contents = held.get(info) ?? [];
    const key = refusalKey(to, contents);
    if (spread.refused.has(key)) {
      return false;
    }
    const there = replaced(spread, info, contents, recipient);
    if (there.info === null) {
      spread.refused.set(key, there.reason);
      return false;
    }
    held.delete(info);
    held.set(there.info, there.places);
    moved.set(info, there.info);
    return true;
  });
  if (index < 0) {
    return false;
  }
  getExisting(nodes, from).splice(index, 1);
  sizes.set(from, getExisting(sizes, from) - 1);
  sizes.set(to, getExisting(sizes, to) + 1);
  return true;
}

type Replacement =
  | { readonly info: NodeInfo; readonly places: readonly PlacedPods[] }
  | { readonly info: null; readonly reason: string };

/**
 * Replaces a node by a node of another group, with the same pods; the snapshot stays as it was where the new node takes
 * fewer pods.
 */
function replaced(
  { input, ledger }: Spread,
  old: NodeInfo,
  contents: readonly PlacedPods[],
  { name: to, options }: NodeGroup,
): Replacement {
  const { snapshot, scheduler, demands, scenario } = input;
  const isLimited = hasLimits(scenario.options) || (options.maxCostPerHour ?? 0) > 0;
  const undo = (reason: string): Replacement => {
    snapshot.revert();
    return { info: null, reason };
  };
  snapshot.fork();
  snapshot.removeNode(old);
  if (isLimited && !ledger.hasRoomBeside(to)) {
    return undo('a limit of the cluster or of the group does not allow it');
  }
  const info = addNode(input, to);
  const placements: Placement[] = [];
  for (const { kind, count } of contents) {
    if (fill({ snapshot, scheduler, placements }, info, { kind, count }) < count) {
      const pod = demands.find((demand) => demand.kind === kind)?.pods[0];
      const reasons = clippedList(scheduler.check(kind, info)?.reasons ?? []);
      return undo(`pod ${mapOptional(pod, keyOf) ?? ''} does not fit there: ${reasons}`);
    }
  }
  snapshot.commit();
  return { info, places: placements.map((placement) => ({ ...placement, group: to })) };
}

const refusalKey = (group: GroupName, contents: readonly PlacedPods[]): string =>
  `${[...new Set(contents.map(({ kind, count }) => `${kind.id}*${count}`))].sort().join()} ${group}`;

/** The places in their order, each on the node that its node has become. */
const placesIn = ({ moved }: Spread, places: readonly PlacedPods[]): readonly PlacedPods[] =>
  places.map((place) => {
    const info = moved.get(place.info);
    return info === undefined ? place : { ...place, info, group: groupOfNew(info) };
  });

/** The similar groups that stay smaller, and the first pod that is the reason. */
function unbalancedGroups(
  { registry, templates }: PlanInput,
  similar: SimilarGroups,
  { sizes, nodes, held, refused }: Spread,
): EvenPlan['unbalanced'] {
  const unbalanced = new Map<GroupName, readonly UnbalancedGroup[]>();
  for (const [group, others] of similar) {
    const smaller = others.flatMap((other): readonly UnbalancedGroup[] => {
      const size = getExisting(sizes, other.name);
      if (
        size + 1 >= getExisting(sizes, group) ||
        skipReason(other, size, registry.groups.get(other.name), templates) !== null
      ) {
        return [];
      }
      const reasons = (nodes.get(group) ?? []).flatMap(
        (info) => refused.get(refusalKey(other.name, held.get(info) ?? [])) ?? [],
      );
      return mapOptional(reasons[0], (reason) => [{ group: other.name, reason }]) ?? [];
    });
    if (smaller.length > 0) {
      unbalanced.set(group, smaller);
    }
  }
  return unbalanced;
}
