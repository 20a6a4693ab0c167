import { NOTICE_KINDS, type Notice, type TerminationHook } from '../model/notice.ts';
import { byName } from '../model/values/names.ts';
import type { EpochMs } from '../model/values/time.ts';
import { endBegan, saysThatItEnds } from './ends.ts';
import { overAt } from './over.ts';

/**
 * The merged notice of each instance, in whatever order and however often its notices came: the more urgent kind, the
 * earlier end, the first time it was received, and the hook that waits since the latest time.
 *
 * An instance that goes back to a warm pool ends more than once: notices of an earlier end are left out. So are scheduled changes
 * that have been called off.
 *
 * @returns one notice for each instance, by its ID; none for an instance whose scheduled change was called off
 */
export const mergedNotices = (notices: readonly Notice[]): readonly Notice[] =>
  [...Map.groupBy(notices, ({ instance }) => instance).values()]
    .map(inForce)
    .filter((all) => all.length > 0)
    .map((all) => ofLastEnd(all).reduce(merged))
    .sort((a, b) => byName(a.instance, b.instance));

/** Without scheduled changes that AWS has closed since, and without the closing notices. */
function inForce(all: readonly Notice[]): readonly Notice[] {
  const closed = Math.max(...all.filter(({ isClosed }) => isClosed).map(({ receivedAt }) => receivedAt));
  return all.filter(({ kind, receivedAt }) => kind !== 'ScheduledChange' || receivedAt > closed);
}

/** Without what was over when the last end began, and without ends from before the hook that waits. At least one is left. */
function ofLastEnd(all: readonly Notice[]): readonly Notice[] {
  if (all.length === 1) {
    return all;
  }
  const hook = all.map((notice) => notice.hook).reduce(laterHook);
  const since = hook?.waitsSince ?? Number.NEGATIVE_INFINITY;
  const last = Math.max(...all.filter(saysThatItEnds).map(endBegan));
  return all.filter((notice) => {
    const began = saysThatItEnds(notice) ? endBegan(notice) : notice.receivedAt;
    const isEarlier = saysThatItEnds(notice) && notice.hook?.token !== hook?.token && began < since;
    return began >= last || !(isEarlier || overAt(notice) <= last);
  });
}

function merged(one: Notice, other: Notice): Notice {
  const [first, second] = urgency(one) >= urgency(other) ? [one, other] : [other, one];
  return {
    ...first,
    receivedAt: Math.min(first.receivedAt, second.receivedAt) as EpochMs,
    endsAt: earlier(first.endsAt, second.endsAt),
    hook: laterHook(first.hook, second.hook),
  };
}

const urgency = ({ kind }: Notice): number => NOTICE_KINDS.indexOf(kind);

const earlier = (a: EpochMs | null, b: EpochMs | null): EpochMs | null => (a === null || (b !== null && b < a) ? b : a);

/** A hook whose wait began at an unknown time counts as older than any other. Equal hooks are ordered by name. */
const laterHook = (a: TerminationHook | null, b: TerminationHook | null): TerminationHook | null => {
  if (a === null || b === null) {
    return a ?? b;
  }
  const order =
    (a.waitsSince ?? 0) - (b.waitsSince ?? 0) ||
    (a.heartbeatUntil ?? 0) - (b.heartbeatUntil ?? 0) ||
    byName(`${b.name}/${b.token}`, `${a.name}/${a.token}`);
  return order >= 0 ? a : b;
};
