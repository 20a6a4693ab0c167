import type { Consideration, ConsideredOption, Increase, PodReason, SkippedGroup } from '../model/decision.ts';
import { byName, type GroupName } from '../model/names.ts';
import { HOSTNAME_LABEL } from '../model/node.ts';
import type { NodeGroup } from '../model/node-group.ts';
import type { Pod } from '../model/pod.ts';
import { randomFrom } from '../model/random.ts';
import { CPU, MEMORY, type Resources } from '../model/resources.ts';
import type { Scenario } from '../model/scenario.ts';
import { canonical, type PodKind } from '../model/snapshot/pod-kind.ts';
import type { NodeInfo, Snapshot } from '../model/snapshot/snapshot.ts';
import type { Registry } from '../registry/registry.ts';
import type { Scheduler } from '../scheduling/scheduler.ts';
import { createBalancer } from './balancing.ts';
import { decreasing, type Demand } from './demand.ts';
import { estimate, type Estimate } from './estimator.ts';
import { choose } from './expander.ts';
import { wasteOf } from './expanders/least-waste.ts';
import { SKIP_WORDS, skipReason } from './groups.ts';
import type { Option } from './option.ts';
import type { Load, Placement } from './placing.ts';
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
    left: leftOvers(round, demands),
  };
}

const skipOf = ({ registry, templates, scenario, sizes }: Round, group: NodeGroup): SkippedGroup | null =>
  skipReason(group, sizes.get(group.name)!, registry.groups.get(group.name), templates, scenario.options);

interface Decided {
  readonly consideration: Consideration;
  readonly placements: readonly Placement[];
}

/** One way to help: new nodes for these groups, which are similar and share them. Several groups may propose the same. */
interface Candidate {
  readonly members: readonly NodeGroup[];
  readonly proposers: readonly NodeGroup[];
  readonly template: GroupTemplate;
  readonly demands: readonly Demand[];
  readonly requested: Resources;
}

function decide(round: Round, demands: readonly Demand[], random: () => number): Decided | null {
  const { scenario, snapshot } = round;
  const candidates = candidatesOf(round, demands);
  const options: Option[] = [];
  const estimates = new Map<Candidate, Estimate>();
  /** The estimate that the snapshot shows; it is undone only when another one takes its place. */
  let shown: { readonly candidate: Candidate; readonly firstName: number } | null = null;
  const show = (candidate: Candidate, stop?: (nodes: number) => boolean): Estimate => {
    if (shown !== null) {
      snapshot.revert();
      round.names.next = shown.firstName;
    }
    shown = { candidate, firstName: round.names.next };
    snapshot.fork();
    return estimateFor(round, candidate, stop);
  };
  let least = Number.POSITIVE_INFINITY;
  for (const candidate of candidates) {
    const capacity = candidate.template.node.capacity;
    // Waste only grows with every further node: once past the best it cannot win any more.
    const hopeless = (nodes: number): boolean =>
      nodes > WORTH_STOPPING && wasteOf(candidate.requested, capacity, nodes) > least;
    const wasteDecides = scenario.options.expander[0] === 'least-waste';
    const result = show(candidate, wasteDecides ? hopeless : undefined);
    const option = optionOf(candidate, result);
    if (option !== null) {
      estimates.set(candidate, result);
      options.push(...candidate.proposers.map((group) => ({ ...option, group, similar: others(candidate, group) })));
      least = result.cutShort ? least : Math.min(least, option.waste);
    }
  }
  if (options.length === 0) {
    if (candidates.length > 0) {
      snapshot.revert();
    }
    return null;
  }
  options.sort((a, b) => byName(a.group.name, b.group.name));
  const { winner, why } = choose(options, scenario.options.expander, random);
  const chosen = candidates.find(({ proposers }) => proposers.includes(winner.group))!;
  const { nodes, placements } = isShown(shown, chosen) ? estimates.get(chosen)! : show(chosen);
  snapshot.commit();
  return {
    consideration: {
      options: options.map(describe),
      winner: winner.group.name,
      why,
      split: grow(round, nodes),
    },
    placements,
  };
}

/** Estimates below this many nodes are made in full, so that their figures can be shown. */
const WORTH_STOPPING = 50;

