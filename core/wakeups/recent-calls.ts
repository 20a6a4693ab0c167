import { addTime, minutes, type EpochMs } from '../model/values/time.ts';

/** The schedule evaluates the cluster this often anyway. */
const REMEMBERED = minutes(1);
const MOST = 256;

/** Calls of the webhook that have caused a wake-up lately: when, by the uid of their review, oldest first. */
type RecentCalls = ReadonlyMap<string, EpochMs>;

export const NO_CALLS: RecentCalls = new Map();

/**
 * Has this call, or one that it repeats, caused a wake-up in the last minute? An API server gives each call a uid of its own
 * and makes none twice. Calls without one are taken for repetitions of each other.
 */
export function isRepetition(calls: RecentCalls, uid: string, now: EpochMs): boolean {
  const at = calls.get(uid);
  return at !== undefined && now < addTime(at, REMEMBERED);
}

/** The calls with one more; the oldest are forgotten beyond 256. */
export function withCall(calls: RecentCalls, uid: string, now: EpochMs): RecentCalls {
  const others = [...calls].filter(([other]) => other !== uid);
  return new Map([...others.slice(-(MOST - 1)), [uid, now]]);
}
