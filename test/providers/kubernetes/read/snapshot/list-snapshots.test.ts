import { setTimeout } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { durationMs } from '../../../../../core/model/values/time.ts';
import type { SnapshotStore } from '../../../../../core/ports/snapshot-store.ts';
import { createTransport } from '../../../../../providers/kubernetes/client/transport.ts';
import { POD_LISTS } from '../../../../../providers/kubernetes/read/kinds.ts';
import { listAll } from '../../../../../providers/kubernetes/read/list.ts';
import {
  listSnapshots,
  type ListSnapshotsOptions,
} from '../../../../../providers/kubernetes/read/snapshot/list-snapshots.ts';
import {
  type CachedListsOptions,
  cachedLists,
  type ListReport,
} from '../../../../../providers/kubernetes/read/view/cached-lists.ts';
import type { Json } from '../../protobuf/pod-encoder.ts';
import { Pods, podServer } from '../view/pod-server.ts';
import { memorySnapshots } from '../../../../memory-snapshots.ts';

const SECOND = 1_000;
const MINUTE = 60_000;
const UNFINISHED = { fieldSelector: 'status.phase!=Succeeded,status.phase!=Failed' };
const SELECTION = { kind: POD_LISTS, query: UNFINISHED };
const never = new AbortController().signal;

const pod = (cpu: string, phase = 'Running'): Json => ({
  spec: { containers: [{ name: 'main', resources: { requests: { cpu } } }] },
  status: { phase },
});

/** A process that keeps lists. */
interface Sandbox {
  readonly look: (signal?: AbortSignal) => Promise<{ readonly items: readonly unknown[]; readonly differing?: number }>;
  readonly save: () => Promise<void>;
  readonly reports: (ListReport['how'] & Pick<ListReport, 'snapshot'>)[];
}

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) {
    await close();
  }
});

async function ground() {
  const pods = new Pods();
  const server = await podServer(pods, 'protobuf');
  const transport = createTransport(server.connection, { firstPauseMs: 1, deadlineMs: 10_000 });
  closing.push(
    () => server[Symbol.asyncDispose](),
    () => transport.close(),
  );
  const stored = new Map<string, Uint8Array>();
  const warnings: string[] = [];
  const clock = { now: 1_000 * MINUTE };
  const saves: string[] = [];
  const memory = memorySnapshots(stored);
  const store: SnapshotStore = {
    ...memory,
    save: async (name, bytes, signal) => (saves.push(name), await memory.save(name, bytes, signal)),
  };
  const sandbox = (
    { keptFrom = () => 1, ...kept }: Partial<CachedListsOptions> = {},
    snapshots: Partial<ListSnapshotsOptions> = {},
  ): Sandbox => {
    const reports: Sandbox['reports'] = [];
    const lists = cachedLists(transport, {
      pageSize: 3,
      keptFrom,
      report: ({ how, snapshot }) => reports.push({ ...how, ...(snapshot !== undefined && { snapshot }) }),
      snapshots: listSnapshots(transport, {
        store,
        cluster: 'web',
        now: () => clock.now,
        warn: (message) => warnings.push(message),
        ...snapshots,
      }),
      ...kept,
    });
    return { look: (signal = never) => lists.list(SELECTION, signal), save: () => lists.save(never), reports };
  };
  const inFull = async () => {
    const { items, rejected } = await listAll(transport, POD_LISTS, { query: UNFINISHED, pageSize: 3 }, never);
    return { items, rejected };
  };
  return { pods, server, stored, warnings, clock, saves, store, sandbox, inFull, transport };
}

/** Ground of which a first process has stored eight pods; meanwhile one has come and one has gone. */
async function afterFirst() {
  const all = await ground();
  const { pods, sandbox, server } = all;
  'abcdefgh'.split('').forEach((name) => pods.put(`default/${name}`, pod('1')));
  const first = sandbox();
  await first.look();
  await first.save();
  pods.put('default/new', pod('1', 'Pending'));
  pods.remove('default/c');
  return { ...all, first, from: server.seen.length };
}

