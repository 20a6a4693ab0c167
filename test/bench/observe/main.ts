/**
 * `npm run bench:observe [-- --nodes N --pods N --changes N --looks N --churn N]`: what reading a cluster costs, in full and
 * with kept lists, on a real API server with etcd. Nodes and pods are written to it as kubelets and scheduler leave them;
 * neither runs, so that only the given number of pods changes between two reads, and in each second of reading.
 *
 * 155 000 objects take some minutes to be written: `--stay` leaves the servers running in the end, and `--kubeconfig` reads
 * them again.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import Table from 'cli-table3';
import { Option } from 'commander';
import { positive, toolCommand, wholeNumber } from '../../tool-command.ts';
import { fillCluster, type FilledCluster, filledBefore } from './filled-cluster.ts';
import type { Look } from './look.ts';

const MODES = ['full', 'kept'] as const;
type Mode = (typeof MODES)[number];

interface Flags {
  readonly nodes: number;
  readonly pods: number;
  readonly changes: number;
  readonly churn: number;
  readonly looks: number;
  readonly stay: boolean;
  readonly kubeconfig?: string;
  readonly only?: Mode;
}

const HEAD = ['lists', 'read', 'wall ms', 'CPU ms', 'server CPU ms', 'KB', 'peak MB', 'nodes', 'pods', 'pods are'];

await toolCommand('bench:observe', 'Measure what reading a cluster costs')
  .option('--nodes <number>', 'number of nodes', positive, 1_000)
  .option('--pods <number>', 'number of pods', positive, 30_000)
  .option('--changes <number>', 'number of pods that change between two reads', positive, 100)
  .option('--churn <number>', 'number of pods that change in a second, while nodes report their status', wholeNumber, 0)
  .option('--looks <number>', 'number of reads after the first', positive, 5)
  .option('--stay', 'leave the servers running in the end, until Ctrl-C', false)
  .option('--kubeconfig <file>', 'of servers that a run with --stay has filled with as many nodes and pods')
  .addOption(new Option('--only <lists>', 'read in this way alone').choices(MODES))
  .action(async (flags: Flags) => {
    const { kubeconfig, stay } = flags;
    const cluster = await (kubeconfig === undefined ? fillCluster(flags) : filledBefore(kubeconfig, flags));
    try {
      const table = new Table({ head: HEAD });
      for (const mode of MODES.filter((one) => one === (flags.only ?? one))) {
        for (const [read, look] of (await looksOf(cluster, mode, flags)).entries()) {
          const { wallMs, cpuMs, serverCpuMs, bytes, peakMb, nodes, pods, how } = look;
          const measured = [wallMs, cpuMs, serverCpuMs, Math.round(bytes / 1_000), peakMb, nodes, pods, how];
          table.push([mode, read + 1, ...measured]);
        }
      }
      process.stdout.write(`${table.toString()}\n`);
      if (stay) {
        process.stdout.write(`The servers run until Ctrl-C. Kubeconfig: ${cluster.kubeconfig}\n`);
        await new Promise<void>((resolve) => {
          process.once('SIGINT', resolve).once('SIGTERM', resolve);
        });
      }
    } finally {
      await cluster.stop();
    }
  })
  .parseAsync();

type Measured = Look & { readonly serverCpuMs: number };

/** Reads in a process of its own, with changes between the reads. */
async function looksOf(
  cluster: FilledCluster,
  mode: Mode,
  { changes, churn, looks }: Flags,
): Promise<readonly Measured[]> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'look.ts'), cluster.kubeconfig, mode], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout });
  const stop = new AbortController();
  const churning = churn === 0 ? null : cluster.churn(churn, stop.signal);
  const seen: Measured[] = [];
  for (let read = 0; read <= looks; read += 1) {
    if (read > 0) {
      await cluster.change(changes, `${mode}-${read}`);
    }
    const before = await cluster.cpuMs();
    const measured = await look(child, lines);
    seen.push({ ...measured, serverCpuMs: Math.round((await cluster.cpuMs()) - before) });
  }
  stop.abort();
  await churning;
  child.stdin.end();
  await once(child, 'exit');
  return seen;
}

async function look({ stdin }: ChildProcess, lines: Interface): Promise<Look> {
  stdin!.write('look\n');
  const [line] = (await once(lines, 'line')) as [string];
  return JSON.parse(line) as Look;
}
