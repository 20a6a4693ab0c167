import { isRefusal, isTooLarge } from '../../client/api-error.ts';
import { apiRequest } from '../../client/api-request.ts';
import type { Taker } from '../../client/exchange.ts';
import type { Line } from '../../client/transport.ts';
import { METADATA } from '../count.ts';
import type { ObservedKind } from '../kinds.ts';
import { ACCEPT } from '../page.ts';
import { parsedOf } from '../parsed.ts';
import { type EntryReader, identityOf, reasonOf } from './entry-reader.ts';
import { type ListEntry, versionOf, type ListView, withChanges } from './entries.ts';
import { eventSplitter, type WatchEvent } from './watch-event.ts';

/** A kind, and which of its objects. */
export interface Selection {
  readonly kind: ObservedKind;
  readonly query: Readonly<Record<string, string>>;
}

/** A list that is kept: the objects selected, as they were at a version. */
export interface KeptView {
  readonly selection: Selection;
  readonly reader: EntryReader;
  readonly view: ListView;
}

/** The end of catching up. */
export interface CatchUpGoal {
  /** The version to catch up with; `null`: the present one. */
  readonly target: number | null;
  /** The proof of the last change: with `silence`, a server that stalls may make the view that of a moment earlier. */
  readonly proof: Proof;
  /** Called when that version is known: no later change is shown. */
  readonly known?: () => void;
}

export type CaughtUp =
  | { readonly kind: 'caught up'; readonly view: ListView; readonly events: number; readonly bytes: number }
  /** The view cannot be brought up to date: a full list can. */
  | { readonly kind: 'lost'; readonly why: LossReason; readonly error?: unknown };

export type LossReason =
  /** The server has not kept the changes since: 410. */
  | 'expired'
  /** The user may not watch. */
  | 'forbidden'
  /** Nothing proved in time that all changes were received. */
  | 'not proven'
  /** The store has an earlier state than the view: it was restored from a backup. */
  | 'went back'
  /** A list costs no more. */
  | 'too many changes'
  /** The watch said something that is not understood, or failed. */
  | 'failed';

/** How a watch may show that it has sent all changes. */
export type Proof =
  /** By an event or a bookmark of the version or a later one: nothing is missing. */
  | 'bookmark'
  /** By its silence too: a server that stalls for so long may have more changes, which the next watch brings. */
  | 'silence';

/** Number of bytes of changes from which a list is read instead. */
const MOST_BYTES = 32 * 1024 * 1024;

/**
 * Seconds after which a watch ends. The API server sends a bookmark two seconds before (`nextBookmarkTime` of
 * k8s.io/apiserver/pkg/storage/cacher), and with its jitter up to a second and a quarter later. With two or fewer it sends
 * none.
 */
const WATCH_SECONDS = 3;

/**
 * Time without an event after which a watch has sent all changes that the server has, in ms. After a consistent read the
 * watch cache has them, and the watch begins with these, one after the other (`processInterval` of
 * k8s.io/apiserver/pkg/storage/cacher): only a server, a network or a process that stalls makes a gap between two.
 */
const QUIET_MS = 100;

/**
 * Brings a view up to date by a watch: it shows then what a full list would, had it been asked for now.
 *
 * A list of one object without a resource version is a consistent read: the server returns a version that is no older
 * than this call. Events of a watch come in the order of versions, and a bookmark says that all events up to its
 * version have been sent. So the first event or bookmark of that version or a later one proves that there are no more;
 * changes after it are left to the next time. Both requests go over one connection, for the watch cache of another API
 * server may be behind. A view that silence has ended has the version of its last event, so nothing is left out for good.
 *
 * @throws the signal's reason when the caller aborts.
 */