describe('a cold start', () => {
  it('begins with the snapshot of another process, and shows what has changed since', async () => {
    const { sandbox, server, inFull, from, warnings } = await afterFirst();
    const cold = sandbox();
    expect(await cold.look()).toMatchObject(await inFull());
    expect(cold.reports).toMatchObject([{ kind: 'watched', events: 2, snapshot: 'Used' }]);
    // No list in full: the cluster's UID, the present version and the watch.
    expect(server.seen.slice(from, from + 3).map(({ query }) => query.get('limit') ?? 'watch')).toEqual([
      '1',
      '1',
      'watch',
    ]);
    await cold.look();
    expect(cold.reports[1]).not.toHaveProperty('snapshot');
    expect(warnings).toEqual([]);
  });

  it('reads lists in full where there is no snapshot, and says nothing of it', async () => {
    const { pods, sandbox, warnings } = await ground();
    pods.put('default/a', pod('1'));
    const cold = sandbox();
    await cold.look();
    expect(cold.reports).toEqual([{ kind: 'listed', snapshot: 'NoSnapshot' }]);
    expect(warnings).toEqual([]);
  });

  it.each([
    ['expired', 'expired', 'Expired'],
    ['silent', 'not proven', 'WatchFailed'],
    ['forbidden', 'forbidden', 'WatchFailed'],
    ['nonsense', 'failed', 'WatchFailed'],
  ] as const)('reads the list in full where the watch from a snapshot is %s', async (fault, why, snapshot) => {
    const { sandbox, server, inFull, pods } = await afterFirst();
    // The version that the look catches up with is that of no pod.
    pods.tick();
    server.ways.fault = fault;
    const cold = sandbox();
    expect(await cold.look()).toMatchObject(await inFull());
    expect(cold.reports).toMatchObject([{ kind: 'listed again', why, snapshot }]);
  });

  it('reads the list in full where the store has an earlier version than the snapshot', async () => {
    const { stored } = await afterFirst();
    const restored = await ground();
    restored.pods.put('default/other', pod('1'));
    restored.stored.set('pods', stored.get('pods')!);
    const cold = restored.sandbox();
    expect(await cold.look()).toMatchObject(await restored.inFull());
    expect(cold.reports).toMatchObject([{ kind: 'listed again', why: 'went back', snapshot: 'WatchFailed' }]);
  });

  it.each<readonly [string, (bytes: Uint8Array) => Uint8Array]>([
    ['is cut', (bytes) => bytes.subarray(0, bytes.length - 1)],
    ['has another byte', (bytes) => bytes.with(bytes.length - 9, bytes.at(-9)! ^ 1)],
    ['is empty', () => new Uint8Array()],
    ['is something else', () => Buffer.from('{"items":[]}\n')],
  ])('warns once of a snapshot that %s, and reads the list in full', async (_, damage) => {
    const { stored, sandbox, inFull, warnings } = await afterFirst();
    stored.set('pods', damage(stored.get('pods')!));
    const cold = sandbox();
    expect(await cold.look()).toMatchObject(await inFull());
    await cold.look();
    expect(cold.reports).toMatchObject([{ kind: 'listed', snapshot: 'Damaged' }, { kind: 'watched' }]);
    expect(cold.reports[1]).not.toHaveProperty('snapshot');
    expect(warnings).toEqual([expect.stringMatching(/^The snapshot of pods is not used: .*memory:pods\.$/)]);
    await cold.save();
    const next = sandbox();
    await next.look();
    expect(next.reports).toMatchObject([{ snapshot: 'Used' }]);
  });

  it('warns of a snapshot that is larger than any that is written', async () => {
    const { stored, sandbox, warnings } = await afterFirst();
    stored.set('pods', Buffer.alloc(64 * 1024 * 1024 + 1));
    const cold = sandbox();
    await cold.look();
    expect(cold.reports).toEqual([{ kind: 'listed', snapshot: 'Unreadable' }]);
    expect(warnings).toEqual([expect.stringContaining('and at most 67108864 are read')]);
  });

  it('does not use the snapshot of a cluster of another name, or of one before under the same name', async () => {
    const { sandbox, server, warnings } = await afterFirst();
    const other = sandbox({}, { cluster: 'other' });
    await other.look();
    expect(other.reports).toEqual([{ kind: 'listed', snapshot: 'OtherCluster' }]);
    server.ways.clusterUid = 'uid-of-its-successor';
    const successor = sandbox();
    await successor.look();
    expect(successor.reports).toEqual([{ kind: 'listed', snapshot: 'OtherCluster' }]);
    expect(warnings).toHaveLength(2);
    expect(warnings[1]).toContain('it is of another cluster (web, UID uid-of-cluster)');
  });

  it('does not use the snapshot of a version that reads objects otherwise', async () => {
    const { sandbox, warnings } = await afterFirst();
    const cold = sandbox({}, { projection: 'other' });
    await cold.look();
    expect(cold.reports).toEqual([{ kind: 'listed', snapshot: 'OtherVersion' }]);
    expect(warnings).toEqual([]);
  });

  it.each([
    { minutes: 10, how: { snapshot: 'Used' } },
    { minutes: 10.1, how: { kind: 'listed', snapshot: 'TooOld' } },
  ])('uses a snapshot that is ten minutes old at most: $minutes', async ({ minutes, how }) => {
    const { sandbox, clock, warnings } = await afterFirst();
    clock.now += minutes * MINUTE;
    const cold = sandbox();
    await cold.look();
    expect(cold.reports).toMatchObject([how]);
    expect(warnings).toEqual([]);
  });

  it('does not use the snapshot of a list that is too short to be kept', async () => {
    const { sandbox } = await afterFirst();
    const cold = sandbox({ keptFrom: () => 9 });
    await cold.look();
    await cold.look();
    expect(cold.reports).toEqual([{ kind: 'listed' }, { kind: 'listed' }]);
  });

  it('tells of none where the snapshot is of the time before the list became long enough to be kept', async () => {
    const { sandbox, pods } = await afterFirst();
    pods.put('default/y', pod('1'));
    pods.put('default/z', pod('1'));
    const cold = sandbox({ keptFrom: () => 9 });
    await cold.look();
    expect(cold.reports).toEqual([{ kind: 'listed', snapshot: 'NoSnapshot' }]);
  });

  it('tells it once: what becomes of later watches is about no snapshot', async () => {
    const { sandbox, pods, server } = await afterFirst();
    const cold = sandbox();
    await cold.look();
    pods.tick();
    server.ways.fault = 'expired';
    await cold.look();
    expect(cold.reports).toEqual([
      expect.objectContaining({ kind: 'watched', snapshot: 'Used' }),
      { kind: 'listed again', why: 'expired' },
    ]);
  });

  it('compares with a full list after as many watches as without a snapshot, and heals what was wrong in it', async () => {
    const { pods, sandbox, clock, inFull } = await ground();
    'abc'.split('').forEach((name) => pods.put(`default/${name}`, pod('1')));
    const first = sandbox({ checkedEvery: 2 });
    await first.look();
    // A watch that leaves out an event: what is stored is wrong.
    const since = pods.since.bind(pods);
    pods.since = (version) => since(version).filter(({ object }) => (object['metadata'] as Json)['name'] !== 'b');
    pods.put('default/b', pod('2'));
    await first.look();
    await first.save();
    pods.since = since;
    clock.now += MINUTE;
    const second = sandbox({ checkedEvery: 2 });
    pods.put('default/d', pod('1'));
    await second.look();
    await second.save();
    const third = sandbox({ checkedEvery: 2 });
    pods.put('default/e', pod('1'));
    expect(await third.look()).toMatchObject({ ...(await inFull()), differing: 1 });
    expect(first.reports.map(({ kind }) => kind)).toEqual(['listed', 'watched']);
    expect(second.reports.map(({ kind }) => kind)).toEqual(['watched']);
    expect(third.reports).toEqual([{ kind: 'checked', differing: ['default/b'], snapshot: 'Compared' }]);
  });

  it('reads the list in full where the store cannot be read, and the next time keeps it', async () => {
    const { sandbox, warnings, store } = await afterFirst();
    const load = () => Promise.reject(new Error('Access Denied'));
    const cold = sandbox({}, { store: { ...store, load } });
    await cold.look();
    await cold.look();
    expect(cold.reports).toMatchObject([{ kind: 'listed', snapshot: 'Unreadable' }, { kind: 'watched' }]);
    expect(warnings).toEqual([expect.stringMatching(/pods cannot be read.*Access Denied.*memory:pods.*gateway/)]);
  });

  it('reads the list in full where the snapshot is longer on its way than a full list', async () => {
    const { sandbox, warnings, store, inFull } = await afterFirst();
    const load: SnapshotStore['load'] = async (_name, _most, signal) => await setTimeout(60_000, null, { signal });
    const cold = sandbox({}, { store: { ...store, load }, loadLimit: durationMs(20) });
    expect(await cold.look()).toMatchObject(await inFull());
    expect(cold.reports).toEqual([{ kind: 'listed', snapshot: 'Late' }]);
    expect(warnings).toEqual([expect.stringContaining('The snapshot of pods cannot be read')]);
  });

  it('reads the list in full where more has changed since than is read of a watch', async () => {
    const { sandbox, server, inFull, pods } = await afterFirst();
    pods.tick();
    server.ways.fault = 'flood';
    const cold = sandbox();
    expect(await cold.look()).toMatchObject(await inFull());
    expect(cold.reports).toMatchObject([{ why: 'too many changes', snapshot: 'TooManyChanges' }]);
  });

  it('whose watch is aborted tells the next time that it begins with a snapshot', async () => {
    const { sandbox, server, pods } = await afterFirst();
    pods.tick();
    server.ways.fault = 'hanging';
    const stop = new AbortController();
    const cold = sandbox();
    const looking = cold.look(stop.signal);
    await setTimeout(50);
    stop.abort(new Error('stopped'));
    await expect(looking).rejects.toThrow('stopped');
    server.ways.fault = 'none';
    await cold.look();
    expect(cold.reports).toMatchObject([{ kind: 'watched', snapshot: 'Used' }]);
  });

  it('tells nothing of snapshots where there is no place for them', async () => {
    const { pods, sandbox } = await ground();
    pods.put('default/a', pod('1'));
    const cold = sandbox({ snapshots: undefined });
    await cold.look();
    expect(cold.reports).toEqual([{ kind: 'listed' }]);
  });

  it('whose read is aborted asks for the snapshot again', async () => {
    const { sandbox, store } = await afterFirst();
    const stop = new AbortController();
    let loads = 0;
    const load: SnapshotStore['load'] = async (name, most, signal) => {
      loads += 1;
      if (loads === 1) {
        stop.abort(new Error('stopped'));
        signal.throwIfAborted();
      }
      return await store.load(name, most, signal);
    };
    const cold = sandbox({}, { store: { ...store, load } });
    await expect(cold.look(stop.signal)).rejects.toThrow('stopped');
    await cold.look();
    expect(cold.reports).toMatchObject([{ kind: 'watched', snapshot: 'Used' }]);
  });
});

