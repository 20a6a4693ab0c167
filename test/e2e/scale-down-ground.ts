import type {
  V1DaemonSet,
  V1Deployment,
  V1Node,
  V1Pod,
  V1PodDisruptionBudget,
  V1PodDisruptionBudgetSpec,
  V1PodSpec,
} from '@kubernetes/client-node';
import { onTestFinished } from 'vitest';
import { watchBudgets, type BudgetWatch } from './budget-watch.ts';
import { openCluster, type E2eCluster } from './cluster.ts';
import type { Bridge } from './servers/bridge.ts';
import { KubeError } from './servers/kube.ts';
import { END_DELAY, READY_DELAY } from './servers/kwok-stages.ts';

/** A node, and the instance behind it. */
export interface GroundNode {
  readonly name: string;
  readonly instance: string;
  readonly group: string;
}

/** A node that is kept, and the pod that prevents its removal. */
export interface KeptNode extends GroundNode {
  /** `NAMESPACE/NAME`. */
  readonly pod: string;
  /** Cluster Autoscaler's name of what the pod has. */
  readonly reason: 'NotReplicated' | 'LocalStorageRequested' | 'DoNotDisrupt';
}

/**
 * Twelve nodes of three groups, one in each zone, and what a cluster has that makes scaling down hard:
 *
 * - on every node a pod of a DaemonSet and one of the deployment `load`, which fills it;
 * - a bare pod, a pod with local storage and a pod that is not to be disrupted, on a node each and of a group each:
 *   these three nodes are `kept`;
 * - deployments with budgets, `web` (two pods may be away) and `api` (half of them), on the other nodes, a pod of
 *   each on most of them.
 *
 * When the load has gone, all that is left has room on the three kept nodes, and the nine others may go. Wherever it
 * gathers meanwhile, it fills no node by half.
 */
export interface ScaleDownGround {
  readonly cluster: E2eCluster;
  readonly bridge: Bridge;
  readonly groups: readonly string[];
  readonly nodes: readonly GroundNode[];
  readonly kept: readonly KeptNode[];
  /** From the moment that everything runs; to be stopped by the test, which fails then if a budget was violated. */
  readonly budgets: BudgetWatch;
  /** Takes the load away. */
  ease(): Promise<void>;
  /** Waits until all that is there without the load runs, none pending, with a DaemonSet's pod on each of `nodes` nodes. */
  untilSettled(nodes: number): Promise<readonly V1Pod[]>;
  /** Evicts as a drain does; gives the status of the answer: 201, or 429 when a budget is in the way. */
  evict(pod: string, gracePeriodSeconds?: number): Promise<number>;
}

const ZONES = ['us-east-1a', 'us-east-1b', 'us-east-1c'];
const NODES_PER_ZONE = 4;
const NODES = ZONES.length * NODES_PER_ZONE;
const WEB = 8;
const API = 6;
const KEPT = 3;
const HOSTNAME = 'kubernetes.io/hostname';
/** Pods besides the load and the DaemonSet. */
const WORKLOAD = WEB + API + KEPT;

/**
 * Opens the ground for the running test.
 *
 * @param name of the cluster, its namespace and its groups' prefix.
 * @param min of each group.
 */
