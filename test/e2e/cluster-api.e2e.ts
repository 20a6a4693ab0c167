import path from 'node:path';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { openManagedCluster, untilNodesTakePods } from './cluster-api/ground.ts';
import { installClusterApi, type Installation } from './cluster-api/installation.ts';
import { watchMarks } from './cluster-api/mark-watch.ts';
import { openCluster } from './cluster.ts';

const connection = {
  apiServer: inject('apiServer'),
  token: inject('token'),
  certificateAuthority: inject('certificateAuthority'),
};
let clusterApi: Installation;

beforeAll(async () => {
  clusterApi = await installClusterApi({
    name: 'cluster-api',
    connection,
    kubeconfig: inject('kubeconfig'),
    folder: path.join(path.dirname(inject('logs')), 'cluster-api'),
    logs: inject('logs'),
  });
});

afterAll(() => clusterApi?.stop());

const SHAPE = { cpu: 4, memoryGib: 16, zone: 'zone-a', labels: { pool: 'general' } };
const MARK = 'cluster.x-k8s.io/delete-machine';

test.for(['MachineDeployment', 'MachineSet'] as const)(
  'Cluster API makes nodes of the replicas of a %s, and deletes the machines that are marked',
  async (kind) => {
    const { name, kube } = await openCluster(`capi-${kind.toLowerCase()}`);
    const cluster = await openManagedCluster({ name, management: kube, workload: kube, connection, bootMs: 300 });
    await cluster.createGroup({ kind, name: 'group', replicas: 5, shape: SHAPE });
    const machines = await cluster.untilMachines(5);
    const nodes = await untilNodesTakePods(kube, 5);
    expect(sorted(nodes.map(({ metadata }) => metadata!.name!))).toEqual(
      sorted(machines.map(({ status }) => status!.nodeRef!.name)),
    );
    for (const { metadata } of nodes) expect(metadata?.labels).toMatchObject({ pool: 'general' });

    const watch = watchMarks(kube, cluster.machinesPath, MARK);
    const marked = [machines[1]!, machines[3]!];
    for (const { metadata } of marked) await cluster.annotate(metadata.name, { [MARK]: new Date().toISOString() });
    await cluster.scale(kind, 'group', 3);
    await cluster.untilMachines(3);
    await untilNodesTakePods(kube, 3);
    await watch.stop();
    expect(sorted(watch.deleted)).toEqual(sorted(marked.map(({ metadata }) => metadata.name)));
    expect(sorted(cluster.machines.ended.map(({ name: ended }) => ended))).toEqual(
      sorted(marked.map(({ status }) => status!.nodeRef!.name)),
    );
    expect(await cluster.replicas()).toEqual({ group: 3 });
  },
);

const sorted = (names: Iterable<string>): readonly string[] => [...names].sort();
