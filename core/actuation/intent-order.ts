import { textBefore } from '../model/values/existing.ts';
import type { GroupName } from '../model/values/names.ts';
import type { Intent } from '../model/intent.ts';
import type { EpochMs } from '../model/values/time.ts';

/** Intents of a lane are performed one after another, those of several lanes at the same time. */
export type Lane = `${'group' | 'notices'} ${GroupName}`;

/**
 * The lane of an intent: its group's. Removals for notices have a lane of their own, as they start drains and set no
 * size: a size claimed by a dead function would block them for as long as a Spot interruption leaves.
 */
export const laneOf = (intent: Intent): Lane => `${isForNotices(intent) ? 'notices' : 'group'} ${intent.group}`;

/** Does the intent remove nodes whose instances the cloud ends? Nodes that are replaced ahead of time do not count. */
export const isForNotices = (intent: Intent): boolean =>
  intent.kind === 'RemoveNodes' &&
  intent.nodes.some(({ notice }) => notice !== undefined && notice.kind !== 'RebalanceRecommendation');

/**
 * For each lane its oldest pending intent, unless that one is claimed: in a group each intent's `from` is the `to` of
 * the one before it, so they only make sense in order. Removals for notices do in any order: a removal that a dead
 * function has claimed holds up no other.
 */
export function firstOfEachLane(intents: readonly Intent[], now: EpochMs): readonly Intent[] {
  const isFree = ({ claimedUntil }: Intent): boolean => claimedUntil === null || claimedUntil <= now;
  const first = new Map<Lane, Intent>();
  for (const intent of intents) {
    const lane = laneOf(intent);
    const other = first.get(lane);
    const counts = intent.status === 'pending' && (isFree(intent) || !isForNotices(intent));
    if (counts && (other === undefined || inIntentOrder(intent, other) < 0)) {
      first.set(lane, intent);
    }
  }
  return [...first.values()].filter(isFree);
}

/** Orders intents by their decisions, and intents of one decision in the order of performing them. */
export function inIntentOrder(a: Intent, b: Intent): number {
  const [version, place] = placeOf(a);
  const [otherVersion, otherPlace] = placeOf(b);
  return version - otherVersion || place - otherPlace;
}

/** The version of the state that an intent was committed with. */
export const intentVersion = (intent: Pick<Intent, 'id'>): number => placeOf(intent)[0];

/** The id's first part: the version of the state that decided it and, after a dot, the place among that group's. */
function placeOf({ id }: Pick<Intent, 'id'>): readonly [number, number] {
  const [version, place] = textBefore(id, '-').split('.');
  return [Number(version), Number(place ?? 0)];
}
