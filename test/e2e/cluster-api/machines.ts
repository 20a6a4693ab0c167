import type { V1Node, V1OwnerReference, V1Taint } from '@kubernetes/client-node';
import type { Kube, KubeObject } from '../servers/kube.ts';
import { createNode, type EndedNode, labelsOfKubelet, podsOf } from '../servers/nodes.ts';
import { INFRASTRUCTURE, VERSION } from './provider-crds.ts';
import { startRounds } from './rounds.ts';

/** Properties of a machine, from its template. */
export interface MachineShape {
  readonly cpu: number;
  readonly memoryGib: number;
  readonly zone: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly taints?: readonly V1Taint[];
}

/** The provider of machines, running. */
export interface Machines {
  /** Each machine that was a Node and has ended; it has the name of its Node. */
  readonly ended: readonly EndedNode[];
  stop(): Promise<void>;
}

interface MachinesSettings {
  /** Cluster of the machines' objects. */
  readonly management: Kube;
  /** Cluster of the Nodes. */
  readonly workload: Kube;
  readonly namespace: string;
  /** From the virtual machine to its Node. */
  readonly bootMs: number;
}

interface StandInMachine extends KubeObject {
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly uid: string;
    readonly deletionTimestamp?: string;
    readonly finalizers?: readonly string[];
    readonly ownerReferences?: readonly V1OwnerReference[];
  };
  readonly spec: MachineShape & { readonly providerID?: string };
}

const FINALIZER = `machine.${INFRASTRUCTURE}`;

/** Path of the provider's machines of a namespace. */
export const machinesOf = (namespace: string): string =>
  `/apis/${INFRASTRUCTURE}/${VERSION}/namespaces/${namespace}/standinmachines`;

/**
 * Starts to make machines of the objects that Cluster API creates for them: a provider ID at once, a Node when it has
 * booted. What ends a Node is Cluster API's own.
 */
export function startMachines({ management, workload, namespace, bootMs }: MachinesSettings): Machines {
  const path = machinesOf(namespace);
  const since = new Map<string, number>();
  const registered = new Set<string>();
  const ended: EndedNode[] = [];

  const provision = async ({ metadata: { name, finalizers = [] } }: StandInMachine): Promise<void> => {
    // In this order: without a provider ID a provisioned machine is looked at again seconds later.
    await management.patch(`${path}/${name}`, {
      metadata: { finalizers: [...finalizers, FINALIZER] },
      spec: { providerID: providerIdOf(namespace, name) },
    });
    await management.patch(`${path}/${name}/status`, { status: { initialization: { provisioned: true } } });
  };

  const register = async ({ metadata: { name, uid }, spec }: StandInMachine): Promise<void> => {
    await createNode(workload, nodeOf(namespace, name, spec));
    registered.add(uid);
  };

  const end = async ({ metadata: { name, uid, finalizers = [] } }: StandInMachine): Promise<void> => {
    if (!finalizers.includes(FINALIZER)) return;
    if (registered.has(uid) && !ended.some(({ node }) => node === name)) {
      ended.push({ node: name, lost: await podsOf(workload, name) });
    }
    await management.patch(`${path}/${name}`, {
      metadata: { finalizers: finalizers.filter((each) => each !== FINALIZER) },
    });
  };

  const reconcile = async (machine: StandInMachine): Promise<void> => {
    const { metadata, spec } = machine;
    if (metadata.deletionTimestamp !== undefined) return end(machine);
    // The contract: before that the object may still be given another owner.
    if (!metadata.ownerReferences?.some(({ kind }) => kind === 'Machine')) return;
    if (spec.providerID === undefined) {
      since.set(metadata.uid, performance.now());
      return provision(machine);
    }
    const booted = performance.now() - (since.get(metadata.uid) ?? 0) >= bootMs;
    if (booted && !registered.has(metadata.uid)) await register(machine);
  };

  const rounds = startRounds(`machines of ${namespace}`, async () => {
    await Promise.all((await management.list<StandInMachine>(path)).map(reconcile));
  });
  return { ended, stop: rounds.stop };
}

export const providerIdOf = (namespace: string, name: string): string => `standin://${namespace}/${name}`;

/** Capacity of a node of a shape: all of it is allocatable. */
export const capacityOf = ({ cpu, memoryGib }: MachineShape): Readonly<Record<string, string>> => ({
  cpu: String(cpu),
  memory: `${memoryGib}Gi`,
  'ephemeral-storage': '50Gi',
  pods: '110',
});

/** The Node of a machine, which has its name. */
export function nodeOf(namespace: string, name: string, shape: MachineShape): V1Node {
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      labels: { ...shape.labels, ...labelsOfKubelet(name, 'amd64'), 'topology.kubernetes.io/zone': shape.zone },
    },
    spec: { providerID: providerIdOf(namespace, name), taints: [...(shape.taints ?? [])] },
    status: { capacity: capacityOf(shape), allocatable: capacityOf(shape) },
  };
}
