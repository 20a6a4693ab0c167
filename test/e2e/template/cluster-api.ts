import { expect } from 'vitest';
import { createGroups } from '../cluster-api/fleets.ts';
import type { ManagedCluster } from '../cluster-api/ground.ts';
import type { E2eCluster } from '../cluster.ts';
import type { Deployment } from './deployment.ts';
import { withoutWires } from './mutants.ts';
import { scanning, untilDrained, untilWeb } from './run.ts';
import type { Template } from './synthesize.ts';

/** Similar but for their zone. */
const GROUPS = [
  ['a', 'MachineDeployment'],
  ['b', 'MachineSet'],
  ['c', 'MachineDeployment'],
] as const;

/**
 * Three pods come, each for a node of its own, and two of them go again: the functions of the stack raise each group by one,
 * and drain two nodes, and nothing that they ask for is refused.
 */
export async function scaleUpAndDown(
  cluster: E2eCluster,
  managed: ManagedCluster,
  deployment: Deployment,
): Promise<void> {
  const { kube, name } = cluster;
  const { records } = deployment;
  await createGroups(managed, GROUPS);
  await cluster.createDeployment('web', 3, { cpuMilli: 3_000, memoryMib: 1_024 });
  await scanning(deployment, async () => expect(await managed.replicas()).toEqual({ a: 1, b: 1, c: 1 }));
  await untilWeb(cluster, 3);
  await kube.patch(`/apis/apps/v1/namespaces/${name}/deployments/web`, { spec: { replicas: 1 } });
  await untilWeb(cluster, 1);
  await scanning(deployment, async () =>
    expect(Object.values(await managed.replicas()).toSorted((a, b) => a - b)).toEqual([0, 0, 1]),
  );
  await untilWeb(cluster, 1);
  await managed.untilMachines(1);
  // Drains of both nodes: a drain that were left would wait for a cluster that is gone.
  await untilDrained(deployment, 2);
  expect(records.aws.filter(({ request }) => /^(?:autoscaling|ec2):/.test(request.action))).toEqual([]);
  expect([...records.problems]).toEqual([]);
  expect(records.aws.filter(({ allowed }) => !allowed)).toEqual([]);
}

/** The template without each access entry, and without each part of one. */
export const withoutEntries = (template: Template): ReturnType<typeof withoutWires> =>
  withoutWires(template).filter(([name]) => name.includes('AccessEntry') && !name.endsWith('AccessEntry.Type'));
