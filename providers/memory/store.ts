import { present, nonEmpty } from '@outrigger/core/model/values/present.ts';
import type { Decision, Evaluation } from '@outrigger/core/model/decision.ts';
import { byName, type ClusterName } from '@outrigger/core/model/values/names.ts';
import type { Intent, PersistedCluster } from '@outrigger/core/model/intent.ts';
import { inScopeOrder, type Pause } from '@outrigger/core/model/pause.ts';
import type { PauseStore } from '@outrigger/core/ports/pause-store.ts';
import type { Commit, StateStore } from '@outrigger/core/ports/state-store.ts';
import { distinct } from '@outrigger/core/notices/distinct.ts';
import { EMPTY_STATE, type State } from '@outrigger/core/model/state.ts';
import { frozenCopy } from './frozen-copy.ts';

/** Everything that is stored of one cluster. */
export interface RememberedCluster extends PersistedCluster {
  /** The latest ones, oldest first. */
  readonly decisions: readonly Decision[];
}

export interface MemoryStore extends StateStore {
  /** The present contents, by cluster; later changes do not affect it. */
  snapshot(): ReadonlyMap<ClusterName, RememberedCluster>;
}

interface MemoryStoreOptions {
  /** Number of decisions that are kept for each cluster; at least 1. */
  readonly history?: number;
}

const NOTHING: RememberedCluster = frozenCopy({
  version: 0,
  state: EMPTY_STATE,
  intents: [],
  decisions: [],
});

/**
 * A store for one process: `outrigger local`, simulations, tests. It stores and returns frozen copies, so callers
 * cannot change its contents; of decisions, which are large and hardly ever read, only when they are read. Every call is atomic: it changes the contents within one turn of the event loop.
 */
export function createMemoryStore({ history = 100 }: MemoryStoreOptions = {}): MemoryStore {
  const clusters = new Map<ClusterName, RememberedCluster>();
  const of = (cluster: ClusterName): RememberedCluster => clusters.get(cluster) ?? NOTHING;

  const replaceIntent = (cluster: ClusterName, next: Intent): Intent => {
    const known = of(cluster);
    const kept = frozenCopy(next);
    const intents = known.intents.map((intent) => (intent.id === next.id ? kept : intent));
    clusters.set(cluster, Object.freeze({ ...known, intents: Object.freeze(intents) }));
    return kept;
  };

  return {
    load: async (cluster, signal) => {
      signal?.throwIfAborted();
      const { version, state, intents, notices, pauses } = of(cluster);
      return {
        version,
        state,
        intents,
        ...present({ notices, pauses }),
      };
    },

    addNotice: async (cluster, notice, signal) => {
      signal?.throwIfAborted();
      const known = of(cluster);
      const before = known.notices ?? [];
      const after = distinct([...before, notice]);
      clusters.set(cluster, Object.freeze({ ...known, notices: frozenCopy(after) }));
      return after.length > before.length;
    },

    ...pauseCalls(of, (cluster, pauses) => {
      const { pauses: _, ...known } = of(cluster);
      clusters.set(cluster, Object.freeze({ ...known, ...nonEmpty({ pauses: frozenCopy(pauses) }) }));
    }),

    pendingIntents: async (cluster, signal) => {
      signal?.throwIfAborted();
      return of(cluster).intents.filter(({ status }) => status === 'pending');
    },

    commit: async (cluster, commit, signal) => {
      signal?.throwIfAborted();
      const known = of(cluster);
      if (known.version !== commit.expectedVersion) {
        return { kind: 'conflict' };
      }
      refuseKnownIntents(cluster, known, commit);
      clusters.set(cluster, committed(known, commit, Math.max(1, history)));
      return { kind: 'committed', version: known.version + 1 };
    },

    ...intentCalls(of, replaceIntent),

    lastDecision: async (cluster, signal, part) => {
      signal?.throwIfAborted();
      return frozenCopy(of(cluster).decisions.findLast((one) => isAbout(one, part)) ?? null);
    },

    snapshot: () => new Map(clusters),
  };
}

