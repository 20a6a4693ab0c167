import { getExisting } from '../model/values/existing.ts';
import { replacedWithin } from '../model/disruption.ts';
import { eachGroup } from '../model/fault.ts';
import type { Increase, SkippedGroup } from '../model/decision.ts';
import type { GroupName } from '../model/values/names.ts';
import { groupOption, type NodeGroup } from '../model/node-group.ts';
import type { Scenario } from '../model/scenario.ts';
import type { Registry } from '../registry/registry.ts';
import { type CountedNode, countedNode, limitsLeft } from '../nodegroups/resource-quotas.ts';
import { limitSkip, skipReason, skipWhole } from '../nodegroups/skip-reason.ts';
import type { PlanInput } from './orchestrator/plan-input.ts';

interface ToMin {
  readonly raised: readonly (Increase & { readonly kind: 'IncreaseToMin' })[];
  /** Groups that stay below their minimum, and why. */
  readonly skipped: readonly SkippedGroup[];
}

const NOTHING: ToMin = { raised: [], skipped: [] };

/**
 * Raises groups that are still below their minimum when everything else is decided (`enforceNodeGroupMinSize`), below
 * what a capacity schedule asks for, or below their minimum without the nodes that wait for others of the same group, of those
 * that may grow at all and as far as the limits of the cluster allow, one after another by name. One that is all or nothing
 * gets all of its nodes, or none where the limits do not allow that. Follows
 * `ScaleUpToNodeGroupMinSize` of Cluster Autoscaler's orchestrator, but for `maxNodesTotal`, which is kept by the cluster
 * here and not by each group alone.
 *
 * @param cluster with the nodes that were decided.
 */
export function increasesToMin(
  scenario: Scenario,
  { groups, report }: Pick<Registry, 'groups' | 'report'>,
  cluster: Pick<PlanInput, 'snapshot' | 'templates'>,
  increases: readonly Increase[],
): ToMin {
  const { snapshot, templates } = cluster;
  const { nodeGroups, options, state } = scenario;
  const enforced = options.enforceNodeGroupMinSize;
  const replacing = state.disruptions !== undefined && state.disruptions.length > 0;
  if (!report.clusterHealthy || !(enforced || replacing || nodeGroups.some(isScheduled))) {
    return NOTHING;
  }
  const decided = new Map(increases.map(({ group, to }) => [group, to]));
  const limits = limitsLeft(scenario, { groups }, snapshot.nodes, templates);
  const raised: (Increase & { readonly kind: 'IncreaseToMin' })[] = [];
  const skipped: SkippedGroup[] = [];
  const raise = (group: GroupName, from: number, to: number, node: CountedNode): void => {
    for (let size = from; size < to; size++) {
      limits.add(node);
    }
    if (to > from) {
      raised.push({ kind: 'IncreaseToMin', group, from, to });
    }
  };
  eachGroup(nodeGroups, (group) => {
    const { name } = group;
    const replaced = replacedWithin(group, state);
    const minSize =
      enforced || replaced > 0
        ? Math.min(group.maxSize, group.minSize + replaced)
        : (group.scheduledMinimum?.nodes ?? 0);
    const status = groups.get(name);
    const from = decided.get(name) ?? status?.target ?? group.targetSize;
    if (from >= minSize) {
      return;
    }
    const skip = skipReason(group, from, status, templates);
    if (skip !== null) {
      skipped.push(skip);
      return;
    }
    const node = countedNode(getExisting(templates, name));
    if (groupOption(options, group, 'zeroOrMaxNodeScaling')) {
      const whole = skipWhole({ group, size: from, node }, limits, state);
      if (whole === null) {
        raise(name, from, group.maxSize, node);
      } else {
        skipped.push(whole);
      }
      return;
    }
    const to = Math.min(minSize, from + limits.room(node));
    raise(name, from, to, node);
    if (to < minSize) {
      skipped.push(limitSkip(name, limits.exceededBy(node), `: ${to} of at least ${minSize} nodes`));
    }
  });
  return { raised, skipped };
}

const isScheduled = ({ scheduledMinimum }: NodeGroup): boolean => scheduledMinimum !== undefined;
