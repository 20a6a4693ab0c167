import { messageOf } from '@outrigger/core/model/values/error-message.ts';
import type { SnapshotStore } from '@outrigger/core/ports/snapshot-store.ts';
import { type DurationMs, minutes, seconds } from '@outrigger/core/model/values/time.ts';
import type { SnapshotUse } from '@outrigger/core/model/snapshot-use.ts';
import { ApiError } from '../../client/api-error.ts';
import { apiRequest, qualified } from '../../client/api-request.ts';
import type { Transport } from '../../client/transport.ts';
import { METADATA } from '../count.ts';
import { parsedOf } from '../parsed.ts';
import type { Selection } from '../view/catch-up.ts';
import type { ListEntry } from '../view/entries.ts';
import { MOST_BYTES, readSnapshot, type SnapshotOf, type StoredList, writeSnapshot } from './snapshot-file.ts';
import { PROJECTION } from './projection.ts';

/**
 * A store for lists that outlive the process that keeps them, so that the next process need not begin with full lists.
 */
export interface ListSnapshots {
  /**
   * Loads the last stored snapshot of a list. The snapshot shows an earlier moment: only a watch that proves itself
   * makes it the present list.
   *
   * @throws the signal's reason when the caller aborts.
   */
  readonly load: (selection: Selection, signal: AbortSignal) => Promise<LoadedSnapshot>;
  /**
   * Stores lists, one after the other, if they have changed and their stored snapshots are old enough. Never rejects: a
   * failure is a warning, and the remaining lists are left to the next call.
   */
  readonly save: (
    lists: readonly (StoredList & { readonly selection: Selection })[],
    signal: AbortSignal,
  ) => Promise<void>;
}

export type LoadedSnapshot =
  | { readonly list: StoredList; readonly use: 'Used' }
  /** No snapshot can be used, for the reason in `use`. */
  | { readonly list: null; readonly use: SnapshotUse };

export interface ListSnapshotsOptions {
  readonly store: SnapshotStore;
  /** Name of the cluster. */
  readonly cluster: string;
  /** In milliseconds since 1970. */
  readonly now: () => number;
  readonly warn: (message: string) => void;
  /** Is told of each snapshot that was stored. */
  readonly stored?: () => void;
  /** The hash of the code that reads objects (`PROJECTION`). Absent: the hash of this code. */
  readonly projection?: string;
  /** After which time a list is read in full instead. Absent: after that which a full list of 150 000 pods takes. */
  readonly loadLimit?: DurationMs;
}

/**
 * A watch cache keeps the changes of 75 seconds for certain, and a snapshot is worth something as long: each scheduled evaluation
 * stores what has changed, and those between do not.
 */
const EVERY = seconds(50);
/** A list that looks the same is stored again before its version is forgotten. */
const SAME_EVERY = minutes(5);
/**
 * An older one is not used. Where much changes the watch cache has forgotten it; and a cluster that is restored from a backup needs
 * longer than that to get to the version of a snapshot that was written before.
 */
const OLDEST = minutes(10);
/** By which the clocks of two sandboxes may differ. */
const SKEW = minutes(1);
/** A full list of 150 000 pods takes about as long. */
const LOAD_LIMIT = seconds(4);
const SAVE_LIMIT = seconds(15);
/** After one that could not be stored. */
const PAUSE = minutes(10);

/** The last snapshot of a list that this process stored, or that was stored when the process began. */
interface Last {
  readonly entries: readonly ListEntry[];
  readonly resourceVersion: number;
  readonly at: number;
}