/** Pauses that have ended stay until they are taken back: this process ends soon enough. */
const pauseCalls = (
  of: (cluster: ClusterName) => RememberedCluster,
  replace: (cluster: ClusterName, pauses: readonly Pause[]) => void,
): PauseStore => ({
  pauses: async (cluster, signal) => {
    signal?.throwIfAborted();
    return of(cluster).pauses ?? [];
  },

  addPause: async (cluster, pause, signal) => {
    signal?.throwIfAborted();
    const others = (of(cluster).pauses ?? []).filter(({ part, group }) => part !== pause.part || group !== pause.group);
    replace(cluster, inScopeOrder([...others, { ...pause, source: 'Command' }]));
  },

  removePauses: async (cluster, group, signal) => {
    signal?.throwIfAborted();
    const known = of(cluster).pauses ?? [];
    const left = known.filter((one) => group !== null && one.group !== group);
    replace(cluster, left);
    return known.length - left.length;
  },
});

/** The calls that change one intent. */
const intentCalls = (
  of: (cluster: ClusterName) => RememberedCluster,
  replaceIntent: (cluster: ClusterName, next: Intent) => Intent,
): Pick<StateStore, 'claimIntent' | 'releaseIntent' | 'endIntent'> => ({
  claimIntent: async (cluster, id, { now, until }, signal) => {
    signal?.throwIfAborted();
    const intent = of(cluster).intents.find((known) => known.id === id);
    if (intent?.status !== 'pending' || (intent.claimedUntil !== null && intent.claimedUntil > now)) {
      return null;
    }
    return replaceIntent(cluster, { ...intent, claimedUntil: until, attempts: intent.attempts + 1 });
  },

  releaseIntent: async (cluster, id, claimedUntil, signal) => {
    signal?.throwIfAborted();
    const intent = of(cluster).intents.find((known) => known.id === id);
    if (intent?.status === 'pending' && intent.claimedUntil === claimedUntil) {
      replaceIntent(cluster, { ...intent, claimedUntil: null });
    }
  },

  endIntent: async (cluster, id, { status, outcome, shownBy }, signal) => {
    signal?.throwIfAborted();
    const intent = of(cluster).intents.find((known) => known.id === id);
    if (intent?.status === 'pending') {
      replaceIntent(cluster, { ...intent, status, outcome, claimedUntil: shownBy ?? intent.claimedUntil });
    }
  },
});

function refuseKnownIntents(cluster: ClusterName, known: RememberedCluster, { intents }: Commit): void {
  const ids = new Set(known.intents.map(({ id }) => id));
  for (const { id } of intents) {
    if (ids.has(id)) {
      throw new Error(`Commit ${known.version + 1} of cluster ${cluster}: intent ${id} exists already`);
    }
    ids.add(id);
  }
}

/** Does a decision say something about this part of an evaluation? */
const isAbout = ({ evaluation }: Decision, part: Evaluation | undefined): boolean =>
  part === undefined || evaluation === undefined || evaluation === part;

/** The latest decisions, and the last one about each part. */
function latest(decisions: readonly Decision[], history: number): readonly Decision[] {
  const last = new Set(
    (['ScaleUp', 'ScaleDown'] as const).map((part) => decisions.findLast((one) => isAbout(one, part))),
  );
  return decisions.filter((one, index) => index >= decisions.length - history || last.has(one));
}

function committed(known: RememberedCluster, commit: Commit, history: number): RememberedCluster {
  const settled = new Set(commit.settled);
  const state = nextState(known.state, commit.state);
  const own = commit.decision.state === commit.state ? { ...commit.decision, state } : commit.decision;
  const intents = [...known.intents.filter(({ id }) => !settled.has(id)), ...frozenCopy(commit.intents)];
  return Object.freeze({
    ...known,
    version: known.version + 1,
    state,
    intents: Object.freeze(intents.sort((a, b) => byName(a.id, b.id))),
    decisions: Object.freeze(latest([...known.decisions, own], history)),
  });
}

/** A frozen copy of the next state. Parts of the previous state are frozen copies already. */
function nextState(before: State, next: State): State {
  const copy: Record<string, unknown> = { ...next };
  for (const part of Object.keys(next) as (keyof State)[]) {
    copy[part] = next[part] === before[part] ? before[part] : frozenCopy(next[part]);
  }
  return Object.freeze(copy) as unknown as State;
}
