import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { openManagedCluster, untilNodesTakePods } from './cluster-api/ground.ts';
import { startManagementCluster, type ManagementCluster } from './cluster-api/installation.ts';
import { openCluster } from './cluster.ts';

const connection = {
  apiServer: inject('apiServer'),
  token: inject('token'),
  certificateAuthority: inject('certificateAuthority'),
};
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

test('machines of a management cluster become nodes of another cluster', async () => {
  const { name, kube } = await openCluster('capi-managed');
  await management.kube.create('/api/v1/namespaces', { metadata: { name } });
  const cluster = await openManagedCluster({
    name,
    management: management.kube,
    workload: kube,
    connection,
    bootMs: 300,
  });
  await cluster.createGroup({
    kind: 'MachineDeployment',
    name: 'group',
    replicas: 2,
    shape: { cpu: 4, memoryGib: 16, zone: 'zone-a' },
  });
  const machines = await cluster.untilMachines(2);
  const nodes = await untilNodesTakePods(kube, 2);
  expect(nodes.map(({ metadata }) => metadata!.name!).toSorted()).toEqual(
    machines.map(({ status }) => status!.nodeRef!.name).toSorted(),
  );
});
