import type { V1Node } from '@kubernetes/client-node';
import { expect, onTestFinished, test } from 'vitest';
import { isUpdating } from '../../core/model/cloud-action.ts';
import type { NodeGroup } from '../../core/model/node-group.ts';
import { clusterName, groupName, instanceId } from '../../core/model/values/names.ts';
import { epochMs } from '../../core/model/values/time.ts';
import type { NodeGroups } from '../../core/ports/node-groups.ts';
import { createClusterApiGroups } from '../../providers/clusterapi/cluster-api-groups.ts';
import { connectionOfKubeconfig } from '../../providers/kubernetes/auth/kubeconfig.ts';
import { createTransport } from '../../providers/kubernetes/client/transport.ts';
import { bounds } from './cluster-api/fleets.ts';
import { isRunning, type Machine, openManagedCluster, POOL, untilNodesTakePods } from './cluster-api/ground.ts';
import { installClusterApiForTests } from './cluster-api/installation.ts';
import { watchMarks } from './cluster-api/mark-watch.ts';
import { sorted } from './cluster-api/scaling.ts';
import { openCluster } from './cluster.ts';
import { serverSet } from './server-set.ts';

installClusterApiForTests();

const SHAPE = { cpu: 4, memoryGib: 16, zone: 'zone-a' };
const MARK = 'cluster.x-k8s.io/delete-machine';

/** A cluster of its own machines, until the test ends. */
async function open(purpose: string, bootMs: number) {
  const cluster = await openCluster(purpose);
  return { ...cluster, managed: await openManagedCluster(cluster, { bootMs }) };
}

test('Cluster API makes nodes of the replicas of a MachineDeployment, and deletes the machines that are marked', async () => {
  const { kube, managed: cluster } = await open('capi-ground', 300);
  await cluster.createGroup({ kind: 'MachineDeployment', name: 'group', replicas: 5, shape: SHAPE });
  const machines = await cluster.untilMachines(5);
  const nodes = await untilNodesTakePods(kube, 5);
  expect(sorted(nodes.map(({ metadata }) => metadata!.name!))).toEqual(
    sorted(machines.map(({ status }) => status!.nodeRef!.name)),
  );
  // Its controller labels a Node a moment after it has found it.
  await kube.until<V1Node>('/api/v1/nodes', {
    what: `nodes with the label ${POOL}`,
    holds: (there) => there.every(({ metadata }) => metadata?.labels?.[POOL] === 'general'),
  });

  const watch = watchMarks(kube, cluster.machinesPath, MARK);
  const marked = [machines[1]!, machines[3]!];
  for (const { metadata } of marked) await cluster.annotate(metadata.name, { [MARK]: new Date().toISOString() });
  await expect(cluster.scale('MachineDeployment', 'group', 3, '1')).rejects.toMatchObject({ status: 409 });
  await cluster.scale('MachineDeployment', 'group', 3);
  await cluster.untilMachines(3);
  await untilNodesTakePods(kube, 3);
  await watch.stop();
  expect(sorted(watch.deleted)).toEqual(sorted(marked.map(({ metadata }) => metadata.name)));
  expect(sorted(cluster.machines.ended.map(({ node }) => node))).toEqual(
    sorted(marked.map(({ status }) => status!.nodeRef!.name)),
  );
  expect(await cluster.replicas()).toEqual({ group: 3 });
});

