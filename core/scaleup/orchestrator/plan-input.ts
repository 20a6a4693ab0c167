import type { Increase } from '../../model/decision.ts';
import type { GroupName } from '../../model/values/names.ts';
import { groupOption, type NodeGroup } from '../../model/node-group.ts';
import type { Scenario } from '../../model/scenario.ts';
import type { PodKind } from '../../model/snapshot/pod-kind.ts';
import type { Snapshot } from '../../model/snapshot/snapshot.ts';
import type { Registry } from '../../registry/registry.ts';
import { type BudgetedScheduler, budgeted } from '../../scheduling/budgeted-scheduler.ts';
import type { Demand } from '../../estimator/demand.ts';
import type { SnapshotScheduler } from '../../estimator/placing.ts';
import { type Chooser, chooserFor } from '../expanders/chooser.ts';
import { type ClusterLimits, limitsLeft } from '../../nodegroups/resource-quotas.ts';
import type { GroupTemplate } from '../../nodegroups/node-templates.ts';
import { type Similarity, similarityFor } from '../../nodegroups/similar.ts';

/**
 * The input of a plan. It does not change while the plan is made, but for the snapshot: amounts that the plan uses up
 * are in its `Ledger`.
 */
export interface PlanInput {
  readonly scenario: Scenario;
  readonly registry: Registry;
  readonly snapshot: Snapshot;
  readonly scheduler: BudgetedScheduler;
  readonly templates: ReadonlyMap<GroupName, GroupTemplate>;
  /** The pods that a new node of each group carries from the start. */
  readonly daemons: ReadonlyMap<GroupName, readonly PodKind[]>;
  readonly similarity: Similarity;
  readonly chooser: Chooser;
  /** Pods that fit nowhere as things stand. */
  readonly demands: readonly Demand[];
  /** The cluster's limits, less the nodes that are there before anything is planned (`limitsLeft`). */
  readonly limits: LimitsBefore;
  /** Number of nodes that the evaluation adds besides: they count for `maxNodesPerScaleup`. */
  readonly already: number;
}

/** Every plan begins with these: they are counted once, for there may be thousands of nodes, and dozens of plans. */
interface LimitsBefore {
  readonly left: ClusterLimits;
  /** The number of places on the snapshot that are counted: nodes in later ones are new. */
  readonly places: number;
}

/**
 * The input of a plan that adds nothing besides, still without pods. Its groups have their sizes after repairs, which are made before
 * increases.
 */
export function planInput(
  scenario: Scenario,
  registry: Registry,
  { snapshot, scheduler, templates }: SnapshotScheduler & Pick<PlanInput, 'templates'>,
): PlanInput {
  const nodeGroups = scenario.nodeGroups.map((group) => ({
    ...group,
    targetSize: registry.groups.get(group.name)?.target ?? group.targetSize,
  }));
  return {
    scenario: { ...scenario, nodeGroups },
    registry,
    snapshot,
    scheduler: budgeted(scheduler),
    templates,
    demands: [],
    daemons: new Map(
      [...templates].map(([name, template]) => [name, template.pods.map((pod) => snapshot.kindOf(pod))]),
    ),
    similarity: similarityFor(scenario.options, scenario.provider),
    chooser: chooserFor(scenario),
    limits: {
      left: limitsLeft(scenario, registry, snapshot.nodes, templates),
      places: snapshot.nodes.length,
    },
    already: 0,
  };
}

/** The input of a plan that is made beside another one: with the sizes that the groups then have. */
export function besides(input: PlanInput, sizes: ReadonlyMap<GroupName, number>): PlanInput {
  const { nodeGroups } = input.scenario;
  return {
    ...input,
    scenario: {
      ...input.scenario,
      nodeGroups: nodeGroups.map((group) => ({ ...group, targetSize: sizes.get(group.name) ?? group.targetSize })),
    },
    already: nodeGroups.reduce((sum, { name, targetSize }) => sum + (sizes.get(name) ?? targetSize) - targetSize, 0),
  };
}

/** The groups that are larger than before the plan, as far as they have grown. */
export const increasesTo = ({ scenario }: PlanInput, sizeOf: (group: NodeGroup) => number): readonly Increase[] =>
  scenario.nodeGroups
    .map((group) => ({ group: group.name, from: group.targetSize, to: sizeOf(group) }))
    .filter(({ from, to }) => to > from);

/** All or nothing: such a group is empty or at its maximum. */
export const isAllOrNothing = ({ scenario: { options } }: Pick<PlanInput, 'scenario'>, group: NodeGroup): boolean =>
  groupOption(options, group, 'zeroOrMaxNodeScaling');