export async function openScaleDownGround(name: string, { min = 0 } = {}): Promise<ScaleDownGround> {
  const cluster = await openCluster(name);
  const { kube } = cluster;
  const pods = `/api/v1/namespaces/${name}/pods`;
  const daemonSets = `/apis/apps/v1/namespaces/${name}/daemonsets`;
  const deployments = `/apis/apps/v1/namespaces/${name}/deployments`;
  const budgets = `/apis/policy/v1/namespaces/${name}/poddisruptionbudgets`;
  // Runs before the cluster is closed, which waits for the end of all pods.
  onTestFinished(async () => {
    await kube.removeAll(daemonSets);
    await kube.removeAll(budgets);
  });

  const groups = await cluster.createGroups({
    name: 'm5',
    instanceType: 'm5.xlarge',
    zones: ZONES,
    min,
    max: 10,
    desired: NODES_PER_ZONE,
  });
  const bridge = cluster.bridge(0);
  const nodes = nodesOf(await untilSchedulable(cluster, NODES), name);
  await untilTaken(cluster, deployments, pods);
  const [bare, storing, pinned] = groups.map((group) => nodes.find((node) => node.group === group)!);
  const kept: readonly KeptNode[] = [
    { ...bare!, pod: `${name}/bare`, reason: 'NotReplicated' },
    { ...storing!, pod: `${name}/storing-0`, reason: 'LocalStorageRequested' },
    { ...pinned!, pod: `${name}/pinned-0`, reason: 'DoNotDisrupt' },
  ];

  await kube.create<V1DaemonSet>(daemonSets, daemonSet('agent'));
  await kube.create<V1Pod>(pods, { metadata: { name: 'bare' }, spec: { ...podSpec(200), ...near(bare!) } });
  const statefulSets = `/apis/apps/v1/namespaces/${name}/statefulsets`;
  onTestFinished(() => kube.removeAll(statefulSets));
  await kube.create(statefulSets, {
    ...workload('storing', 1, { ...podSpec(200), ...near(storing!), volumes: [{ name: 'scratch', emptyDir: {} }] }),
  });
  await kube.create(statefulSets, {
    ...workload('pinned', 1, { ...podSpec(200), ...near(pinned!) }, { 'karpenter.sh/do-not-disrupt': 'true' }),
  });
  const others = away(kept);
  await kube.create<V1Deployment>(deployments, workload('web', WEB, { ...podSpec(100), ...others('web') }));
  await kube.create<V1Deployment>(deployments, workload('api', API, { ...podSpec(100), ...others('api') }));
  await kube.create(budgets, budget('web', { maxUnavailable: 2 }));
  await kube.create(budgets, budget('api', { minAvailable: '50%' }));
  // A DaemonSet's pods linger for a while after their Node is gone.
  const settled = (count: number, more: number) =>
    kube.until<V1Pod>(pods, {
      what: `${WORKLOAD + more} pods and ${count} of a DaemonSet, all ready`,
      holds: (there) => {
        const [agents, others] = [there.filter(isAgent), there.filter((pod) => !isAgent(pod))];
        return others.length === WORKLOAD + more && others.every(isReady) && agents.filter(isReady).length >= count;
      },
      describe: (there) => `${there.length} pods, ${there.filter(isReady).length} ready`,
    });
  await settled(NODES, 0);
  // Created last, to take no place from another pod.
  await kube.create<V1Deployment>(deployments, workload('load', NODES, { ...podSpec(2_500), ...apart('load') }));
  await settled(NODES, NODES);
  await untilBudgetsKnown(cluster, budgets);
  const watch = await watchBudgets(cluster);
  onTestFinished(async () => {
    // The test has stopped it and received what it saw, or has failed for another reason.
    await watch.stop().catch(() => undefined);
  });

  return {
    cluster,
    bridge,
    groups,
    nodes,
    kept,
    budgets: watch,
    ease: async () => {
      await kube.patch(`${deployments}/load`, { spec: { replicas: 0 } });
      await settled(NODES, 0);
    },
    untilSettled: (count) => settled(count, 0),
    evict: (pod, gracePeriodSeconds) => evict(cluster, pod, gracePeriodSeconds),
  };
}

const isAgent = ({ metadata }: V1Pod): boolean => metadata?.labels?.['app'] === 'agent';

const isReady = ({ metadata, status }: V1Pod | V1Node): boolean =>
  metadata?.deletionTimestamp === undefined &&
  status?.conditions?.some((condition) => condition.type === 'Ready' && condition.status === 'True') === true;

/** Ready, and free of the taint that a new node carries for a moment: until then no pod prefers it. */
const untilSchedulable = ({ kube }: E2eCluster, count: number) =>
  kube.until<V1Node>('/api/v1/nodes', {
    what: `${count} nodes that take pods`,
    holds: (nodes) => nodes.length === count && nodes.every((node) => isReady(node) && !node.spec?.taints?.length),
  });

/** The scheduler receives nodes later than the API server: it has all of them when it has put a pod on each. */
async function untilTaken({ kube }: E2eCluster, deployments: string, pods: string): Promise<void> {
  const selector = { matchLabels: { app: 'scout' } };
  const alone = {
    podAntiAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: [{ labelSelector: selector, topologyKey: HOSTNAME }],
    },
  };
  await kube.create<V1Deployment>(deployments, workload('scout', NODES, { ...podSpec(100), affinity: alone }));
  await kube.until<V1Pod>(pods, {
    what: 'a pod on each node',
    holds: (there) => there.filter(({ spec }) => spec?.nodeName !== undefined).length === NODES,
  });
  await kube.remove(`${deployments}/scout`);
  await kube.until<V1Pod>(pods, { what: 'the end of these pods', holds: (there) => there.length === 0 });
}

