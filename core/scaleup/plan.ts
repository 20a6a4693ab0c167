import type { Consideration, Increase, PodReason, SkippedGroup } from '../model/decision.ts';
import { byName, type GroupName } from '../model/names.ts';
import type { NodeGroup } from '../model/node-group.ts';
import type { Pod } from '../model/pod.ts';
import { randomFrom } from '../model/random.ts';
import { CPU, MEMORY, type Resources } from '../model/resources.ts';
import type { Scenario } from '../model/scenario.ts';
import type { PodKind } from '../model/snapshot/pod-kind.ts';
import type { Snapshot } from '../model/snapshot/snapshot.ts';
import type { Registry } from '../registry/registry.ts';
import type { Scheduler } from '../scheduling/scheduler.ts';
import { balance, type Sized } from './balancing.ts';
import { decreasing, type Demand } from './demand.ts';
import { estimate, type Estimate } from './estimator.ts';
import { choose } from './expander.ts';
import { wasteOf } from './expanders/least-waste.ts';
import { SKIP_WORDS, skipReason } from './groups.ts';
import type { Option } from './option.ts';
import type { Placement } from './placing.ts';
import { type Similarity, similarityFor } from './similarity.ts';
import { addTemplateNode, type GroupTemplate } from './templates.ts';

export interface PlanInput {
  readonly scenario: Scenario;
  readonly registry: Registry;
  readonly snapshot: Snapshot;
  readonly scheduler: Scheduler;
  readonly templates: ReadonlyMap<GroupName, GroupTemplate>;
  /** Pods that fit nowhere as things stand. */
  readonly demands: readonly Demand[];
}

export interface Plan {
  readonly increases: readonly Increase[];
  readonly skipped: readonly SkippedGroup[];
  readonly considered: readonly Consideration[];
  /** For which pods a group is raised. */
  readonly triggered: ReadonlyMap<Pod, GroupName>;
  /** Where their places are. */
  readonly placements: readonly Placement[];
  readonly left: readonly LeftOver[];
}

/** Pods for which nothing is bought now. */
export interface LeftOver {
  readonly pods: readonly Pod[];
  /** Some group would hold them, but for a limit or because another decision comes first. */
  readonly awaiting: boolean;
  readonly reasons: readonly PodReason[];
}

/** One evaluation's decisions in the making. */
interface Round extends PlanInput {
  readonly sizes: Map<GroupName, number>;
  readonly similar: Similarity;
  readonly daemons: ReadonlyMap<GroupName, readonly PodKind[]>;
  readonly names: { next: number };
}

/**
 * Decides which groups grow by how much: estimates every group that may grow, lets the expanders choose, splits the
 * choice over similar groups, and goes on with the pods that are left (`salvoScaleUp`) until nothing more can be helped.
 *
 * The snapshot is left with the new nodes and their pods. Follows Cluster Autoscaler's scaleup/orchestrator.
 */
export function planScaleUp(input: PlanInput): Plan {
  const { scenario, snapshot, templates } = input;
  const round: Round = {
    ...input,
    sizes: new Map(scenario.nodeGroups.map((group) => [group.name, group.targetSize])),
    similar: similarityFor(scenario.options, scenario.provider),
    daemons: new Map(
      [...templates].map(([name, template]) => [name, template.pods.map((pod) => snapshot.kindOf(pod))]),
    ),
    names: { next: 0 },
  };
  const skipped = scenario.nodeGroups.flatMap((group) => skipOf(round, group) ?? []);
  const random = randomFrom(scenario.seed);
  const considered: Consideration[] = [];
  const triggered = new Map<Pod, GroupName>();
  const placements: Placement[] = [];
  let demands = input.demands;
  while (demands.length > 0) {
    const decision = decide(round, demands, random);
    if (decision === null) {
      break;
    }
    considered.push(decision.consideration);
    placements.push(...decision.placements);
    demands = assign(demands, decision.placements, triggered);
    if (!scenario.options.salvoScaleUp) {
      break;
    }
  }
  return {
    increases: scenario.nodeGroups.flatMap(({ name, targetSize: from }) => {
      const to = round.sizes.get(name)!;
      return to > from ? [{ group: name, from, to }] : [];
    }),
    skipped,
    considered,
    triggered,
    placements,
    left: demands.map((demand) => leftOver(round, demand)),
  };
}

