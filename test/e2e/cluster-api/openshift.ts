import { createCrds, removeCrds } from '../servers/cluster-api.ts';
import type { Kube, KubeObject } from '../servers/kube.ts';
import { createNode, type EndedNode, podsOf } from '../servers/nodes.ts';
import { nodeOf, providerIdOf, type Machines, type MachineShape } from './machines.ts';
import { customResourceDefinition } from './provider-crds.ts';
import { startRounds } from './rounds.ts';

const GROUP = 'machine.openshift.io';
const VERSION = 'v1beta1';
const FINALIZER = `machine.${GROUP}`;

/** The minimal API that a machine API must have to be scaled: Machines, and MachineSets with their scale. */
const openshiftCrds = () => [
  customResourceDefinition(GROUP, VERSION, 'Machine', { subresources: { status: {} } }),
  customResourceDefinition(GROUP, VERSION, 'MachineSet', {
    subresources: { status: {}, scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' } },
  }),
];

/** Paths of a namespace's Machines and MachineSets. */
export const openshiftPaths = (namespace: string) => {
  const inNamespace = `/apis/${GROUP}/${VERSION}/namespaces/${namespace}`;
  return { machines: `${inNamespace}/machines`, machineSets: `${inNamespace}/machinesets` };
};

interface Metadata {
  readonly name: string;
  readonly uid: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly deletionTimestamp?: string;
  readonly ownerReferences?: readonly { readonly uid: string }[];
}

export interface OpenshiftMachine extends KubeObject {
  readonly metadata: Metadata;
  readonly spec: { readonly providerID?: string; readonly providerSpec: { readonly value: MachineShape } };
  readonly status?: { readonly nodeRef?: { readonly kind: string; readonly name: string } };
}

export interface OpenshiftMachineSet extends KubeObject {
  readonly metadata: Metadata;
  readonly spec: {
    readonly replicas: number;
    readonly template: {
      readonly metadata: Pick<Metadata, 'labels'>;
      readonly spec: Pick<OpenshiftMachine['spec'], 'providerSpec'>;
    };
  };
  readonly status?: { readonly replicas?: number };
}

/** A MachineSet with the annotations that opt it in. */
export const openshiftMachineSet = (
  name: string,
  replicas: number,
  shape: MachineShape,
  annotations: Readonly<Record<string, string>>,
  labels: Readonly<Record<string, string>> = {},
) => ({
  apiVersion: `${GROUP}/${VERSION}`,
  kind: 'MachineSet',
  metadata: { name, annotations, labels },
  spec: {
    replicas,
    selector: { matchLabels: { group: name } },
    template: { metadata: { labels: { group: name } }, spec: { providerSpec: { value: shape } } },
  },
});

/** Serves the minimal API, and plays its controllers for a namespace, until it is closed. */
export async function installOpenshift(
  kube: Kube,
  namespace: string,
): Promise<{ readonly machines: Machines; readonly close: () => Promise<void> }> {
  const crds = openshiftCrds();
  await createCrds(kube, crds);
  const paths = openshiftPaths(namespace);
  const machines = startOpenshiftMachines(kube, namespace);
  const close = async (): Promise<void> => {
    await kube.removeAll(paths.machineSets);
    await kube.removeAll(paths.machines);
    await kube.until(paths.machines, { what: 'the end of all machines', holds: (there) => there.length === 0 });
    await machines.stop();
    await removeCrds(kube, crds);
  };
  return { machines, close };
}

/** Plays the controllers of MachineSets and of Machines, as far as the minimal API goes. */
function startOpenshiftMachines(kube: Kube, namespace: string): Machines {
  const { machines: machinesPath, machineSets: setsPath } = openshiftPaths(namespace);
  const ended: EndedNode[] = [];

  const replicate = async (set: OpenshiftMachineSet, machines: readonly OpenshiftMachine[]): Promise<void> => {
    const { metadata, spec, status } = set;
    // A machine that is being deleted counts no more.
    const active = machines.filter((machine) => isOf(set, machine) && machine.metadata.deletionTimestamp === undefined);
    const missing = spec.replicas - active.length;
    for (let index = 0; index < missing; index += 1) await kube.create(machinesPath, machineOf(set));
    for (const machine of active.toSorted(byDeletion).slice(0, Math.max(0, -missing)))
      await kube.remove(`${machinesPath}/${machine.metadata.name}`);
    if (status?.replicas !== active.length)
      await kube.patch(`${setsPath}/${metadata.name}/status`, { status: { replicas: active.length } });
  };

  const provision = async ({
    metadata: { name, deletionTimestamp },
    spec,
    status,
  }: OpenshiftMachine): Promise<void> => {
    const path = `${machinesPath}/${name}`;
    if (deletionTimestamp !== undefined) {
      if (!ended.some(({ node }) => node === name)) ended.push({ node: name, lost: await podsOf(kube, name) });
      await kube.remove(`/api/v1/nodes/${name}`);
      await kube.patch(path, { metadata: { finalizers: null } });
    } else if (spec.providerID === undefined) {
      await kube.patch(path, { spec: { providerID: providerIdOf(namespace, name) } });
    } else if (status?.nodeRef === undefined) {
      await createNode(kube, nodeOf(namespace, name, spec.providerSpec.value));
      await kube.patch(`${path}/status`, { status: { nodeRef: { kind: 'Node', name }, phase: 'Running' } });
    }
  };

  const rounds = startRounds(`machine.openshift.io of ${namespace}`, async () => {
    // Machines are marked before the size is lowered: read after the sizes, every mark that belongs to a size is there.
    const sets = await kube.list<OpenshiftMachineSet>(setsPath);
    const machines = await kube.list<OpenshiftMachine>(machinesPath);
    await Promise.all(machines.map(provision));
    for (const set of sets) await replicate(set, machines);
  });
  return { ended, stop: rounds.stop };
}

const isOf = (set: OpenshiftMachineSet, { metadata }: OpenshiftMachine): boolean =>
  metadata.ownerReferences?.some(({ uid }) => uid === set.metadata.uid) === true;

const machineOf = ({ metadata: { name, uid }, spec: { template } }: OpenshiftMachineSet) => ({
  apiVersion: `${GROUP}/${VERSION}`,
  kind: 'Machine',
  metadata: {
    generateName: `${name}-`,
    labels: template.metadata.labels,
    finalizers: [FINALIZER],
    ownerReferences: [{ apiVersion: `${GROUP}/${VERSION}`, kind: 'MachineSet', name, uid, controller: true }],
  },
  spec: template.spec,
});

/** The Machine API's default order: those marked for deletion first, then those without a node, then any. */
const byDeletion = (a: OpenshiftMachine, b: OpenshiftMachine): number =>
  rank(a) - rank(b) || (a.metadata.name < b.metadata.name ? -1 : 1);

/** An empty mark is none. */
const rank = ({ metadata: { annotations = {} }, status }: OpenshiftMachine): number => {
  if ((annotations[`${GROUP}/delete-machine`] ?? '') !== '') return 0;
  return status?.nodeRef === undefined ? 1 : 2;
};
