/**
 * `npm run bench:observe [-- --nodes N --pods N --changes N --looks N]`: what reading a cluster costs, in full and with kept
 * lists, on a real API server with etcd. Nodes and pods are written to it as kubelets and scheduler leave them; neither
 * runs, so that between two reads only the given number of pods changes.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import Table from 'cli-table3';
import { type OwnApiServer, startOwnApiServer } from '../../e2e/own-api-server.ts';
import { positive, toolCommand } from '../../tool-command.ts';
import type { Look } from './look.ts';
import { NAMESPACE, nodeManifest, podManifest, podNameOf } from './objects.ts';

interface Flags {
  readonly nodes: number;
  readonly pods: number;
  readonly changes: number;
  readonly looks: number;
}

const AT_A_TIME = 24;

await toolCommand('bench:observe', 'Measure what reading a cluster costs')
  .option('--nodes <number>', 'number of nodes', positive, 1_000)
  .option('--pods <number>', 'number of pods', positive, 30_000)
  .option('--changes <number>', 'number of pods that change between two reads', positive, 100)
  .option('--looks <number>', 'number of reads after the first', positive, 5)
  .action(async (flags: Flags) => {
    const server = await startOwnApiServer('observe');
    try {
      await fill(server, flags);
      const table = new Table({
        head: ['lists', 'read', 'wall ms', 'CPU ms', 'KB', 'peak MB', 'nodes', 'pods', 'pods are'],
      });
      for (const mode of ['full', 'kept']) {
        for (const [read, look] of (await looksOf(server, mode, flags)).entries()) {
          const { wallMs, cpuMs, bytes, peakMb, nodes, pods, how } = look;
          table.push([mode, read + 1, wallMs, cpuMs, Math.round(bytes / 1_000), peakMb, nodes, pods, how]);
        }
      }
      process.stdout.write(`${table.toString()}\n`);
    } finally {
      await server.stop();
    }
  })
  .parseAsync();

async function fill({ kube }: OwnApiServer, { nodes, pods }: Flags): Promise<void> {
  const started = performance.now();
  await kube.create('/api/v1/namespaces', { metadata: { name: NAMESPACE } });
  await each(nodes, (index) => kube.create('/api/v1/nodes', nodeManifest(index)));
  await each(pods, (index) => kube.create(`/api/v1/namespaces/${NAMESPACE}/pods`, podManifest(index, nodes)));
  process.stderr.write(
    `bench: ${nodes} nodes and ${pods} pods in ${Math.round((performance.now() - started) / 1_000)} s\n`,
  );
}

/** Reads in a process of its own, with changes between the reads. */
async function looksOf(server: OwnApiServer, mode: string, { pods, changes, looks }: Flags): Promise<readonly Look[]> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'look.ts'), server.kubeconfig, mode], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout });
  const seen: Look[] = [];
  for (let read = 0; read <= looks; read += 1) {
    if (read > 0) {
      // As in any cluster, where leases are written all the time: the newest version is that of no pod.
      await each(changes, (index) => relabel(server, Math.floor((index * pods) / changes), `${mode}-${read}`));
      await server.kube.create(`/api/v1/namespaces/${NAMESPACE}/configmaps`, { metadata: { name: `${mode}-${read}` } });
    }
    seen.push(await look(child, lines));
  }
  child.stdin.end();
  await once(child, 'exit');
  return seen;
}

function relabel({ kube }: OwnApiServer, pod: number, value: string): Promise<unknown> {
  const labels = { changed: value };
  return kube.patch(`/api/v1/namespaces/${NAMESPACE}/pods/${podNameOf(pod)}`, { metadata: { labels } });
}

async function look({ stdin }: ChildProcess, lines: Interface): Promise<Look> {
  stdin!.write('look\n');
  const [line] = (await once(lines, 'line')) as [string];
  return JSON.parse(line) as Look;
}

/** Does something for each index, several at a time. */
async function each(count: number, work: (index: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let index = next++; index < count; index = next++) {
      await work(index);
    }
  };
  await Promise.all(Array.from({ length: Math.min(AT_A_TIME, count) }, worker));
}