/** In the order of their names; `providerID` says the instance, its zone the group. */
function nodesOf(nodes: readonly V1Node[], cluster: string): readonly GroundNode[] {
  return nodes
    .map(({ metadata, spec }) => {
      const [zone = '', instance = ''] = spec?.providerID?.split('/').slice(-2) ?? [];
      return { name: metadata?.name ?? '', instance, group: `${cluster}-m5-${zone.slice(-1)}` };
    })
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** The controller has counted the pods of both budgets. */
const untilBudgetsKnown = ({ kube }: E2eCluster, budgets: string) =>
  kube.until<V1PodDisruptionBudget>(budgets, {
    what: 'budgets whose pods are all healthy',
    holds: (there) =>
      there.length === 2 &&
      there.every(({ status }) => (status?.expectedPods ?? 0) > 0 && status?.currentHealthy === status?.expectedPods),
  });

async function evict({ kube, name: namespace }: E2eCluster, pod: string, gracePeriodSeconds?: number): Promise<number> {
  const deleteOptions = gracePeriodSeconds === undefined ? {} : { deleteOptions: { gracePeriodSeconds } };
  const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: pod, namespace }, ...deleteOptions };
  return kube.create(`/api/v1/namespaces/${namespace}/pods/${pod}/eviction`, eviction).then(
    () => 201,
    (error: unknown) => {
      if (error instanceof KubeError) return error.status;
      throw error;
    },
  );
}

/** A new pod takes some time to be ready, and an old one to end. */
const DELAYS = { [READY_DELAY]: '700ms', [END_DELAY]: '1s' };
const GRACE_SECONDS = 2;

/** Plain objects: those types are classes. */
type PodSpec = Pick<V1PodSpec, keyof V1PodSpec>;
type BudgetSpec = Pick<V1PodDisruptionBudgetSpec, keyof V1PodDisruptionBudgetSpec>;

const podSpec = (cpuMilli: number): PodSpec => ({
  terminationGracePeriodSeconds: GRACE_SECONDS,
  containers: [
    { name: 'main', image: 'registry.test/main', resources: { requests: { cpu: `${cpuMilli}m`, memory: '128Mi' } } },
  ],
});

function workload(name: string, replicas: number, spec: PodSpec, annotations: Record<string, string> = {}) {
  const labels = { app: name };
  return {
    metadata: { name },
    spec: {
      replicas,
      serviceName: '',
      selector: { matchLabels: labels },
      template: { metadata: { labels, annotations: { ...DELAYS, ...annotations } }, spec },
    },
  };
}

function daemonSet(name: string): V1DaemonSet {
  const { metadata, spec } = workload(name, 0, { ...podSpec(100), tolerations: [{ operator: 'Exists' }] });
  return { metadata, spec: { selector: spec.selector, template: spec.template } };
}

const budget = (name: string, spec: BudgetSpec) => ({
  metadata: { name },
  spec: { selector: { matchLabels: { app: name } }, ...spec },
});

/** Wishes only: a pod must be free to move but for what it is there to show. */
const preferred = (operator: string, values: readonly string[]) => ({
  preferredDuringSchedulingIgnoredDuringExecution: [
    { weight: 100, preference: { matchExpressions: [{ key: HOSTNAME, operator, values: [...values] }] } },
  ],
});

const near = ({ name }: GroundNode): Pick<PodSpec, 'affinity'> => ({
  affinity: { nodeAffinity: preferred('In', [name]) },
});

const apart = (app: string) => ({
  topologySpreadConstraints: [
    { maxSkew: 1, topologyKey: HOSTNAME, whenUnsatisfiable: 'ScheduleAnyway', labelSelector: { matchLabels: { app } } },
  ],
});

const away =
  (kept: readonly GroundNode[]) =>
  (app: string): Pick<PodSpec, 'affinity' | 'topologySpreadConstraints'> => ({
    affinity: {
      nodeAffinity: preferred(
        'NotIn',
        kept.map(({ name }) => name),
      ),
    },
    ...apart(app),
  });