test('machines that are terminated at the same time are deleted, and the one that is deleted by hand is replaced', async () => {
  const { name, kube, managed: cluster } = await open('capi-terminate', 300);
  const annotations = bounds('cluster.x-k8s.io', 6);
  await cluster.createGroup({ kind: 'MachineDeployment', name: 'group', replicas: 5, shape: SHAPE, annotations });
  const machines = await cluster.untilMachines(5);
  const [first, second, byHand, ...kept] = machines.map(({ metadata }) => metadata.name) as [string, string, string];
  const watch = watchMarks(kube, cluster.machinesPath, MARK);
  const { groups } = await nodeGroups(name);
  const group = groupName(`MachineDeployment/${name}/group`);
  const terminated = async (machine: string): Promise<void> => {
    // A termination that meets another one may be refused, and is asked for again.
    await expect
      .poll(async () => (await groups.terminate(group, instanceId(`${name}/${machine}`), true)).kind)
      .not.toBe('failed');
  };
  await Promise.all([terminated(first), kube.remove(`${cluster.machinesPath}/${byHand}`), terminated(second)]);
  const left = await cluster.untilMachines(3);
  await watch.stop();
  expect(sorted(watch.deleted)).toEqual(sorted([first, second, byHand]));
  expect(left.map(({ metadata }) => metadata.name)).toEqual(expect.arrayContaining(kept));
  expect(await cluster.replicas()).toEqual({ group: 3 });
  expect(left.filter(({ metadata }) => metadata.annotations?.[MARK] !== undefined)).toEqual([]);
});

test('of a MachinePool whose provider makes Machines, exactly the one that is terminated is deleted, or replaced', async () => {
  const { name, kube, managed: cluster } = await open('capi-pool', 300);
  const annotations = bounds('cluster.x-k8s.io', 4);
  await cluster.createGroup({ kind: 'MachinePool', name: 'group', replicas: 1, shape: SHAPE, annotations });
  await cluster.untilMachines(1);
  const { groups } = await nodeGroups(name);
  const group = groupName(`MachinePool/${name}/group`);
  expect(await groups.setSize(group, 3)).toEqual({ kind: 'set' });
  const machines = (await cluster.untilMachines(3)).map(({ metadata }) => metadata.name);
  const ids = async () => (await groups.list([]))[0]!.instances.map(({ id }) => id);
  expect(sorted(await ids())).toEqual(sorted(machines.map((machine) => `${name}/${machine}`)));

  const watch = watchMarks(kube, cluster.machinesPath, MARK);
  const [first, ended, replaced] = machines as [string, string, string];
  const terminate = (machine: string, decrement: boolean) =>
    groups.terminate(group, instanceId(`${name}/${machine}`), decrement);
  expect(await terminate(ended, true)).toEqual({ kind: 'terminated' });
  const left = (await cluster.untilMachines(2)).map(({ metadata }) => metadata.name);
  expect(sorted(left)).toEqual(sorted([first, replaced]));
  // Its list of provider IDs is that of before for a moment.
  expect(sorted(await ids())).toEqual(sorted(left.map((machine) => `${name}/${machine}`)));
  expect(await terminate(replaced, false)).toEqual({ kind: 'terminated' });
  await kube.until<Machine>(cluster.machinesPath, {
    what: 'another machine instead',
    holds: (there) =>
      there.length === 2 && there.every(isRunning) && !there.some(({ metadata }) => metadata.name === replaced),
  });
  await watch.stop();
  expect([sorted(watch.marked), sorted(watch.deleted)]).toEqual([[ended], sorted([ended, replaced])]);
  expect(await cluster.replicas()).toEqual({ group: 2 });
});

test('a MachineDeployment is a group whose machines are instances, read by five lists, and updating during a rollout', async () => {
  const { name, managed: cluster } = await open('capi-read', 1_500);
  const annotations = bounds('cluster.x-k8s.io', 6);
  await cluster.createGroup({ kind: 'MachineDeployment', name: 'group', replicas: 2, shape: SHAPE, annotations });
  const machines = await cluster.untilMachines(2);
  const { groups, calls } = await nodeGroups(name);
  const read = async (): Promise<NodeGroup> => {
    const [group, ...others] = await groups.list([]);
    expect(others).toEqual([]);
    return group!;
  };
  const group = await read();
  expect(group).toMatchObject({ name: `MachineDeployment/${name}/group`, minSize: 0, maxSize: 6, targetSize: 2 });
  expect(sorted(group.instances.map(({ id }) => id))).toEqual(
    sorted(machines.map(({ metadata }) => `${name}/${metadata.name}`)),
  );
  expect(isUpdating(group)).toBe(false);
  const before = calls();
  await read();
  expect(calls() - before).toBeLessThanOrEqual(6);

  await cluster.rollOut('group');
  await expect.poll(async () => isUpdating(await read())).toBe(true);
  await expect.poll(async () => isUpdating(await read())).toBe(false);
  const replaced = await cluster.untilMachines(2);
  for (const { metadata } of replaced) expect(machines.map(({ metadata: { uid } }) => uid)).not.toContain(metadata.uid);
});

