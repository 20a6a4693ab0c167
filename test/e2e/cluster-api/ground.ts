import type { V1Node } from '@kubernetes/client-node';
import { onTestFinished } from 'vitest';
import type { E2eCluster } from '../cluster.ts';
import { connection } from '../connection.ts';
import { kubeconfigOf } from '../servers/api-server.ts';
import type { Connection, Kube, KubeObject } from '../servers/kube.ts';
import { capacityOf, startMachines, type Machines, type MachineShape } from './machines.ts';
import { createPool, startMachinePools } from './machine-pools.ts';
import { CONTROL_PLANE, INFRASTRUCTURE, VERSION } from './provider-crds.ts';

/** A workload cluster that Cluster API manages: of one test's own, gone after it. */
export interface ManagedCluster {
  /** Its name, and the namespace of its objects in the management cluster. */
  readonly name: string;
  readonly management: Kube;
  readonly machines: Machines;
  readonly machinesPath: string;
  /** Path of the resources of a kind. */
  pathOf(kind: GroupKind): string;
  createGroup(group: MachineGroup): Promise<void>;
  replicas(): Promise<Readonly<Record<string, number>>>;
  /** @param resourceVersion the one that it must have. */
  scale(kind: GroupKind, name: string, replicas: number, resourceVersion?: string): Promise<void>;
  /** Changes the template of a MachineDeployment: its machines are replaced. */
  rollOut(name: string): Promise<void>;
  /** Annotates a Machine. */
  annotate(machine: string, annotations: Readonly<Record<string, string | null>>): Promise<void>;
  /** Waits until there are `count` Machines, each with a Node and none being deleted; gives them. */
  untilMachines(count: number): Promise<readonly Machine[]>;
}

export type GroupKind = 'MachineDeployment' | 'MachineSet' | 'MachinePool';

/** A resource to be scaled, and the machines that it makes. */
export interface MachineGroup {
  readonly kind: GroupKind;
  readonly name: string;
  readonly replicas: number;
  readonly shape: MachineShape;
  readonly annotations?: Readonly<Record<string, string>>;
  /** Its own, and not those of its machines. */
  readonly labels?: Readonly<Record<string, string>>;
}

export interface Machine extends KubeObject {
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly deletionTimestamp?: string;
    readonly ownerReferences?: readonly { readonly kind: string; readonly name: string }[];
  };
  readonly spec: { readonly providerID?: string };
  readonly status?: { readonly nodeRef?: { readonly name: string }; readonly phase?: string };
}

interface Scalable extends KubeObject {
  readonly metadata: { readonly name: string; readonly ownerReferences?: readonly object[] };
  readonly spec: { readonly replicas: number };
}

interface ManagedClusterSettings {
  /** From the virtual machine to its Node. */
  readonly bootMs: number;
  /** The cluster that has its objects: by default itself. */
  readonly management?: Kube;
}

const GROUP = 'cluster.x-k8s.io';
/** A label that Cluster API gives to every Node of every group. */
export const POOL = `node.${GROUP}/pool`;
const CORE = `/apis/${GROUP}/v1beta2`;
const PLURAL = {
  MachineDeployment: 'machinedeployments',
  MachineSet: 'machinesets',
  MachinePool: 'machinepools',
} as const;

/**
 * Makes a cluster known to Cluster API, in the namespace of its name, until the running test ends; waits until the manager is
 * connected to it.
 */
export async function openManagedCluster(
  { name, kube }: Pick<E2eCluster, 'name' | 'kube'>,
  { bootMs, management = kube }: ManagedClusterSettings,
): Promise<ManagedCluster> {
  const inNamespace = `${CORE}/namespaces/${name}`;
  const machinesPath = `${inNamespace}/machines`;
  const machines = startMachines({ management, workload: kube, namespace: name, bootMs });
  const pools = startMachinePools(management, name);
  onTestFinished(async () => {
    for (const plural of Object.values(PLURAL)) await management.removeAll(`${inNamespace}/${plural}`);
    await management.until(machinesPath, { what: 'the end of all machines', holds: (there) => there.length === 0 });
    await machines.stop();
    await pools.stop();
    await management.remove(`${inNamespace}/clusters/${name}`);
    await management.until(`${inNamespace}/clusters`, { what: 'its end', holds: (there) => there.length === 0 });
  });
  if (management !== kube) await management.create('/api/v1/namespaces', { metadata: { name } });
  await createCluster(management, name, connection());

  return {
    name,
    management,
    machines,
    machinesPath,
    pathOf: (kind) => `${inNamespace}/${PLURAL[kind]}`,
    async createGroup(group) {
      if (group.kind === 'MachinePool') await createPool(management, name, group.name, group.shape);
      else await createTemplate(management, name, group);
      await management.create(`${inNamespace}/${PLURAL[group.kind]}`, scalable(name, group));
    },
    async replicas() {
      const resources = await Promise.all(
        Object.values(PLURAL).map((plural) => management.list<Scalable>(`${inNamespace}/${plural}`)),
      );
      // The MachineSet of a MachineDeployment is the MachineDeployment's.
      const own = resources.flat().filter(({ metadata }) => !metadata.ownerReferences?.some(isDeployment));
      return Object.fromEntries(own.map(({ metadata, spec }) => [metadata.name, spec.replicas]));
    },
    async scale(kind, group, replicas, resourceVersion) {
      const patch = { metadata: { resourceVersion }, spec: { replicas } };
      await management.patch(`${inNamespace}/${PLURAL[kind]}/${group}/scale`, patch);
    },
    async rollOut(group) {
      const template = { spec: { bootstrap: { dataSecretName: 'other' } } };
      await management.patch(`${inNamespace}/machinedeployments/${group}`, { spec: { template } });
    },
    async annotate(machine, annotations) {
      await management.patch(`${machinesPath}/${machine}`, { metadata: { annotations } });
    },
    untilMachines: (count) =>
      management.until<Machine>(machinesPath, {
        what: `${count} machines with a node each`,
        holds: (there) => there.length === count && there.every(isRunning),
        describe: (there) => there.map(({ metadata, status }) => `${metadata.name} ${status?.phase}`).join(', '),
      }),
  };
}

