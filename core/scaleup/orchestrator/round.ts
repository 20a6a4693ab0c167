import type { SkippedGroup } from '../../model/decision.ts';
import type { GroupName } from '../../model/names.ts';
import type { Node } from '../../model/node.ts';
import { groupOption, type NodeGroup } from '../../model/node-group.ts';
import type { Scenario } from '../../model/scenario.ts';
import type { PodKind } from '../../model/snapshot/pod-kind.ts';
import type { NodeInfo, Snapshot } from '../../model/snapshot/snapshot.ts';
import type { Registry } from '../../registry/registry.ts';
import type { Scheduler } from '../../scheduling/scheduler.ts';
import { type BudgetedScheduler, budgeted } from '../../scheduling/budgeted-scheduler.ts';
import type { Demand } from '../../estimator/demand.ts';
import { type Chooser, chooserFor } from '../expanders/chooser.ts';
import { skipReason } from '../../nodegroups/skip-reason.ts';
import { type ClusterLimits, clusterLimits } from '../../nodegroups/resource-quotas.ts';
import { FIRST_FIT_DECREASING, type PackingMethod } from '../../estimator/packing-method.ts';
import { type Similarity, similarityFor } from '../../nodegroups/similar.ts';
import { addTemplateNode, countedShapes, type GroupTemplate, shapesOf } from '../../nodegroups/node-templates.ts';

export interface PlanInput {
  readonly scenario: Scenario;
  readonly registry: Registry;
  readonly snapshot: Snapshot;
  readonly scheduler: Scheduler;
  readonly templates: ReadonlyMap<GroupName, GroupTemplate>;
  /** Pods that fit nowhere as things stand. */
  readonly demands: readonly Demand[];
  readonly variant: Variant;
  /** How many nodes the evaluation adds besides, none unless given: they count for `maxNodesPerScaleup`. */
  readonly already?: number;
}

/** How a plan is made. */
export interface Variant {
  readonly method: PackingMethod;
  /** The group that is chosen first, if it is among the options; `null`: whichever the expanders choose. */
  readonly first: GroupName | null;
  /** Groups that are not considered. */
  readonly without: ReadonlySet<GroupName>;
}

/** As Cluster Autoscaler plans. */
export const USUAL: Variant = { method: FIRST_FIT_DECREASING, first: null, without: new Set() };

/** One evaluation's decisions in the making. */
export interface Round extends PlanInput {
  readonly scheduler: BudgetedScheduler;
  /** What each group has after the decisions taken so far. */
  readonly sizes: Map<GroupName, number>;
  readonly limits: ClusterLimits;
  readonly similar: Similarity;
  readonly chooser: Chooser;
  readonly daemons: ReadonlyMap<GroupName, readonly PodKind[]>;
  readonly names: { next: number };
}

export function startRound(input: PlanInput): Round {
  const { scenario, snapshot, templates } = input;
  const { options, provider } = scenario;
  const nodes = snapshot.nodes.flatMap((info) => (info === null ? [] : [shapesOf(info, templates)]));
  const scheduler = budgeted(input.scheduler);
  return {
    ...input,
    scheduler,
    sizes: new Map(scenario.nodeGroups.map((group) => [group.name, group.targetSize])),
    limits: clusterLimits(nodes, options, provider),
    similar: similarityFor(options, provider),
    chooser:
      input.variant.first === null ? chooserFor(scenario) : startingWith(input.variant.first, chooserFor(scenario)),
    daemons: new Map(
      [...templates].map(([name, template]) => [name, template.pods.map((pod) => snapshot.kindOf(pod))]),
    ),
    // Larger than of any node that an earlier plan has left on the snapshot.
    names: { next: snapshot.nodes.length },
  };
}

/** Chooses one group first, then as usual. Nothing is given up early, since that group need not be the best. */
function startingWith(first: GroupName, usual: Chooser): Chooser {
  let next: GroupName | null = first;
  return {
    ...usual,
    choose: (options, random) => {
      const winner = options.find(({ group }) => group.name === next);
      next = null;
      return winner === undefined
        ? usual.choose(options, random)
        : { winner, equals: [winner], why: 'the whole plan is cheaper when this group comes first' };
    },
    preferred: (options, random) =>
      options.find(({ group }) => group.name === next)?.group ?? usual.preferred(options, random),
    stopRule: null,
  };
}

/** How many more nodes this evaluation may add (`maxNodesPerScaleup`). */
export function nodesLeft({ scenario: { nodeGroups, options }, sizes, already }: Round): number {
  if (options.maxNodesPerScaleup === 0) {
    return Number.POSITIVE_INFINITY;
  }
  const added = nodeGroups.reduce((sum, { name, targetSize }) => sum + sizes.get(name)! - targetSize, already ?? 0);
  return Math.max(0, options.maxNodesPerScaleup - added);
}

/** All or nothing: such a group is empty or at its maximum. */
export const isAllOrNothing = ({ scenario: { options } }: Round, group: NodeGroup): boolean =>
  groupOption(options, group, 'zeroOrMaxNodeScaling');

/** Why this group cannot grow any more; `null` when it can. */
export function skipOf(round: Round, group: NodeGroup): SkippedGroup | null {
  const { registry, templates, sizes, limits } = round;
  const size = sizes.get(group.name)!;
  const skip = skipReason(group, size, registry.groups.get(group.name), templates);
  const template = templates.get(group.name);
  if (skip !== null || template === undefined) {
    return skip;
  }
  const wanted = isAllOrNothing(round, group) ? group.maxSize - size : 1;
  const counted = countedShapes(template);
  if (limits.room(counted) >= wanted) {
    return null;
  }
  const exceeded = limits.exceededBy(counted, wanted).join(', ');
  const message = wanted === 1 ? exceeded : `${exceeded}, as all ${wanted} nodes come or none`;
  return { group: group.name, reason: 'ResourceLimitExceeded', message };
}

/** Puts one more node of a group into the snapshot. */
export function addNode({ snapshot, templates, daemons, names }: Round, group: GroupName): NodeInfo {
  // Names do not tell the group, so that plans for different groups share their host names, and what counts by them.
  return addTemplateNode(snapshot, templates.get(group)!, `planned-${names.next++}`, daemons.get(group)!);
}

/** Tries something with a new node of the group; without success the node is taken away again. */
export function tryNode(round: Round, group: GroupName, use: (info: NodeInfo) => boolean): boolean {
  const { snapshot, names } = round;
  const { next } = names;
  snapshot.fork();
  if (use(addNode(round, group))) {
    snapshot.commit();
    return true;
  }
  snapshot.revert();
  names.next = next;
  return false;
}

/** Asks about new nodes of the group, one of each shape that they may have, and takes them away again. */
export function onFreshNodes<T>(round: Round, group: GroupName, ask: (nodes: readonly NodeInfo[]) => T): T {
  const { snapshot, names, templates, daemons } = round;
  const template = templates.get(group)!;
  const { next } = names;
  const nodes: Node[] = [template.node, ...template.shapes];
  snapshot.fork();
  const answer = ask(
    nodes.map((node) =>
      addTemplateNode(snapshot, { ...template, node }, `planned-${names.next++}`, daemons.get(group)!),
    ),
  );
  snapshot.revert();
  names.next = next;
  return answer;
}
