import { withActions, type CloudAction } from '@outrigger/core/model/cloud-action.ts';
import type { NodeGroup } from '@outrigger/core/model/node-group.ts';
import type { GroupName } from '@outrigger/core/model/values/names.ts';
import type { EpochMs } from '@outrigger/core/model/values/time.ts';
import type { HourlyWarn } from '../../node-groups/warnings.ts';
import type { AwsClients } from '../api/clients.ts';
import type { LookupResult } from '../api/lookup.ts';
import { createInstanceRefreshes } from './instance-refreshes.ts';
import { createEksActions } from './managed-node-groups.ts';
import { getOptional } from '@outrigger/core/model/values/optional.ts';
import { okValue } from '@outrigger/core/model/values/result.ts';

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
  const eksActions = createEksActions(eks, now);
  const refreshes = createInstanceRefreshes(autoScaling, now);
  return async (groups, asked, managed, signal) => {
    const keys = new Map([...managed].filter(([name]) => asked.has(name)));
    const names = groups.map(({ name }) => name).filter((name) => asked.has(name));
    const [found, refreshed] = await Promise.all([eksActions.get(keys.values(), signal), refreshes.get(names, signal)]);
    return groups.map((group) => {
      const ofEks = actionsIn(getOptional(found, keys.get(group.name)), UNKNOWN_TO_EKS, group, warn);
      const ofRefresh = actionsIn(refreshed.get(group.name), UNKNOWN_REFRESH, group, warn);
      return withActions(group, [...ofEks, ...ofRefresh]);
    });
  };
}

const UNKNOWN_TO_EKS = 'EKS did not report whether it is updating the group';
const UNKNOWN_REFRESH = 'It is not known whether an instance refresh is replacing nodes';

/** @param unknown a sentence for a lookup that failed */
function actionsIn(
  found: LookupResult<readonly CloudAction[]> | undefined,
  unknown: string,
  { name }: NodeGroup,
  warn: HourlyWarn,
): readonly CloudAction[] {
  if (found?.ok === false) {
    const { code, message } = found.error;
    const problem = `${unknown} (${code}: ${message}); its nodes may be removed`;
    warn(`${unknown}: ${name}`, `Auto Scaling group ${name}: ${problem}`);
  }
  return okValue(found) ?? [];
}
