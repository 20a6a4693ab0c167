import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import type { V1Pod } from '@kubernetes/client-node';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { ComparedRemoval, Comparison } from '../../cli/compare/comparison.ts';
import { openCluster } from './cluster.ts';
import type { KubeObject } from './servers/kube.ts';
import { startClusterAutoscaler } from './servers/cluster-autoscaler.ts';
import { PATIENCE_MS } from './servers/server-process.ts';
import { serverSet } from './server-set.ts';
import { SOON } from './soon.ts';

const MAIN = new URL('../../cli/main.ts', import.meta.url).pathname;
const run = promisify(execFile);

type Printed = Omit<Comparison, 'scaleUps' | 'removals'> & {
  readonly scaleUps: readonly {
    readonly outrigger: { readonly at: string } | null;
    readonly acting: { readonly at: string; readonly exact: boolean } | null;
  }[];
  readonly removals: readonly (Pick<ComparedRemoval, 'by' | 'safe'> & {
    readonly outriggerAt: string | null;
    readonly acting: { readonly at: string } | null;
  })[];
};

test('an observing Outrigger is compared with the autoscaler that acts, by its sizes, events and status', async () => {
  const cluster = await openCluster('compare');
  const table = `outrigger-${randomUUID()}`;
  const [group = ''] = await cluster.createGroups({ name: 'm5', desired: 1 });
  cluster.bridge(500);
  await cluster.untilNodes(1);
  // A pod on the first node: Outrigger would remove an empty one while the other autoscaler is still being started.
  await cluster.createDeployment('web', 1, { cpuMilli: 1500, memoryMib: 1024 });
  await cluster.untilRunning(1);
  const endpoint = serverSet.dynamodbEndpoint;
  const stored = [`--dynamodb-endpoint=${endpoint}`, `--table=${table}`];
  const options = await cluster.optionsFile(SOON);
  const outrigger = cluster.outrigger('observing', '--dry-run', '--schedule=1s', `--options=${options}`, ...stored);
  await outrigger.untilLogged('an evaluation', ({ message }) => String(message).includes('pending pods;'));
  const { kubeconfig, awsEndpoint, logs } = serverSet;
  const acting = await startClusterAutoscaler({ cluster, group, kubeconfig, awsEndpoint, logs });
  onTestFinished(() => acting.stop(), PATIENCE_MS);

  const scaleWeb = async (replicas: number): Promise<void> => {
    await cluster.kube.patch(`/apis/apps/v1/namespaces/${cluster.name}/deployments/web`, { spec: { replicas } });
  };
  await scaleWeb(3);
  await cluster.untilRunning(3);
  await scaleWeb(0);
  await cluster.kube.until<V1Pod>(`/api/v1/namespaces/${cluster.name}/pods`, {
    what: 'the end of the pods',
    holds: (pods) => pods.length === 0,
  });
  await cluster.kube.until('/api/v1/nodes', { what: 'the end of the nodes', holds: (nodes) => nodes.length === 0 });

  const events = path.join(logs, 'compare-events.json');
  const items = [
    ...(await cluster.kube.list<KubeObject>('/api/v1/events')).map((one) => ({ ...one, kind: 'Event' })),
    ...(await cluster.kube.list<KubeObject>('/api/v1/configmaps')).map((one) => ({ ...one, kind: 'ConfigMap' })),
  ];
  await writeFile(events, JSON.stringify({ kind: 'List', items }));
  const compared = async (...args: readonly string[]): Promise<string> =>
    (await run(process.execPath, [MAIN, 'compare', '--cluster', cluster.name, ...stored, '--events', events, ...args]))
      .stdout;
  // The evaluation that sees the last node go follows within a second.
  const comparison = await vi.waitFor(
    async () => {
      const read = JSON.parse(await compared('-o', 'json')) as Printed;
      expect(read.removals.filter(({ acting: removed }) => removed !== null)).toHaveLength(3);
      return read;
    },
    { timeout: PATIENCE_MS, interval: 2_000 },
  );
  process.stdout.write(`\n${await compared()}`);

  expect(comparison.other).toBe('Cluster Autoscaler');
  expect(comparison.otherStatus).toContain('Running');
  const [scaleUp] = comparison.scaleUps;
  expect(scaleUp?.acting?.exact).toBe(true);
  expect(Date.parse(scaleUp?.outrigger?.at ?? '')).toBeLessThan(Date.parse(scaleUp?.acting?.at ?? ''));
  expect(comparison.removals.map(({ by, safe }) => [by, safe])).toEqual([
    ['both', true],
    ['both', true],
    ['both', true],
  ]);
  // Both have the same four nodes; the node-hours differ by the seconds between the actions of the two.
  const times = [
    ...comparison.scaleUps,
    ...comparison.removals.map(({ outriggerAt, acting: removed }) => ({
      outrigger: { at: outriggerAt },
      acting: removed,
    })),
  ];
  const between = times.map((one) => Math.abs(Date.parse(one.acting?.at ?? '') - Date.parse(one.outrigger?.at ?? '')));
  const hours = 4 * (Math.max(...between) / 3_600_000) + 0.001;
  expect(comparison.acting.nodeHours).toBeGreaterThan(0);
  expect(Math.abs(comparison.outrigger.nodeHours - comparison.acting.nodeHours)).toBeLessThanOrEqual(hours);
});
