import { getOrMake } from '@outrigger/core/model/values/get-or-make.ts';
import { mapOptional } from '@outrigger/core/model/values/optional.ts';
import { present } from '@outrigger/core/model/values/present.ts';
import type { SnapshotUse } from '@outrigger/core/model/snapshot-use.ts';
import { qualified } from '../../client/api-request.ts';
import type { Line, Transport } from '../../client/transport.ts';
import type { Page } from '../json-page.ts';
import type { ObservedKind } from '../kinds.ts';
import type { ObservedObject } from '../observed.ts';
import type { ListSnapshots, LoadedSnapshot } from '../snapshot/list-snapshots.ts';
import { ACCEPT } from '../page.ts';
import { allOf } from '../pages.ts';
import {
  type CatchUpGoal,
  type CaughtUp,
  catchUp,
  type KeptView,
  type LossReason,
  type Proof,
  type Selection,
} from './catch-up.ts';
import { type ListEntry, differingKeys, pageOfEntries, versionOf, type ListView, viewOf } from './entries.ts';
import { type EntryReader, entryReader } from './entry-reader.ts';

export interface CachedListsOptions {
  /** Most objects of a page. */
  readonly pageSize: number;
  /**
   * Number of objects of a kind from which a list is kept. A watch takes a tenth of a second, in which 5,000 pods are read
   * in full.
   */
  readonly keptFrom: (kind: ObservedKind) => number;
  /** How a watch shows that it has sent all changes. */
  readonly proof: Proof;
  /** Number of times after which a cached list is compared with a full one. */
  readonly checkedEvery: number;
  /** Time after a watch that failed until the next one, in ms. */
  readonly pauseMs: number;
  /** Monotonic, in ms. */
  readonly now: () => number;
  readonly report: (report: ListReport) => void;
  /** Snapshots with which the first list of a process may begin, instead of a full list; absent: none. */
  readonly snapshots: ListSnapshots | undefined;
}

/** Number of pods from which their list is kept, by default. */
export const KEPT_FROM_PODS = 5_000;

/** As parts of the number of pods; nodes are more bytes each, and are waited for together with the pods. */
const PARTS: Readonly<Record<string, number>> = { Pod: 1, Node: 0.1 };
const OF_OTHERS = 0.25;

/** @param pods from which their list is kept */
export const keptFrom =
  (pods: number): CachedListsOptions['keptFrom'] =>
  ({ kind }) =>
    pods * (PARTS[kind] ?? OF_OTHERS);

const DEFAULT_CACHED_LISTS: CachedListsOptions = Object.freeze({
  pageSize: 5_000,
  keptFrom: keptFrom(KEPT_FROM_PODS),
  proof: 'silence',
  checkedEvery: 60,
  pauseMs: 600_000,
  now: () => performance.now(),
  report: () => {},
  snapshots: undefined,
});

/** How a list was read. */
export interface ListReport {
  /** `pods`, `replicasets.apps`. */
  readonly resource: string;
  /**
   * The use of the list's snapshot: if this process reads the list for the first time, and has a store for snapshots.
   */
  readonly snapshot?: SnapshotUse;
  readonly how:
    | { readonly kind: 'watched'; readonly events: number; readonly bytes: number }
    /** In full, as there is nothing to watch from. */
    | { readonly kind: 'listed' }
    /** In full, as a watch failed. */
    | { readonly kind: 'listed again'; readonly why: LossReason; readonly error?: unknown }
    /** In full, to check what the watches have shown; the objects that differed. */
    | { readonly kind: 'checked'; readonly differing: readonly string[] };
}

/** A list, and how many of its objects watches have shown otherwise, where it was compared. */
export interface KeptPage extends Page<ObservedObject> {
  readonly differing?: number;
}

/** Lists of a cluster that are kept from one time to the next. */
export interface CachedLists {
  /**
   * The list as a full list would return it now, or a moment earlier where the server stalls (`Proof`).
   *
   * @param known is called when no change that comes later will be shown; again where a list is read in full after all.
   * @throws ApiError; the signal's reason when the caller aborts.
   */
  readonly list: (selection: Selection, signal: AbortSignal, known?: () => void) => Promise<KeptPage>;
  /** Begins to read the snapshot of a list that is going to be asked for. */
  readonly prepare: (selection: Selection, signal: AbortSignal) => void;
  /** Stores snapshots of the cached lists that are due. Never rejects. */
  readonly save: (signal: AbortSignal) => Promise<void>;
}

