import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { ClusterEvent } from '../../../core/model/cluster/cluster-event.ts';
import { epochMs } from '../../../core/model/values/time.ts';
import { createTransport } from '../../../providers/kubernetes/client/transport.ts';
import type { StatusObject } from '../../../providers/kubernetes/status-config-map.ts';
import { createEventRecorder, MOST_EVENTS } from '../../../providers/kubernetes/events.ts';
import { NOW, times } from '../../scenario-builders.ts';
import { apiServer, type Handler, json, refuse } from './api-server.ts';

const HOUR = 3_600_000;

const event = (name: string, more: Partial<ClusterEvent> = {}): ClusterEvent => ({
  about: { kind: 'Pod', namespace: 'shop', name, uid: `uid-of-${name}` },
  type: 'Normal',
  reason: 'NotTriggerScaleUp',
  message: "pod didn't trigger scale-up: 2 Insufficient cpu",
  occurrence: '',
  ...more,
});

/** Creates each name once, as the API server does. */
function creating(): Handler {
  const names = new Set<string>();
  return ({ body }, response) => {
    const { name } = (JSON.parse(body) as { readonly metadata: { readonly name: string } }).metadata;
    if (names.has(name)) {
      refuse(response, 409, 'AlreadyExists', `events "${name}" already exists`);
    } else {
      names.add(name);
      json(response, 201, {});
    }
  };
}

/** No limit of time ends by itself, so that a busy machine reaches none. */
async function recording(handler: Handler = creating(), _threeSeconds = endOfLimit(3_000)) {
  const server = await apiServer(handler);
  const transport = createTransport(server.connection, { firstPauseMs: 5, deadlineMs: HOUR, budgetMs: HOUR });
  const warnings: string[] = [];
  let now = NOW;
  let status: StatusObject | null = null;
  const recorder = () =>
    createEventRecorder(transport, {
      now: () => now,
      warn: (message) => warnings.push(message),
      statusObject: async () => status,
    });
  return {
    ...recorder(),
    another: recorder,
    warnings,
    setStatus: (object: StatusObject) => void (status = object),
    pass: (ms: number) => void (now = epochMs(now + ms)),
    names: () =>
      server.seen.map(
        ({ body }) => (JSON.parse(body) as { readonly metadata: { readonly name: string } }).metadata.name,
      ),
    [Symbol.asyncDispose]: async () => {
      transport.close();
      await server[Symbol.asyncDispose]();
    },
  };
}

/** @returns ends a limit of so many milliseconds, which does not end by itself. */
function endOfLimit(limitMs: number): () => void {
  const limit = new AbortController();
  const timeout = AbortSignal.timeout.bind(AbortSignal);
  const spy = vi
    .spyOn(AbortSignal, 'timeout')
    .mockImplementation((ms) => (ms === limitMs ? limit.signal : timeout(ms)));
  onTestFinished(() => spy.mockRestore());
  return () => limit.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError'));
}

describe('recording events', () => {
  it('records what is said again and again once, whichever process says it', async () => {
    await using world = await recording();
    await world.recordEvents([event('a'), event('b'), event('a')]);
    expect(world.names()).toHaveLength(2);
    await world.recordEvents([event('a'), event('b')]);
    expect(world.names()).toHaveLength(2);
    await world.another().recordEvents([event('a')]);
    expect(world.names()).toHaveLength(3);
    expect(new Set(world.names()).size).toBe(2);
    expect(world.warnings).toEqual([]);
  });

  it('records it again when the API server has dropped it', async () => {
    await using world = await recording((_seen, response) => json(response, 201, {}));
    await world.recordEvents([event('a')]);
    world.pass(59 * 60_000);
    await world.recordEvents([event('a')]);
    expect(world.names()).toHaveLength(1);
    world.pass(2 * 60_000);
    await world.recordEvents([event('a')]);
    expect(world.names()).toHaveLength(2);
  });

  it.each<[string, Partial<ClusterEvent>]>([
    ['reason', { reason: 'TriggeredScaleUp' }],
    ['occurrence', { occurrence: '8' }],
    ['object of the same name', { about: { kind: 'Pod', namespace: 'shop', name: 'a', uid: 'another' } }],
  ])('records another event for another %s', async (_, more) => {
    await using world = await recording();
    await world.recordEvents([event('a'), event('a', more)]);
    expect(new Set(world.names()).size).toBe(2);
  });

  it('records one event of an occurrence, whatever its message', async () => {
    await using world = await recording();
    await world.recordEvents([event('a')]);
    await world.recordEvents([event('a', { message: "pod didn't trigger scale-up: 1 Insufficient memory" })]);
    expect(world.names()).toHaveLength(1);
  });

  it('records a bounded number at a time, and the others when it is called again', async () => {
    await using world = await recording();
    const events = times(MOST_EVENTS + 30, (i) => event(`p-${i}`));
    await world.recordEvents(events);
    expect(world.names()).toHaveLength(MOST_EVENTS);
    await world.recordEvents(events);
    await world.recordEvents(events);
    expect(new Set(world.names()).size).toBe(events.length);
    expect(world.names()).toHaveLength(events.length);
  });

  it('stops where none is taken, says so in one line, and does not try the same again at once', async () => {
    await using world = await recording((_seen, response) => refuse(response, 403, 'Forbidden', 'no'));
    const events = times(50, (i) => event(`p-${i}`));
    await world.recordEvents(events);
    expect(world.names()).toHaveLength(8);
    expect(world.warnings).toEqual([expect.stringMatching(/^8 of 8 events could not be recorded: .*"create"/)]);
    await world.recordEvents(events.slice(0, 8));
    expect(world.names()).toHaveLength(8);
  });

  it('gives up after three seconds without an answer, for pods are waiting', async () => {
    const threeSeconds = endOfLimit(3_000);
    let requests = 0;
    await using world = await recording(() => {
      requests += 1;
      if (requests === 8) {
        threeSeconds();
      }
    }, threeSeconds);
    await world.recordEvents(times(50, (i) => event(`p-${i}`)));
    expect(world.names()).toHaveLength(8);
    expect(world.warnings).toHaveLength(1);
  });

  it('gives an event of an object with the longest name one that the API server takes', async () => {
    await using world = await recording();
    await world.recordEvents([event(`${'a'.repeat(219)}.${'b'.repeat(33)}`)]);
    expect(world.names()[0]).toMatch(/^a{219}\.[0-9a-f]{20}$/);
  });
});
