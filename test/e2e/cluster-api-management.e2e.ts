import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { clusterApiFleet } from './cluster-api/fleets.ts';
import { openManagedCluster } from './cluster-api/ground.ts';
import {
  connection,
  MANAGEMENT_USER,
  startManagementCluster,
  type ManagementCluster,
} from './cluster-api/installation.ts';
import { grantClusterApi } from './cluster-api/rights.ts';
import { OPTIONS, scaleUpAndDown, SPARE } from './cluster-api/scaling.ts';
import { openCluster } from './cluster.ts';

let folder: string;
let management: ManagementCluster;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'outrigger-management-'));
  management = await startManagementCluster(folder);
});

afterAll(async () => {
  await management?.stop();
  await rm(folder, { recursive: true, force: true });
});

test('machines in another API server, as another user: groups grow alike, and exactly the machines of the drained nodes go', async () => {
  const cluster = await openCluster('capi-managed');
  const { name, kube } = cluster;
  await management.kube.create('/api/v1/namespaces', { metadata: { name } });
  const managed = await openManagedCluster({
    name,
    management: management.kube,
    workload: kube,
    connection: connection(),
    bootMs: 500,
  });
  const fleet = await clusterApiFleet(managed, 'MachineDeployment');
  await grantClusterApi(management.kube, MANAGEMENT_USER, name, {
    apiGroup: 'cluster.x-k8s.io',
    machineDeployments: true,
    infrastructureTemplates: ['*.infrastructure.cluster.x-k8s.io'],
  });
  const options = await cluster.optionsFile(OPTIONS);
  cluster.outrigger(
    'outrigger',
    `--options=${options}`,
    '--schedule=1s',
    '--verbose',
    '--cluster-api',
    `--management-kubeconfig=${management.outriggerKubeconfig}`,
  );
  expect(await scaleUpAndDown(cluster, fleet)).toHaveLength(SPARE);
});
