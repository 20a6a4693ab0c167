import { minutes, seconds } from '../../core/model/values/time.ts';
import { EMPTY_STATE, type State } from '../../core/model/state.ts';
import type { StateStore } from '../../core/ports/state-store.ts';
import { createMemoryStore, type MemoryStore } from '../../providers/memory/store.ts';
import type { Clock } from '../../simulation/clock.ts';
import type { FaultSource } from './fault-source.ts';

/** How often what is stored may get lost. */
const EVERY = seconds(30);
/** So long two versions run beside each other. */
const OLDER_FOR = minutes(3);

/** Fate of the stored state. */
type Loss = 'lost' | 'quarantined' | 'older';

/** Parts that versions before have not written. */
const LATER_PARTS = new Set([
  'lastScaleUpEvaluation',
  'lastNotification',
  'disruptions',
  'unneededTimes',
  'monthCosts',
]);

const asOlder = (state: State): State =>
  Object.fromEntries(Object.entries(state).filter(([part]) => !LATER_PARTS.has(part))) as unknown as State;

/**
 * A store that loses what it holds. State and intents are lost, and the notices stay; or the state cannot be
 * read and is set aside, and what is to be done stays; or for some minutes another version of the functions runs beside
 * this one, which writes a state without the parts that it does not know.
 *
 * @param onLost all intents are lost.
 */
export function forgetfulStore(
  clock: Clock,
  faults: FaultSource,
  onLost: () => void,
): Pick<MemoryStore, 'snapshot'> & StateStore & { readonly forgottenAt: () => number } {
  let store = createMemoryStore({ history: 1 });
  let emptied = false;
  let forgottenAt = Number.NEGATIVE_INFINITY;
  /** Nothing has been learnt anew since. */
  let knowsNothing = false;
  let olderUntil = 0;
  const come = (): void => {
    const loss = faults.strike<Loss>(
      'state',
      0.01,
      (chance) => chance.oneOf(['lost', 'quarantined', 'older'] as const),
      (what) => `what is stored is ${what}`,
    );
    knowsNothing ||= loss === 'lost' || loss === 'quarantined';
    if (loss === 'lost') {
      const notices = [...store.snapshot()].flatMap(([cluster, known]) =>
        (known.notices ?? []).map((notice) => ({ cluster, notice })),
      );
      store = createMemoryStore({ history: 1 });
      // At once, as the memory store does everything.
      notices.forEach(({ cluster, notice }) => void store.addNotice(cluster, notice));
      onLost();
    } else if (loss === 'quarantined') {
      emptied = true;
    } else if (loss === 'older') {
      olderUntil = clock.now() + OLDER_FOR;
    }
    if (!faults.stopped()) {
      clock.after(EVERY, come);
    }
  };
  clock.after(EVERY, come);
  const asHeld = Object.fromEntries(
    Object.keys(store).map((name) => [
      name,
      async (...given: never) => await (store[name as keyof StateStore] as (...of: never) => unknown)(...given),
    ]),
  ) as unknown as StateStore;
  return {
    ...asHeld,
    snapshot: () => store.snapshot(),
    /** Until when what had been learnt before was not known; before all time where nothing has been forgotten. */
    forgottenAt: () => (knowsNothing ? clock.now() : forgottenAt),
    load: async (...call) => {
      const known = await store.load(...call);
      return emptied ? { ...known, state: EMPTY_STATE } : known;
    },
    commit: async (cluster, commit, signal) => {
      const isOlder = clock.now() < olderUntil;
      const outcome = await store.commit(
        cluster,
        isOlder ? { ...commit, state: asOlder(commit.state) } : commit,
        signal,
      );
      emptied &&= outcome.kind !== 'committed';
      if (knowsNothing && outcome.kind === 'committed') {
        forgottenAt = clock.now();
        knowsNothing = false;
      }
      return outcome;
    },
  };
}
