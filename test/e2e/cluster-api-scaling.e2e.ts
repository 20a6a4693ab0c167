import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { clusterApiFleet, mixedFleet, openshiftFleet } from './cluster-api/fleets.ts';
import { openManagedCluster } from './cluster-api/ground.ts';
import { installClusterApiForTests } from './cluster-api/installation.ts';
import { grantClusterApi } from './cluster-api/rights.ts';
import { OPTIONS, scaleUpAndDown, SPARE } from './cluster-api/scaling.ts';
import { openCluster, type E2eCluster } from './cluster.ts';
import { region } from './servers/aws-clients.ts';
import type { Outrigger } from './servers/outrigger.ts';
import { PATIENCE_MS } from './servers/server-process.ts';
import { serverSet } from './server-set.ts';

installClusterApiForTests();

const BOOT = { bootMs: 500 };

// Three MachineDeployments are in cluster-api-management.e2e.ts.
test('three similar MachineSets do without Auto Scaling groups: no region, no credentials, and nothing is asked of AWS', async () => {
  const cluster = await openCluster('capi-scaled-sets');
  const fleet = await clusterApiFleet(await openManagedCluster(cluster, BOOT), 'MachineSet');
  await startOutrigger(cluster, 'cluster.x-k8s.io', '--no-auto-scaling-groups');
  const evaluations = (): number =>
    cluster.audited().filter(({ verb, requestURI }) => verb === 'list' && /\/machinesets\?/.test(requestURI)).length;
  const untilEvaluations = async (count: number): Promise<void> => {
    // An evaluation may be under way.
    const enough = evaluations() + count + 1;
    await vi.waitFor(() => expect(evaluations()).toBeGreaterThanOrEqual(enough), { timeout: PATIENCE_MS });
  };
  expect(await scaleUpAndDown(cluster, fleet, untilEvaluations)).toHaveLength(SPARE);
  expect(cluster.recorder.calls).toEqual([]);
});

test('an Auto Scaling group and a MachineDeployment of one cluster grow for the same pods, and both give back what is spare', async () => {
  const cluster = await openCluster('capi-mixed');
  const fleet = await mixedFleet(cluster, await openManagedCluster(cluster, BOOT));
  await startOutrigger(cluster, 'cluster.x-k8s.io');
  expect(await scaleUpAndDown(cluster, fleet)).toHaveLength(SPARE);
  expect(fleet.machines.ended.length).toBeGreaterThan(0);
  expect(fleet.instances!.ended.length).toBeGreaterThan(0);
});

test('MachineSets of machine.openshift.io grow alike, and exactly the machines of the drained nodes are deleted', async () => {
  const cluster = await openCluster('capi-openshift');
  const fleet = await openshiftFleet(cluster);
  const config = await configFile(cluster, { apiGroup: 'machine.openshift.io' });
  await startOutrigger(cluster, 'machine.openshift.io', `--config=${config}`);
  expect(await scaleUpAndDown(cluster, fleet)).toHaveLength(SPARE);
});

/** With exactly the rights to the resources that the functions of a stack have. */
async function startOutrigger(cluster: E2eCluster, apiGroup: string, ...args: readonly string[]): Promise<Outrigger> {
  const roles = { apiGroup, machineDeployments: true, infrastructureTemplates: ['*.infrastructure.cluster.x-k8s.io'] };
  onTestFinished(await grantClusterApi(cluster.kube, 'outrigger', cluster.name, roles));
  const options = await cluster.optionsFile(OPTIONS);
  return cluster.outrigger('outrigger', `--options=${options}`, '--schedule=1s', '--verbose', '--cluster-api', ...args);
}

async function configFile({ name }: E2eCluster, clusterApi: object): Promise<string> {
  const file = path.join(serverSet.logs, `${name}-config.yaml`);
  await writeFile(file, JSON.stringify({ clusters: [{ name, region, clusterApi }] }));
  return file;
}
