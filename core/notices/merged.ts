import { NOTICE_KINDS, type Notice } from '../model/notice.ts';
import type { EpochMs } from '../model/values/time.ts';

/**
 * What is known of an instance from two notices, in whatever order and however often they came: the more urgent kind, the
 * earlier end, the first time it was received, and the hook that waits longest.
 */
export function mergedNotice(one: Notice, other: Notice): Notice {
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

const laterHook = (a: Notice['hook'], b: Notice['hook']): Notice['hook'] => {
  if (a === null || b === null) {
    return a ?? b;
  }
  const [untilA, untilB] = [a.heartbeatUntil ?? 0, b.heartbeatUntil ?? 0];
  // The same, whichever came first.
  return untilA === untilB ? (`${a.name}/${a.token}` <= `${b.name}/${b.token}` ? a : b) : untilA > untilB ? a : b;
};