/** The kept state of a list. */
interface CachedList {
  readonly selection: Selection;
  reader: EntryReader;
  view: ListView | null;
  /** The snapshot that the first list begins with: it is asked for once. `null`: not yet. */
  snapshot: Promise<LoadedSnapshot> | null;
  /** Whether a list has been read: nothing begins with a snapshot any more. */
  begun: boolean;
  /** The use of the list's snapshot, until it is reported; `null`: nothing to report. */
  use: SnapshotUse | null;
  /** Number of times that it was watched since a full list. */
  watched: number;
  /** Before this time it is not watched. */
  pausedUntil: number;
  /** The call before: only one at a time changes the view. */
  before: Promise<unknown>;
}

/** Keeps long lists, and brings them up to date by watches: the cost is that of what has changed. */
export function cachedLists(transport: Transport, overrides: Partial<CachedListsOptions> = {}): CachedLists {
  const options = { ...DEFAULT_CACHED_LISTS, ...overrides };
  const byResource = new Map<string, CachedList>();
  const keptOf = (selection: Selection): CachedList => {
    const { kind, query } = selection;
    const key = JSON.stringify([qualified(kind.resource), query]);
    return getOrMake(byResource, key, () => ({
      selection,
      reader: entryReader(kind),
      view: null,
      snapshot: null,
      begun: false,
      use: null,
      watched: 0,
      pausedUntil: -Infinity,
      before: Promise.resolve(),
    }));
  };

  return {
    list(selection, signal, known = () => {}) {
      const kept = keptOf(selection);
      const listed = kept.before.then(() => bringUpToDate({ transport, options }, kept, signal, known));
      kept.before = listed.catch(() => {});
      return listed;
    },
    prepare(selection, signal) {
      const kept = keptOf(selection);
      if (!kept.begun && options.snapshots !== undefined) {
        snapshotOf(options.snapshots, kept, signal).catch(() => {});
      }
    },
    async save(signal) {
      const lists = [...byResource.values()]
        .map(({ selection, view, watched: times }) => view && { selection, view, watched: times })
        .filter((list) => list !== null);
      await options.snapshots?.save(lists, signal);
    },
  };
}

/** The snapshot of a list. One whose caller has aborted is asked for again. */
function snapshotOf(snapshots: ListSnapshots, kept: CachedList, signal: AbortSignal): Promise<LoadedSnapshot> {
  const loading = (kept.snapshot ??= snapshots.load(kept.selection, signal));
  return loading.catch((error: unknown) => {
    kept.snapshot = null;
    throw error;
  });
}

/**
 * Keeps what is in the snapshot of a list, as if this process had kept it. It has been watched as often as it was: so in a chain of short
 * lives, too, a list is compared with a full one in time.
 */
async function beginWithSnapshot(
  { snapshots, keptFrom }: CachedListsOptions,
  kept: CachedList,
  signal: AbortSignal,
): Promise<void> {
  const loaded = await mapOptional(snapshots, (store) => snapshotOf(store, kept, signal));
  kept.begun = true;
  kept.snapshot = null;
  if (loaded === undefined || loaded.list === null) {
    kept.use = loaded?.use ?? null;
  } else if (loaded.list.view.entries.length < keptFrom(kept.selection.kind)) {
    kept.use = 'NoSnapshot';
  } else {
    kept.use = 'Used';
    kept.view = loaded.list.view;
    kept.watched = loaded.list.watched;
  }
}

/** The use of the snapshot of a list that was read in this way; `null`: nothing to report. */
function useOf({ use, view }: CachedList, how: ListReport['how']): SnapshotUse | null {
  switch (how.kind) {
    case 'listed':
      // A list that is too short to be kept has no snapshot.
      return use === 'NoSnapshot' && view === null ? null : use;
    case 'checked':
      return use && 'Compared';
    case 'listed again':
      return use && (LOST[how.why] ?? 'WatchFailed');
    case 'watched':
      return use;
  }
}

