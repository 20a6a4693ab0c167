/** From a webhook notification to the committed decision: the handler of scale-up, with the cluster of large-server.ts. */
import { scaleUpHandler } from '../../functions/scale-up/scale-up.ts';
import { DEFAULT_TLS } from '../../providers/kubernetes/client/connection.ts';
import { invocation, notification, sqsEvent, testWorld, WEB } from '../functions/test-world.ts';
import { largeClusterGroups } from './large-cluster.ts';
import { startServer } from './list-server.ts';
import type { Benchmark } from './measure.ts';
import { createClusterReader } from '../cluster-access.ts';

async function scaleUp(): Promise<() => Promise<string>> {
  const server = await startServer('large-server.ts');
  const reader = createClusterReader({ server, tls: DEFAULT_TLS, token: null, proxy: null });
  const groups = largeClusterGroups();
  const cpuMs: number[] = [];
  return async () => {
    const world = testWorld({ groups });
    const cluster = { ...world.cluster(WEB)!, reader };
    const before = process.cpuUsage();
    const { batchItemFailures } = await scaleUpHandler({ ...world, cluster: () => cluster })(
      sqsEvent(notification),
      invocation(),
    );
    const { user, system } = process.cpuUsage(before);
    cpuMs.push(Math.round((user + system) / 1_000));
    // The first two runs warm up.
    const median = cpuMs.slice(2).toSorted((a, b) => a - b)[Math.floor((cpuMs.length - 2) / 2)];
    return `${batchItemFailures.length} failures, ${world.counts.get('ScaleUpNodes')} nodes decided, ${median} ms of CPU (median)`;
  };
}

export const evaluationBenchmarks: Readonly<Record<string, Benchmark>> = {
  'scale-up-5000': { goalMs: 10_000, prepare: scaleUp },
};
