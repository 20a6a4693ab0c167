import { groupName, instanceId, nodeName } from '../../core/model/values/names.ts';
import { AWAITING_PODS_TAINT } from '../../core/model/cluster/node.ts';
import type { Instance, NodeGroup } from '../../core/model/node-group.ts';
import { BEST_EFFORT_ATOMIC } from '../../core/model/cluster/provisioning-request.ts';
import { group, zoneLabels } from '../scenario-builders.ts';
import type { HostileApiServer, RawObject } from './api-server.ts';
import { INSTANCE_TYPE } from './aws.ts';
import { BOOKED, pick, TIME, TRAIN_UID, VICTIM, WEB_UID } from './objects.ts';
import type { Recipe, Size, Victim } from './recipes.ts';

export type OddNode = Extract<Recipe, { kind: 'node' }>;

/** Four CPUs for the victim, and something for DaemonSets. */
const NODE = { cpu: '4500m', memory: '32Gi', pods: '110' } as const;
export const UNITS = 4;
const MOST_NODES = 300;
/** Price of a node, USD per hour. */
const PRICES = [0.192, 0.1664] as const;
/** Pods of a lower priority are preempted (`expendablePodsPriorityCutoff`). */
const EXPENDABLE_BELOW = -10;

export const victimNodes = ({ nodes }: Victim): readonly string[] => nodes.map((_, i) => `n${i + 1}`);
const groupOf = ({ groups }: Victim, node: number): string => `g${(node % groups) + 1}`;
const instanceOf = (node: string): string => `i-${node.replaceAll('-', '')}`;

export function victimGroups(victim: Victim): readonly NodeGroup[] {
  const names = victimNodes(victim);
  return Array.from({ length: victim.groups }, (_, i) => {
    const name = `g${i + 1}`;
    const own = names.filter((_node, at) => groupOf(victim, at) === name);
    return {
      ...group(name, { max: MOST_NODES, nodes: own, node: NODE, zone: 'us-east-1a' }),
      name: groupName(name),
      price: PRICES[i]!,
      instances: own.map(runningAs),
    };
  });
}

const runningAs = (node: string): Instance => ({
  id: instanceId(instanceOf(node)),
  node: nodeName(node),
  zone: 'us-east-1a',
  state: 'Running',
  error: null,
});

/** The group with nodes for all that it has asked for, ready since then. */
export function grown(server: HostileApiServer, group: NodeGroup, since: string, planned: boolean): NodeGroup {
  const taints = planned ? [{ key: AWAITING_PODS_TAINT, effect: 'NoSchedule' }] : [];
  const count = Math.max(0, group.targetSize - group.instances.length);
  // The same names with and without hostile objects: ties between nodes go by their names.
  const names = Array.from({ length: count }, (_, i) => {
    const name = `${group.name}-new-${since.replaceAll(/\D/g, '')}-${i}`;
    server.put('Node', nodeObject(name, since, taints));
    return name;
  });
  return {
    ...group,
    nodes: [...group.nodes, ...names.map(nodeName)],
    instances: [...group.instances, ...names.map(runningAs)],
  };
}

const nodeObject = (name: string, since: string, taints: readonly object[] = []): RawObject => ({
  metadata: {
    name,
    uid: `uid-${name}`,
    creationTimestamp: since,
    labels: {
      'kubernetes.io/hostname': name,
      'kubernetes.io/arch': 'amd64',
      'kubernetes.io/os': 'linux',
      'node.kubernetes.io/instance-type': INSTANCE_TYPE,
      ...zoneLabels('us-east-1a'),
    },
  },
  spec: { providerID: `aws:///us-east-1a/${instanceOf(name)}`, taints },
  status: {
    capacity: NODE,
    allocatable: NODE,
    conditions: [{ type: 'Ready', status: 'True', reason: 'KubeletReady', lastTransitionTime: since }],
  },
});

function podObject(name: string, size: Size, node: string | null, together: boolean): RawObject {
  const owner = together
    ? { apiVersion: 'batch/v1', kind: 'Job', name: 'train', uid: TRAIN_UID, controller: true }
    : { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: WEB_UID, controller: true };
  return {
    metadata: {
      name,
      namespace: VICTIM,
      uid: `uid-${name}`,
      creationTimestamp: TIME,
      labels: { app: together ? 'train' : 'web' },
      ownerReferences: [owner],
      ...(together ? { annotations: { 'outrigger.dev/atomic': 'true' } } : {}),
    },
    spec: {
      containers: [{ name: 'main', resources: { requests: { cpu: String(size), memory: '1Gi' } } }],
      ...(node === null ? {} : { nodeName: node }),
    },
    status:
      node === null
        ? {
            phase: 'Pending',
            conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', lastTransitionTime: TIME }],
          }
        : {
            phase: 'Running',
            startTime: TIME,
            conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: TIME }],
          },
  };
}

