import { expect, onTestFinished, test } from 'vitest';
import { serveExporter } from '../../../cli/exporter/serve.ts';
import { openStores } from '../../../cli/explain/stored.ts';
import { STORED_METRICS } from '../../../cli/local/endpoint/metric-names.ts';
import { addTime, durationMs, epochMs, seconds } from '../../../core/model/values/time.ts';
import { type StoredCluster, storedCluster } from '../explain/stored-cluster.ts';

/** When the functions have evaluated. */
const EVALUATED = epochMs(Date.parse('2026-01-01T12:00:00Z'));
const LATER = addTime(EVALUATED, seconds(30));

async function exporterOf({ server, table }: StoredCluster, cluster = 'web') {
  const clock = { now: LATER };
  const flags = { cluster, region: 'us-east-1', table, dynamodbEndpoint: server.endpoint };
  const opened = await openStores(
    flags,
    null,
    () => clock.now,
    (line) => expect.fail(line),
  );
  if (!opened.ok) {
    throw new Error(opened.error);
  }
  const { port, close } = await serveExporter({
    address: { host: '127.0.0.1', port: 0 },
    stores: opened.value,
    now: () => clock.now,
  });
  onTestFinished(async () => {
    await close();
    opened.value.close();
  });
  const scrape = async () => {
    const response = await fetch(`http://127.0.0.1:${port}/metrics`);
    return { status: response.status, text: await response.text() };
  };
  return { clock, scrape };
}

test('serves the metrics of the last decisions, and no others', async () => {
  const { scrape } = await exporterOf(await storedCluster());
  const { status, text } = await scrape();
  expect(status).toBe(200);
  expect([...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name!).toSorted()).toEqual(STORED_METRICS.toSorted());
  const ofGroups = (name: string, of: Readonly<Record<string, number>>) =>
    Object.entries(of).map(([group, value]) => `cluster_autoscaler_node_group_${name}{node_group="${group}"} ${value}`);
  expect(text.split('\n')).toEqual(
    expect.arrayContaining([
      `cluster_autoscaler_last_activity{activity="scaleUp"} ${EVALUATED / 1_000}`,
      `cluster_autoscaler_last_activity{activity="scaleDown"} ${EVALUATED / 1_000}`,
      'cluster_autoscaler_nodes_count{state="ready"} 3',
      'cluster_autoscaler_unschedulable_pods_count{type="unschedulable"} 3',
      'cluster_autoscaler_unneeded_nodes_count 1',
      'cluster_autoscaler_unremovable_nodes_count{reason="BlockedByPod"} 1',
      ...ofGroups('min_count', { web: 1, 'web-b': 0 }),
      ...ofGroups('max_count', { full: 0, web: 10, 'web-b': 5 }),
      ...ofGroups('target_count', { full: 0, web: 3, 'web-b': 1 }),
    ]),
  );
});

test('reads the table once for scrapes within 15 seconds', async () => {
  const stored = await storedCluster();
  const { clock, scrape } = await exporterOf(stored);
  const first = stored.server.calls.length;
  await Promise.all([scrape(), scrape()]);
  const once = stored.server.calls.length - first;
  expect(once).toBeGreaterThan(0);
  clock.now = addTime(LATER, durationMs(14_999));
  await scrape();
  expect(stored.server.calls.length - first).toBe(once);
  clock.now = addTime(LATER, seconds(15));
  await scrape();
  expect(stored.server.calls.length - first).toBe(2 * once);
});

test('fails a scrape before the first evaluation, and while the table cannot be read', async () => {
  const stored = await storedCluster();
  const other = await exporterOf(stored, 'other');
  expect(await other.scrape()).toEqual({
    status: 404,
    text: `Cluster other was never evaluated, as far as table ${stored.table} has it\n`,
  });
  const { scrape } = await exporterOf({ ...stored, table: 'gone' });
  expect(await scrape()).toMatchObject({
    status: 503,
    text: expect.stringContaining('The state of cluster web cannot be read') as string,
  });
});
