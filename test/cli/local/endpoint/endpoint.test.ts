import { expect, onTestFinished, test } from 'vitest';
import { openEndpoint } from '../../../../cli/local/endpoint/endpoint.ts';
import { defaultOptions } from '../../../../core/model/options.ts';
import { clusterName } from '../../../../core/model/values/names.ts';
import { type EpochMs, epochMs } from '../../../../core/model/values/time.ts';
import { createMemoryDrains } from '../../../../providers/memory/drains.ts';
import { createMemoryStore } from '../../../../providers/memory/store.ts';
import type { InProcessFunction } from '../../../../runtime/functions.ts';
import type { Invoke } from '../../../../runtime/invocations.ts';

const MINUTE = 60_000;

/** An endpoint whose clock is set, around invocations that end as they are told. */
async function endpointOf() {
  let now = 0;
  let awaySince: EpochMs | null = null;
  const endpoint = await openEndpoint(
    { address: { host: '127.0.0.1', port: 0 }, ui: false, maxInactivityMs: 10 * MINUTE, maxFailingMs: 15 * MINUTE },
    {
      cluster: clusterName('web'),
      options: defaultOptions(),
      stores: { store: createMemoryStore(), drains: createMemoryDrains() },
      dryRun: false,
      now: (): EpochMs => epochMs(now),
      awaySince: () => awaySince,
    },
  );
  onTestFinished(endpoint.close);
  const outcome: { end: () => unknown } = { end: () => ({ batchItemFailures: [] }) };
  const invoke = endpoint.watching(() => (async () => outcome.end()) as Invoke)(() => {
    throw new Error('no world is needed');
  });
  const named = (name: string) => ({ name }) as unknown as InProcessFunction<null, unknown>;
  return {
    /** Invokes a function at a minute, and ends it so. */
    at: async (minute: number, name: string, end: () => unknown) => {
      now = minute * MINUTE;
      outcome.end = end;
      await invoke(named(name), null).catch(() => {});
    },
    losesApiServer: (minute: number) => {
      awaySince = epochMs(minute * MINUTE);
    },
    health: async (minute: number) => {
      now = minute * MINUTE;
      const response = await fetch(`${endpoint.url}health-check`);
      return `${response.status} ${await response.text()}`;
    },
  };
}

const SUCCESS = () => ({ batchItemFailures: [] });

test('evaluations whose wake-ups are delivered again are failures', async () => {
  const { at, health } = await endpointOf();
  for (let minute = 0; minute <= 15; minute += 1) {
    await at(minute, 'scale-up', () => ({ batchItemFailures: [{ itemIdentifier: 'm' }] }));
  }
  expect(await health(15)).toBe('200 OK\n');
  expect(await health(16)).toBe('500 Error: no evaluation succeeded for 960 s; the limit is 900 s\n');
  await at(16, 'scale-up', SUCCESS);
  expect(await health(16)).toBe('200 OK\n');
});

test('evaluations that throw, or other functions, do not keep a process healthy', async () => {
  const { at, health } = await endpointOf();
  for (let minute = 0; minute <= 16; minute += 1) {
    await at(minute, 'scale-up', () => {
      throw new Error('the API server is away');
    });
    await at(minute, 'scale-down', SUCCESS);
  }
  expect(await health(16)).toMatch(/^500 Error: no evaluation succeeded/);
});

test('an API server that does not answer is in the body at once, and the status stays', async () => {
  const { losesApiServer, health } = await endpointOf();
  losesApiServer(3);
  expect(await health(4)).toBe('200 OK. The API server does not answer since 00:03:00.\n');
});

test('a process that evaluates nothing any more is not healthy', async () => {
  const { at, health } = await endpointOf();
  await at(1, 'scale-up', SUCCESS);
  expect(await health(11)).toBe('200 OK\n');
  expect(await health(12)).toBe('500 Error: no evaluation began for 660 s; the limit is 600 s\n');
});
