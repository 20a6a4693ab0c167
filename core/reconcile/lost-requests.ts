import { isOvertaken } from '../actuation/superseded.ts';
import type { Intent } from '../model/intent.ts';
import type { Options } from '../model/options.ts';
import type { ScaleUpRequest, State } from '../model/state.ts';
import type { GroupName } from '../model/values/names.ts';
import { sortedBy } from '../model/values/sorted.ts';
import { addTime, type EpochMs } from '../model/values/time.ts';

/**
 * The scale-up requests of a state, with those that the stored intents show where no evaluation of scale-up has written it:
 * a state that cannot be read is set aside and begun anew, while the intents stay. Without their requests the nodes that
 * they ask for would not be upcoming, and would be bought again in another group.
 */
export function knownRequests(
  state: State,
  intents: readonly Intent[],
  options: Options,
  now: EpochMs,
): readonly ScaleUpRequest[] {
  const { scaleUpRequests, lastScaleUpEvaluation } = state;
  if (lastScaleUpEvaluation !== undefined) {
    return scaleUpRequests;
  }
  const known = new Set(scaleUpRequests.map(({ group }) => group));
  const asked = new Map<GroupName, { readonly increase: number; readonly time: EpochMs }>();
  for (const intent of intents) {
    const { group, kind, status, createdAt } = intent;
    if (kind !== 'SetSize' || known.has(group) || !['pending', 'done'].includes(status) || isOvertaken(intent, state)) {
      continue;
    }
    const before = asked.get(group);
    asked.set(group, {
      increase: (before?.increase ?? 0) + intent.to - intent.from,
      time: before === undefined || createdAt > before.time ? createdAt : before.time,
    });
  }
  const restored = [...asked]
    .filter(([, { increase, time }]) => increase > 0 && addTime(time, options.maxNodeProvisionTime) > now)
    .map(([group, { increase, time }]) => ({
      group,
      increase,
      time,
      expectedAddTime: addTime(time, options.maxNodeProvisionTime),
    }));
  return sortedBy([...scaleUpRequests, ...restored], ({ group }) => group);
}
