import { getExisting, required } from '../../model/values/existing.ts';
import type { SkippedGroup } from '../../model/decision.ts';
import type { GroupName } from '../../model/values/names.ts';
import type { NodeGroup } from '../../model/node-group.ts';
import type { NodeInfo } from '../../model/snapshot/snapshot.ts';
import { schedulerChecksLeft } from '../../scheduling/budgeted-scheduler.ts';
import { type ClusterLimits, countedNode, countedOf, countedOn } from '../../nodegroups/resource-quotas.ts';
import { limitSkip, skipReason, skipWhole } from '../../nodegroups/skip-reason.ts';
import { type CapacityTaken, takeNext } from '../../nodegroups/covered-prices.ts';
import { isAllOrNothing, type PlanInput } from './plan-input.ts';

/**
 * The amounts that the decisions of one plan have used up: of group sizes, cluster limits, scheduler checks.
 */
export class Ledger {
  readonly #input: PlanInput;
  #sizes: Map<GroupName, number>;
  #limits: ClusterLimits;
  readonly #groups: ReadonlyMap<GroupName, NodeGroup>;
  /** The capacity that the new nodes take of what is paid for. */
  #covered = new Map<string, number>();
  /** Scheduler checks left for further decisions (`salvoScaleUpBudget`). */
  readonly schedulerChecksLeft: () => number;

  constructor(input: PlanInput) {
    const { scheduler, scenario } = input;
    this.#input = input;
    this.#sizes = targetSizes(input);
    this.#limits = limitsLeft(input);
    this.#groups = new Map(scenario.nodeGroups.map((group) => [group.name, group]));
    this.schedulerChecksLeft = schedulerChecksLeft(scheduler, scenario.options.salvoScaleUpBudget);
  }

  /** The size of a group after the decisions made so far. */
  sizeOf(group: GroupName): number {
    return getExisting(this.#sizes, group);
  }

  /** A copy of the cluster's limits, as the decisions so far leave them. */
  limits(): ClusterLimits {
    return this.#limits.copy();
  }

  /** The capacity that the decisions so far take of what is paid for. */
  covered(): CapacityTaken {
    return this.#covered;
  }

  /** Number of nodes that this evaluation may still add (`maxNodesPerScaleup`). */
  nodesLeft(): number {
    const { scenario, already } = this.#input;
    const { maxNodesPerScaleup } = scenario.options;
    if (maxNodesPerScaleup === 0) {
      return Number.POSITIVE_INFINITY;
    }
    const added = scenario.nodeGroups.reduce(
      (sum, { name, targetSize }) => sum + this.sizeOf(name) - targetSize,
      already,
    );
    return Math.max(0, maxNodesPerScaleup - added);
  }

  /**
   * Why this group cannot grow any more; `null` when it can.
   *
   * @param asLastResort nothing else helps, so that a group may launch what was interrupted.
   */
  skipOf(group: NodeGroup, asLastResort = false): SkippedGroup | null {
    const { registry, templates } = this.#input;
    const size = this.sizeOf(group.name);
    const status = registry.groups.get(group.name);
    const mayTry = asLastResort && status?.shortage?.lastResort === true;
    const skip = skipReason(group, size, mayTry ? { ...status, shortage: null } : status, templates);
    const template = templates.get(group.name);
    if (skip !== null || template === undefined) {
      return skip;
    }
    const counted = countedNode(template);
    if (isAllOrNothing(this.#input, group)) {
      return skipWhole({ group, size, node: counted }, this.#limits, this.#input.scenario.state);
    }
    if (this.#limits.room(counted) >= 1) {
      return null;
    }
    return limitSkip(group.name, this.#limits.exceededBy(counted));
  }

  /** May the group get one more node beside the nodes on the snapshot? The ledger may count other nodes. */
  hasRoomBeside(group: GroupName): boolean {
    return limitsLeft(this.#input).room(countedNode(getExisting(this.#input.templates, group))) >= 1;
  }

  /** Raises the groups of new nodes. */
  add(nodes: readonly NodeInfo[]): void {
    for (const info of nodes) {
      this.#addTo(required(info.group, info.name));
      this.#limits.add(countedOf(info, this.#input.templates));
    }
  }

  #addTo(group: GroupName): void {
    this.#sizes.set(group, this.sizeOf(group) + 1);
    takeNext(getExisting(this.#groups, group), this.#covered);
  }

  /** Counts anew after nodes were taken back. @param nodes the new nodes that are left. */
  recount(nodes: readonly NodeInfo[]): void {
    this.#sizes = targetSizes(this.#input);
    this.#covered = new Map();
    for (const info of nodes) {
      this.#addTo(required(info.group, info.name));
    }
    this.#limits = limitsLeft(this.#input);
  }
}

const targetSizes = ({ scenario }: PlanInput): Map<GroupName, number> =>
  new Map(scenario.nodeGroups.map(({ name, targetSize }) => [name, targetSize]));

/** The cluster's limits, less what is on the snapshot. */
function limitsLeft({ limits, snapshot, templates }: PlanInput): ClusterLimits {
  const left = limits.left.copy();
  for (const shapes of countedOn(snapshot.nodes.slice(limits.places), templates)) {
    left.add(shapes);
  }
  return left;
}
