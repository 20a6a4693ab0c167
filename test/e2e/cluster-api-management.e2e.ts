import { expect, test } from 'vitest';
import { clusterApiFleet } from './cluster-api/fleets.ts';
import { openManagedCluster } from './cluster-api/ground.ts';
import { MANAGEMENT_USER, startManagementClusterForTests } from './cluster-api/installation.ts';
import { grantClusterApi } from './cluster-api/rights.ts';
import { OPTIONS, scaleUpAndDown, SPARE } from './cluster-api/scaling.ts';
import { openCluster } from './cluster.ts';

const management = startManagementClusterForTests();

test('machines in another API server, as another user: groups grow alike, and exactly the machines of the drained nodes go', async () => {
  const cluster = await openCluster('capi-managed');
  const { kube, outriggerKubeconfig } = management();
  const managed = await openManagedCluster(cluster, { management: kube, bootMs: 500 });
  const fleet = await clusterApiFleet(managed, 'MachineDeployment');
  await grantClusterApi(kube, MANAGEMENT_USER, cluster.name, {
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
    `--management-kubeconfig=${outriggerKubeconfig}`,
  );
  expect(await scaleUpAndDown(cluster, fleet)).toHaveLength(SPARE);
});
