import { isSuperseded } from '../superseded.ts';
import type { Intent } from '../../model/intent.ts';
import { groupOption } from '../../model/node-group.ts';
import type { Options } from '../../model/options.ts';
import type { Scenario } from '../../model/scenario.ts';
import type { ScaleUpRequest, State } from '../../model/state.ts';
import type { GroupName } from '../../model/values/names.ts';
import { sortedBy } from '../../model/values/sorted.ts';
import { mapOptional } from '../../model/values/optional.ts';
import { addTime, type EpochMs, epochMs } from '../../model/values/time.ts';

/**
 * The scale-up requests of a state, with those that the stored intents show where no evaluation of scale-up has written it:
 * a state that cannot be read is set aside and begun anew, while the intents stay. Without their requests the nodes that
 * they ask for would not be upcoming, and would be launched again in another group.
 *
 * Groups are not observed yet, so that they have the cluster's time to become nodes until `withGroupProvisionTime` gives them their
 * group's.
 */
export function knownRequests(state: State, intents: readonly Intent[], options: Options): readonly ScaleUpRequest[] {
  const { scaleUpRequests, lastScaleUpEvaluation } = state;
  if (lastScaleUpEvaluation !== undefined) {
    return scaleUpRequests;
  }
  const known = new Set(scaleUpRequests.map(({ group }) => group));
  const asked = new Map<GroupName, { readonly increase: number; readonly time: EpochMs }>();
  for (const intent of intents) {
    const { group, kind, status, createdAt } = intent;
    if (
      kind !== 'SetSize' ||
      known.has(group) ||
      !['pending', 'done'].includes(status) ||
      isSuperseded(intent, state)
    ) {
      continue;
    }
    const before = asked.get(group);
    asked.set(group, {
      increase: (before?.increase ?? 0) + intent.to - intent.from,
      time: epochMs(Math.max(createdAt, before?.time ?? createdAt)),
    });
  }
  const restored = [...asked]
    .filter(([, { increase }]) => increase > 0)
    .map(([group, { increase, time }]) => ({
      group,
      increase,
      time,
      expectedAddTime: addTime(time, options.maxNodeProvisionTime),
    }));
  return sortedBy([...scaleUpRequests, ...restored], ({ group }) => group);
}

/**
 * The scenario in which requests that were found in intents have their group's `maxNodeProvisionTime`, and are none where
 * that is over, or the group is not there any more.
 *
 * @param stored the state before `knownRequests`.
 */
export function withGroupProvisionTime(scenario: Scenario, { scaleUpRequests: stored }: State): Scenario {
  const { state, nodeGroups, options, now } = scenario;
  const known = new Set(stored.map(({ group }) => group));
  if (state.scaleUpRequests.every(({ group }) => known.has(group))) {
    return scenario;
  }
  const groups = new Map(nodeGroups.map((group) => [group.name, group]));
  const expectedOf = ({ group, time }: ScaleUpRequest): EpochMs =>
    mapOptional(groups.get(group), (of) => addTime(time, groupOption(options, of, 'maxNodeProvisionTime'))) ?? now;
  const scaleUpRequests = state.scaleUpRequests
    .map((request) => (known.has(request.group) ? request : { ...request, expectedAddTime: expectedOf(request) }))
    .filter(({ group, expectedAddTime }) => known.has(group) || expectedAddTime > now);
  return { ...scenario, state: { ...state, scaleUpRequests } };
}