/** Pods that wait, by name, and what each asks for, in CPUs. */
export const waiting = ({ pending, together }: Victim): ReadonlyMap<string, Size> =>
  new Map([
    ...pending.map((size, i) => [`${VICTIM}/web-pending-${i}`, size] as const),
    ...Array.from({ length: together }, (_, i) => [`${VICTIM}/train-${i}`, 2] as const),
  ]);

export function deployVictim(server: HostileApiServer, victim: Victim): void {
  server.put('Namespace', { metadata: { name: VICTIM, uid: 'uid-namespace-prod' } });
  const names = victimNodes(victim);
  names.forEach((name) => server.put('Node', nodeObject(name, TIME)));
  victim.nodes.forEach((sizes, at) =>
    sizes.forEach((size, i) => server.put('Pod', podObject(`web-${at}-${i}`, size, names[at]!, false))),
  );
  for (const [key, size] of waiting(victim)) {
    const name = key.slice(VICTIM.length + 1);
    server.put('Pod', podObject(name, size, null, name.startsWith('train-')));
  }
  const replicas = victim.nodes.flat().length + victim.pending.length;
  server.put('ReplicaSet', {
    metadata: { name: 'web', namespace: VICTIM, uid: WEB_UID, creationTimestamp: TIME },
    spec: { replicas, selector: { matchLabels: { app: 'web' } } },
  });
  server.put('Job', {
    metadata: { name: 'train', namespace: VICTIM, uid: TRAIN_UID, creationTimestamp: TIME },
    spec: { parallelism: victim.together, completions: victim.together },
  });
  deployHeadroom(server, victim);
}

/** The headroom that the victim asks for, by the names in decisions. */
export const HEADROOM = { buffer: `${VICTIM}/spare`, request: `${VICTIM}/train` } as const;
/** Pods that the request is for. */
export const REQUESTED = 2;

function deployHeadroom(server: HostileApiServer, { spare, request }: Victim): void {
  const put = (kind: string, name: string, rest: object): void =>
    server.put(kind, {
      metadata: { name, namespace: VICTIM, uid: `uid-${kind}-${name}`, creationTimestamp: TIME, generation: 1 },
      ...rest,
    });
  const template = (cpu: Size): object => ({
    template: {
      spec: { containers: [{ name: 'main', resources: { requests: { cpu: String(cpu), memory: '1Gi' } } }] },
    },
  });
  if (spare > 0) {
    put('PodTemplate', 'spare', template(1));
    put('CapacityBuffer', 'spare', { spec: { podTemplateRef: { name: 'spare' }, replicas: spare } });
  }
  if (request !== 'none') {
    put('PodTemplate', 'train', template(2));
    put('ProvisioningRequest', 'train', {
      spec: {
        provisioningClassName: BEST_EFFORT_ATOMIC,
        podSets: [{ podTemplateRef: { name: 'train' }, count: REQUESTED }],
      },
      ...(request === 'booked' && { status: BOOKED }),
      ...(request === 'refused' && { status: REFUSED }),
    });
  }
}

export const isProvisioned = (server: HostileApiServer): boolean =>
  server
    .list('ProvisioningRequest')
    .filter(({ metadata }) => metadata.namespace === VICTIM)
    .flatMap(
      ({ status }) => (status?.['conditions'] ?? []) as readonly { readonly type: string; readonly status: string }[],
    )
    .some(({ type, status }) => type === 'Provisioned' && status === 'True');

const REFUSED = {
  conditions: [
    { type: 'Accepted', status: 'True' },
    { type: 'Provisioned', status: 'False' },
  ].map((one) => ({ ...one, reason: 'CapacityIsNotFound', message: '', lastTransitionTime: '2026-01-01T11:30:00Z' })),
};

/**
 * The victim's ReplicaSet creates a pod in the place of one that was evicted, and kube-scheduler puts it where there is
 * room.
 *
 * @returns `false` when there is none.
 */