const LOST: Partial<Readonly<Record<LossReason, SnapshotUse>>> = {
  expired: 'Expired',
  'too many changes': 'TooManyChanges',
};

/** The API server that lists are read from, and how. */
interface ListSource {
  readonly transport: Transport;
  readonly options: CachedListsOptions;
}

async function bringUpToDate(
  source: ListSource,
  kept: CachedList,
  signal: AbortSignal,
  known: () => void,
): Promise<KeptPage> {
  const { transport, options } = source;
  const { kind } = kept.selection;
  if (!kept.begun && transport.line !== undefined) {
    await beginWithSnapshot(options, kept, signal);
  }
  const { view } = kept;
  const report = (how: ListReport['how']): void => {
    const snapshot = useOf(kept, how);
    kept.use = null;
    options.report({ resource: qualified(kind.resource), how, ...present({ snapshot }) });
  };
  if (view === null || transport.line === undefined || options.now() < kept.pausedUntil) {
    const page = await listInFull(source, kept, signal);
    known();
    report({ kind: 'listed' });
    return page;
  }
  if (kept.watched >= options.checkedEvery) {
    const page = await listInFull(source, kept, signal);
    known();
    const keys = await differing(transport, kept, view, signal);
    report({ kind: 'checked', differing: keys });
    // A new reader drops the cached parts of objects that are gone.
    kept.reader = entryReader(kind);
    return { ...page, differing: keys.length };
  }
  const caughtUp = await watched(transport, { ...kept, view }, { target: null, proof: options.proof, known }, signal);
  if (caughtUp.kind === 'caught up') {
    kept.view = caughtUp.view;
    kept.watched += 1;
    const { events, bytes } = caughtUp;
    report({ kind: 'watched', events, bytes });
    return caughtUp.view.page;
  }
  const { why, error } = caughtUp;
  // A version that has expired is an interval that was too long; anything else may be so each time.
  kept.pausedUntil = why === 'expired' ? -Infinity : options.now() + options.pauseMs;
  const page = await listInFull(source, kept, signal);
  known();
  report({ kind: 'listed again', why, ...present({ error }) });
  return page;
}

async function watched(
  transport: Transport,
  kept: KeptView,
  goal: CatchUpGoal,
  signal: AbortSignal,
): Promise<CaughtUp> {
  let line: Line;
  try {
    line = await transport.line!();
  } catch (error) {
    return { kind: 'lost', why: 'failed', error };
  }
  try {
    return await catchUp(line, kept, goal, signal);
  } finally {
    line.close();
  }
}

/**
 * The objects that differ between the watches and the full list that was just read; none where the watches cannot get
 * to the list's version.
 */
async function differing(
  transport: Transport,
  { selection, reader, view: listed }: CachedList,
  view: ListView,
  signal: AbortSignal,
): Promise<readonly string[]> {
  if (listed === null) {
    return [];
  }
  const goal = { target: listed.resourceVersion, proof: 'bookmark' } as const;
  const caughtUp = await watched(transport, { selection, reader, view }, goal, signal);
  if (caughtUp.kind === 'lost') {
    return [];
  }
  return differingKeys(caughtUp.view, listed);
}

/** Reads a full list, and keeps it if it is long and changes can be applied to it. */
async function listInFull(
  { transport, options: { pageSize, keptFrom } }: ListSource,
  kept: CachedList,
  signal: AbortSignal,
): Promise<Page<ObservedObject>> {
  const { kind, query } = kept.selection;
  kept.view = null;
  kept.watched = 0;
  const { reader } = kept;
  const listing = { kind: kind.kind, resource: kind.resource, accept: ACCEPT, reader: () => ({ page: reader.page }) };
  const { items: entries, resourceVersion } = await allOf<ListEntry>(transport, listing, { query, pageSize }, signal);
  const page = pageOfEntries(entries);
  const version = versionOf(resourceVersion);
  kept.view = version === null || entries.length < keptFrom(kind) ? null : viewOf(entries, page, version);
  return page;
}