test('with the strategy OnDelete the machines of earlier templates have drifted, and exactly the terminated one goes', async () => {
  const { name, kube, managed: cluster } = await open('capi-on-delete', 300);
  const annotations = bounds('cluster.x-k8s.io', 6);
  await cluster.createGroup({ kind: 'MachineDeployment', name: 'group', replicas: 3, shape: SHAPE, annotations });
  const old = sorted((await cluster.untilMachines(3)).map(({ metadata }) => metadata.name));
  const path = `${cluster.pathOf('MachineDeployment')}/group`;
  await kube.patch(path, { spec: { rollout: { strategy: { type: 'OnDelete', rollingUpdate: null } } } });
  const { groups } = await nodeGroups(name);
  const read = async (): Promise<NodeGroup> => (await groups.list([]))[0]!;
  expect((await read()).instances.filter(({ drifted }) => drifted !== undefined)).toEqual([]);

  await cluster.rollOut('group');
  const idOf = (machine: string) => instanceId(`${name}/${machine}`);
  const drifted = async () =>
    sorted((await read()).instances.flatMap((one) => (one.drifted === undefined ? [] : one.id)));
  await expect.poll(drifted).toEqual(old.map(idOf));
  expect(isUpdating(await read())).toBe(false);

  // The replacement first.
  await cluster.scale('MachineDeployment', 'group', 4);
  const all = (await cluster.untilMachines(4)).map(({ metadata }) => metadata.name);
  const fresh = all.find((machine) => !old.includes(machine))!;
  expect(await drifted()).toEqual(old.map(idOf));
  expect((await read()).instances.filter(({ stays }) => stays !== undefined).map(({ id }) => id)).toEqual([
    idOf(fresh),
  ]);
  const group = groupName(`MachineDeployment/${name}/group`);
  expect(await groups.terminate(group, idOf(fresh), true)).toMatchObject({ kind: 'failed', code: 'RollingOut' });

  const watch = watchMarks(kube, cluster.machinesPath, MARK);
  expect(await groups.terminate(group, idOf(old[1]!), true)).toEqual({ kind: 'terminated' });
  const left = await cluster.untilMachines(3);
  await watch.stop();
  expect([...watch.deleted]).toEqual([old[1]]);
  expect(sorted(left.map(({ metadata }) => metadata.name))).toEqual(sorted([old[0]!, old[2]!, fresh]));
  expect(await cluster.replicas()).toEqual({ group: 3 });
});

/** The node groups of a namespace, as Outrigger has them, and how many requests have been sent for them. */
async function nodeGroups(namespace: string): Promise<{ readonly groups: NodeGroups; readonly calls: () => number }> {
  const transport = createTransport(await connectionOfKubeconfig({ file: serverSet.kubeconfig, context: null }));
  onTestFinished(() => transport.close());
  let sent = 0;
  const groups = createClusterApiGroups({
    transport: {
      ...transport,
      send(...request) {
        sent += 1;
        return transport.send(...request);
      },
    },
    cluster: clusterName(namespace),
    inManagementCluster: false,
    apiGroup: 'cluster.x-k8s.io',
    discovery: [{ namespace, clusterName: namespace, labels: {} }],
    machineDeployments: true,
    defaultArchitecture: 'amd64',
    warn: (message) => process.stdout.write(`${namespace}: ${message}\n`),
    now: () => epochMs(Date.now()),
  });
  return { groups, calls: () => sent };
}
