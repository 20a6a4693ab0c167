import { getExisting } from '../model/values/existing.ts';
import type { Increase } from '../model/decision.ts';
import type { GroupName } from '../model/values/names.ts';
import { groupOption } from '../model/node-group.ts';
import type { Scenario } from '../model/scenario.ts';
import { sortedBy, sortedRecord } from '../model/values/sorted.ts';
import type { ScaleUpRequest, State } from '../model/state.ts';
import { addTime } from '../model/values/time.ts';

/**
 * The state with these increases as requests. They are registered with the decision, before any size is set; one more
 * request for a group extends the first. Follows `RegisterScaleUp` of Cluster Autoscaler's clusterstate.go.
 */
export function registerScaleUp(
  { options, nodeGroups, now }: Scenario,
  state: State,
  increases: readonly Increase[],
): State {
  if (increases.length === 0) {
    return state;
  }
  const requests = new Map<GroupName, ScaleUpRequest>(state.scaleUpRequests.map((request) => [request.group, request]));
  const groups = new Map(Object.entries(state.groups) as [GroupName, State['groups'][GroupName]][]);
  const known = new Map(nodeGroups.map((group) => [group.name, group]));
  for (const { group, from, to } of increases) {
    requests.set(group, {
      group,
      increase: (requests.get(group)?.increase ?? 0) + to - from,
      time: now,
      expectedAddTime: addTime(now, groupOption(options, getExisting(known, group), 'maxNodeProvisionTime')),
    });
    groups.set(group, {
      lastScaleUp: now,
      lastScaleDownDelete: groups.get(group)?.lastScaleDownDelete ?? null,
      lastScaleDownFailure: groups.get(group)?.lastScaleDownFailure ?? null,
    });
  }
  return {
    ...state,
    scaleUpRequests: sortedBy([...requests.values()], ({ group }) => group),
    lastScaleUp: now,
    groups: sortedRecord(groups),
  };
}
