import { nodeName } from '../model/values/names.ts';
import { HOSTNAME_LABEL, type Node, ZONE_LABEL } from '../model/cluster/node.ts';
import { NEW_POD, PLAIN_POD_SPEC, type Pod, type PodAffinityTerm, type PodSpec } from '../model/cluster/pod.ts';
import { CPU, MEMORY, PODS } from '../model/values/resources.ts';
import { NO_OBJECTS } from '../model/scenario.ts';
import type { Labels, LabelSelector } from '../model/cluster/selectors.ts';
import { selectorKeys } from '../model/snapshot/pod-kind.ts';
import { Snapshot } from '../model/snapshot/snapshot.ts';
import { createScheduler } from '../scheduling/scheduler.ts';
import { demandOf } from './demand.ts';
import { estimate } from './estimator.ts';
import { NodeRow } from './node-row.ts';

function keptEstimate(): unknown {
  const pods = [{}, spread(ZONE_LABEL), spread(HOSTNAME_LABEL), near(ZONE_LABEL), apart(HOSTNAME_LABEL)].map(pod);
  const snapshot = new Snapshot(selectorKeys(pods));
  const scheduler = createScheduler(snapshot, NO_OBJECTS);
  const demands = demandOf(snapshot, pods);
  snapshot.fork();
  let nodes = 0;
  const result = estimate({
    snapshot,
    scheduler,
    loads: demands.map(({ kind }) => ({ kind, count: 2 })),
    offerNode: (use) => use(snapshot.addNode(node(`kept-${nodes++}`), null)),
  });
  return { snapshot, scheduler, demands, result, row: new NodeRow(snapshot.nodes) };
}

const LABELS: Labels = { app: 'kept' };
const SELECTOR: LabelSelector = { matchLabels: LABELS, matchExpressions: [] };

const node = (name: string): Node => ({
  name: nodeName(name),
  uid: name,
  labels: { [HOSTNAME_LABEL]: name, [ZONE_LABEL]: 'a' },
  annotations: {},
  createdAt: null,
  deletedAt: null,
  providerId: null,
  unschedulable: false,
  taints: [],
  capacity: AMOUNTS,
  allocatable: AMOUNTS,
  conditions: [],
});

const AMOUNTS = { [CPU]: 4_000, [MEMORY]: 2 ** 34, [PODS]: 110 };

const pod = (constraint: Partial<PodSpec>, i: number): Pod => ({
  namespace: 'default',
  name: `kept-${i}`,
  uid: `kept-${i}`,
  labels: LABELS,
  annotations: {},
  createdAt: null,
  controller: null,
  ...NEW_POD,
  spec: {
    ...PLAIN_POD_SPEC,
    containers: [{ name: 'main', requests: { [CPU]: 1_500, [MEMORY]: 2 ** 30 }, hostPorts: [], restartable: false }],
    ...constraint,
  },
});

const spread = (topologyKey: string): Partial<PodSpec> => ({
  topologySpread: [
    {
      maxSkew: 1,
      topologyKey,
      whenUnsatisfiable: 'DoNotSchedule',
      labelSelector: SELECTOR,
      minDomains: null,
      nodeAffinityPolicy: 'Honor',
      nodeTaintsPolicy: 'Ignore',
      matchLabelKeys: [],
    },
  ],
});

const near = (topologyKey: string): Partial<PodSpec> => ({ podAffinity: [term(topologyKey)] });

const apart = (topologyKey: string): Partial<PodSpec> => ({ podAntiAffinity: [term(topologyKey)] });

const term = (topologyKey: string): PodAffinityTerm => ({
  topologyKey,
  labelSelector: SELECTOR,
  namespaces: [],
  namespaceSelector: null,
  matchLabelKeys: [],
  mismatchLabelKeys: [],
});

/**
 * A small estimate that is never let go of, with one pod of each kind of constraint.
 *
 * V8 forgets a shape of objects with the last object that has it, and throws away the code that it has optimised for that
 * shape. Between two evaluations nothing else is left of a snapshot: without this one, each garbage collection there makes
 * the next evaluation begin with slow code again (decision 13).
 *
 * The class holds it, since a variable of the module would not: in a bundle no function refers to it, and V8 lets it go.
 */
Snapshot.kept = keptEstimate();
