import { present } from '../../model/values/present.ts';
import { firstItem, getExisting } from '../../model/values/existing.ts';
import { about } from '../../model/fault.ts';
import type { GroupName } from '../../model/values/names.ts';
import type { NodeGroup } from '../../model/node-group.ts';
import type { NodeInfo } from '../../model/snapshot/snapshot.ts';
import { schedulerChecksLeft } from '../../scheduling/budgeted-scheduler.ts';
import { estimate, type Estimate, type EstimatorInput } from '../../estimator/estimator.ts';
import type { AlikeNodes } from '../../estimator/mix.ts';
import { fill, type Placer } from '../../estimator/placing.ts';
import type { PodKind } from '../../model/snapshot/pod-kind.ts';
import { decreasing, loadsIn } from '../../estimator/demand.ts';
import { createBalancer } from '../../nodegroups/balancing.ts';
import { countedNode } from '../../nodegroups/resource-quotas.ts';
import type { ScaleUpCandidate } from './expansion-options.ts';
import type { Ledger } from './ledger.ts';
import { addNode } from './new-nodes.ts';
import type { PlanInput } from './plan-input.ts';
// For its effect: code stays optimised from one evaluation to the next.
import '../../estimator/kept-estimate.ts';

interface EstimatedCandidate extends ScaleUpCandidate {
  /** The group that a node comes to where the groups are equal in size. */
  readonly preferred: NodeGroup;
}

/**
 * Estimates how many new nodes of a candidate's groups its pods take, as `maxNodegroupBinpackingDuration` allows. The
 * snapshot is left with them: fork it before.
 *
 * @param stop says after each new node whether the estimate can be given up.
 */
export const estimateFor = (
  input: PlanInput,
  ledger: Ledger,
  candidate: EstimatedCandidate,
  stop?: (nodes: number) => boolean,
): Estimate =>
  about({ kind: 'group', group: firstItem(candidate.members).name }, () => {
    const { snapshot, scheduler } = input;
    const { template, demands } = candidate;
    const result = estimate({
      snapshot,
      scheduler,
      loads: loadsIn(decreasing(demands, template.node.allocatable)),
      offerNode: offering(input, ledger, candidate),
      ...present({ stop }),
    });
    if (candidate.allOrNothing && result.nodes.length > 0) {
      return atMaximum(input, ledger, candidate, result);
    }
    return result;
  });

/** Offers new nodes of the candidate's groups, each time of the smallest one that may grow and whose node is of use. */
function offering(
  input: PlanInput,
  ledger: Ledger,
  { members, mostNodes, preferred }: EstimatedCandidate,
): EstimatorInput['offerNode'] {
  const { scheduler, templates, scenario } = input;
  const balancer = createBalancer(
    members.map(({ name, maxSize }) => ({ name, size: ledger.sizeOf(name), max: maxSize })),
    preferred.name,
  );
  // Groups that share nodes are similar, not the same: each node counts for what it is.
  const limits = ledger.limits();
  const shapes = new Map(members.map(({ name }) => [name, countedNode(getExisting(templates, name))]));
  let allowed = Math.min(ledger.nodesLeft(), mostNodes);
  const checksLeft = schedulerChecksLeft(scheduler, scenario.options.maxNodegroupBinpackingDuration);
  // At least one node is tried, so that every choice helps some pod.
  let mayStop = false;
  return (use: (info: NodeInfo) => boolean): boolean => {
    const tried: GroupName[] = [];
    if (mayStop && checksLeft() <= 0) {
      return false;
    }
    while (allowed > 0) {
      const group = balancer.smallest(tried);
      if (group === null) {
        return false;
      }
      if (limits.room(getExisting(shapes, group)) > 0 && tryNode(input, group, use)) {
        balancer.take(group);
        limits.add(getExisting(shapes, group));
        mayStop = true;
        allowed -= 1;
        return true;
      }
      tried.push(group);
    }
    return false;
  };
}

/** Offers a new node of the group; the node is taken away again if it is of no use. */
function tryNode(input: PlanInput, group: GroupName, use: (info: NodeInfo) => boolean): boolean {
  const { snapshot } = input;
  snapshot.fork();
  const isUsed = use(addNode(input, group));
  if (isUsed) {
    snapshot.commit();
  } else {
    snapshot.revert();
  }
  return isUsed;
}

/** Adds nodes of a candidate's groups for a mix, as far as limits and the scheduler allow. The snapshot is left with them. */
export function addMixed(
  input: PlanInput,
  ledger: Ledger,
  candidate: EstimatedCandidate,
  mix: readonly Pick<AlikeNodes<PodKind, unknown>, 'nodes' | 'pods'>[],
): Pick<Estimate, 'nodes' | 'placements'> {
  const offerNode = offering(input, ledger, candidate);
  const placer: Placer = { snapshot: input.snapshot, scheduler: input.scheduler, placements: [] };
  const nodes: NodeInfo[] = [];
  for (const { nodes: count, pods } of mix) {
    const use = (info: NodeInfo): boolean => {
      const placed = [...pods].map(([kind, each]) => fill(placer, info, { kind, count: each }));
      return placed.some((number) => number > 0) && nodes.push(info) > 0;
    };
    for (let i = 0; i < count && offerNode(use); i++) {}
  }
  return { nodes, placements: placer.placements };
}

/** An all-or-nothing group grows to its maximum, however few of its nodes are needed. */
function atMaximum(input: PlanInput, ledger: Ledger, { members }: ScaleUpCandidate, result: Estimate): Estimate {
  const [{ name, maxSize }] = members as [NodeGroup];
  const nodes = [...result.nodes];
  while (ledger.sizeOf(name) + nodes.length < maxSize) {
    nodes.push(addNode(input, name));
  }
  return { ...result, nodes };
}
