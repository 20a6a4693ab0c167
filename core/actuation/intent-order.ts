import type { GroupName } from '../model/values/names.ts';
import type { Intent } from '../model/intent.ts';
import type { EpochMs } from '../model/values/time.ts';

/**
 * For each group its oldest pending intent, unless that one is claimed: each intent's `from` is the `to` of the one
 * before it, so they only make sense in order.
 */
export function firstOfEachGroup(intents: readonly Intent[], now: EpochMs): readonly Intent[] {
  const first = new Map<GroupName, Intent>();
  for (const intent of intents) {
    const other = first.get(intent.group);
    if (intent.status === 'pending' && (other === undefined || inOrder(intent, other) < 0)) {
      first.set(intent.group, intent);
    }
  }
  return [...first.values()].filter(({ claimedUntil }) => claimedUntil === null || claimedUntil <= now);
}

/** Orders intents by their decisions, and those of one decision as they are to be made. */
export function inOrder(a: Intent, b: Intent): number {
  const [version, place] = placeOf(a);
  const [otherVersion, otherPlace] = placeOf(b);
  return version - otherVersion || place - otherPlace;
}

/** The version of the state that an intent was committed with. */
export const versionOf = (intent: Pick<Intent, 'id'>): number => placeOf(intent)[0];

/** The id's first part: the version of the state that decided it and, after a dot, the place among that group's. */
function placeOf({ id }: Pick<Intent, 'id'>): readonly [number, number] {
  const [version, place] = id.split('-', 1)[0]!.split('.');
  return [Number(version), Number(place ?? 0)];
}
