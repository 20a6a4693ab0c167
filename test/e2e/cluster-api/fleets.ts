import { onTestFinished } from 'vitest';
import type { E2eCluster } from '../cluster.ts';
import type { GroupKind, ManagedCluster } from './ground.ts';
import { capacityOf, type MachineShape } from './machines.ts';
import { installOpenshift, openshiftMachineSet, openshiftPaths, type OpenshiftMachineSet } from './openshift.ts';
import type { Fleet } from './scaling.ts';

const GROUPS = ['a', 'b', 'c'] as const;
/** Largest size of a group. */
const MAX = 4;
/** Under the load: all groups alike. */
const LOADED = { a: 2, b: 2, c: 2 };

/** Similar but for their zone. */
export const shapeOf = (group: string): MachineShape => ({ cpu: 4, memoryGib: 16, zone: `zone-${group}` });

/** The annotations that make a resource a node group. */
export const bounds = (apiGroup: string, max: number, min: number | string = 0) => ({
  [`${apiGroup}/cluster-api-autoscaler-node-group-min-size`]: String(min),
  [`${apiGroup}/cluster-api-autoscaler-node-group-max-size`]: String(max),
});

/** Annotations for nodes of a group at zero, where no infrastructure template shows them. */
export const capacityAnnotations = (shape: MachineShape) => {
  const prefix = 'capacity.cluster-autoscaler.kubernetes.io';
  const { cpu, memory, pods } = capacityOf(shape);
  return {
    [`${prefix}/cpu`]: cpu!,
    [`${prefix}/memory`]: memory!,
    [`${prefix}/maxPods`]: pods!,
    [`${prefix}/labels`]: 'pool=general',
  };
};

/** Similar groups at zero, which the real Cluster API manages. */
export async function createGroups(
  cluster: ManagedCluster,
  groups: readonly (readonly [name: string, kind: GroupKind])[],
): Promise<void> {
  const annotations = bounds('cluster.x-k8s.io', MAX);
  for (const [name, kind] of groups)
    await cluster.createGroup({ kind, name, replicas: 0, shape: shapeOf(name), annotations });
}

/** Three groups of `kind`, at zero, which the real Cluster API manages. */
export async function clusterApiFleet(cluster: ManagedCluster, kind: GroupKind): Promise<Fleet> {
  await createGroups(
    cluster,
    GROUPS.map((name) => [name, kind]),
  );
  return { ...fleetOf(cluster), loaded: LOADED };
}

/**
 * A MachineDeployment beside an Auto Scaling group in one cluster, both at zero and too small for the load: it takes
 * all that the two may have.
 */
export async function mixedFleet(cluster: E2eCluster, managed: ManagedCluster): Promise<Fleet> {
  await createGroups(managed, [['a', 'MachineDeployment']]);
  const max = 2;
  const [asg] = await cluster.createGroups({ name: 'asg', instanceType: 'm5.xlarge', max });
  const { ended } = cluster.bridge(500);
  return {
    ...fleetOf(managed),
    instances: { ended },
    loaded: { [asg!]: max, a: MAX },
    sizes: async () => ({ ...(await cluster.sizes()), ...(await managed.replicas()) }),
  };
}

const fleetOf = (cluster: ManagedCluster): Omit<Fleet, 'loaded'> => {
  const { management, machinesPath, machines } = cluster;
  return {
    management,
    machinesPath,
    machines,
    mark: 'cluster.x-k8s.io/delete-machine',
    sizes: () => cluster.replicas(),
  };
};

/** Three MachineSets of machine.openshift.io, at zero. */
export async function openshiftFleet({ name, kube }: E2eCluster): Promise<Fleet> {
  const { machines: machinesPath, machineSets } = openshiftPaths(name);
  const { machines, close } = await installOpenshift(kube, name);
  onTestFinished(close);
  for (const group of GROUPS) {
    const shape = { ...shapeOf(group), labels: { pool: 'general' } };
    const annotations = { ...bounds('machine.openshift.io', MAX), ...capacityAnnotations(shape) };
    await kube.create(machineSets, openshiftMachineSet(group, 0, shape, annotations));
  }
  return {
    management: kube,
    machinesPath,
    machines,
    mark: 'machine.openshift.io/delete-machine',
    loaded: LOADED,
    async sizes() {
      const sets = await kube.list<OpenshiftMachineSet>(machineSets);
      return Object.fromEntries(sets.map(({ metadata, spec }) => [metadata.name, spec.replicas]));
    },
  };
}
