import { expect, vi } from 'vitest';
import type { Node } from '../../../core/model/cluster/node.ts';
import { clusterName, groupName } from '../../../core/model/values/names.ts';
import { epochMs } from '../../../core/model/values/time.ts';
import { createClusterApiGroups } from '../../../providers/clusterapi/cluster-api-groups.ts';
import type { Transport } from '../../../providers/kubernetes/client/transport.ts';
import { NODES } from '../../../providers/kubernetes/read/kinds.ts';
import { listAll } from '../../../providers/kubernetes/read/list.ts';
import type { Ground, GroupWish } from '../../providers/node-groups.contract.ts';
import type { Kube, KubeObject } from '../servers/kube.ts';
import { PATIENCE_MS } from '../servers/server-process.ts';
import { bounds } from './fleets.ts';
import { type GroupKind, isRunning, type Machine } from './ground.ts';

/** A kind of resource that has machines, in a namespace with the controllers of it. */
export interface MachineApi {
  readonly apiGroup: string;
  readonly kind: GroupKind;
  readonly namespace: string;
  readonly kube: Kube;
  /** With the rights of an administrator. */
  readonly transport: Transport;
  readonly machinesPath: string;
  /** Path of the resources. */
  readonly path: string;
  /** Creates a resource whose machines have the label `group` with its name. */
  createGroup(group: Resource): Promise<void>;
}

export interface Resource {
  readonly name: string;
  readonly replicas: number;
  readonly annotations: Readonly<Record<string, string>>;
  /** Its own, and not those of its machines. */
  readonly labels: Readonly<Record<string, string>>;
}

interface Scalable extends KubeObject {
  readonly metadata: { readonly name: string };
  readonly spec: { readonly replicas: number };
}

/** Tells the resources of a test from those of others, which run at the same time. */
const TEST = 'outrigger.dev/test';
let tests = 0;

/** The groups of one test, of which all machines run and have a node that is Ready. */
export async function startMachineGround(api: MachineApi, wishes: readonly GroupWish[]): Promise<Ground> {
  const { apiGroup, kind, namespace, kube, transport } = api;
  const test = `t${(tests += 1)}`;
  const own = (name: string): string => `${test}-${name}`;
  const names = new Set(wishes.map(({ name }) => own(name)));
  let nodes: readonly Node[] = [];

  /** Ends when every group has as many machines as it is to have, none of them on its way in or out. */
  const settle = async (): Promise<void> => {
    const settled = async (): Promise<void> => {
      const resources = (await kube.list<Scalable>(api.path)).filter(({ metadata }) => names.has(metadata.name));
      const machines = (await kube.list<Machine>(api.machinesPath)).filter((machine) => names.has(groupOf(machine)));
      for (const { metadata, spec } of resources) {
        const of = machines.filter((machine) => groupOf(machine) === metadata.name);
        expect([of.length, of.every(isRunning)]).toEqual([spec.replicas, true]);
      }
      nodes = await nodesOf(transport, new Set(machines.map(({ status }) => status?.nodeRef?.name)));
      expect(nodes).toHaveLength(machines.length);
      expect(nodes.filter((node) => !isReady(node))).toEqual([]);
    };
    await vi.waitFor(settled, { timeout: PATIENCE_MS, interval: 200 });
  };

  for (const { name, min = 0, max = 10, size = 0, malformed = false } of wishes) {
    const annotations = bounds(apiGroup, max, malformed ? 'one' : min);
    await api.createGroup({ name: own(name), replicas: size, annotations, labels: { [TEST]: test } });
  }
  await settle();
  return {
    groups: createClusterApiGroups({
      transport,
      cluster: clusterName(namespace),
      inManagementCluster: false,
      apiGroup,
      discovery: [{ namespace, clusterName: null, labels: { [TEST]: test } }],
      machineDeployments: true,
      defaultArchitecture: 'amd64',
      warn: () => undefined,
      now: () => epochMs(Date.now()),
    }),
    nameOf: (name) => groupName(`${kind}/${namespace}/${own(name)}`),
    nodes: () => nodes,
    call: (make) => make(),
    settle,
  };
}

const groupOf = ({ metadata }: Machine): string => metadata.labels?.['group'] ?? '';

const isReady = ({ conditions, taints }: Node): boolean =>
  taints.length === 0 && conditions.some(({ type, status }) => type === 'Ready' && status === 'True');

async function nodesOf(transport: Transport, names: ReadonlySet<string | undefined>): Promise<readonly Node[]> {
  const { items } = await listAll(transport, NODES, { pageSize: 500 });
  return (items as readonly Node[]).filter(({ name }) => names.has(name));
}
