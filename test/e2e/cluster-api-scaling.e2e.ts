import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, inject, onTestFinished, test } from 'vitest';
import { clusterApiFleet, openshiftFleet } from './cluster-api/fleets.ts';
import { openManagedCluster } from './cluster-api/ground.ts';
import { connection, installClusterApiForTests } from './cluster-api/installation.ts';
import { grantClusterApi } from './cluster-api/rights.ts';
import { OPTIONS, scaleUpAndDown, SPARE } from './cluster-api/scaling.ts';
import { openCluster, type E2eCluster } from './cluster.ts';
import { region } from './servers/aws-clients.ts';
import type { Kube } from './servers/kube.ts';

installClusterApiForTests();

test.for(['MachineDeployment', 'MachineSet'] as const)(
  'three similar groups of kind %s grow alike, and exactly the machines of the drained nodes are deleted',
  async (kind) => {
    const cluster = await openCluster(`capi-scaled-${kind.toLowerCase()}`);
    const { name, kube } = cluster;
    const managed = await openManagedCluster({
      name,
      management: kube,
      workload: kube,
      connection: connection(),
      bootMs: 500,
    });
    const fleet = await clusterApiFleet(managed, kind);
    await grantForTest(kube, name, 'cluster.x-k8s.io');
    const options = await cluster.optionsFile(OPTIONS);
    cluster.outrigger('outrigger', `--options=${options}`, '--schedule=1s', '--verbose', '--cluster-api');
    expect(await scaleUpAndDown(cluster, fleet)).toHaveLength(SPARE);
  },
);

test('MachineSets of machine.openshift.io grow alike, and exactly the machines of the drained nodes are deleted', async () => {
  const cluster = await openCluster('capi-openshift');
  const fleet = await openshiftFleet(cluster);
  await grantForTest(cluster.kube, cluster.name, 'machine.openshift.io');
  const options = await cluster.optionsFile(OPTIONS);
  const config = await configFile(cluster, { apiGroup: 'machine.openshift.io' });
  cluster.outrigger(
    'outrigger',
    `--options=${options}`,
    `--config=${config}`,
    '--schedule=1s',
    '--verbose',
    '--cluster-api',
  );
  expect(await scaleUpAndDown(cluster, fleet)).toHaveLength(SPARE);
});

async function grantForTest(kube: Kube, purpose: string, apiGroup: string): Promise<void> {
  const infrastructureTemplates = ['*.infrastructure.cluster.x-k8s.io'];
  const roles = { apiGroup, machineDeployments: true, infrastructureTemplates };
  onTestFinished(await grantClusterApi(kube, 'outrigger', purpose, roles));
}

async function configFile({ name }: E2eCluster, clusterApi: object): Promise<string> {
  const file = path.join(inject('logs'), `${name}-config.yaml`);
  await writeFile(file, JSON.stringify({ clusters: [{ name, region, clusterApi }] }));
  return file;
}
