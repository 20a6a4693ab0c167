import { AWAITING_PODS_TAINT, type Taint } from '@outrigger/core/model/cluster/node.ts';
import { groupOption } from '@outrigger/core/model/node-group.ts';
import type { SimulatedScalingGroup } from '../cloud/scaling-group.ts';
import type { DemoLoad } from './load.ts';

/** The taint with which nodes of planned placement register. */
export const AWAITING: Taint = { key: AWAITING_PODS_TAINT, value: '', effect: 'NoSchedule' };

/** The load on node groups whose new nodes start with the taint of planned placement, where the option is on. */
export function awaitingPods(load: DemoLoad): DemoLoad {
  const { options, karpenter } = load;
  const isPlanned = options.plannedPlacement && karpenter === undefined;
  const withTaint = (group: SimulatedScalingGroup): SimulatedScalingGroup =>
    isPlanned && groupOption(options, group, 'plannedPlacement')
      ? { ...group, taints: [...group.taints, AWAITING] }
      : group;
  return { ...load, groups: load.groups.map(withTaint) };
}
