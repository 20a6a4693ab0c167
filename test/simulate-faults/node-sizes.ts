import { CPU, MEMORY } from '../../core/model/values/resources.ts';
import type { SimulatedScalingGroup } from '../../simulation/cloud/scaling-group.ts';

export const UNIT_CPU = 500;
export const DAEMON_CPU = 150;

/** Less than a unit, and of no use. */
export const ODD_CPU = 200;

/** Units that the pods of a pool can use on a node of this group. */
export const nodeUnits = (
  { units }: { readonly units: number },
  { allocatable }: Pick<SimulatedScalingGroup, 'allocatable'>,
): number => Math.min(units, Math.floor((allocatable[CPU]! - DAEMON_CPU) / UNIT_CPU));

/** A group like this one, whose nodes hold so many times as much. */
export function ofAnotherSize(
  like: SimulatedScalingGroup,
  times: number,
): Pick<SimulatedScalingGroup, 'capacity' | 'allocatable'> {
  const resized = (of: SimulatedScalingGroup['capacity']): SimulatedScalingGroup['capacity'] => ({
    ...of,
    [CPU]: (of[CPU]! - DAEMON_CPU - ODD_CPU) * times + DAEMON_CPU + ODD_CPU,
    [MEMORY]: of[MEMORY]! * times,
  });
  return { capacity: resized(like.capacity), allocatable: resized(like.allocatable) };
}