describe('a snapshot is stored', () => {
  it('where the list has changed, and not more often than once in an evaluation by schedule', async () => {
    const { pods, first, clock, saves } = await afterFirst();
    expect(saves).toEqual(['pods']);
    const after = async (ms: number, change = true): Promise<number> => {
      clock.now += ms;
      if (change) {
        pods.put('default/a', pod(String(clock.now % 1_000)));
      } else {
        pods.tick();
      }
      const before = saves.length;
      await first.look();
      await first.save();
      return saves.length - before;
    };
    expect(await after(49 * SECOND)).toBe(0);
    expect(await after(1 * SECOND)).toBe(1);
    expect(await after(60 * SECOND)).toBe(1);
    expect(await after(60 * SECOND, false)).toBe(0);
    expect(await after(239 * SECOND, false)).toBe(0);
    expect(await after(1 * SECOND, false)).toBe(1);
  });

  it('and not again by a process that has only read it', async () => {
    const { sandbox, clock, saves } = await afterFirst();
    clock.now += 20 * SECOND;
    const cold = sandbox();
    await cold.look();
    await cold.save();
    expect(saves).toHaveLength(1);
    clock.now += 30 * SECOND;
    await cold.save();
    expect(saves).toHaveLength(2);
  });

  it('not of a list that is too short to be kept', async () => {
    const { pods, sandbox, saves } = await ground();
    pods.put('default/a', pod('1'));
    const process = sandbox({ keptFrom: () => 2 });
    await process.look();
    await process.save();
    expect(saves).toEqual([]);
  });

  it('or a warning says why not, and it is tried again after ten minutes', async () => {
    const { pods, sandbox, warnings, clock, store } = await ground();
    pods.put('default/a', pod('1'));
    let tries = 0;
    const save = () => ((tries += 1), Promise.reject(new Error('Access Denied')));
    const process = sandbox({}, { store: { ...store, save } });
    await process.look();
    await process.save();
    clock.now += 10 * MINUTE - 1;
    await process.save();
    expect(tries).toBe(1);
    clock.now += 1;
    await process.save();
    expect(tries).toBe(2);
    expect(warnings).toEqual([expect.stringMatching(/of pods could not be stored.*Access Denied.*memory:pods/)]);
  });
});
