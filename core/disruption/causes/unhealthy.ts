import type { Node, NodeCondition } from '../../model/cluster/node.ts';
import { hasCloudAction } from '../../model/cloud-action.ts';
import { groupOption } from '../../model/node-group.ts';
import { mapOptional } from '../../model/values/optional.ts';
import { type DurationMs, type EpochMs, minutes } from '../../model/values/time.ts';
import { DISRUPTION_MESSAGES } from '../../words/disruption.ts';
import type { Cause } from './cause.ts';

/** A condition says that the node is broken. */
export const UNHEALTHY: Cause = {
  reason: 'Unhealthy',
  isEnabled: (group, { options }) =>
    groupOption(options, group, 'nodeRepair') === 'replace' && !hasCloudAction(group, 'NodeRepair'),
  find: (node, _, { now }) =>
    mapOptional(conditionToRepair(node, now), (condition) => DISRUPTION_MESSAGES.unhealthy(condition)),
};

/**
 * For how long conditions may say that a node is broken, by their type and status. As in Karpenter's AWS provider
 * (`RepairPolicies`), which has those of the EKS node monitoring agent beside the kubelet's own; the last two are permanent
 * problems of node-problem-detector.
 */
const TOLERATED: ReadonlyMap<string, DurationMs> = new Map([
  ['Ready False', minutes(30)],
  ['Ready Unknown', minutes(30)],
  ['AcceleratedHardwareReady False', minutes(10)],
  ['StorageReady False', minutes(30)],
  ['NetworkingReady False', minutes(30)],
  ['KernelReady False', minutes(30)],
  ['ContainerRuntimeReady False', minutes(30)],
  ['KernelDeadlock True', minutes(30)],
  ['ReadonlyFilesystem True', minutes(30)],
]);

const toleratedOf = ({ type, status }: NodeCondition): DurationMs | undefined => TOLERATED.get(`${type} ${status}`);

/** The condition for which a node is to be repaired; `null` where there is none, or not for long enough. */
export function conditionToRepair({ conditions }: Node, now: EpochMs): NodeCondition | null {
  return (
    conditions.find((condition) => {
      const tolerated = toleratedOf(condition);
      return tolerated !== undefined && condition.since !== null && now - condition.since >= tolerated;
    }) ?? null
  );
}

/** With a larger share of unhealthy nodes the cause is not in the nodes: Karpenter's share, rounded up as in Karpenter. */
const MOST_UNHEALTHY = 0.2;

/** Are more of these nodes unhealthy than are replaced for it? */
export function areTooManyUnwell(nodes: readonly Node[]): boolean {
  const unwell = nodes.filter(isUnwell).length;
  return unwell > Math.ceil(nodes.length * MOST_UNHEALTHY);
}

/** Does a node report such a problem at all, for however short a time? */
const isUnwell = ({ conditions }: Node): boolean =>
  conditions.some((condition) => toleratedOf(condition) !== undefined);
