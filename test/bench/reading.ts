/** Reading the cluster of large-server.ts, of which 100 pods change from one time to the next: in full, and with cached lists. */
import { DEFAULT_TLS } from '../../providers/kubernetes/client/connection.ts';
import { startServer } from './list-server.ts';
import type { Benchmark } from './measure.ts';
import { createClusterReader } from '../cluster-access.ts';

async function reading(keeps: boolean): Promise<() => Promise<string>> {
  const server = await startServer('large-server.ts');
  let how = 'listed';
  const reader = createClusterReader(
    { server, tls: DEFAULT_TLS, token: null, proxy: null },
    {
      kept: keeps
        ? {
            report: (report) => {
              how = report.resource === 'pods' ? report.how.kind : how;
            },
          }
        : null,
    },
  );
  const cpuMs: number[] = [];
  let coldMs: number | null = null;
  return async () => {
    const before = { cpu: process.cpuUsage(), at: performance.now() };
    const { objects } = await reader.read();
    const { user, system } = process.cpuUsage(before.cpu);
    coldMs ??= Math.round(performance.now() - before.at);
    cpuMs.push(Math.round((user + system) / 1_000));
    // The first two runs warm up.
    const median = cpuMs.slice(2).toSorted((a, b) => a - b)[Math.floor((cpuMs.length - 2) / 2)];
    return `${objects.nodes.length} nodes, ${objects.pods.length} pods ${how}; cold ${coldMs} ms, ${cpuMs[0]} of CPU; then ${median} ms of CPU (median)`;
  };
}

export const readingBenchmarks: Readonly<Record<string, Benchmark>> = {
  'read-5000': { goalMs: 10_000, prepare: () => reading(false) },
  'read-5000-kept': { goalMs: 300, prepare: () => reading(true) },
};
