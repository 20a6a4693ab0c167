import { defaultOptions } from '@outrigger/core/model/options.ts';
import type { AwsClients } from '@outrigger/providers/aws/api/clients.ts';
import type { ScalingGroup } from '@outrigger/providers/aws/groups/scaling-group.ts';
import { planOf } from '../../placement/plan.ts';
import { readLaunches } from '../../placement/read.ts';
import type { DoctorSettings } from '../settings.ts';
import type { Fact } from './fact.ts';

/**
 * Reads which node groups do not give their new nodes the taint of planned placement.
 *
 * @returns `null` where the option `plannedPlacement` is off.
 * @throws where a group cannot be read
 */
export async function readUntainted(
  settings: DoctorSettings,
  clients: AwsClients,
  groups: Fact<readonly ScalingGroup[]>,
): Promise<readonly string[] | null> {
  const { plannedPlacement } = { ...defaultOptions(), ...settings.options };
  if (!plannedPlacement) {
    return null;
  }
  if (!groups.ok) {
    throw new Error(groups.error.text);
  }
  const launches = await readLaunches(clients, groups.value);
  const plans = launches.map((launch) => planOf(launch, 'add'));
  const unread = plans.find(({ tainted }) => tainted === null);
  if (unread !== undefined) {
    throw new Error(`Node group ${unread.group}: ${unread.problem ?? ''}`);
  }
  return plans.filter(({ tainted }) => tainted === false).map(({ group }) => group);
}
