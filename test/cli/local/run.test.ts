import https from 'node:https';
import { afterEach, describe, expect, it } from 'vitest';
import { createLog } from '../../../cli/local/log.ts';
import { type LocalRun, type LocalSettings, runLocally } from '../../../cli/local/run.ts';
import type { Cluster } from '../../../functions/shared/services.ts';
import type { SetSizeOutcome } from '../../../core/model/answers.ts';
import type { Heartbeat } from '../../../core/ports/heartbeat.ts';
import { durationMs, epochMs, minutes } from '../../../core/model/values/time.ts';
import { createMemoryStore } from '../../../providers/memory/store.ts';
import { pod } from '../../builders.ts';
import { commitOf, intentOf } from '../../providers/state-store.contract.ts';
import { group } from '../../scenario-builders.ts';
import { type TestGroups, testWorld, WEB } from '../../functions/test-world.ts';

const runs: LocalRun[] = [];
afterEach(async () => {
  await Promise.all(runs.splice(0).map((run) => run.close()));
});

/** A run around a cluster in memory; `sized` resolves with the next size that is set. */
async function localRun({
  reader,
  groups,
  ...given
}: Partial<LocalSettings & Pick<Cluster, 'reader' | 'groups'>> = {}) {
  const world = testWorld({ groups: [group('a')] });
  const waiting: ((size: number) => void)[] = [];
  const watched: TestGroups = {
    ...world.groups,
    setSize: async (name, size): Promise<SetSizeOutcome> => {
      const outcome = await world.groups.setSize(name, size);
      waiting.splice(0).forEach((resolve) => resolve(size));
      return outcome;
    },
  };
  const lines: string[] = [];
  const run = await runLocally({
    cluster: {
      ...world.cluster(WEB)!,
      provider: 'aws',
      reader: reader ?? world.cluster(WEB)!.reader,
      groups: groups ?? watched,
    },
    store: world.store,
    drains: world.drains,
    history: world.history,
    heartbeat: null,
    scheduleMs: 3_600_000,
    timeoutMs: minutes(1),
    listen: null,
    webhook: null,
    dryRun: false,
    endpoint: null,
    log: createLog('text', 'info', (line) => lines.push(line)),
    ...given,
  });
  runs.push(run);
  return { run, world, lines, sized: () => new Promise<number>((resolve) => waiting.push(resolve)) };
}

const notify = (run: LocalRun, body: string): Promise<{ readonly status: number; readonly body: string }> =>
  new Promise((resolve, reject) => {
    const request = https.request(run.url!, { method: 'POST', ca: run.ca!, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body: text }));
    });
    request.on('error', reject);
    request.end(body);
  });

const review = JSON.stringify({
  apiVersion: 'admission.k8s.io/v1',
  kind: 'AdmissionReview',
  request: { uid: 'uid-1' },
});

const pods = [pod('p', { requests: { cpu: 1 }, owner: 'ReplicaSet/p' })];
const listen = { host: '127.0.0.1', port: 0, advertise: '127.0.0.1' };

