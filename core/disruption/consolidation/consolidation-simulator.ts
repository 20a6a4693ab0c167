import { firstItem } from '../../model/values/existing.ts';
import { addCount } from '../../model/values/counts.ts';
import type { Destination } from '../../model/decision.ts';
import { nodesBeingRemoved } from '../../model/state.ts';
import { about, type FaultSubject } from '../../model/fault.ts';
import { byName, type GroupName } from '../../model/values/names.ts';
import { mapOptional } from '../../model/values/optional.ts';
import { isUpdating } from '../../model/cloud-action.ts';
import { type CoveredPrice, groupOption, type NodeGroup, nodePricesOf } from '../../model/node-group.ts';
import type { Scenario } from '../../model/scenario.ts';
import type { Node } from '../../model/cluster/node.ts';
import { PODS } from '../../model/values/resources.ts';
import type { PodKind } from '../../model/snapshot/pod-kind.ts';
import type { NodeInfo, Snapshot } from '../../model/snapshot/snapshot.ts';
import { type Load, podsByKind } from '../../estimator/demand.ts';
import { type ClusterLimits, countedNode, limitsLeft } from '../../nodegroups/resource-quotas.ts';
import { addTemplateNode, type GroupTemplate } from '../../nodegroups/node-templates.ts';
import { nodesCovered } from '../../nodegroups/covered-prices.ts';
import { skipReason } from '../../nodegroups/skip-reason.ts';
import type { Registry } from '../../registry/registry.ts';
import type { TrialCandidate } from '../../scaledown/candidates.ts';
import { Destinations } from '../../scaledown/destinations.ts';
import { clusterMinimums, type ClusterMinimums } from '../../scaledown/minimums.ts';
import { partsOfGroups } from '../../scaledown/removable.ts';
import { type RemovalTaintToleration, removalTaintToleration } from '../../scaledown/removal-taint-toleration.ts';
import { destinationsIn, fillUp, inMovingOrder, loadsOf, moveAway, startRemoval } from '../../scaledown/removal.ts';
import { fullestFirst, utilizedShare } from '../../scaledown/fullest-first.ts';
import { evenList, evenOrder, removalQueue } from '../../scaledown/even-groups.ts';
import { type BudgetedScheduler, budgeted, schedulerChecksMade } from '../../scheduling/budgeted-scheduler.ts';
import type { SimulatedCluster } from '../../scheduling/simulated-cluster.ts';
import { CONSOLIDATION_MESSAGES } from '../../words/consolidation.ts';
import type { NodeCosts } from './node-costs.ts';
import { type Alternative, isToSpot, reasonAgainstSpot, spotGroupsChosen } from './spot-for-on-demand.ts';

interface ConsolidationSimulatorInput {
  readonly scenario: Scenario;
  readonly registry: Registry;
  readonly cluster: SimulatedCluster;
  readonly templates: ReadonlyMap<GroupName, GroupTemplate>;
  readonly costs: NodeCosts;
  /** Nodes that are ready and stay: pods may go there. Candidates may be among them. */
  readonly destinationNodes: readonly NodeInfo[];
  /** Unneeded nodes are removed before any node that is replaced. */
  readonly unneeded: readonly { readonly candidate: Pick<TrialCandidate, 'node' | 'group'> }[];
}

/**
 * The fullest first; of nodes with the same use, to one percent, the last to be removed come first: pods gather on
 * nodes of the smallest of similar groups.
 */
function inKeepingOrder(input: ConsolidationSimulatorInput): readonly NodeInfo[] {
  const queue = removalQueue(
    evenOrder(input, input.unneeded),
    fullestFirst(input.destinationNodes).toReversed(),
    ({ group }) => group,
    (info) => `${Math.round(utilizedShare(info) * 100)}`,
  );
  return evenList(queue).toReversed();
}

/** The terms for trying out some candidates. */
export interface ConsolidationQuery {
  /** May new nodes be launched for their pods? */
  readonly replace: boolean;
  /** The most that the new nodes may cost together, in the unit of `NodeCosts`; infinite where they need not be cheaper. */
  readonly maxCost: number;
  /** The most new nodes; absent: `MOST_NEW_NODES`. */
  readonly mostNodes?: number;
  /** The groups that the new nodes may be of; absent: all that could grow. */
  readonly suits?: (group: NodeGroup) => boolean;
  /** Is a new node launched even if all pods have places on existing nodes? The candidates' group then keeps its size. */
  readonly alwaysLaunch?: boolean;
}

