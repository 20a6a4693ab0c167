/**
 * Lists a cluster of 5 000 nodes and 152 000 pods as an API server does: pods and ReplicaSets in protobuf. There are
 * two ReplicaSets for each of 5 000 Deployments, one of them an earlier revision, and 2 000 PodDisruptionBudgets.
 */
import { NO_OBJECTS } from '../../core/model/scenario.ts';
import { writeObjects } from '../../providers/manifest/objects.ts';
import { selector } from '../builders.ts';
import { encodePod, type Json } from '../providers/kubernetes/protobuf/pod-encoder.ts';
import { message } from '../providers/kubernetes/wire-encoder.ts';
import { times } from '../scenario-builders.ts';
import { largeClusterNodes, largeClusterPods, replicated } from './large-cluster.ts';
import { type Encoded, FIRST_VERSION, serveLists } from './list-server.ts';

const { running, pending } = largeClusterPods();
/** The size that pods have with their environment, managed fields and status. */
const BULK = [{ name: 'main', env: [{ name: 'BULK', value: 'x'.repeat(6_000) }] }];
const encodedPods = (pods: typeof running): readonly Buffer[] =>
  writeObjects({ ...NO_OBJECTS, pods }).map((pod) => {
    const spec = pod['spec'] as Json;
    return encodePod({ ...pod, spec: { ...spec, initContainers: BULK } });
  });
const waiting = encodedPods(pending);
/** In the order of an API server's list. */
const all = encodedPods([...replicated(running), ...pending].toSorted((a, b) => (a.name < b.name ? -1 : 1)));

const replicaSet = (name: string, replicas: number): Buffer =>
  message(
    [1, message([1, name], [3, 'default'], [5, `uid-ReplicaSet/${name}`])],
    [2, message([1, replicas], [3, all[0]!])],
  );

const others = writeObjects({
  ...NO_OBJECTS,
  nodes: largeClusterNodes(),
  podDisruptionBudgets: times(2_000, (i) => ({
    namespace: 'default',
    name: `budget-${i}`,
    selector: { ...selector(), matchLabels: { app: `app-${i}` } },
    disruptionsAllowed: 1,
    currentHealthy: 30,
    desiredHealthy: 29,
    expectedPods: 30,
    unhealthyPodEvictionPolicy: 'IfHealthyBudget',
    disruptedPods: {},
    generation: 1,
    observedGeneration: 1,
  })),
});
const LISTS: Readonly<Record<string, Encoded>> = {
  Pod: all,
  ReplicaSet: times(10_000, (i) => replicaSet(i < 5_000 ? `app-${i}` : `app-${i - 5_000}-old`, i < 5_000 ? 30 : 0)),
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