const isShown = (shown: { readonly candidate: Candidate } | null, candidate: Candidate): boolean =>
  shown?.candidate === candidate;

const others = ({ members }: Candidate, group: NodeGroup): readonly NodeGroup[] =>
  members.filter((member) => member !== group);

function describe({ group, nodes, pods, waste, similar, cutShort }: Option): ConsideredOption {
  return {
    group: group.name,
    nodes,
    pods,
    waste: Math.round(waste * 1e6) / 1e6,
    similarGroups: similar.map(({ name }) => name),
    ...(cutShort ? { cutShort } : {}),
  };
}

/** The most promising ones first, so that the others can be given up early. */
function candidatesOf(round: Round, demands: readonly Demand[]): readonly Candidate[] {
  const { scenario, templates } = round;
  const usable = scenario.nodeGroups.filter((group) => skipOf(round, group) === null);
  const holdable = new Map(usable.map((group) => [group.name, holdableBy(round, group, demands)]));
  const candidates = new Map<string, Candidate & { readonly proposers: NodeGroup[] }>();
  for (const group of usable) {
    const held = holdable.get(group.name)!;
    if (held.length === 0) {
      continue;
    }
    const members = usable.filter((other) => other === group || sharesWith(round, group, other, held, holdable));
    const key = `${members.map(({ name }) => name).join('\n')}\n\n${held.map(({ kind }) => kind.id).join()}`;
    const known = candidates.get(key);
    if (known === undefined) {
      const template = templates.get(group.name)!;
      candidates.set(key, { members, proposers: [group], template, demands: held, requested: requestsOf(held) });
    } else {
      known.proposers.push(group);
    }
  }
  return [...candidates.values()]
    .map((candidate) => ({
      candidate,
      bound: wasteOf(candidate.requested, candidate.template.node.capacity, fewestNodes(candidate)),
    }))
    .sort((a, b) => a.bound - b.bound)
    .map(({ candidate }) => candidate);
}

/** The demands that a fresh, otherwise empty node of the group would take one pod of. */
function holdableBy(round: Round, group: NodeGroup, demands: readonly Demand[]): readonly Demand[] {
  return onFreshNode(round, group.name, (info) =>
    demands.filter(({ kind }) => round.scheduler.check(kind, info) === null),
  );
}

/** Is the other group like this one, and holds everything that this one would? */
function sharesWith(
  { scenario, templates, similar }: Round,
  group: NodeGroup,
  other: NodeGroup,
  held: readonly Demand[],
  holdable: ReadonlyMap<GroupName, readonly Demand[]>,
): boolean {
  if (!scenario.options.balanceSimilarNodeGroups || !similar(templates.get(group.name)!, templates.get(other.name)!)) {
    return false;
  }
  const there = new Set(holdable.get(other.name)!.map(({ kind }) => kind));
  return held.every(({ kind }) => there.has(kind));
}

/** At least so many nodes are needed: for the resources, and for pods that keep apart from each other. */
function fewestNodes({ template, demands, requested }: Candidate): number {
  let fewest = 1;
  for (const resource of [CPU, MEMORY]) {
    const allocatable = template.node.allocatable[resource] ?? 0;
    if (allocatable > 0) {
      fewest = Math.max(fewest, Math.ceil((requested[resource] ?? 0) / allocatable));
    }
  }
  const apart = new Map<string, number>();
  for (const { kind, pods } of demands) {
    for (const term of kind.spec.podAntiAffinity) {
      if (term.topologyKey === HOSTNAME_LABEL) {
        const key = canonical(term.labelSelector);
        apart.set(key, (apart.get(key) ?? 0) + pods.length);
      }
    }
  }
  return Math.max(fewest, ...apart.values());
}

function estimateFor(round: Round, candidate: Candidate, stop?: (nodes: number) => boolean): Estimate {
  const { snapshot, scheduler, sizes } = round;
  const { members, template, demands } = candidate;
  const balancer = createBalancer(members.map(({ name, maxSize }) => ({ name, size: sizes.get(name)!, max: maxSize })));
  let allowed = limitOf(round);
  return estimate({
    snapshot,
    scheduler,
    loads: decreasing(demands, template.node.allocatable).map(({ kind, pods }) => ({ kind, count: pods.length })),
    offerNode: (use) => {
      const tried: GroupName[] = [];
      for (;;) {
        const group = allowed > 0 ? balancer.smallest(tried) : null;
        if (group === null) {
          return false;
        }
        snapshot.fork();
        const { next } = round.names;
        if (use(addNode(round, group))) {
          snapshot.commit();
          balancer.take(group);
          allowed -= 1;
          return true;
        }
        snapshot.revert();
        round.names.next = next;
        tried.push(group);
      }
    },
    ...(stop === undefined ? {} : { stop }),
  });
}