/** The result for the pods of nodes that are removed together. */
export type SimulatedMove =
  /** All pods have places on existing nodes. */
  | { readonly kind: 'delete'; readonly destinations: readonly Destination[] }
  /** The remaining pods move to new nodes of one group. `destinations` are the places on existing nodes. */
  | {
      readonly kind: 'replace';
      readonly group: GroupName;
      /** The cost of the new nodes together. */
      readonly cost: number;
      readonly destinations: readonly Destination[];
    }
  | {
      readonly kind: 'none';
      /** Not all pods of this kind find a place; `null`: all pods do, and the new node of `alwaysLaunch` cannot be had. */
      readonly of: PodKind | null;
      /** Why a new node that could be launched does not help, in words; `null`: none could be launched. */
      readonly short: string | null;
    };

/** A group that new nodes may be of. */
interface Offer {
  readonly group: NodeGroup;
  readonly template: GroupTemplate;
  readonly daemons: readonly PodKind[];
  /** The cost of one node. */
  readonly cost: number;
  /** The covered price of the nodes; `null` where the cost holds for any number of nodes. */
  readonly cover: CoveredPrice | null;
}

/** A number of new nodes of one group. */
interface NewNodes extends Offer {
  readonly count: number;
}

const totalOf = ({ cost, count }: NewNodes): number => cost * count;

const newNodesOf = ({ template, count }: NewNodes): readonly Node[] =>
  Array.from({ length: count }, () => template.node);

/** Limits the new nodes of a disruption: they are paid beside the old ones until the pods have moved. */
export const MOST_NEW_NODES = 10;

/**
 * Tries out what becomes of the pods of removed nodes: they move to existing nodes, and pods without a place there to
 * new nodes, of the group whose nodes cost least together. As with removals, each trial begins with the results of `take`.
 */
export class ConsolidationSimulator {
  readonly #input: ConsolidationSimulatorInput;
  readonly #scheduler: BudgetedScheduler;
  readonly #destinations: Destinations;
  readonly #offers: readonly Offer[];
  readonly #limits: ClusterLimits;
  readonly #minimums: ClusterMinimums;
  readonly #isLast: RemovalTaintToleration;
  readonly #launched = new Map<GroupName, number>();
  /** The last answer of `spotGroupsChosen`: several Spot groups are asked about for the same pods. */
  #chosen: { readonly rest: readonly Load[]; readonly groups: ReadonlySet<GroupName> } | null = null;
  /** New nodes at a price that covers a limited number of nodes, by pool. */
  readonly #covered = new Map<string, number>();
  #names = 0;

  constructor(input: ConsolidationSimulatorInput) {
    const { cluster, templates, scenario, registry } = input;
    this.#input = input;
    this.#scheduler = budgeted(cluster.scheduler);
    this.#destinations = new Destinations({ ...cluster, scheduler: this.#scheduler }, inKeepingOrder(input));
    this.#offers = offersOf(input);
    this.#isLast = removalTaintToleration(scenario);
    this.#limits = limitsLeft(scenario, registry, cluster.snapshot.nodes, templates);
    this.#minimums = minimumsIn(input);
  }

