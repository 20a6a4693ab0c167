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

/** A condition that says a node is broken, and for how long it may say so. */
interface Symptom {
  readonly type: string;
  readonly statuses: readonly string[];
  readonly tolerated: DurationMs;
}

const symptom = (type: string, statuses: readonly string[], tolerated: DurationMs): Symptom => ({
  type,
  statuses,
  tolerated,
});

/**
 * As in Karpenter's AWS provider (`RepairPolicies`), which has those of the EKS node monitoring agent beside the kubelet's own; the
 * last two are permanent problems of node-problem-detector.
 */
const SYMPTOMS: readonly Symptom[] = [
  symptom('Ready', ['False', 'Unknown'], minutes(30)),
  symptom('AcceleratedHardwareReady', ['False'], minutes(10)),
  symptom('StorageReady', ['False'], minutes(30)),
  symptom('NetworkingReady', ['False'], minutes(30)),
  symptom('KernelReady', ['False'], minutes(30)),
  symptom('ContainerRuntimeReady', ['False'], minutes(30)),
  symptom('KernelDeadlock', ['True'], minutes(30)),
  symptom('ReadonlyFilesystem', ['True'], minutes(30)),
];

const toleratedOf = ({ type, status }: NodeCondition): DurationMs | null =>
  SYMPTOMS.find((known) => known.type === type && known.statuses.includes(status))?.tolerated ?? null;

/** The condition for which a node is to be repaired; `null` where there is none, or not for long enough. */
export function conditionToRepair({ conditions }: Node, now: EpochMs): NodeCondition | null {
  return (
    conditions.find((condition) => {
      const tolerated = toleratedOf(condition);
      return tolerated !== null && condition.since !== null && now - condition.since >= tolerated;
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
const isUnwell = ({ conditions }: Node): boolean => conditions.some((condition) => toleratedOf(condition) !== null);
