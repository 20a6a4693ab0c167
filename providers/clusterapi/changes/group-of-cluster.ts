import type { CallFailed } from '@outrigger/core/model/answers.ts';
import { type Result, err, ok } from '@outrigger/core/model/values/result.ts';
import type { GroupName } from '@outrigger/core/model/values/names.ts';
import type { Transport } from '../../kubernetes/client/transport.ts';
import type { ManagementApi } from '../api/management-api.ts';
import { type InventoryRules, titleOf } from '../groups/group.ts';
import { readGroup } from '../groups/inventory.ts';
import { type GroupAccess, createGroupWrites } from './group-access.ts';
import type { GroupNow } from './group-now.ts';
import { refusedChange } from './outcomes.ts';

/** A management cluster to change. */
export interface ChangedManagementCluster {
  readonly transport: Transport;
  readonly api: ManagementApi;
  readonly apiGroup: string;
  readonly rules: InventoryRules;
}

/** Access to a group of a management cluster; `null` where the API group has no MachineSets, and thus no groups. */
export async function accessTo(
  { transport, api, apiGroup, rules }: ChangedManagementCluster,
  name: GroupName,
  signal?: AbortSignal,
): Promise<GroupAccess | null> {
  const sets = await api.resourceOf('MachineSet', signal);
  if (sets === null) {
    return null;
  }
  const writes = createGroupWrites(transport, apiGroup, sets.version);
  return { ...writes, read: (until) => readNow(api, rules, name, until) };
}

async function readNow(
  api: ManagementApi,
  rules: InventoryRules,
  name: GroupName,
  signal?: AbortSignal,
): Promise<Result<GroupNow, CallFailed> | null> {
  const group = await readGroup(api, rules, name, signal);
  if (group === null) {
    return null;
  }
  const { resource, bounds, sets, machines, paused, problem } = group;
  if (problem !== null) {
    return err(refusedChange('InvalidGroup', `${titleOf(resource)}: ${problem}`));
  }
  return ok({ resource, bounds, holders: resource.kind === 'MachineDeployment' ? sets : [resource], machines, paused });
}