  /** Number of scheduler checks made so far; infinite when the time of the evaluation is used up. */
  get schedulerChecks(): number {
    return schedulerChecksMade(this.#scheduler);
  }

  /** Could a suitable node be launched for no more than this? */
  hasOfferBelow({ maxCost, suits = () => true }: Pick<ConsolidationQuery, 'maxCost' | 'suits'>): boolean {
    for (const { cost, group } of this.#offers) {
      if (cost > maxCost) {
        return false;
      }
      if (suits(group)) {
        return true;
      }
    }
    return false;
  }

  /** Tries out the removal, and leaves the snapshot as it was. */
  simulate(candidates: readonly TrialCandidate[], ask: ConsolidationQuery): SimulatedMove {
    return this.#run(candidates, ask, false);
  }

  /**
   * Tries out the removal, and keeps it in the snapshot: the nodes are leaving, their pods are in their new places, and
   * the new node exists. No other pods are moved to the new node, for it may never come. Without places the snapshot is
   * left as it was.
   */
  apply(candidates: readonly TrialCandidate[], ask: ConsolidationQuery): SimulatedMove {
    return this.#run(candidates, ask, true);
  }

  #run(candidates: readonly TrialCandidate[], ask: ConsolidationQuery, keep: boolean): SimulatedMove {
    const { snapshot } = this.#input.cluster;
    const loads = loadsOfAll(snapshot, candidates);
    for (const { info } of candidates) {
      this.#destinations.close(info);
    }
    const hopeless = loads.filter(({ kind }) => this.#destinations.hasNone(kind));
    if (hopeless.length > 0 && (!ask.replace || this.#offersFor(hopeless, ask).length === 0)) {
      this.#open(candidates);
      return { kind: 'none', of: firstItem(hopeless).kind, short: null };
    }
    const podsByDestination = new Map<NodeInfo, number>();
    snapshot.fork();
    for (const { info } of candidates) {
      startRemoval(snapshot, info);
    }
    const hopeful = loads.filter((load) => !hopeless.includes(load));
    const note = (info: NodeInfo, count: number): unknown => addCount(podsByDestination, info, count);
    const how = { all: ask.replace, isLast: this.#isLast };
    const stuck = moveAway(hopeful, this.#destinations, note, how);
    const rest = [...hopeless, ...stuck];
    const isWanted = rest.length > 0 || ask.alwaysLaunch === true;
    const nodes = candidates.map(({ node }) => node);
    const offered = isWanted && ask.replace ? this.#launch(rest, ask, candidates) : null;
    const newNodes = typeof offered === 'string' ? null : offered;
    const found = !isWanted || newNodes !== null;
    if (found && keep) {
      snapshot.commit();
      this.#count(newNodes, nodes);
    } else {
      snapshot.revert();
      for (const to of podsByDestination.keys()) {
        this.#destinations.changed(to);
      }
      if (candidates.length === 1) {
        for (const { kind } of stuck) {
          this.#destinations.learn(kind, firstItem(candidates).info);
        }
      }
      this.#open(candidates);
    }
    const destinations = destinationsIn(podsByDestination);
    if (newNodes !== null) {
      return { kind: 'replace', group: newNodes.group.name, cost: totalOf(newNodes), destinations };
    }
    if (found) {
      return { kind: 'delete', destinations };
    }
    return { kind: 'none', of: rest[0]?.kind ?? null, short: typeof offered === 'string' ? offered : null };
  }

  #open(candidates: readonly TrialCandidate[]): void {
    for (const { info } of candidates) {
      this.#destinations.open(info);
    }
  }

  /**
   * Offers for these pods, the cheapest first, each with as many nodes as have as much of every resource as the pods request:
   * no fewer hold them.
   */
  #offersFor(loads: readonly Load[], ask: ConsolidationQuery): readonly NewNodes[] {
    const asked = requestsOf(loads);
    const { suits = () => true } = ask;
    return this.#offers
      .filter(({ group }) => suits(group))
      .map((offer) => ({ ...offer, count: fewestNodes(offer.template, asked) }))
      .filter((offer) => offer.count <= this.#mostOf(offer, ask))
      .sort((a, b) => totalOf(a) - totalOf(b) || byName(a.group.name, b.group.name));
  }

  /**
   * Puts new nodes for all of these pods into the snapshot: of the group whose nodes cost least together, and with which
   * the cluster keeps its minimums without `nodes`. Otherwise the disruption would wait in vain, and the nodes would be
   * launched again and again.
   *
   * @returns why not, in words, where new nodes have places for the pods: the minimum that the cluster would break, or what
   *   is against Spot nodes
   */
  #launch(
    rest: readonly Load[],
    ask: ConsolidationQuery,
    candidates: readonly TrialCandidate[],
  ): NewNodes | string | null {
    const nodes = candidates.map(({ node }) => node);
    let why: string | null = null;
    let best: NewNodes | null = null;
    for (const offer of this.#offersFor(rest, ask)) {
      if (best !== null && totalOf(offer) >= totalOf(best)) {
        break;
      }
      const short = this.#minimums.shortWith(newNodesOf(offer), nodes);
      if (short !== null) {
        why ??= short;
        continue;
      }
      const of: FaultSubject = { kind: 'group', group: offer.group.name };
      const count = about(of, () => this.#nodesFor(offer, rest, this.#mostOf(offer, ask)));
      if (count === null || (best !== null && count * offer.cost >= totalOf(best))) {
        continue;
      }
      const objection = about(of, () => this.#reasonAgainstSpot(offer, rest, ask, candidates));
      if (objection === null) {
        best = { ...offer, count };
      } else {
        why ??= objection;
      }
    }
    if (best !== null) {
      this.#fill(best, best.template.node, rest, best.count);
    }
    return best ?? why;
  }

  /** Why on-demand nodes are not replaced by Spot nodes of this offer to save cost, in words. */
  #reasonAgainstSpot(
    { group, template: { node } }: Offer,
    rest: readonly Load[],
    { maxCost }: ConsolidationQuery,
    candidates: readonly TrialCandidate[],
  ): string | null {
    const { scenario } = this.#input;
    const by = { group, node };
    if (!Number.isFinite(maxCost) || !isToSpot(candidates, by)) {
      return null;
    }
    const objection = reasonAgainstSpot(scenario, candidates, by, rest);
    if (objection !== null) {
      return objection;
    }
    if (this.#chosen?.rest !== rest) {
      this.#chosen = { rest, groups: spotGroupsChosen(this.#alternatives(rest, candidates), rest, scenario) };
    }
    return this.#chosen.groups.has(group.name) ? null : CONSOLIDATION_MESSAGES.expanderPrefersOnDemand(group.name);
  }

  /**
   * New nodes of every group that could take these pods. The groups of the candidates are among them even at their maximum:
   * otherwise pods would leave a full group that the expanders prefer, and its next node would be launched again.
   */
  #alternatives(rest: readonly Load[], candidates: readonly TrialCandidate[]): readonly Alternative[] {
    const offers = this.#offers.filter(({ cover }) => cover === null);
    const known = new Set(offers.map(({ group }) => group.name));
    const own = new Map(candidates.map(({ group }) => [group.name, group]));
    const missing = [...own.values()].filter(({ name }) => !known.has(name));
    const full = missing.flatMap((group) => offersOfGroup(group, this.#input).slice(-1));
    return [...offers, ...full].flatMap((offer) => {
      const { group, template } = offer;
      const found = about({ kind: 'group', group: group.name }, () => this.#nodesFor(offer, rest, MOST_NEW_NODES));
      const count = found ?? (own.has(group.name) ? candidates.length : null);
      return mapOptional(count, (nodes) => ({ group, node: template.node, count: nodes })) ?? [];
    });
  }

  /**
   * Number of new nodes that take all of these pods, whatever the nodes turn out to be; `null`: more than `most`.
   */
  #nodesFor(offer: Offer, rest: readonly Load[], most: number): number | null {
    const { snapshot } = this.#input.cluster;
    let count = 1;
    for (const node of [...offer.template.shapes, offer.template.node]) {
      snapshot.fork();
      const filled = this.#fill(offer, node, rest, most);
      snapshot.revert();
      if (filled === null) {
        return null;
      }
      count = Math.max(count, filled);
    }
    return count;
  }

  /**
   * Puts all of these pods onto new nodes, one after the other, which are left in the snapshot; see `#nodesFor`.
   *
   * @returns the number of nodes; `null`: more than `most` would be needed.
   */
  #fill({ group, template, daemons }: Offer, node: Node, rest: readonly Load[], most: number): number | null {
    const { snapshot } = this.#input.cluster;
    const on = { snapshot, scheduler: this.#scheduler };
    let left = rest;
    for (let count = 1; count <= most; count += 1) {
      const name = `${group.name}-replacement-${this.#names + count}`;
      const info = addTemplateNode(snapshot, { ...template, node }, name, daemons);
      const still = fillUp(on, info, left);
      if (still.length === 0) {
        return count;
      }
      if (podsIn(still) === podsIn(left)) {
        return null;
      }
      left = still;
    }
    return null;
  }

  /** Number of nodes by which a group may grow for a disruption. */
  #mostOf(
    { group, template, cost, cover }: Offer,
    { maxCost, mostNodes = MOST_NEW_NODES }: ConsolidationQuery,
  ): number {
    const left = group.maxSize - group.targetSize - (this.#launched.get(group.name) ?? 0);
    const affordable = cost > 0 ? Math.floor(maxCost / cost) : mostNodes;
    const covered = mapOptional(cover, (given) => nodesCovered(given, this.#covered)) ?? mostNodes;
    return Math.min(left, this.#limits.room(countedNode(template)), mostNodes, affordable, covered);
  }

  #count(newNodes: NewNodes | null, nodes: readonly Node[]): void {
    if (newNodes === null) {
      return;
    }
    const { template, count, group, cover } = newNodes;
    this.#minimums.replace(newNodesOf(newNodes), nodes);
    this.#names += count;
    addCount(this.#launched, group.name, count);
    if (cover !== null) {
      addCount(this.#covered, cover.pool, count * cover.each);
    }
    for (let n = 0; n < count; n += 1) {
      this.#limits.add(countedNode(template));
    }
  }
}

/** Nodes that wait for their replacement count as away, and nodes launched for them do not count. */
function minimumsIn({ scenario, unneeded }: ConsolidationSimulatorInput): ClusterMinimums {
  const minimums = clusterMinimums(scenario, nodesBeingRemoved(scenario.state));
  // No node of an all-or-nothing group is removed before all of its nodes are unneeded.
  const parts = partsOfGroups(unneeded, scenario);
  for (const { candidate } of unneeded) {
    if (!parts.has(candidate.group)) {
      minimums.take(candidate.node);
    }
  }
  return minimums;
}

/** The offers of every group that could grow by one node, cheapest first: one at each of its prices. */
function offersOf(input: ConsolidationSimulatorInput): readonly Offer[] {
  const { scenario, registry, templates } = input;
  const { nodeGroups, options } = scenario;
  return nodeGroups
    .filter(
      (group) =>
        !groupOption(options, group, 'zeroOrMaxNodeScaling') &&
        !isUpdating(group) &&
        skipReason(group, group.targetSize, registry.groups.get(group.name), templates) === null,
    )
    .flatMap((group) => offersOfGroup(group, input))
    .sort((a, b) => a.cost - b.cost || byName(a.group.name, b.group.name));
}

/** The offers of a group, one at each of its prices; none for a group without a template. */
function offersOfGroup(group: NodeGroup, { templates, costs, cluster }: ConsolidationSimulatorInput): readonly Offer[] {
  const template = templates.get(group.name);
  if (template === undefined) {
    return [];
  }
  const daemons = template.pods.map((pod) => cluster.snapshot.kindOf(pod));
  const { covered, uncovered } = nodePricesOf(group);
  const prices = [...covered.map((cover) => ({ price: cover.price, cover })), { price: uncovered, cover: null }];
  return prices.map(({ price, cover }) => ({
    group,
    template,
    daemons,
    cost: costs.ofNew({ ...group, price }),
    cover,
  }));
}

/** The pods of all of them, in the order in which they are moved. */
function loadsOfAll(snapshot: Snapshot, candidates: readonly TrialCandidate[]): readonly Load[] {
  const loads = candidates.map((candidate) => loadsOf(snapshot, candidate));
  if (loads.length === 1) {
    return firstItem(loads);
  }
  return inMovingOrder(podsByKind(loads.flat()), firstItem(candidates).node.allocatable);
}

/** The sum of the pods' requests. */
function requestsOf(loads: readonly Load[]): ReadonlyMap<string, number> {
  const sums = new Map<string, number>();
  for (const { kind, count } of loads) {
    for (const [resource, amount] of Object.entries(kind.requests)) {
      addCount(sums, resource, amount * count);
    }
    addCount(sums, PODS, count);
  }
  return sums;
}

/** How many nodes of the template have enough of every resource, at least one. All other constraints are left to the scheduler. */
const fewestNodes = ({ free }: GroupTemplate, asked: ReadonlyMap<string, number>): number =>
  Math.max(
    1,
    ...[...asked]
      .filter(([, amount]) => amount > 0)
      .map(([resource, amount]) => Math.ceil(amount / (free[resource] ?? 0))),
  );

const podsIn = (loads: readonly Load[]): number => loads.reduce((sum, { count }) => sum + count, 0);