export function listSnapshots(transport: Transport, options: ListSnapshotsOptions): ListSnapshots {
  const { store, cluster, now, warn, stored = () => {}, projection = PROJECTION, loadLimit = LOAD_LIMIT } = options;
  const last = new Map<string, Last>();
  const warnOnce = warningOnce(warn);
  const clusterUid = uidOfCluster(transport);
  let pausedUntil = -Infinity;

  const identity = async ({ kind, query }: Selection, signal: AbortSignal): Promise<SnapshotOf> => {
    const uid = await clusterUid(signal);
    return { projection, cluster, clusterUid: uid, resource: qualified(kind.resource), query };
  };

  async function loaded(selection: Selection, signal: AbortSignal): Promise<LoadedSnapshot> {
    const name = nameOf(selection);
    const [bytes, of] = await Promise.all([store.load(name, MOST_BYTES, signal), identity(selection, signal)]);
    if (bytes === null) {
      return { list: null, use: 'NoSnapshot' };
    }
    const found = await readSnapshot(bytes, of, now() - OLDEST, now() + SKEW);
    if (found.kind === 'wrong') {
      warnOnce(notUsed(name, found.why, store.placeOf(name)));
    }
    if (found.kind !== 'read') {
      return { list: null, use: found.use };
    }
    const { entries, resourceVersion } = found.list.view;
    last.set(name, { entries, resourceVersion, at: found.writtenAt });
    return { list: found.list, use: 'Used' };
  }

  async function save(selection: Selection, list: StoredList, signal: AbortSignal): Promise<void> {
    const name = nameOf(selection);
    const at = now();
    await store.save(name, await writeSnapshot(await identity(selection, signal), list, at), signal);
    const { entries, resourceVersion } = list.view;
    last.set(name, { entries, resourceVersion, at });
    stored();
  }

  return {
    async load(selection, signal) {
      const limit = AbortSignal.timeout(loadLimit);
      try {
        return await loaded(selection, AbortSignal.any([signal, limit]));
      } catch (error) {
        signal.throwIfAborted();
        const name = nameOf(selection);
        warnOnce(unreadable(name, error, store.placeOf(name)));
        return { list: null, use: limit.aborted ? 'Late' : 'Unreadable' };
      }
    },
    async save(lists, signal) {
      const until = AbortSignal.any([signal, AbortSignal.timeout(SAVE_LIMIT)]);
      for (const { selection, ...list } of lists) {
        const name = nameOf(selection);
        try {
          if (now() >= pausedUntil && isDue(list, last.get(name), now())) {
            await save(selection, list, until);
          }
        } catch (error) {
          if (!signal.aborted) {
            pausedUntil = now() + PAUSE;
            warnOnce(notStored(name, error, store.placeOf(name)));
          }
          return;
        }
      }
    },
  };
}

const nameOf = ({ kind }: Selection): string => qualified(kind.resource);

const notUsed = (name: string, why: string, place: string): string =>
  `The snapshot of ${name} is not used: ${why}. The list is read in full, and the next snapshot replaces it. If that repeats, check who writes to ${place}.`;

const unreadable = (name: string, error: unknown, place: string): string =>
  `The snapshot of ${name} cannot be read, and the list is read in full: ${messageOf(error)}. ${adviceFor(place)}`;

const notStored = (name: string, error: unknown, place: string): string =>
  `A snapshot of ${name} could not be stored, which cold starts would begin with: ${messageOf(error)}. It is tried again after ten minutes. ${adviceFor(place)}`;

const adviceFor = (place: string): string =>
  `Check the rights of this function to ${place}, and the way to it: a VPC needs a gateway endpoint for S3.`;

function isDue({ view }: StoredList, before: Last | undefined, now: number): boolean {
  if (before === undefined) {
    return true;
  }
  const age = now - before.at;
  if (view.entries !== before.entries) {
    return age >= EVERY;
  }
  return view.resourceVersion !== before.resourceVersion && age >= SAME_EVERY;
}

function warningOnce(warn: (message: string) => void): (message: string) => void {
  const warned = new Set<string>();
  return (message) => {
    if (!warned.has(message)) {
      warned.add(message);
      warn(message);
    }
  };
}

const NAMESPACES = { group: '', version: 'v1', resource: 'namespaces' } as const;

/**
 * Asks, once, for the UID of the namespace kube-system, which is as good as the cluster's: a cluster has no UID of its
 * own.
 *
 * @throws ApiError, and the next call asks again.
 */
function uidOfCluster(transport: Transport): (signal: AbortSignal) => Promise<string> {
  let asked: Promise<string> | null = null;
  return async (signal) => {
    asked ??= askForUid(transport, signal);
    try {
      return await asked;
    } catch (error) {
      asked = null;
      throw error;
    }
  };
}

async function askForUid(transport: Transport, signal: AbortSignal): Promise<string> {
  const query = { fieldSelector: 'metadata.name=kube-system', limit: '1' };
  const list = (await transport.send(
    apiRequest('list', NAMESPACES, { accept: METADATA, query }),
    ({ body }) => parsedOf(body),
    signal,
  )) as { readonly items?: readonly { readonly metadata?: { readonly uid?: unknown } }[] | null } | null;
  const uid = list?.items?.[0]?.metadata?.uid;
  if (typeof uid !== 'string' || uid === '') {
    throw new ApiError('The API server does not say which UID the namespace kube-system has.', {
      kind: 'unreadable',
      retryable: false,
    });
  }
  return uid;
}
