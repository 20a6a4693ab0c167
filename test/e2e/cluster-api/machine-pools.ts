import type { Kube, KubeObject } from '../servers/kube.ts';
import { capacityOf, machinesOf, providerIdOf, type MachineShape } from './machines.ts';
import { INFRASTRUCTURE, VERSION } from './provider-crds.ts';
import { startRounds } from './rounds.ts';

interface Metadata {
  readonly name: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly deletionTimestamp?: string;
}

interface StandInPool extends KubeObject {
  readonly metadata: Metadata;
  readonly spec: MachineShape & { readonly providerIDList?: readonly string[] };
}

interface Named extends KubeObject {
  readonly metadata: Metadata;
  readonly spec: { readonly replicas: number };
}

const GROUP = 'cluster.x-k8s.io';
const POOL_NAME = `${GROUP}/pool-name`;
const CLUSTER_NAME = `${GROUP}/cluster-name`;
const MARK = `${GROUP}/delete-machine`;

const poolsOf = (namespace: string): string =>
  `/apis/${INFRASTRUCTURE}/${VERSION}/namespaces/${namespace}/standinmachinepools`;

/** Creates the provider's side of a MachinePool, which has its name. */
export async function createPool(kube: Kube, namespace: string, name: string, shape: MachineShape): Promise<void> {
  const path = poolsOf(namespace);
  const apiVersion = `${INFRASTRUCTURE}/${VERSION}`;
  await kube.create(path, { apiVersion, kind: 'StandInMachinePool', metadata: { name }, spec: shape });
  await kube.patch(`${path}/${name}/status`, {
    status: {
      capacity: capacityOf(shape),
      nodeInfo: { architecture: 'amd64', operatingSystem: 'linux' },
      infrastructureMachineKind: 'StandInMachine',
      ready: true,
      initialization: { provisioned: true },
    },
  });
}

/**
 * Plays the provider of MachinePools, by Cluster API's contract of those that have Machines: it makes the machines that a
 * pool lacks, for which Cluster API makes Machines, and deletes the Machines of those that are too many, first those
 * that are marked.
 */
export function startMachinePools(kube: Kube, cluster: string): { readonly stop: () => Promise<void> } {
  const inNamespace = `/apis/${GROUP}/v1beta2/namespaces/${cluster}`;
  let made = 0;

  const create = (pool: string, spec: MachineShape): Promise<unknown> =>
    kube.create(machinesOf(cluster), {
      apiVersion: `${INFRASTRUCTURE}/${VERSION}`,
      kind: 'StandInMachine',
      metadata: { name: `${pool}-${(made += 1)}`, labels: { [POOL_NAME]: pool, [CLUSTER_NAME]: cluster } },
      spec,
    });

  const reconcile = async ({ metadata: { name }, spec: { providerIDList = [], ...shape } }: StandInPool) => {
    const { spec } = await kube.get<Named>(`${inNamespace}/machinepools/${name}`);
    const isOfPool = ({ metadata }: Named): boolean => metadata.labels?.[POOL_NAME] === name;
    const isLive = ({ metadata }: Named): boolean => metadata.deletionTimestamp === undefined;
    const machines = (await kube.list<Named>(machinesOf(cluster))).filter(isOfPool).filter(isLive);
    const owners = (await kube.list<Named>(`${inNamespace}/machines`)).filter(isOfPool);
    // The machine of a Machine that is being deleted is on its way out, too.
    const going = new Set(owners.filter((owner) => !isLive(owner)).map(({ metadata }) => metadata.name));
    const active = machines.filter(({ metadata }) => !going.has(metadata.name));
    for (let index = active.length; index < spec.replicas; index += 1) await create(name, shape);
    const candidates = owners.filter(isLive).toSorted((a, b) => rank(a) - rank(b));
    for (const { metadata } of candidates.slice(0, Math.max(0, active.length - spec.replicas)))
      await kube.remove(`${inNamespace}/machines/${metadata.name}`);
    const ids = active.map(({ metadata }) => providerIdOf(cluster, metadata.name)).toSorted();
    if (ids.join() !== providerIDList.join()) {
      await kube.patch(`${poolsOf(cluster)}/${name}`, { spec: { providerIDList: ids } });
      await kube.patch(`${poolsOf(cluster)}/${name}/status`, { status: { replicas: ids.length } });
    }
  };

  return startRounds(`machine pools of ${cluster}`, async () => {
    const pools = await kube.list<StandInPool>(poolsOf(cluster));
    await Promise.all(pools.filter(({ metadata }) => metadata.deletionTimestamp === undefined).map(reconcile));
  });
}

const rank = ({ metadata }: Named): number => (metadata.annotations?.[MARK] === undefined ? 1 : 0);