export async function catchUp(
  line: Line,
  { selection: { kind, query }, reader, view }: KeptView,
  { target, proof, known }: CatchUpGoal,
  signal: AbortSignal,
): Promise<CaughtUp> {
  try {
    const until = target ?? (await presentVersion(line, kind, signal));
    if (until === null) {
      return { kind: 'lost', why: 'failed' };
    }
    if (until < view.resourceVersion) {
      return { kind: 'lost', why: 'went back' };
    }
    known?.();
    if (until === view.resourceVersion) {
      return { kind: 'caught up', view, events: 0, bytes: 0 };
    }
    const received = receiver(reader, view.resourceVersion, until);
    const request = apiRequest('watch', kind.resource, {
      accept: ACCEPT,
      query: {
        ...query,
        watch: 'true',
        resourceVersion: String(view.resourceVersion),
        allowWatchBookmarks: 'true',
        timeoutSeconds: String(WATCH_SECONDS),
      },
    });
    await line.stream(request, { take: received.take, silence: proof === 'silence' ? received.silence : null }, signal);
    const { ended, last, events, bytes } = received.outcome;
    if (ended === 'proven' || ended === 'silent') {
      const version = ended === 'proven' ? until : last;
      return { kind: 'caught up', view: withChanges(view, received.changes, version), events, bytes };
    }
    return { kind: 'lost', why: ended };
  } catch (error) {
    signal.throwIfAborted();
    return { kind: 'lost', why: lostBy(error), error };
  }
}

function lostBy(error: unknown): LossReason {
  if (isRefusal(error, 403)) {
    return 'forbidden';
  }
  if (isRefusal(error, 410)) {
    return 'expired';
  }
  return isTooLarge(error) ? 'too many changes' : 'failed';
}

/** The version of the store, by a list of one object's metadata. */
const presentVersion = (line: Line, { resource }: ObservedKind, signal: AbortSignal): Promise<number | null> =>
  line.send(
    apiRequest('list', resource, { accept: METADATA, query: { limit: '1' } }),
    ({ body }) => {
      const list = parsedOf(body) as { readonly metadata?: { readonly resourceVersion?: string } } | null;
      return versionOf(list?.metadata?.resourceVersion);
    },
    signal,
  );

/** The messages of a watch so far. */
interface Receiver {
  readonly take: Taker['take'];
  readonly silence: NonNullable<Taker['silence']>;
  readonly changes: ReadonlyMap<string, ListEntry | null>;
  readonly outcome: Readonly<Outcome>;
}

interface Outcome {
  /** How it has ended; a watch that just ends has proven nothing. */
  ended: 'proven' | 'silent' | LossReason;
  /** The version of the last change. */
  last: number;
  events: number;
  bytes: number;
}

function receiver(reader: EntryReader, since: number, until: number): Receiver {
  const split = eventSplitter(MOST_BYTES);
  const changes = new Map<string, ListEntry | null>();
  const outcome: Outcome = { ended: 'not proven', last: since, events: 0, bytes: 0 };

  /** How the watch ends with this event; `null`: it goes on. */
  function judge(event: WatchEvent): 'proven' | LossReason | null {
    if (event.type === 'ERROR') {
      return ['Expired', 'Gone'].includes(reasonOf(event)) ? 'expired' : 'failed';
    }
    const { key, version } = identityOf(event);
    if (event.type === 'BOOKMARK' && version !== null) {
      return version >= until ? 'proven' : null;
    }
    if (version === null || version <= outcome.last) {
      return 'failed';
    }
    outcome.last = version;
    if (version > until) {
      return 'proven';
    }
    const change = changeOf(reader, event);
    if (change === undefined || key === '') {
      return 'failed';
    }
    outcome.events += 1;
    changes.set(key, change);
    return version === until ? 'proven' : null;
  }

  return {
    changes,
    outcome,
    silence: {
      afterMs: QUIET_MS,
      reached: () => {
        outcome.ended = 'silent';
      },
    },
    take(chunk, contentType) {
      outcome.bytes += chunk.length;
      if (outcome.bytes > MOST_BYTES) {
        outcome.ended = 'too many changes';
        return true;
      }
      for (const event of split(chunk, contentType)) {
        const ended = judge(event);
        if (ended !== null) {
          outcome.ended = ended;
          return true;
        }
      }
      return false;
    },
  };
}

/** The object after an event, `null` where it is gone; `undefined` for an event of another type. */
function changeOf(reader: EntryReader, event: WatchEvent): ListEntry | null | undefined {
  switch (event.type) {
    case 'ADDED':
    case 'MODIFIED':
      return reader.entry(event);
    case 'DELETED':
      return null;
    default:
      return undefined;
  }
}
