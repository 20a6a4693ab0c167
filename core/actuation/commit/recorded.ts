import type { Decision, RecordedGroup } from '../../model/decision.ts';
import { INSTANCE_TYPE_LABEL, type Node } from '../../model/cluster/node.ts';
import { type NodeGroup, standingReason } from '../../model/node-group.ts';
import type { Scenario } from '../../model/scenario.ts';
import { valueOf } from '../../model/values/records.ts';
import { CPU, MEMORY } from '../../model/values/resources.ts';
import { sortedRecord } from '../../model/values/sorted.ts';

/**
 * A decision as it is stored: with what was observed of its node groups. A part of the evaluation records what it alone
 * goes by, so that nothing is stored twice: scale-up the limits and templates, scale-down which node is in which group.
 */
export const recorded = (decision: Decision, { nodeGroups }: Pick<Scenario, 'nodeGroups'>): Decision => ({
  ...decision,
  nodeGroups: sortedRecord(nodeGroups.map((group) => [group.name, recordedGroup(group, decision)] as const)),
});

function recordedGroup(group: NodeGroup, { evaluation }: Pick<Decision, 'evaluation'>): RecordedGroup {
  const { minSize: min, maxSize: max, template, nodes } = group;
  if (evaluation === 'ScaleDown') {
    return { nodes };
  }
  const cannotGrow = standingReason(group) ?? undefined;
  const ofScaleUp = { min, max, template: template?.node && shapeOf(template.node), cannotGrow };
  return evaluation === 'ScaleUp' ? ofScaleUp : { ...ofScaleUp, nodes };
}

const shapeOf = ({ labels, allocatable }: Node): RecordedGroup['template'] => ({
  instanceType: valueOf(labels, INSTANCE_TYPE_LABEL) ?? null,
  cpu: valueOf(allocatable, CPU) ?? 0,
  memory: valueOf(allocatable, MEMORY) ?? 0,
});
