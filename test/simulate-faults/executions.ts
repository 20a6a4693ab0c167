import { type EpochMs, epochMs } from '../../core/model/values/time.ts';
import type { Pace } from '../../functions/drain/pace.ts';
import type { Clock } from '../../simulation/clock.ts';
import type { FaultSource } from './fault-source.ts';

/** From a function to the service that keeps its checkpoints. */
const CHECKPOINT_MS = 10;
/** The service invokes an execution whose invocation has died after this time, in milliseconds, and not for ever. */
const AGAIN_MS = [5_000, 30_000];
const BROKEN_OFF = 0.02;

/** Record of an operation in the durable service: the result of a step, or the time until which an execution waits. */
type Checkpoint = { readonly result: string | undefined } | { readonly until: EpochMs };

/** A single invocation of an execution. */
export interface Replay {
  /** Part of its function's pace; `stepMs` and `limit` are those of the function. */
  readonly pace: Pick<Pace, 'step' | 'wait'>;
  /** Resolves when the execution waits: nothing of the invocation goes on. */
  readonly suspended: Promise<'suspended'>;
}

/** How an invocation has ended; it rejects when it has failed or died. */
type Ending = 'done' | 'suspended';

interface Executions {
  /**
   * Runs a durable execution as Lambda does: an invocation ends at each wait, and the next one begins anew, with the
   * results of the steps that are recorded, as JSON. Steps without a recorded result are repeated. After an invocation
   * dies, the next one replays the recorded steps; the execution ends if invocations die again and again.
   *
   * @param invoke makes one invocation
   */
  readonly execute: (name: string, invoke: (replay: Replay) => Promise<Ending>) => Promise<void>;
}

export interface ExecutionsOptions {
  readonly clock: Clock;
  readonly faults: FaultSource;
  /** Has the invocation died? */
  readonly isDeath: (error: unknown) => boolean;
  readonly log: (line: string) => void;
}

export function createExecutions({ clock, faults, isDeath, log }: ExecutionsOptions): Executions {
  return {
    execute: async (name, invoke) => {
      const recorded = new Map<string, Checkpoint>();
      let deaths = 0;
      for (;;) {
        try {
          const ending = await invoke(replayOf(name, recorded, clock, faults));
          if (ending === 'done') {
            return;
          }
          deaths = 0;
          const until = [...recorded.values()].reduce(
            (last, one) => ('until' in one ? Math.max(last, one.until) : last),
            0,
          );
          await clock.sleep(Math.max(0, until - clock.now()));
        } catch (error) {
          const again = AGAIN_MS[deaths];
          if (again === undefined || !(isDeath(error) || error instanceof CheckpointFailed)) {
            throw error;
          }
          deaths += 1;
          await clock.sleep(again);
          log(`${name} is replayed`);
        }
      }
    },
  };
}

function replayOf(name: string, recorded: Map<string, Checkpoint>, clock: Clock, faults: FaultSource): Replay {
  const order = [...recorded.keys()];
  let suspend: (how: 'suspended') => void;
  const suspended = new Promise<'suspended'>((resolve) => {
    suspend = resolve;
  });
  const operation = (key: string): Checkpoint | undefined => {
    const expected = order.shift();
    if (expected !== undefined && expected !== key) {
      throw new TypeError(`the replay of ${name} comes to ${key}, where ${expected} is recorded`);
    }
    return recorded.get(key);
  };
  const checkpoint = async (key: string, value: Checkpoint): Promise<void> => {
    await clock.sleep(CHECKPOINT_MS);
    const broken = faults.strike(
      'checkpoint',
      BROKEN_OFF,
      (chance) => (chance.next() < 0.5 ? 'lost' : 'unanswered'),
      (how) => `${name}: the checkpoint of ${key} is ${how}`,
    );
    if (broken !== 'lost') {
      recorded.set(key, value);
    }
    if (broken !== null) {
      throw new CheckpointFailed(`${name}: the checkpoint of ${key} has failed`);
    }
  };
  return {
    suspended,
    pace: {
      step: async <T>(key: string, work: () => Promise<T>): Promise<T> => {
        const known = operation(key);
        if (known !== undefined && 'result' in known) {
          return parsed(known.result) as T;
        }
        // `undefined` is no JSON.
        const result = JSON.stringify(await work()) as string | undefined;
        await checkpoint(key, { result });
        return parsed(result) as T;
      },
      wait: async (key, ms) => {
        const known = operation(key);
        if (known !== undefined && 'until' in known && known.until <= clock.now()) {
          return;
        }
        if (known === undefined) {
          await checkpoint(key, { until: epochMs(clock.now() + 1_000 * Math.max(1, Math.ceil(ms / 1_000))) });
        }
        suspend('suspended');
        await new Promise<never>(() => {});
      },
    },
  };
}

/** The service cannot be reached: the SDK ends the invocation. */
export class CheckpointFailed extends Error {}

const parsed = (result: string | undefined): unknown => (result === undefined ? undefined : JSON.parse(result));