export function replaced(server: HostileApiServer, gone: RawObject): boolean {
  const cpu = cpuOf(gone);
  const home = placeFor(server, cpu);
  server.put('Pod', podObject(`${gone.metadata.name}-again`, (cpu / 1_000) as Size, home, false));
  return home !== null;
}

/** Places pending pods on nodes with enough capacity, the largest pod first. */
export function schedule(server: HostileApiServer, victim: Victim): void {
  for (const [key, size] of [...waiting(victim)].toSorted(([, a], [, b]) => b - a)) {
    const name = key.slice(VICTIM.length + 1);
    const pod = server.list('Pod').find(({ metadata }) => metadata.namespace === VICTIM && metadata.name === name);
    const home = pod?.spec?.['nodeName'] === undefined ? placeFor(server, size * 1_000) : null;
    if (home !== null) {
      server.put('Pod', podObject(name, size, home, name.startsWith('train-')));
    }
  }
}

/**
 * A node with room, `null` for none: one where the pod leaves no room that a larger one could have used, as sizes divide
 * each other, and of these the fullest.
 */
function placeFor(server: HostileApiServer, cpu: number): string | null {
  const size = cpu / 1_000;
  const places = [...roomOn(server)].flatMap(([node, milli]) => {
    const room = Math.floor(milli / 1_000);
    return room >= size ? [{ node, room, splits: room % (2 * size) < size }] : [];
  });
  return places.toSorted((a, b) => Number(a.splits) - Number(b.splits) || a.room - b.room)[0]?.node ?? null;
}

/** Amounts that a kubelet may state of a node: from nearly nothing to less than all. */
const STATED_CPU = ['1m', '1', '2500m', NODE.cpu] as const;
const STATED_MEMORY = ['32Gi', '1', '2Gi'] as const;

/** Makes the kubelet of one of the victim's nodes state less than there is. */
export function lie(server: HostileApiServer, { node, cpu, memory }: OddNode, names: readonly string[]): void {
  const honest = server.list('Node').find(({ metadata }) => metadata.name === pick(names, node))!;
  const stated = { ...NODE, cpu: pick(STATED_CPU, cpu), memory: pick(STATED_MEMORY, memory) };
  server.put('Node', { ...honest, status: { ...honest.status, capacity: stated, allocatable: stated } });
}

/** Number of the victim's pods, each of 1 GiB, on a node whose kubelet states less memory than there is. */
const FEW_PODS: Readonly<Record<string, number>> = { 1: 0, '2Gi': 2 };

/** Milli-CPU that are free on each node that takes pods. */
export function roomOn(server: HostileApiServer): ReadonlyMap<string, number> {
  const room = new Map<string, number>();
  const pods = server.list('Pod');
  for (const { metadata, spec, status } of server.list('Node')) {
    if (spec?.['unschedulable'] !== true && ((spec?.['taints'] ?? []) as readonly unknown[]).length === 0) {
      const { cpu, memory } = status!['allocatable'] as Readonly<Record<'cpu' | 'memory', string>>;
      const most = FEW_PODS[memory] ?? Number.POSITIVE_INFINITY;
      const own = pods.filter((pod) => pod.metadata.namespace === VICTIM && pod.spec?.['nodeName'] === metadata.name);
      const isFull = own.length >= most;
      room.set(metadata.name, isFull ? 0 : milliOf(cpu));
    }
  }
  for (const pod of pods) {
    const node = pod.spec?.['nodeName'];
    const isExpendable = Number(pod.spec?.['priority'] ?? 0) < EXPENDABLE_BELOW;
    if (typeof node === 'string' && room.has(node) && !isExpendable) {
      room.set(node, room.get(node)! - cpuOf(pod));
    }
  }
  return room;
}

interface RawContainer {
  readonly resources?: { readonly requests?: Readonly<Record<string, string>> };
}

/** Requests of a pod, in milli-CPU; a container with more memory than a node has takes all of it. */
function cpuOf({ spec }: RawObject): number {
  const containers = spec!['containers'] as readonly RawContainer[];
  return containers.reduce((sum, { resources }) => {
    const { cpu = '0', memory = '0' } = resources?.requests ?? {};
    const tooMuch = memory.includes('E') || memory.length > 12;
    return sum + (tooMuch ? 1e12 : milliOf(cpu));
  }, 0);
}

const milliOf = (cpu: string): number =>
  cpu.endsWith('n') ? 1 : cpu.endsWith('m') ? Number(cpu.slice(0, -1)) : Number(cpu) * 1_000;
