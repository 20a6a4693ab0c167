import { epochMs, type EpochMs } from '../../core/model/values/time.ts';
import type { Work } from '../../functions/shared/services.ts';
import type { Clock } from '../../simulation/clock.ts';
import type { FaultSource } from './fault-source.ts';
import { createLife, type Life } from './mortal.ts';
import type { Assumption } from './fault-scenario.ts';

/** A single invocation of a function. */
export interface Invocation {
  /** `scale-up #12`. */
  readonly name: string;
  readonly life: Life;
  /** The time on the clock of its host. */
  readonly now: () => EpochMs;
}

/** Runs functions as Lambda does: each invocation in a process of its own, with an end. */
export interface Runtime {
  /**
   * Rejects with the function's error, or because it has died.
   *
   * @param work makes the function for this one invocation.
   */
  readonly invoke: <Event, Result>(
    kind: string,
    timeoutMs: number,
    work: (invocation: Invocation) => Work<Event, Result>,
    event: Event,
  ) => Promise<Result>;
  /** Invocations that have not ended. */
  readonly underWay: () => number;
}

/** An invocation has ended without an end of its function. */
class Died extends Error {}

export interface RuntimeOptions {
  readonly clock: Clock;
  readonly faults: FaultSource;
  readonly beyond: Assumption | null;
  readonly log: (line: string) => void;
  readonly meetings: Readonly<{ deathAt: (moment: string) => number | null; died: (moment: string) => void }>;
  /** A function runs on a host whose clock is this far off, in milliseconds. */
  readonly onSkew: (ms: number) => void;
  /** A function has failed by itself. */
  readonly onFailed: (invocation: string, error: unknown) => void;
}

/** How far a host's clock may be off. */
export const MAX_SKEW_MS = 30_000;
/** In runs beyond that. */
const FAR_SKEW_MS = 180_000;
/** Death at any call, and more often at those that change something. */
const DEATH = 0.003;
const DEATH_AT_A_CHANGE = 0.03;
/** A call that is never answered: the function waits for it until its time is up. */
const HANGS = 0.0006;
const CHANGES = /store\.(?!load)|inbox\.(?!list)|setSize|terminate|completeHook|writer\.|drains\.(?!list|load|remove)/;
/** The signal comes so long before the end. */
const WARNING_MS = 1_000;

export function createRuntime({ clock, faults, beyond, log, meetings, onSkew, onFailed }: RuntimeOptions): Runtime {
  const furthest = beyond === 'skew' ? FAR_SKEW_MS : MAX_SKEW_MS;
  let count = 0;
  let underWay = 0;
  return {
    underWay: () => underWay,
    invoke: async (kind, timeoutMs, work, event) => {
      count += 1;
      const name = `${kind} #${count}`;
      const skew =
        faults.strike(
          'clock skew',
          0.08,
          (chance) => chance.within({ min: -furthest, max: furthest }),
          (ms) => `the clock of ${name} is ${ms} ms off`,
        ) ?? 0;
      onSkew(skew);
      const life = createLife(
        (moment) =>
          faults.strike(
            'death',
            meetings.deathAt(moment) ?? (CHANGES.test(moment) ? DEATH_AT_A_CHANGE : DEATH),
            () => {
              meetings.died(moment);
              return true;
            },
            () => `${name} dies ${moment}`,
          ) !== null,
        (call) =>
          faults.strike(
            'hang',
            HANGS,
            () => true,
            () => `${name} gets no answer to ${call}`,
          ) !== null,
      );
      const controller = new AbortController();
      const warning = clock.after(timeoutMs - WARNING_MS, () =>
        controller.abort(new Error(`the function has run for ${(timeoutMs - WARNING_MS) / 1_000} s`)),
      );
      const end = clock.after(timeoutMs, () => life.kill('as its time is up'));
      const invocation = { name, life, now: () => epochMs(clock.now() + skew) };
      log(`${name} begins`);
      underWay += 1;
      try {
        const died = life.death.then((why) => {
          throw new Died(`${name} has died ${why}`);
        });
        const result = await Promise.race([work(invocation)(event, { signal: controller.signal }), died]);
        log(`${name} ends`);
        return result;
      } catch (error) {
        if (life.isOver()) {
          log(`${name} is dead`);
        } else {
          log(`${name} fails: ${error instanceof Error ? error.message : String(error)}`);
          onFailed(name, error);
        }
        throw error;
      } finally {
        underWay -= 1;
        // A function that is dead or has returned does nothing more, whatever it has left running.
        life.kill('at its end');
        warning.cancel();
        end.cancel();
      }
    },
  };
}
