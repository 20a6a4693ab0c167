import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createTransport, type Transport } from '../../../../../providers/kubernetes/client/transport.ts';
import { POD_LISTS } from '../../../../../providers/kubernetes/read/kinds.ts';
import { listAll } from '../../../../../providers/kubernetes/read/list.ts';
import {
  type CachedListsOptions,
  cachedLists,
  type ListReport,
} from '../../../../../providers/kubernetes/read/view/cached-lists.ts';
import type { Json } from '../../protobuf/pod-encoder.ts';
import { Pods, podServer, type WatchFault } from './pod-server.ts';

const pod = (cpu: string, phase = 'Running', node = ''): Json => ({
  spec: {
    ...(node === '' ? {} : { nodeName: node }),
    containers: [{ name: 'main', resources: { requests: { cpu } } }],
  },
  status: { phase },
});

/** An invalid amount: the pod cannot be read, and its node is excluded. */
const unreadable = pod('1/2', 'Running', 'n1');

const UNFINISHED = { fieldSelector: 'status.phase!=Succeeded,status.phase!=Failed' };
const SELECTION = { kind: POD_LISTS, query: UNFINISHED };
const QUICK = { transport: { firstPauseMs: 1, deadlineMs: 2_000 } };
const signal = new AbortController().signal;

const inFull = async (transport: Transport) => {
  const { items, rejected } = await listAll(transport, POD_LISTS, { query: UNFINISHED, pageSize: 3 }, signal);
  return { items, rejected };
};

interface Ground {
  readonly pods: Pods;
  readonly server: Awaited<ReturnType<typeof podServer>>;
  readonly transport: Transport;
  readonly reports: ListReport['how'][];
  /** The cached list, which has to be what a full list is. */
  readonly look: () => Promise<{ readonly items: readonly unknown[]; readonly rejected: readonly unknown[] }>;
}

async function onGround(
  work: (ground: Ground) => Promise<void>,
  options: Partial<CachedListsOptions> = {},
  encoding: 'protobuf' | 'json' = 'protobuf',
): Promise<void> {
  const pods = new Pods();
  await using server = await podServer(pods, encoding);
  const transport = createTransport(server.connection, QUICK.transport);
  const reports: ListReport['how'][] = [];
  const kept = cachedLists(transport, {
    pageSize: 3,
    keptFrom: () => 1,
    report: ({ how }) => reports.push(how),
    ...options,
  });
  const look = async () => {
    const { items, rejected } = await kept.list(SELECTION, signal);
    return { items, rejected };
  };
  try {
    await work({ pods, server, transport, reports, look });
  } finally {
    transport.close();
  }
}