const skipOf = ({ registry, templates, scenario, sizes }: Round, group: NodeGroup): SkippedGroup | null =>
  skipReason(group, sizes.get(group.name)!, registry.groups.get(group.name), templates, scenario.options);

interface Decided {
  readonly consideration: Consideration;
  readonly placements: readonly Placement[];
}

function decide(round: Round, demands: readonly Demand[], random: () => number): Decided | null {
  const { scenario, snapshot } = round;
  const usable = scenario.nodeGroups.filter((group) => skipOf(round, group) === null);
  const holdable = new Map(usable.map((group) => [group.name, holdableBy(round, group, demands)]));
  const options: Option[] = [];
  for (const group of usable) {
    const loads = holdable.get(group.name)!;
    if (loads.length > 0) {
      const similar = similarGroups(round, group, loads, usable, holdable);
      snapshot.fork();
      const option = optionOf(round, group, loads, similar);
      snapshot.revert();
      if (option !== null) {
        options.push(option);
      }
    }
  }
  if (options.length === 0) {
    return null;
  }
  const { winner, why } = choose(options, scenario.options.expander, random);
  const { split, placements } = carryOut(round, winner, holdable.get(winner.group.name)!);
  return {
    consideration: {
      options: options.map((option) => ({
        group: option.group.name,
        nodes: option.nodes,
        pods: option.pods,
        waste: Math.round(option.waste * 1e6) / 1e6,
        similarGroups: option.similar.map(({ name }) => name),
      })),
      winner: winner.group.name,
      why,
      split,
    },
    placements,
  };
}

/** The demands that a fresh, otherwise empty node of the group would take one pod of. */
function holdableBy(round: Round, group: NodeGroup, demands: readonly Demand[]): readonly Demand[] {
  const { snapshot, scheduler } = round;
  snapshot.fork();
  const info = addNode(round, group.name);
  const holdable = demands.filter(({ kind }) => scheduler.check(kind, info) === null);
  snapshot.revert();
  return holdable;
}

/** Groups like this one that may grow and hold everything this one would: it is a subset of what they hold. */
function similarGroups(
  { scenario, templates, similar }: Round,
  group: NodeGroup,
  loads: readonly Demand[],
  usable: readonly NodeGroup[],
  holdable: ReadonlyMap<GroupName, readonly Demand[]>,
): readonly NodeGroup[] {
  if (!scenario.options.balanceSimilarNodeGroups) {
    return [];
  }
  const own = templates.get(group.name)!;
  return usable.filter((other) => {
    if (other === group || !similar(own, templates.get(other.name)!)) {
      return false;
    }
    const held = new Set(holdable.get(other.name)!.map(({ kind }) => kind));
    return loads.every(({ kind }) => held.has(kind));
  });
}

function optionOf(
  round: Round,
  group: NodeGroup,
  demands: readonly Demand[],
  similar: readonly NodeGroup[],
): Option | null {
  const order = balance(
    [group, ...similar].map((member) => sizedOf(round, member)),
    limitOf(round),
  );
  const { nodes, placements } = fillGroup(
    round,
    group,
    demands,
    order.map(() => group.name),
  );
  if (nodes.length === 0) {
    return null;
  }
  const requested = requestsOf(placements);
  return {
    group,
    nodes: nodes.length,
    pods: placements.reduce((sum, { count }) => sum + count, 0),
    waste: wasteOf(requested, round.templates.get(group.name)!.node.capacity, nodes.length),
    similar,
  };
}

