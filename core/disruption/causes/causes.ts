import type { DisruptionReason } from '../../model/disruption.ts';
import type { Node } from '../../model/cluster/node.ts';
import type { NodeName } from '../../model/values/names.ts';
import { hasCloudAction } from '../../model/cloud-action.ts';
import { groupOption, type NodeGroup } from '../../model/node-group.ts';
import type { Scenario } from '../../model/scenario.ts';
import { DISRUPTION_MESSAGES } from '../../words/disruption.ts';
import { expiresAt } from './expired.ts';
import { conditionToRepair, isUnwell } from './unhealthy.ts';

/** Reasons to replace a node that are about the node alone. */
export type Cause = Extract<DisruptionReason, 'Unhealthy' | 'Drifted' | 'Expired'>;

/** The most urgent first. */
export const CAUSES: readonly Cause[] = ['Unhealthy', 'Drifted', 'Expired'];

/** The reason as a cause; `null` for reasons about the cost or the utilization of nodes. */
export const asCause = (reason: DisruptionReason): Cause | null => CAUSES.find((cause) => cause === reason) ?? null;

type Asked = Pick<Scenario, 'options' | 'now'>;

/** Does an option ask for it? */
export function isTurnedOn(cause: Cause, group: NodeGroup, { options }: Asked): boolean {
  switch (cause) {
    case 'Unhealthy':
      return groupOption(options, group, 'nodeRepair') === 'replace' && !hasCloudAction(group, 'NodeRepair');
    case 'Drifted':
      return groupOption(options, group, 'driftReplacement') === 'replace';
    case 'Expired':
      return groupOption(options, group, 'expireAfter') > 0;
  }
}

/** Why a node is to be replaced for this cause, in words; `null` where it is not. */
export function causeOf(cause: Cause, node: Node, group: NodeGroup, { options, now }: Asked): string | null {
  switch (cause) {
    case 'Unhealthy': {
      const condition = conditionToRepair(node, now);
      return condition === null ? null : DISRUPTION_MESSAGES.unhealthy(condition);
    }
    case 'Drifted': {
      const drifted = driftOf(node.name, group);
      return drifted === null ? null : DISRUPTION_MESSAGES.drifted(drifted);
    }
    case 'Expired': {
      const at = expiresAt(node, groupOption(options, group, 'expireAfter'));
      return at !== null && at <= now ? DISRUPTION_MESSAGES.expired(at) : null;
    }
  }
}

const driftOf = (name: NodeName, { instances }: NodeGroup): string | null =>
  instances.find(({ node }) => node === name)?.drifted ?? null;

/** With a larger share of unhealthy nodes the cause is not in the nodes: Karpenter's share, rounded up as in Karpenter. */
const MOST_UNHEALTHY = 0.2;

/** Are more of these nodes unhealthy than are replaced for it? */
export function areTooManyUnwell(nodes: readonly Node[]): boolean {
  const unwell = nodes.filter(isUnwell).length;
  return unwell > Math.ceil(nodes.length * MOST_UNHEALTHY);
}