function optionOf(
  { template, members, requested }: Candidate,
  { nodes, placements, cutShort }: Estimate,
): Omit<Option, 'similar'> | null {
  if (nodes.length === 0) {
    return null;
  }
  const loads = placements.map(({ kind, count }) => ({ kind, count }));
  return {
    group: members[0]!,
    nodes: nodes.length,
    pods: loads.reduce((sum, { count }) => sum + count, 0),
    waste: wasteOf(cutShort ? requested : totalRequests(loads), template.node.capacity, nodes.length),
    cutShort,
  };
}

/** Raises the groups of the new nodes, and says by how much. */
function grow({ sizes }: Round, nodes: readonly NodeInfo[]): readonly Increase[] {
  const added = new Map<GroupName, number>();
  for (const { group } of nodes) {
    added.set(group!, (added.get(group!) ?? 0) + 1);
  }
  return [...added]
    .sort(([a], [b]) => byName(a, b))
    .map(([group, count]) => {
      const from = sizes.get(group)!;
      sizes.set(group, from + count);
      return { group, from, to: from + count };
    });
}

function addNode({ snapshot, templates, daemons, names }: Round, group: GroupName): NodeInfo {
  // Names do not tell the group, so that plans for different groups share their host names, and what counts by them.
  return addTemplateNode(snapshot, templates.get(group)!, `planned-${names.next++}`, daemons.get(group)!);
}

/** Asks about a new node of the group, and takes it away again. */
function onFreshNode<T>(round: Round, group: GroupName, ask: (info: NodeInfo) => T): T {
  const { snapshot, names } = round;
  const { next } = names;
  snapshot.fork();
  const answer = ask(addNode(round, group));
  snapshot.revert();
  names.next = next;
  return answer;
}

/** How many nodes one decision may add to the cluster. */
function limitOf({ scenario: { options }, snapshot }: Round): number {
  const room =
    options.maxNodesTotal > 0 ? Math.max(0, options.maxNodesTotal - snapshot.nodeCount) : Number.POSITIVE_INFINITY;
  return Math.min(options.maxNodesPerScaleup, room);
}

const requestsOf = (demands: readonly Demand[]): Resources =>
  totalRequests(demands.map(({ kind, pods }) => ({ kind, count: pods.length })));

function totalRequests(loads: readonly Load[]): Resources {
  let cpu = 0;
  let memory = 0;
  for (const { kind, count } of loads) {
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

/** Why nothing is bought for these pods, group by group. */
function leftOvers(round: Round, demands: readonly Demand[]): readonly LeftOver[] {
  const { scenario, scheduler } = round;
  if (demands.length === 0) {
    return [];
  }
  const verdicts = scenario.nodeGroups.map((group) => {
    const skip = skipOf(round, group);
    const usedUp = skip?.reason === 'MaxSizeReached' && group.targetSize < group.maxSize;
    if (skip !== null && !usedUp) {
      const reason: PodReason = { group: group.name, reason: SKIP_WORDS[skip.reason] };
      return demands.map(() => ({ reason, holds: false }));
    }
    const waits: PodReason = { group: group.name, reason: usedUp ? SKIP_WORDS.MaxSizeReached : WAITS };
    return onFreshNode(round, group.name, (info) =>
      demands.map(({ kind }) => {
        const no = scheduler.check(kind, info);
        return no === null
          ? { reason: waits, holds: true }
          : { reason: { group: group.name, reason: no.reasons.join(', ') }, holds: false };
      }),
    );
  });
  return demands.map(({ pods }, i) => ({
    pods,
    awaiting: verdicts.some((ofGroup) => ofGroup[i]!.holds),
    reasons: verdicts.map((ofGroup) => ofGroup[i]!.reason),
  }));
}

const WAITS = 'waits for a later decision';
