import { withActions } from '@outrigger/core/model/cloud-action.ts';
import type { NodeGroup } from '@outrigger/core/model/node-group.ts';
import type { GroupName } from '@outrigger/core/model/values/names.ts';
import type { EpochMs } from '@outrigger/core/model/values/time.ts';
import type { HourlyWarn } from '../../node-groups/warnings.ts';
import type { AwsClients } from '../api/clients.ts';
import type { AwsFailure } from '../api/failures.ts';
import type { LookupResult } from '../api/lookup.ts';
import { createInstanceRefreshes } from './instance-refreshes.ts';
import { createEksActions, type EksActions } from './managed-node-groups.ts';

/**
 * Says of Auto Scaling groups what AWS does to their nodes (`NodeGroups.withCloudActions`).
 *
 * @param managed keys of the managed node groups (`managedKey`)
 */
type CloudActions = (
  groups: readonly NodeGroup[],
  asked: ReadonlySet<GroupName>,
  managed: ReadonlyMap<GroupName, string>,
  signal?: AbortSignal,
) => Promise<readonly NodeGroup[]>;

export function createCloudActions(
  { eks, autoScaling }: Pick<AwsClients, 'eks' | 'autoScaling'>,
  now: () => EpochMs,
  warn: HourlyWarn,
): CloudActions {
  const actions = createEksActions(eks, now);
  const refreshes = createInstanceRefreshes(autoScaling, now);
  return async (groups, asked, managed, signal) => {
    const keys = new Map([...managed].filter(([name]) => asked.has(name)));
    const names = groups.flatMap(({ name }) => (asked.has(name) ? [name] : []));
    const [found, refreshed] = await Promise.all([actions.get(keys.values(), signal), refreshes.get(names, signal)]);
    return groups.map((group) => {
      const told = withEksActions(group, found.get(keys.get(group.name) ?? ''), warn);
      return withRefresh(told, refreshed.get(group.name), warn);
    });
  };
}

function withEksActions(group: NodeGroup, found: LookupResult<EksActions> | undefined, warn: HourlyWarn): NodeGroup {
  if (found === undefined) {
    return group;
  }
  if (!found.ok) {
    warnOfUnknown('EKS did not report whether it is updating the group', group, found.error, warn);
    return group;
  }
  const { updates, repairs } = found.value;
  return withActions(group, [
    ...(updates ? (['Updating'] as const) : []),
    ...(repairs ? (['NodeRepair'] as const) : []),
  ]);
}

function withRefresh(group: NodeGroup, found: LookupResult<boolean> | undefined, warn: HourlyWarn): NodeGroup {
  if (found?.ok === false) {
    warnOfUnknown('It is not known whether an instance refresh is replacing nodes', group, found.error, warn);
  }
  return found?.ok === true && found.value ? withActions(group, ['InstanceRefresh']) : group;
}

function warnOfUnknown(what: string, { name }: NodeGroup, { code, message }: AwsFailure, warn: HourlyWarn): void {
  const problem = `${what} (${code}: ${message}); its nodes may be removed`;
  warn(`${what}: ${name}`, `Auto Scaling group ${name}: ${problem}`);
}
