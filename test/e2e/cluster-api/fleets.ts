import { onTestFinished } from 'vitest';
import type { E2eCluster } from '../cluster.ts';
import { createCrds, removeCrds } from '../servers/cluster-api.ts';
import type { GroupKind, ManagedCluster } from './ground.ts';
import { capacityOf, type MachineShape } from './machines.ts';
import {
  openshiftCrds,
  openshiftMachineSet,
  openshiftPaths,
  startOpenshiftMachines,
  type OpenshiftMachineSet,
} from './openshift.ts';
import type { Fleet } from './scaling.ts';

const GROUPS = ['a', 'b', 'c'] as const;

/** Similar but for their zone. */
const shapeOf = (group: string): MachineShape => ({ cpu: 4, memoryGib: 16, zone: `zone-${group}` });

/** The annotations that make a resource a node group. */
export const bounds = (apiGroup: string, max: number) => ({
  [`${apiGroup}/cluster-api-autoscaler-node-group-min-size`]: '0',
  [`${apiGroup}/cluster-api-autoscaler-node-group-max-size`]: String(max),
});

/** What the nodes of a group at zero will be like, where no infrastructure template shows it. */
const capacityAnnotations = (shape: MachineShape) => {
  const prefix = 'capacity.cluster-autoscaler.kubernetes.io';
  const { cpu, memory, pods } = capacityOf(shape);
  return {
    [`${prefix}/cpu`]: cpu!,
    [`${prefix}/memory`]: memory!,
    [`${prefix}/maxPods`]: pods!,
    [`${prefix}/labels`]: 'pool=general',
  };
};

/** Three groups of `kind`, at zero, which the real Cluster API manages. */
export async function clusterApiFleet(cluster: ManagedCluster, kind: GroupKind): Promise<Fleet> {
  for (const name of GROUPS)
    await cluster.createGroup({
      kind,
      name,
      replicas: 0,
      shape: shapeOf(name),
      annotations: bounds('cluster.x-k8s.io', 4),
    });
  const { management, machinesPath, machines } = cluster;
  return {
    management,
    machinesPath,
    machines,
    mark: 'cluster.x-k8s.io/delete-machine',
    replicas: () => cluster.replicas(),
  };
}

/** Three MachineSets of machine.openshift.io, at zero. */
export async function openshiftFleet({ name, kube }: E2eCluster): Promise<Fleet> {
  const crds = openshiftCrds();
  await createCrds(kube, crds);
  const { machines: machinesPath, machineSets } = openshiftPaths(name);
  const machines = startOpenshiftMachines(kube, name);
  onTestFinished(async () => {
    await kube.removeAll(machineSets);
    await kube.removeAll(machinesPath);
    await kube.until(machinesPath, { what: 'the end of all machines', holds: (there) => there.length === 0 });
    await machines.stop();
    await removeCrds(kube, crds);
  });
  for (const group of GROUPS) {
    const shape = { ...shapeOf(group), labels: { pool: 'general' } };
    const annotations = { ...bounds('machine.openshift.io', 4), ...capacityAnnotations(shape) };
    await kube.create(machineSets, openshiftMachineSet(group, 0, shape, annotations));
  }
  return {
    management: kube,
    machinesPath,
    machines,
    mark: 'machine.openshift.io/delete-machine',
    async replicas() {
      const sets = await kube.list<OpenshiftMachineSet>(machineSets);
      return Object.fromEntries(sets.map(({ metadata, spec }) => [metadata.name, spec.replicas]));
    },
  };
}