describe('a cached list', () => {
  it.each(['protobuf', 'json'] as const)('in %s is brought up to date by what has changed', (encoding) =>
    onGround(
      async ({ pods, transport, reports, look, server }) => {
        'abcdefgh'.split('').forEach((name) => pods.put(`default/${name}`, pod('1')));
        await look();
        pods.put('default/a', pod('2'));
        pods.put('default/bb', pod('1'));
        pods.remove('default/h');
        pods.put('default/c', pod('1', 'Succeeded'));
        pods.put('another/z', pod('1', 'Pending'));
        const before = server.seen.length;
        expect(await look()).toEqual(await inFull(transport));
        expect(reports.map(({ kind }) => kind)).toEqual(['listed', 'watched']);
        expect(reports[1]).toMatchObject({ events: 5 });
        const [present, watch] = server.seen.slice(before);
        expect(present!.query.get('limit')).toBe('1');
        expect(Object.fromEntries(watch!.query)).toEqual({
          ...UNFINISHED,
          watch: 'true',
          allowWatchBookmarks: 'true',
          resourceVersion: '108',
          timeoutSeconds: '3',
        });
      },
      {},
      encoding,
    ),
  );

  it('that is asked for twice at once is brought up to date by one look after the other', () =>
    onGround(async ({ pods, look, server, reports, transport }) => {
      pods.put('default/a', pod('1'));
      await look();
      pods.put('default/b', pod('1'));
      let watches = 0;
      server.ways.meanwhile = ({ query }) => {
        watches += query.has('watch') ? 1 : 0;
      };
      const both = await Promise.all([look(), look()]);
      both.forEach((one) => expect(one.items).toHaveLength(2));
      expect(await look()).toEqual(await inFull(transport));
      // The second look finds what the first has brought.
      expect(watches).toBe(1);
      expect(reports.map((report) => [report.kind, 'events' in report ? report.events : null])).toEqual([
        ['listed', null],
        ['watched', 1],
        ['watched', 0],
        ['watched', 0],
      ]);
    }));

  it('needs no watch where nothing in the store has changed', () =>
    onGround(async ({ pods, look, server, transport }) => {
      pods.put('default/a', pod('1'));
      await look();
      const before = server.seen.length;
      expect(await look()).toEqual(await inFull(transport));
      expect(server.seen.slice(before).filter(({ query }) => query.has('watch'))).toEqual([]);
    }));

  it('shows a pod that was created immediately before, and none that came later than the look', () =>
    onGround(async ({ pods, look, server }) => {
      pods.put('default/a', pod('1'));
      await look();
      pods.put('default/created', pod('1', 'Pending'));
      // The version that the look catches up with is that of no pod.
      pods.tick();
      server.ways.meanwhile = ({ query }) => {
        if (query.has('watch')) {
          pods.put('default/later', pod('1', 'Pending'));
        }
      };
      expect((await look()).items).toMatchObject([{ name: 'a' }, { name: 'created' }]);
      server.ways.meanwhile = () => {};
      expect((await look()).items).toMatchObject([{ name: 'a' }, { name: 'created' }, { name: 'later' }]);
    }));

  it.each([
    ['expired', 'expired'],
    ['cut', 'failed'],
    ['silent', 'not proven'],
    ['late bookmark', 'not proven'],
    ['forbidden', 'forbidden'],
    ['nonsense', 'failed'],
  ] as const)('is listed in full where the watch is %s', (fault: WatchFault, why) =>
    onGround(async ({ pods, look, server, transport, reports }) => {
      pods.put('default/a', pod('1'));
      await look();
      pods.put('default/b', pod('1'));
      pods.tick();
      server.ways.fault = fault;
      expect(await look()).toEqual(await inFull(transport));
      expect(reports[1]).toMatchObject({ kind: 'listed again', why });
    }),
  );

  it('does not wait for a bookmark where the watch is silent', () =>
    onGround(async ({ pods, look, server, transport, reports }) => {
      pods.put('default/a', pod('1'));
      await look();
      server.ways.fault = 'open';
      for (const name of ['b', 'c']) {
        pods.put(`default/${name}`, pod('1'));
        pods.tick();
        const before = performance.now();
        expect(await look()).toEqual(await inFull(transport));
        expect(performance.now() - before).toBeGreaterThan(90);
      }
      expect(reports.map(({ kind }) => kind)).toEqual(['listed', 'watched', 'watched']);
      const watches = server.seen.filter(({ query }) => query.has('watch'));
      // Each continues after the last event, not after the version of the store.
      expect(watches.map(({ query }) => query.get('resourceVersion'))).toEqual(['101', '102']);
    }));

  it('is that of a moment earlier where the server stalls, and complete with the next look', () =>
    onGround(async ({ pods, look, server, transport, reports }) => {
      pods.put('default/a', pod('1'));
      await look();
      const earlier = pods.keys();
      pods.put('default/b', pod('1'));
      const afterFirst = pods.keys();
      pods.put('default/c', pod('1'));
      pods.tick();
      server.ways.fault = 'stalled';
      const seen = (await look()).items.map((item) => `default/${(item as { name: string }).name}`);
      expect(seen).toEqual(afterFirst);
      expect(seen).not.toEqual(earlier);
      server.ways.fault = 'open';
      expect(await look()).toEqual(await inFull(transport));
      expect(reports.map(({ kind }) => kind)).toEqual(['listed', 'watched', 'watched']);
    }));

  it('waits for a bookmark where no moment earlier will do', () =>
    onGround(
      async ({ pods, look, server, transport, reports }) => {
        pods.put('default/a', pod('1'));
        await look();
        pods.put('default/b', pod('1'));
        pods.tick();
        server.ways.fault = 'stalled';
        await look();
        expect(reports.at(-1)).toMatchObject({ kind: 'listed again', why: 'failed' });
        expect(await look()).toEqual(await inFull(transport));
      },
      { proof: 'bookmark' },
    ));

  it('is not watched for some time after a watch that failed, and then it is', () => {
    let now = 0;
    return onGround(
      async ({ pods, look, server, reports }) => {
        pods.put('default/a', pod('1'));
        await look();
        server.ways.fault = 'forbidden';
        pods.put('default/b', pod('1'));
        await look();
        server.ways.fault = 'none';
        now = 999;
        await look();
        now = 1_000;
        pods.put('default/c', pod('1'));
        expect((await look()).items).toHaveLength(3);
        expect(reports.map(({ kind }) => kind)).toEqual(['listed', 'listed again', 'listed', 'watched']);
      },
      { pauseMs: 1_000, now: () => now },
    );
  });

  it('is not kept where it is short', () =>
    onGround(
      async ({ pods, look, reports }) => {
        pods.put('default/a', pod('1'));
        await look();
        await look();
        expect(reports.map(({ kind }) => kind)).toEqual(['listed', 'listed']);
      },
      { keptFrom: () => 2 },
    ));

  it('is read in full where the store was restored to an earlier version', () =>
    onGround(async ({ pods, look, server, reports }) => {
      pods.put('default/a', pod('1'));
      await look();
      const restored = new Pods();
      await using other = await podServer(restored, 'protobuf');
      expect(restored.version).toBeLessThan(pods.version);
      const transport = createTransport(other.connection);
      const present = createTransport(server.connection);
      const kept = cachedLists(
        { ...present, line: () => transport.line!() },
        { keptFrom: () => 1, report: ({ how }) => reports.push(how) },
      );
      await kept.list(SELECTION, signal);
      await kept.list(SELECTION, signal);
      expect(reports.at(-1)).toMatchObject({ kind: 'listed again', why: 'went back' });
      transport.close();
      present.close();
    }));

  it('has an unreadable pod among the rejected as long as it is there', () =>
    onGround(async ({ pods, look, transport, reports }) => {
      pods.put('default/a', pod('1'));
      pods.put('default/bad', unreadable);
      await look();
      pods.put('default/b', pod('1'));
      pods.put('default/worse', unreadable);
      expect(await look()).toEqual(await inFull(transport));
      pods.put('default/bad', pod('1'));
      pods.remove('default/worse');
      const { rejected } = await look();
      expect(rejected).toEqual([]);
      expect(reports.map(({ kind }) => kind)).toEqual(['listed', 'watched', 'watched']);
    }));

  it('is compared with a full list now and then, which heals what differs', () =>
    onGround(
      async ({ pods, look, server, transport, reports }) => {
        pods.put('default/a', pod('1'));
        await look();
        pods.put('default/b', pod('1'));
        // A watch that leaves out an event.
        const since = pods.since.bind(pods);
        pods.since = (version) => since(version).filter(({ object }) => (object['metadata'] as Json)['name'] !== 'b');
        await look();
        pods.put('default/c', pod('1'));
        await look();
        expect(await look()).toEqual(await inFull(transport));
        expect(reports.map(({ kind }) => kind)).toEqual(['listed', 'watched', 'watched', 'checked']);
        expect(reports.at(-1)).toEqual({ kind: 'checked', differing: ['default/b'] });
        pods.put('default/d', pod('1'));
        await look();
        await look();
        expect(await look()).toEqual(await inFull(transport));
        expect(reports.at(-1)).toEqual({ kind: 'checked', differing: [] });
        expect(server.ways.fault).toBe('none');
      },
      { checkedEvery: 2 },
    ));

  it('that two evaluations ask for at a time is right for both', () =>
    onGround(async ({ pods, look, transport }) => {
      pods.put('default/a', pod('1'));
      await look();
      pods.put('default/b', pod('1'));
      const [one, other] = await Promise.all([look(), look()]);
      const full = await inFull(transport);
      expect(one).toEqual(full);
      expect(other).toEqual(full);
    }));
});

