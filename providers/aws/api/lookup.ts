import { getExisting } from '@outrigger/core/model/values/existing.ts';
import pMap from 'p-map';
import { getOptional } from '@outrigger/core/model/values/optional.ts';
import { type Result, err, ok, okValue } from '@outrigger/core/model/values/result.ts';
import { type DurationMs, type EpochMs, addTime, minutes, seconds } from '@outrigger/core/model/values/time.ts';
import { type AwsFailure, failureOrThrow, isTransient } from './failures.ts';

export type LookupResult<V> = Result<V, AwsFailure>;

/** A cache of facts by key, loaded in batches. */
export interface Lookup<V> {
  /** Resolves to a result for every requested key; rejects only for aborts and bugs. */
  get(keys: Iterable<string>, signal?: AbortSignal): Promise<ReadonlyMap<string, LookupResult<V>>>;
}

interface Entry<V> {
  readonly found: LookupResult<V>;
  readonly until: EpochMs;
}

/** The value found for a key; `null` where the lookup failed, or was not made. */
export function foundFor<V>(found: ReadonlyMap<string, LookupResult<V>>, key: string | null | undefined): V | null {
  return okValue(getOptional(found, key)) ?? null;
}

/** Loads facts by key; a key without a fact does not exist. */
type Load<V> = (keys: readonly string[], signal?: AbortSignal) => Promise<ReadonlyMap<string, LookupResult<V>>>;

const TRANSIENT_FAILURE_TTL = seconds(30);
const LASTING_FAILURE_TTL = minutes(5);

/**
 * Caches what `load` finds for `ttl`, failures for a shorter time: 30 s for transient ones, else 5 minutes. While AWS
 * throttles or fails, an expired fact is still used.
 *
 * @param load called only with keys that are not cached; may reject, which fails each of them.
 * @param retryAfter time after which a transient failure is tried again.
 */
export function createLookup<V>(
  load: Load<V>,
  ttl: DurationMs,
  now: () => EpochMs,
  retryAfter: DurationMs = TRANSIENT_FAILURE_TTL,
): Lookup<V> {
  const entries = new Map<string, Entry<V>>();

  const entryOf = (key: string, found: LookupResult<V>): Entry<V> => {
    if (found.ok) {
      return { found, until: addTime(now(), ttl) };
    }
    if (!isTransient(found.error)) {
      return { found, until: addTime(now(), LASTING_FAILURE_TTL) };
    }
    const old = entries.get(key)?.found;
    return { found: old?.ok === true ? old : found, until: addTime(now(), retryAfter) };
  };

  return {
    async get(keys, signal) {
      const wanted = new Set(keys);
      const missing = [...wanted].filter((key) => (entries.get(key)?.until ?? 0) <= now());
      if (missing.length > 0) {
        const loaded = await loadAll(load, missing, signal);
        forgetUnused(entries, wanted, ttl, now());
        for (const key of missing) {
          const found = loaded.get(key) ?? err({ class: 'Configuration', code: 'NotFound', message: `no ${key}` });
          entries.set(key, entryOf(key, found));
        }
      }
      return new Map([...wanted].map((key) => [key, getExisting(entries, key).found]));
    },
  };
}

async function loadAll<V>(
  load: Load<V>,
  keys: readonly string[],
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, LookupResult<V>>> {
  try {
    return await load(keys, signal);
  } catch (error) {
    const failure = err(failureOrThrow(error));
    return new Map(keys.map((key) => [key, failure]));
  }
}

/** A fact not requested for a whole `ttl` after it expired belongs to a group or version that no longer exists. */
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

/** Concurrent calls of one kind: a cold start must not empty the account's token bucket. */
const CONCURRENCY = 5;

/**
 * A lookup by an API that describes one resource per call: a failed call fails only its own key.
 *
 * @param loadOne describes the resource of a key; `undefined` where the resource does not exist.
 * @param retryAfter as for `createLookup`.
 */
export const createSingleLookup = <V>(
  loadOne: (key: string, signal?: AbortSignal) => Promise<V | undefined>,
  ttl: DurationMs,
  now: () => EpochMs,
  retryAfter?: DurationMs,
): Lookup<V> =>
  createLookup(
    (keys, signal) =>
      loadEach(
        keys,
        async (key) => {
          const found = await loadOne(key, signal);
          return found === undefined ? [] : [[key, ok(found)] as const];
        },
        (key) => [key],
      ),
    ttl,
    now,
    retryAfter,
  );

/** For APIs that describe one item, of one key or several, per call: a failed call fails only the keys of its item. */
export async function loadEach<T, V>(
  items: readonly T[],
  loadOne: (item: T) => Promise<readonly (readonly [string, LookupResult<V>])[]>,
  keysOf: (item: T) => readonly string[],
): Promise<Map<string, LookupResult<V>>> {
  const all = new Map<string, LookupResult<V>>();
  const load = async (item: T): Promise<void> => {
    try {
      for (const [key, found] of await loadOne(item)) {
        all.set(key, found);
      }
    } catch (error) {
      const failure = err(failureOrThrow(error));
      for (const key of keysOf(item)) {
        all.set(key, failure);
      }
    }
  };
  await pMap(items, load, { concurrency: CONCURRENCY });
  return all;
}