describe('a local run', () => {
  it('evaluates at once, and sets what it has decided', async () => {
    const world = testWorld({ groups: [group('a')], objects: { pods } });
    const { promise, resolve } = Promise.withResolvers<number>();
    await localRun({
      reader: world.cluster(WEB)!.reader,
      groups: {
        ...world.groups,
        setSize: async (_name, size) => {
          resolve(size);
          return { kind: 'set' };
        },
      },
    });
    expect(await promise).toBe(1);
  });

  it('reacts to webhook notifications, over TLS with a certificate that its authority vouches for', async () => {
    const { run, world, sized } = await localRun({ listen });
    world.objects = { pods };
    const [answer, size] = await Promise.all([notify(run, review), sized()]);
    expect(answer.status).toBe(200);
    expect(JSON.parse(answer.body)).toMatchObject({ response: { uid: 'uid-1', allowed: true } });
    expect(size).toBe(1);
  });

  it('allows whatever nonsense it is sent', async () => {
    const { run } = await localRun({ listen });
    const answers = await Promise.all(['', 'x', '{}', 'y'.repeat(64 * 1024)].map((body) => notify(run, body)));
    for (const { status, body } of answers) {
      expect(status).toBe(200);
      expect(JSON.parse(body)).toMatchObject({ response: { allowed: true } });
    }
  });

  it('evaluates again on schedule', async () => {
    const { world, sized } = await localRun({ scheduleMs: 20 });
    world.objects = { pods };
    expect(await sized()).toBe(1);
  });

  it.each([
    { left: 'decided', heldMs: 0 },
    { left: 'begun', heldMs: 1_500 },
  ])('makes what a killed process had $left, and not before that has run out of time', async ({ heldMs }) => {
    const store = createMemoryStore();
    const heldUntil = epochMs(Date.now() + heldMs);
    const intent = intentOf(1, 'a', { from: 0, to: 2, claimedUntil: heldMs === 0 ? null : heldUntil });
    await store.commit(WEB, commitOf(0, { intents: [intent] }));
    const { world } = await localRun({ store, timeoutMs: durationMs(heldMs === 0 ? 60_000 : heldMs) });
    await expect.poll(() => world.groups.calls).toEqual([['a', 2]]);
    expect(Date.now()).toBeGreaterThanOrEqual(heldUntil);
  });

  it('ends what a killed process had made but not ended, however little time it has', async () => {
    const store = createMemoryStore();
    await store.commit(WEB, commitOf(0, { intents: [intentOf(1, 'a', { from: 0, to: 2 })] }));
    const world = testWorld({ groups: [group('a', { target: 2 })], store });
    await localRun({ store, groups: world.groups, timeoutMs: durationMs(500) });
    await expect.poll(async () => (await store.load(WEB)).intents.map((of) => of.status)).toEqual(['done']);
    expect(world.groups.calls).toEqual([]);
  });

  it.each([
    { dryRun: false, beats: 1 },
    { dryRun: true, beats: 0 },
  ])('gives signs of life until it is closed, unless it changes nothing: $dryRun', async ({ dryRun, beats }) => {
    let seen = 0;
    const heartbeat: Heartbeat = { last: async () => null, beat: async () => void (seen += 1) };
    const { run } = await localRun({ heartbeat, dryRun });
    await expect.poll(() => seen).toBe(beats);
    await run.close();
    expect(seen).toBe(beats);
  });

  it('installs the webhook and removes it, once', async () => {
    const calls: string[] = [];
    const { run } = await localRun({
      listen,
      webhook: async ({ url }) => {
        calls.push(`install ${new URL(url).pathname.split('/').at(-1)}`);
        return async () => void calls.push('remove');
      },
    });
    await Promise.all([run.close(), run.close()]);
    expect(calls).toEqual(['install web', 'remove']);
  });

  it('ends although the webhook cannot be removed, and says so', async () => {
    const { run } = await localRun({
      listen,
      webhook: async () => () => Promise.reject(new Error('API server away')),
    });
    runs.length = 0;
    await expect(run.close()).rejects.toThrow('API server away');
    await expect(notify(run, review)).rejects.toThrow('ECONNREFUSED');
  });

  it('leaves nothing behind when the webhook cannot be installed', async () => {
    let url = '';
    const failing = localRun({
      listen,
      webhook: (target) => {
        url = target.url;
        return Promise.reject(new Error('forbidden'));
      },
    });
    await expect(failing).rejects.toThrow('forbidden');
    await expect(notify({ url, ca: '', endpointUrl: null, close: async () => {} }, review)).rejects.toThrow(
      'ECONNREFUSED',
    );
  });

  it('changes nothing in a dry run, not even the webhook', async () => {
    const calls: string[] = [];
    const { run, world, lines } = await localRun({
      dryRun: true,
      listen,
      webhook: async () => {
        calls.push('install');
        return async () => void calls.push('remove');
      },
    });
    world.objects = { pods };
    await notify(run, review);
    await expect.poll(() => lines.join('')).toMatch(/scale up a 0 → 1.*\(dry run\)/);
    await run.close();
    expect(calls).toEqual([]);
    expect(world.groups.calls).toEqual([]);
    expect([...world.store.snapshot()]).toMatchObject([
      ['web/dry-run', { intents: [], state: { scaleUpRequests: [] } }],
    ]);
  });

  it('says why it cannot listen', async () => {
    const { run } = await localRun({ listen });
    const port = Number(new URL(run.url!).port);
    await expect(localRun({ listen: { ...listen, port } })).rejects.toThrow(
      `The webhook server cannot listen on 127.0.0.1:${port}`,
    );
  });
});