const names = fc.constantFrom('a/a', 'a/b', 'a-b/a', 'a-b/c', 'b/a', 'b/b', 'b/b-1', 'b/b.1', 'c/d');
const step = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant('put' as const),
      key: names,
      cpu: fc.constantFrom('1', '2', '1/2'),
      phase: fc.constantFrom('Pending', 'Running', 'Succeeded'),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('remove' as const), key: names }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('tick' as const) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('fault' as const),
      fault: fc.constantFrom<WatchFault>(
        'none',
        'none',
        'none',
        'expired',
        'cut',
        'silent',
        'late bookmark',
        'nonsense',
        'open',
      ),
    }),
  },
  { weight: 8, arbitrary: fc.record({ do: fc.constant('look' as const) }) },
);

describe('any sequence of changes, faults and looks', () => {
  it.each(['protobuf', 'json'] as const)('gives in each look what a full list gives (%s)', (encoding) =>
    fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
        await onGround(
          async ({ pods, server, transport, look }) => {
            const looks: (readonly [unknown, unknown])[] = [];
            for (const each of steps) {
              switch (each.do) {
                case 'put':
                  pods.put(each.key, pod(each.cpu, each.phase, 'n1'));
                  break;
                case 'remove':
                  pods.remove(each.key);
                  break;
                case 'tick':
                  pods.tick();
                  break;
                case 'fault':
                  server.ways.fault = each.fault;
                  break;
                case 'look':
                  looks.push([await look(), await inFull(transport)]);
              }
            }
            looks.forEach(([kept, full]) => expect(kept).toEqual(full));
          },
          { pauseMs: 0, checkedEvery: 3 },
          encoding,
        );
      }),
      { numRuns: 15 },
    ),
  );
});
