import pMap from 'p-map';
import { type Result, err } from '../../../core/model/values/result.ts';
import { type DurationMs, type EpochMs, addTime, minutes, seconds } from '../../../core/model/values/time.ts';
import { type AwsFailure, failureOf, isTransient } from './failures.ts';

export type Found<V> = Result<V, AwsFailure>;

/** Facts by key, asked for in batches and remembered. */
export interface Lookup<V> {
  /** Resolves to an answer for every key asked for; rejects only for aborts and bugs. */
  get(keys: Iterable<string>, signal?: AbortSignal): Promise<ReadonlyMap<string, Found<V>>>;
}

interface Entry<V> {
  readonly found: Found<V>;
  readonly until: EpochMs;
}

const TRANSIENT_FAILURE_TTL = seconds(30);
const LASTING_FAILURE_TTL = minutes(5);

/**
 * Remembers what `load` finds for `ttl`, failures for a shorter time: 30 s where the same call may soon succeed, else
 * 5 minutes. While AWS throttles or fails, a fact that has expired is better than none and is used on.
 *
 * @param load asked only for keys that are not remembered; may reject as a whole, which fails each of them.
 * @param retryAfter what failed in passing is tried again after this time.
 */
export function createLookup<V>(
  load: (keys: readonly string[], signal?: AbortSignal) => Promise<ReadonlyMap<string, Found<V>>>,
  ttl: DurationMs,
  now: () => EpochMs,
  retryAfter: DurationMs = TRANSIENT_FAILURE_TTL,
): Lookup<V> {
  const entries = new Map<string, Entry<V>>();

  const remember = (key: string, found: Found<V>): void => {
    const time = now();
    if (found.ok) {
      entries.set(key, { found, until: addTime(time, ttl) });
      return;
    }
    const old = entries.get(key);
    const lasting = !isTransient(found.error);
    entries.set(key, {
      found: !lasting && old?.found.ok === true ? old.found : found,
      until: addTime(time, lasting ? LASTING_FAILURE_TTL : retryAfter),
    });
  };

  return {
    async get(keys, signal) {
      const wanted = new Set(keys);
      const missing = [...wanted].filter((key) => (entries.get(key)?.until ?? 0) <= now());
      if (missing.length > 0) {
        const loaded = await loadAll(load, missing, signal);
        forgetUnused(entries, wanted, ttl, now());
        for (const key of missing) {
          remember(key, loaded.get(key) ?? err({ class: 'Configuration', code: 'NotFound', message: `no ${key}` }));
        }
      }
      return new Map([...wanted].map((key) => [key, entries.get(key)!.found]));
    },
  };
}

async function loadAll<V>(
  load: (keys: readonly string[], signal?: AbortSignal) => Promise<ReadonlyMap<string, Found<V>>>,
  keys: readonly string[],
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, Found<V>>> {
  try {
    return await load(keys, signal);
  } catch (error) {
    const failure = failureOf(error);
    if (failure === null) {
      throw error;
    }
    return new Map(keys.map((key) => [key, err(failure)]));
  }
}

/** What nobody has asked for since it expired a whole `ttl` ago belongs to a group or version that is gone. */
function forgetUnused<V>(
  entries: Map<string, Entry<V>>,
  wanted: ReadonlySet<string>,
  ttl: DurationMs,
  time: EpochMs,
): void {
  for (const [key, entry] of entries) {
    if (!wanted.has(key) && addTime(entry.until, ttl) <= time) {
      entries.delete(key);
    }
  }
}

/** How many calls of one kind are under way at once: a cold start must not empty the account's token bucket. */
const CONCURRENCY = 5;

/** For APIs that answer about one thing at a time: a failure of one is a failure of its keys only. */
export async function loadEach<T, V>(
  items: readonly T[],
  loadOne: (item: T) => Promise<readonly (readonly [string, Found<V>])[]>,
  keysOf: (item: T) => readonly string[],
): Promise<Map<string, Found<V>>> {
  const all = new Map<string, Found<V>>();
  const load = async (item: T): Promise<void> => {
    try {
      for (const [key, found] of await loadOne(item)) {
        all.set(key, found);
      }
    } catch (error) {
      const failure = failureOf(error);
      if (failure === null) {
        throw error;
      }
      for (const key of keysOf(item)) {
        all.set(key, err(failure));
      }
    }
  };
  await pMap(items, load, { concurrency: CONCURRENCY });
  return all;
}
