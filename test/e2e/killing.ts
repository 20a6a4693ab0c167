import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished } from 'vitest';
import { randomFrom } from '../../core/model/values/random.ts';
import { WEBHOOK, type E2eCluster } from './cluster.ts';
import type { LogLine, Outrigger } from './servers/outrigger.ts';
import { startTripwire, type Side } from './servers/tripwire.ts';
import { serverSet } from './server-set.ts';

/** How long what a killed process was about to do is held. */
const TIMEOUT_SECONDS = 5;

/** How long processes live, from the moment that they are up, whatever that takes. */
export interface Lifetime {
  /** The moments lie among this many changes that a process makes first. */
  readonly changes: number;
  /** A process that comes to no such change by then is killed all the same. */
  readonly atMostMs: number;
}

/** Long enough for a decision and what it asks for. */
const SHORT: Lifetime = { changes: 8, atMostMs: 4_000 };

/** When a process is killed. */
type Moment =
  | { readonly kind: 'time'; readonly ms: number }
  | { readonly kind: 'change'; readonly nth: number; readonly side: Side };

/** Processes that manage a cluster one after the other, and are killed. */
export interface Killing {
  /** Starts a process, and kills it at a random moment; gives the moment in words. */
  kill(): Promise<string>;
  /** Starts one that is left alive. */
  start(): Outrigger;
  /** A random whole number below `limit`, of the same stream. */
  below(limit: number): number;
}

/** Arguments that keep a cluster's state in a table of its own. */
export const stateOf = ({ name }: E2eCluster, endpoint = serverSet.dynamodbEndpoint): readonly string[] => [
  `--dynamodb-endpoint=${endpoint}`,
  `--table=${name}`,
  `--timeout=${TIMEOUT_SECONDS}s`,
];

/**
 * Prepares to kill. Some moments are any time after a process is up; most lie immediately before or after one of the changes
 * that the process makes in AWS or in its table, when the change has or has not been made and no process knows which.
 *
 * The moments follow from a seed: the same each time, others with `OUTRIGGER_E2E_SEED=<number>`.
 *
 * @param args of `outrigger local` besides those for the webhook, the state and an evaluation each second.
 */
export async function startKilling(
  cluster: E2eCluster,
  args: readonly string[] = [],
  { changes, atMostMs }: Lifetime = SHORT,
): Promise<Killing> {
  const seed = Number(process.env['OUTRIGGER_E2E_SEED'] ?? process.env['OUTRIGGER_SAMPLE'] ?? 1);
  process.stdout.write(`${cluster.name}: OUTRIGGER_E2E_SEED=${seed}\n`);
  const random = randomFrom(seed);
  const below = (limit: number): number => Math.floor(random() * limit);
  const tripwire = await startTripwire([cluster.recorder.endpoint, serverSet.dynamodbEndpoint]);
  onTestFinished(() => tripwire.stop());
  const [aws, dynamodb] = tripwire.endpoints;
  let started = 0;

  const start = (): Outrigger => {
    started += 1;
    return cluster.outrigger(
      `process-${String(started).padStart(2, '0')}`,
      ...WEBHOOK,
      ...stateOf(cluster, dynamodb),
      `--aws-endpoint=${aws}`,
      '--schedule=1s',
      ...args,
    );
  };
  const nextMoment = (): Moment =>
    random() < 0.4
      ? { kind: 'time', ms: below(0.6 * atMostMs) }
      : { kind: 'change', nth: 1 + below(changes), side: random() < 0.5 ? 'before' : 'after' };

  return {
    start,
    below,
    async kill() {
      const moment = nextMoment();
      const caught = moment.kind === 'change' ? tripwire.catchChange(moment.nth, moment.side) : null;
      const outrigger = start();
      await Promise.race([caught, outrigger.untilLogged('its start', isUp)]);
      const change =
        moment.kind === 'time' ? await delay(moment.ms, null) : await Promise.race([caught, delay(atMostMs, null)]);
      // A process that has ended by itself was not killed.
      expect(await outrigger.stop('SIGKILL')).toBe('SIGKILL');
      tripwire.disarm();
      return inWords(moment, change, atMostMs);
    },
  };
}

const isUp = ({ message }: LogLine): boolean => String(message).startsWith('Autoscaling cluster');

const inWords = (moment: Moment, change: string | null, atMostMs: number): string =>
  moment.kind === 'time'
    ? `after ${moment.ms} ms`
    : change === null
      ? `after ${atMostMs} ms, without change ${moment.nth}`
      : `${moment.side} change ${moment.nth}, ${change}`;
