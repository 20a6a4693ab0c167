/**
 * `npm run bench:observe [-- --nodes N --pods N --changes N --looks N --churn N]`: what reading a cluster costs, in full, with
 * cached lists, and on cold starts with a snapshot of them, on a real API server with etcd. Nodes and pods are written to it as kubelets and scheduler leave them;
 * neither runs, so that only the given number of pods changes between two reads, and in each second of reading.
 *
 * 155 000 objects take some minutes to be written: `--stay` leaves the servers running in the end, and `--kubeconfig` reads
 * them again.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Table from 'cli-table3';
import { Option } from 'commander';
import { positive, toolCommand, wholeNumber } from '../../tool-command.ts';
import { fillCluster, type FilledCluster, filledBefore } from './filled-cluster.ts';
import type { Look } from './look.ts';
import { type Looking, startLooking } from './looking.ts';

/** `snapshot`: cached lists, each of whose reads is the first one of a process. */
const MODES = ['full', 'kept', 'snapshot'] as const;
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
        const looks = mode === 'snapshot' ? await coldLooks(cluster, flags) : await looksOf(cluster, mode, flags);
        for (const [read, look] of looks.entries()) {
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
async function looksOf(cluster: FilledCluster, mode: 'full' | 'kept', flags: Flags): Promise<readonly Measured[]> {
  const looking = startLooking(cluster.kubeconfig, mode);
  try {
    return await whileChurning(cluster, flags, async () => {
      const seen = [await measured(cluster, looking)];
      while (seen.length <= flags.looks) {
        await cluster.change(flags.changes, `${mode}-${seen.length}`);
        seen.push(await measured(cluster, looking));
      }
      return seen;
    });
  } finally {
    await looking.end();
  }
}

/**
 * Stores snapshots, which is the first row, and reads by processes that begin with them, with changes before each; so with each row
 * there are more of them.
 */
async function coldLooks(cluster: FilledCluster, flags: Flags): Promise<readonly Measured[]> {
  const folder = await mkdtemp(join(tmpdir(), 'outrigger-snapshots-'));
  const storing = startLooking(cluster.kubeconfig, 'kept', folder);
  try {
    return await whileChurning(cluster, flags, async () => {
      const look = await storing.look();
      const seen = [{ ...look, ...(await storing.save()), serverCpuMs: 0, how: 'stored' }];
      while (seen.length <= flags.looks) {
        await cluster.change(flags.changes, `snapshot-${seen.length}`);
        const cold = startLooking(cluster.kubeconfig, 'kept', folder);
        await cold.started();
        try {
          seen.push(await measured(cluster, cold));
        } finally {
          await cold.end();
        }
      }
      return seen;
    });
  } finally {
    await storing.end();
    await rm(folder, { recursive: true, force: true });
  }
}

async function whileChurning<T>(cluster: FilledCluster, { churn }: Flags, work: () => Promise<T>): Promise<T> {
  const stop = new AbortController();
  const churning = churn === 0 ? null : cluster.churn(churn, stop.signal);
  try {
    return await work();
  } finally {
    stop.abort();
    await churning;
  }
}

async function measured(cluster: FilledCluster, looking: Looking): Promise<Measured> {
  const before = await cluster.cpuMs();
  const look = await looking.look();
  return { ...look, serverCpuMs: Math.round((await cluster.cpuMs()) - before) };
}
