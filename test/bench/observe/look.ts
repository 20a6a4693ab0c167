/**
 * A process that reads a cluster for each line `look` of its standard input, and stores snapshots of what it keeps for a line `save`; it
 * writes a line of JSON about each. Its arguments: a kubeconfig, whether lists are kept (`kept`) or read in full (`full`), where
 * snapshots are (a folder, or the address of a bucket; '' for nowhere), and the number of pods from which a list is kept.
 */
import { hash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { SnapshotStore } from '../../../core/ports/snapshot-store.ts';
import { s3Snapshots } from '../../../providers/aws/snapshots/s3-snapshots.ts';
import { connectionOfKubeconfig } from '../../../providers/kubernetes/auth/kubeconfig.ts';
import { createTransport, type Line, type Transport } from '../../../providers/kubernetes/client/transport.ts';
import { clusterReader, DEFAULT_READER } from '../../../providers/kubernetes/read/reader.ts';
import { listSnapshots } from '../../../providers/kubernetes/read/snapshot/list-snapshots.ts';
import { KEPT_FROM_PODS, keptFrom } from '../../../providers/kubernetes/read/view/cached-lists.ts';

/** A read, in ms of the clock and of the processor, and the bytes of all responses, unpacked. */
export interface Look {
  readonly wallMs: number;
  readonly cpuMs: number;
  readonly bytes: number;
  readonly peakMb: number;
  readonly nodes: number;
  readonly pods: number;
  /** How the pods were read: the first time, where nodes that were read again had them read again. */
  readonly how: string;
  /** Hash of all objects as they were read; `''` for many pods, whose text would take more memory than they do. */
  readonly digest: string;
  readonly warnings: readonly string[];
}

/** The snapshots that were stored. */
export interface Saved {
  readonly wallMs: number;
  readonly cpuMs: number;
  /** Bytes of all snapshots, as they were stored. */
  readonly bytes: number;
  readonly warnings: readonly string[];
}

const [kubeconfig = '', mode = 'kept', snapshots = '', from = String(KEPT_FROM_PODS)] = process.argv.slice(2);
const warnings: string[] = [];
let bytes = 0;
let how = '';
let stored = 0;
const transport = counted(createTransport(await connectionOfKubeconfig({ file: kubeconfig, context: null })));
const store = snapshots === '' ? null : storeAt(snapshots);
const reader = clusterReader(transport, {
  ...DEFAULT_READER,
  kept:
    mode === 'kept'
      ? {
          keptFrom: keptFrom(Number(from)),
          snapshots:
            store === null
              ? undefined
              : listSnapshots(transport, {
                  store,
                  cluster: 'observed',
                  now: Date.now,
                  warn: (message) => warnings.push(message),
                }),
          report: ({ resource, snapshot, how: { kind, ...of } }) => {
            const changes =
              'events' in of ? `${of.events} events${snapshot === undefined ? '' : ' since a snapshot'}` : '';
            how = resource === 'pods' && how === '' ? `${kind} ${'why' in of ? of.why : changes}`.trim() : how;
          },
        }
      : null,
});

for await (const line of createInterface({ input: process.stdin })) {
  bytes = 0;
  stored = 0;
  how = '';
  const started = performance.now();
  const before = process.cpuUsage();
  const taken = (): Pick<Look, 'wallMs' | 'cpuMs'> => {
    const { user, system } = process.cpuUsage(before);
    return { wallMs: Math.round(performance.now() - started), cpuMs: Math.round((user + system) / 1_000) };
  };
  if (line === 'start') {
    process.stdout.write('null\n');
    continue;
  }
  if (line === 'save') {
    await reader.saveSnapshots!();
    const saved: Saved = { ...taken(), bytes: stored, warnings };
    process.stdout.write(`${JSON.stringify(saved)}\n`);
    continue;
  }
  const { objects } = await reader.read();
  const look: Look = {
    ...taken(),
    bytes,
    peakMb: Math.round(process.resourceUsage().maxRSS / 1_024),
    nodes: objects.nodes.length,
    pods: objects.pods.length,
    how: how === '' ? 'listed' : how,
    digest: objects.pods.length > 10_000 ? '' : hash('sha256', JSON.stringify(objects)),
    warnings,
  };
  process.stdout.write(`${JSON.stringify(look)}\n`);
}
process.exit();

/** Snapshots in a folder, or in a bucket: `http://ADDRESS/BUCKET`. */
function storeAt(place: string): SnapshotStore {
  const url = URL.canParse(place) ? new URL(place) : null;
  const inBucket =
    url === null
      ? null
      : s3Snapshots({ region: 'us-east-1', bucket: url.pathname.slice(1), prefix: 'lists/', endpoint: url.origin });
  const placeOf = (name: string): string => join(place, name);
  return {
    placeOf,
    load: async (name, mostBytes, signal) =>
      inBucket === null ? readFile(placeOf(name)).catch(() => null) : await inBucket.load(name, mostBytes, signal),
    async save(name, contents, signal) {
      stored += contents.length;
      await (inBucket?.save(name, contents, signal) ?? writeFile(placeOf(name), contents));
    },
  };
}

/** Counts the bytes of responses. */
function counted(transport: Transport): Transport {
  const lineOf = (line: Line): Line => ({
    ...line,
    send: (request, read, signal) =>
      line.send(request, (answer) => ((bytes += answer.body.length), read(answer)), signal),
    stream: (request, { take, silence }, signal) =>
      line.stream(request, { take: (chunk, type) => ((bytes += chunk.length), take(chunk, type)), silence }, signal),
  });
  return {
    ...transport,
    send: (request, read, signal) =>
      transport.send(request, (answer) => ((bytes += answer.body.length), read(answer)), signal),
    line: async () => lineOf(await transport.line!()),
  };
}
