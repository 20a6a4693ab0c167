import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import type { V1Pod } from '@kubernetes/client-node';
import { expect, test, vi } from 'vitest';
import { replay } from '../../cli/replay/run.ts';
import { withoutProgress } from '../cli/explain/without-progress.ts';
import { type E2eCluster, openCluster } from './cluster.ts';
import { PATIENCE_MS } from './servers/server-process.ts';
import { SOON } from './soon.ts';
import { serverSet } from './server-set.ts';

const MAIN = new URL('../../cli/main.ts', import.meta.url).pathname;
const run = promisify(execFile);

interface Entry {
  readonly id: string;
  readonly kind: string;
  readonly changes: boolean;
  readonly scenario: string;
  readonly did: string;
}

/** Asks the table of a cluster, as a person does after an incident, and reads the JSON. */
const asked = async <T>({ name }: E2eCluster, table: string, ...args: readonly string[]): Promise<T> => {
  const endpoint = serverSet.dynamodbEndpoint;
  const { stdout, stderr } = await run(
    process.execPath,
    [MAIN, ...args, '--cluster', name, '--table', table, '--dynamodb-endpoint', endpoint, '-o', 'json'],
    { maxBuffer: 64 * 1024 * 1024 },
  );
  expect(withoutProgress(stderr)).toBe('');
  return JSON.parse(stdout) as T;
};

/** Output of `outrigger replay`, in this process: there may be many decisions. */
async function replayedHere({ name }: E2eCluster, table: string, id: string): Promise<unknown> {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const flags = {
    cluster: name,
    table,
    dynamodbEndpoint: serverSet.dynamodbEndpoint,
    output: 'json',
    set: [],
  } as const;
  const printed = text(stdout);
  await replay(id, flags, { stdin, stdout, stderr });
  stdout.end();
  return JSON.parse(await printed);
}

test('each decision of a run is replayed byte for byte, and a pod is explained after it has gone', async () => {
  const cluster = await openCluster('history');
  const table = `outrigger-${randomUUID()}`;
  await cluster.createGroups({ name: 'm5', desired: 1 });
  cluster.bridge(500);
  await cluster.untilNodes(1);
  const options = await cluster.optionsFile(SOON);
  const endpoint = serverSet.dynamodbEndpoint;
  const outrigger = cluster.outrigger(
    'outrigger',
    `--options=${options}`,
    '--schedule=1s',
    `--dynamodb-endpoint=${endpoint}`,
    `--table=${table}`,
  );
  // Three pods that get nodes, and one pod that fits on no node.
  await cluster.createDeployment('web', 3, { cpuMilli: 1500, memoryMib: 1024 });
  await cluster.createDeployment('huge', 1, { cpuMilli: 64_000, memoryMib: 1024 });
  await cluster.untilEvent('NotTriggerScaleUp');
  const pods = `/api/v1/namespaces/${cluster.name}/pods`;
  await cluster.kube.until<V1Pod>(pods, {
    what: 'three running pods',
    holds: (found) => found.filter(({ status }) => status?.phase === 'Running').length === 3,
    describe: (found) => found.map(({ metadata, status }) => `${metadata?.name} ${status?.phase}`).join(', '),
  });
  const huge = (await cluster.kube.list<V1Pod>(pods)).find(({ metadata }) => metadata?.name?.startsWith('huge'))!;
  const deployments = `/apis/apps/v1/namespaces/${cluster.name}/deployments`;
  for (const name of ['huge', 'web']) {
    await cluster.kube.patch(`${deployments}/${name}`, { spec: { replicas: 0 } });
  }
  // Without pods, its nodes go: scale-down decides, too.
  await cluster.kube.until('/api/v1/nodes', {
    what: 'the end of the nodes',
    holds: (nodes) => nodes.length === 0,
    describe: (nodes) => `${nodes.length} nodes`,
  });
  const name = `${cluster.name}/${huge.metadata!.name!}`;
  const explained = async (): Promise<readonly Readonly<Record<string, unknown>>[]> => {
    const args = ['explain', 'pod', name, '--since', '1h'];
    return (await asked<{ readonly periods: readonly Readonly<Record<string, unknown>>[] }>(cluster, table, ...args))
      .periods;
  };
  // An evaluation without the pod has been stored by then.
  await vi.waitFor(async () => expect((await explained()).at(-1)).toMatchObject({ until: expect.anything() }), {
    timeout: PATIENCE_MS,
    interval: 2_000,
  });
  expect(await outrigger.stop()).toBe('0');

  const { decisions } = await asked<{ readonly decisions: readonly Entry[] }>(
    cluster,
    table,
    'history',
    '--limit',
    '200',
  );
  const kept = decisions.filter(({ scenario }) => scenario === 'kept');
  expect(kept.filter(({ changes }) => changes).map(({ kind }) => kind)).toEqual(
    expect.arrayContaining(['scale-up', 'scale-down']),
  );
  expect(decisions.filter(({ changes, scenario }) => changes && scenario !== 'kept')).toEqual([]);
  for (const { id, did } of kept) {
    const replayed = await replayedHere(cluster, table, id);
    expect(replayed).toMatchObject({ id, sameBytes: true, decided: did, wouldBe: did, differences: [] });
  }
  const growing = kept.find(({ did }) => did.includes('scale up'))!;
  const { differences } = await asked<{ readonly differences: readonly unknown[] }>(
    cluster,
    table,
    'replay',
    growing.id,
    '--set',
    'maxNodesTotal=1',
  );
  expect(differences).toContainEqual(expect.objectContaining({ about: 'scale-up', decided: 'node groups grow' }));

  const periods = await explained();
  expect(periods[0]).toMatchObject({
    part: 'scale-up',
    what: expect.stringContaining('Unschedulable'),
    why: [expect.stringContaining('Insufficient cpu')],
  });
  expect(periods.at(-1)!['until']).not.toBeNull();
  process.stdout.write(`history: ${decisions.length} decisions kept, ${kept.length} of them replayed byte for byte\n`);
});
