import { describe, expect, it } from 'vitest';
import { takeOver } from '../../../cli/local/take-over.ts';
import { isWithoutDriver } from '../../../core/drain/drivers.ts';
import type { Heartbeat } from '../../../core/ports/heartbeat.ts';
import { addTime, durationMs, type EpochMs, minutes, seconds } from '../../../core/model/values/time.ts';
import { createMemoryDrains } from '../../../providers/memory/drains.ts';
import { createMemoryStore } from '../../../providers/memory/store.ts';
import { WEB } from '../../functions/test-world.ts';
import { drainOf } from '../../providers/drain-store.contract.ts';
import { commitOf, intentOf } from '../../providers/state-store.contract.ts';
import { NOW } from '../../scenario-builders.ts';

/** A process that begins while an intent and a drain belong to another process. It lives for a time, in seconds. */
async function begun({
  heartbeats = ['other'],
  failures = 0,
  lives = 20,
}: {
  /** Heartbeats that are read, in order; the last one stays. */
  readonly heartbeats?: readonly (string | null)[];
  readonly failures?: number;
  readonly lives?: number;
}) {
  const store = createMemoryStore();
  const drains = createMemoryDrains();
  const claimedUntil = addTime(NOW, minutes(1));
  await store.commit(WEB, commitOf(0, { intents: [intentOf(1, 'a', { claimedUntil }), intentOf(1, 'b')] }));
  await drains.create(WEB, { drain: drainOf('n1'), attempt: 1, drivenUntil: claimedUntil });
  await drains.create(WEB, { drain: drainOf('n2', { phase: 'Removed' }), attempt: 1, drivenUntil: claimedUntil });
  const end = new AbortController();
  let now: EpochMs = NOW;
  let reads = 0;
  let left = failures;
  const beats: EpochMs[] = [];
  const resumed: EpochMs[] = [];
  const lines: string[] = [];
  const heartbeat: Heartbeat = {
    last: async () => heartbeats[Math.min(reads++, heartbeats.length - 1)] ?? null,
    beat: async () => {
      beats.push(now);
      if (left > 0) {
        left -= 1;
        throw new Error('the table is away');
      }
    },
  };
  const sleep = async (ms: number, signal?: AbortSignal): Promise<void> => {
    now = addTime(now, durationMs(ms));
    if (now - NOW >= seconds(lives)) {
      end.abort(new Error('the process ends'));
    }
    signal?.throwIfAborted();
  };
  const say = (message: string): void => void lines.push(message);
  await takeOver(
    {
      cluster: WEB,
      heartbeat,
      store,
      drains,
      clock: { now: () => now, sleep },
      log: { info: say, warn: say },
      resume: () => resumed.push(now),
    },
    end.signal,
  );
  const claims = (await store.pendingIntents(WEB)).map((intent) => intent.claimedUntil);
  const free = (await drains.list(WEB)).filter((drain) => isWithoutDriver(drain, now)).map(({ drain }) => drain.node);
  return { claims, free, beats, resumed, lines, claimedUntil };
}

describe('a process that begins', () => {
  it('takes over within ten seconds what a process that is silent has claimed', async () => {
    const { claims, free, resumed, lines } = await begun({});
    expect(claims).toEqual([null, null]);
    expect(free).toEqual(['n1']);
    expect(resumed).toHaveLength(1);
    expect(resumed[0]! - NOW).toBeLessThanOrEqual(seconds(10));
    expect(lines).toEqual(['The process that ran cluster web before has ended: its work is taken over']);
  });

  it.each([
    { name: 'another process is alive', heartbeats: ['other 1', 'other 2'], lines: 1 },
    { name: 'no process has given a sign of life', heartbeats: [null], lines: 0 },
  ])('leaves claims to their end where $name', async ({ heartbeats, lines: said }) => {
    const { claims, free, resumed, lines, claimedUntil } = await begun({ heartbeats });
    expect(claims).toEqual([claimedUntil, null]);
    expect(free).toEqual([]);
    expect(resumed).toEqual([]);
    expect(lines).toHaveLength(said);
  });

  it('releases nothing where it ends before it can tell', async () => {
    const { claims, beats, lines, claimedUntil } = await begun({ lives: 3 });
    expect({ claims, beats, lines }).toEqual({ claims: [claimedUntil, null], beats: [], lines: [] });
  });

  it('gives signs of life more often than it waits for those of others, and goes on after a failure', async () => {
    const { beats, lines } = await begun({ heartbeats: [null], failures: 2 });
    expect(beats.slice(0, 4).map((at) => at - NOW)).toEqual([0, 2_000, 4_000, 6_000]);
    expect(lines.filter((line) => line.includes('could not be stored'))).toHaveLength(2);
  });
});