export const isRunning = ({ metadata, status }: Machine): boolean =>
  metadata.deletionTimestamp === undefined && status?.nodeRef !== undefined;

const isDeployment = (owner: object): boolean => 'kind' in owner && owner.kind === 'MachineDeployment';

/** Waits until Nodes that take pods are there: Ready, and free of the taint that a new one carries for a moment. */
export const untilNodesTakePods = (workload: Kube, count: number) =>
  workload.until<V1Node>('/api/v1/nodes', {
    what: `${count} nodes that take pods`,
    holds: (nodes) =>
      nodes.length === count &&
      nodes.every(
        ({ spec, status }) =>
          !spec?.taints?.length &&
          status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True'),
      ),
  });

interface Cluster extends KubeObject {
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}

/** @param own as its control plane gives the workload cluster to Cluster API. */
async function createCluster(management: Kube, name: string, own: Connection): Promise<void> {
  const { hostname, port } = new URL(own.apiServer);
  const controlPlanes = `/apis/${CONTROL_PLANE}/${VERSION}/namespaces/${name}/standincontrolplanes`;
  await management.create(controlPlanes, {
    apiVersion: `${CONTROL_PLANE}/${VERSION}`,
    kind: 'StandInControlPlane',
    metadata: { name },
    spec: { controlPlaneEndpoint: { host: hostname, port: Number(port) } },
  });
  // As a cloud's own control plane, it has no machines.
  await management.patch(`${controlPlanes}/${name}/status`, {
    status: { initialization: { controlPlaneInitialized: true }, externalManagedControlPlane: true },
  });
  await management.create(`/api/v1/namespaces/${name}/secrets`, {
    metadata: { name: `${name}-kubeconfig`, labels: { [`${GROUP}/cluster-name`]: name } },
    type: `${GROUP}/secret`,
    data: { value: Buffer.from(kubeconfigOf(own)).toString('base64') },
  });
  await management.create(`${CORE}/namespaces/${name}/clusters`, {
    apiVersion: `${GROUP}/v1beta2`,
    kind: 'Cluster',
    metadata: { name },
    spec: { controlPlaneRef: { apiGroup: CONTROL_PLANE, kind: 'StandInControlPlane', name } },
  });
  const connected = ['ControlPlaneInitialized', 'RemoteConnectionProbe'];
  await management.until<Cluster>(`${CORE}/namespaces/${name}/clusters`, {
    what: 'a cluster that Cluster API is connected to',
    holds: ([cluster]) => {
      const conditions = cluster?.status?.conditions ?? [];
      return connected.every((type) => conditions.some((each) => each.type === type && each.status === 'True'));
    },
    describe: ([cluster]) => JSON.stringify(cluster?.status),
  });
}

/** Creates a machine template that states the capacity, so that it is known before the first machine exists. */
async function createTemplate(management: Kube, namespace: string, { name, shape }: MachineGroup): Promise<void> {
  const path = `/apis/${INFRASTRUCTURE}/${VERSION}/namespaces/${namespace}/standinmachinetemplates`;
  await management.create(path, {
    apiVersion: `${INFRASTRUCTURE}/${VERSION}`,
    kind: 'StandInMachineTemplate',
    metadata: { name },
    spec: { template: { spec: shape } },
  });
  await management.patch(`${path}/${name}/status`, {
    status: { capacity: capacityOf(shape), nodeInfo: { architecture: 'amd64', operatingSystem: 'linux' } },
  });
}

function scalable(cluster: string, { kind, name, replicas, shape, annotations = {}, labels = {} }: MachineGroup) {
  const selected = { group: name };
  const isPool = kind === 'MachinePool';
  return {
    apiVersion: `${GROUP}/v1beta2`,
    kind,
    metadata: { name, annotations, labels },
    spec: {
      clusterName: cluster,
      replicas,
      ...(isPool ? {} : { selector: { matchLabels: selected } }),
      template: {
        // Labels of this prefix become the Node's.
        metadata: { labels: { ...selected, [POOL]: 'general' } },
        spec: {
          clusterName: cluster,
          failureDomain: shape.zone,
          // A node is ready without any: nothing is installed on it.
          bootstrap: { dataSecretName: 'none' },
          infrastructureRef: { apiGroup: INFRASTRUCTURE, kind: `StandInMachine${isPool ? 'Pool' : 'Template'}`, name },
        },
      },
    },
  };
}
