/**
 * Lists a large cluster as an API server does, pods and ReplicaSets in protobuf: as many nodes as the first argument says,
 * 5 000 without it, with 30 pods each. There are two ReplicaSets for each of as many Deployments, one of them an earlier
 * revision, and a PodDisruptionBudget for two of five. One node in ten has less than half of the pods of the others, and the
 * memory of nodes of one type differs by some KiB.
 */
import type { Node } from '../../core/model/cluster/node.ts';
import type { Pod, PodSpec } from '../../core/model/cluster/pod.ts';
import { NO_OBJECTS } from '../../core/model/scenario.ts';
import { writeObjects } from '../../providers/manifest/objects.ts';
import { budget, selector } from '../builders.ts';
import { encodePod, type Json } from '../providers/kubernetes/protobuf/pod-encoder.ts';
import { message } from '../providers/kubernetes/wire-encoder.ts';
import { times } from '../scenario-builders.ts';
import { largeClusterNodes, largeClusterPods, replicated } from './large-cluster.ts';
import { type Encoded, FIRST_VERSION, serveLists } from './list-server.ts';

const size = Number(process.argv[2] ?? 5_000);
const names = largeClusterNodes(size).map(({ name }) => name);
const { running: alike, pending } = largeClusterPods(size);
const PENDING = (size * 2) / 5;
/** Pods on a node that is used to less than half. */
const FEW = 12;
/** The other pods of each tenth node are spread over the nine nodes after that node. */
const running = alike.map((one, i): Pod => {
  const on = Math.floor(i / 30);
  const at = i % 30;
  const home = on % 10 === 0 && at >= FEW ? names[(on + 1 + (at % 9)) % size]! : one.nodeName;
  return { ...one, nodeName: home, labels: { app: `app-${i % size}` } };
});
/** The size that pods have with their environment, managed fields and status. */
const BULK = [{ name: 'main', env: [{ name: 'BULK', value: 'x'.repeat(6_000) }] }];
/** Specs of one shape are encoded once: 150 000 pods would take a minute otherwise. */
const specs = new Map<PodSpec, Buffer>();
const encodedSpec = (of: PodSpec, { nodeName, ...spec }: Json): Buffer => {
  const known = specs.get(of) ?? fieldOf(encodePod({ spec: { ...spec, initContainers: BULK } }));
  specs.set(of, known);
  return nodeName === undefined ? known : Buffer.concat([known, message([10, nodeName as string])]);
};
/** The contents of the only field of a message. */
function fieldOf(encoded: Buffer): Buffer {
  const lengthEnds = 1 + encoded.subarray(1).findIndex((byte) => byte < 0x80);
  return encoded.subarray(lengthEnds + 1);
}
const encodedPods = (pods: readonly Pod[]): readonly Buffer[] =>
  writeObjects({ ...NO_OBJECTS, pods }).map(({ spec, ...pod }, i) => {
    const others = encodePod(pod);
    return Buffer.concat([others, message([2, encodedSpec(pods[i]!.spec, spec as Json)])]);
  });
/** Too large for what is free on most nodes. */
const large = pending.slice(0, PENDING).map((one): Pod => {
  const [main] = one.spec.containers;
  const requests = { ...main!.requests, memory: main!.requests['memory']! + 16 * 2 ** 30 };
  return { ...one, spec: { ...one.spec, containers: [{ ...main!, requests }] } };
});
const waiting = encodedPods(large);
/** In the order of an API server's list. */
const all = encodedPods([...replicated(running, size), ...large].toSorted((a, b) => (a.name < b.name ? -1 : 1)));

const replicaSet = (name: string, replicas: number): Buffer =>
  message(
    [1, message([1, name], [3, 'default'], [5, `uid-ReplicaSet/${name}`])],
    [2, message([1, replicas], [3, all[0]!])],
  );

/** Machines of one type have some KiB more or less. */
function withSomeKibLess(node: Node, index: number): Node {
  const memory = node.allocatable['memory']! - ((index * 7_919) % 61) * 1_024;
  return { ...node, allocatable: { ...node.allocatable, memory }, capacity: { ...node.capacity, memory } };
}

const others = writeObjects({
  ...NO_OBJECTS,
  nodes: largeClusterNodes(size).map(withSomeKibLess),
  podDisruptionBudgets: times((size * 2) / 5, (i) =>
    budget({
      name: `budget-${i}`,
      selector: selector({ app: `app-${i}` }),
      currentHealthy: 30,
      desiredHealthy: 29,
      expectedPods: 30,
    }),
  ),
});
const LISTS: Readonly<Record<string, Encoded>> = {
  Pod: all,
  ReplicaSet: times(2 * size, (i) => replicaSet(i < size ? `app-${i}` : `app-${i - size}-old`, i < size ? 30 : 0)),
};

/** Number of pods that change from one look to the next. */
const CHANGED = 100;

let version = FIRST_VERSION;
const changedPod = (at: number): Buffer => {
  const [{ metadata, ...pod } = {}] = writeObjects({ ...NO_OBJECTS, pods: [running[(at * 97) % running.length]!] });
  const labels = { changed: String(at) };
  return encodePod({ ...pod, metadata: { ...(metadata as Json), labels, resourceVersion: String(at) } });
};

serveLists(
  (kind, fieldSelector) =>
    kind === 'Pod' && fieldSelector.startsWith('spec.nodeName=,')
      ? waiting
      : (LISTS[kind] ?? others.filter((one) => one['kind'] === kind).map((one) => JSON.stringify(one))),
  {
    kind: 'Pod',
    // The newest version is that of something else, as in a cluster where leases are written.
    change: () => (version += CHANGED + 1),
    changedSince: (since) =>
      times(version - 1 - since, (i) => ({ version: since + 1 + i, object: changedPod(since + 1 + i) })),
  },
);