function carryOut(
  round: Round,
  { group, nodes, similar }: Option,
  demands: readonly Demand[],
): { readonly split: readonly Increase[]; readonly placements: readonly Placement[] } {
  const { sizes } = round;
  const members = [group, ...similar].map((member) => sizedOf(round, member));
  const done = fillGroup(round, group, demands, balance(members, nodes));
  const before = new Map(sizes);
  for (const info of done.nodes) {
    sizes.set(info.group!, sizes.get(info.group!)! + 1);
  }
  const split = members
    .map(({ name }) => ({ group: name, from: before.get(name)!, to: sizes.get(name)! }))
    .filter(({ from, to }) => to > from)
    .sort((a, b) => byName(a.group, b.group));
  return { split, placements: done.placements };
}

/** Estimates with new nodes of these groups, in this order. */
function fillGroup(round: Round, group: NodeGroup, demands: readonly Demand[], order: readonly GroupName[]): Estimate {
  const { snapshot, scheduler, templates } = round;
  let next = 0;
  return estimate({
    snapshot,
    scheduler,
    loads: decreasing(demands, templates.get(group.name)!.node.allocatable).map(({ kind, pods }) => ({
      kind,
      count: pods.length,
    })),
    addNode: () => (next < order.length ? addNode(round, order[next++]!) : null),
  });
}

function addNode({ snapshot, templates, daemons, names }: Round, group: GroupName) {
  return addTemplateNode(snapshot, templates.get(group)!, `${group}-new-${names.next++}`, daemons.get(group)!);
}

const sizedOf = ({ sizes }: Round, { name, maxSize }: NodeGroup): Sized => ({
  name,
  size: sizes.get(name)!,
  max: maxSize,
});

/** How many nodes one decision may add to the cluster. */
function limitOf({ scenario: { options }, snapshot }: Round): number {
  const room =
    options.maxNodesTotal > 0 ? Math.max(0, options.maxNodesTotal - snapshot.nodeCount) : Number.POSITIVE_INFINITY;
  return Math.min(options.maxNodesPerScaleup, room);
}

function requestsOf(placements: readonly Placement[]): Resources {
  let cpu = 0;
  let memory = 0;
  for (const { kind, count } of placements) {
    cpu += (kind.requests[CPU] ?? 0) * count;
    memory += (kind.requests[MEMORY] ?? 0) * count;
  }
  return { [CPU]: cpu, [MEMORY]: memory };
}

/** Takes the placed pods out of the demands, in the order of their names, and notes their groups. */
function assign(
  demands: readonly Demand[],
  placements: readonly Placement[],
  triggered: Map<Pod, GroupName>,
): readonly Demand[] {
  const taken = new Map<PodKind, number>();
  const byKind = new Map(demands.map((demand) => [demand.kind, demand]));
  for (const { kind, info, count } of placements) {
    const from = taken.get(kind) ?? 0;
    for (const pod of byKind.get(kind)!.pods.slice(from, from + count)) {
      triggered.set(pod, info.group!);
    }
    taken.set(kind, from + count);
  }
  return demands
    .map(({ kind, pods }) => ({ kind, pods: pods.slice(taken.get(kind) ?? 0) }))
    .filter(({ pods }) => pods.length > 0);
}

function leftOver(round: Round, { kind, pods }: Demand): LeftOver {
  const { scenario, snapshot, scheduler } = round;
  let awaiting = false;
  const reasons = scenario.nodeGroups.map((group): PodReason => {
    const skip = skipOf(round, group);
    if (skip !== null && (skip.reason !== 'MaxSizeReached' || group.targetSize >= group.maxSize)) {
      return { group: group.name, reason: SKIP_WORDS[skip.reason] };
    }
    snapshot.fork();
    const rejection = scheduler.check(kind, addNode(round, group.name));
    snapshot.revert();
    if (rejection !== null) {
      return { group: group.name, reason: rejection.reasons.join(', ') };
    }
    awaiting = true;
    return { group: group.name, reason: skip === null ? 'waits for a later decision' : SKIP_WORDS[skip.reason] };
  });
  return { pods, awaiting, reasons };
}
