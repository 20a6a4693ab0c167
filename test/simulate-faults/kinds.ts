import { HOSTNAME_LABEL, ZONE_LABEL } from '../../core/model/cluster/node.ts';
import type { PodSpec, TopologySpreadConstraint } from '../../core/model/cluster/pod.ts';
import { type Chance, chanceFor } from '../../simulation/chance.ts';
import { type Workload, workloadKey } from '../../simulation/cluster/workload.ts';
import { BOUND_TO_LABEL } from './pools.ts';
import type { FaultScenario } from './fault-scenario.ts';
import { selector, spreadConstraint } from '../builders.ts';

/** Something that workloads may be beside plain Deployments with plain budgets. */
interface KindOfPods {
  /** The part of the runs that have it, drawn by this name: kinds of one name come together. Absent: all runs may have it. */
  readonly runs?: { readonly name: string; readonly part: number };
  /** The part of the workloads that are so, of those that may be. */
  readonly part: number;
  /** @param workload as changed by the previous kinds */
  readonly may: (workload: Workload) => boolean;
  readonly change: (workload: Workload, chance: Chance) => Partial<Workload>;
}

/** By name, in the order in which they are drawn. */
type KindsOfPods = Readonly<Record<string, KindOfPods>>;

const hasBudget = ({ minAvailable }: Workload): boolean => minAvailable !== undefined;

/** Budgets beside an absolute `minAvailable`. */
const BUDGETS: KindsOfPods = {
  'budget in percent': {
    part: 0.3,
    may: hasBudget,
    change: (_workload, chance) => ({ minAvailablePercent: chance.oneOf([25, 50, 75, 100]) }),
  },
  'budget that lets unready pods go': {
    part: 0.3,
    may: hasBudget,
    change: () => ({ unhealthyPodEvictionPolicy: 'AlwaysAllow' }),
  },
  'two budgets': { part: 0.06, may: hasBudget, change: () => ({ secondBudget: true }) },
};

/** Controllers that may create pods beside Deployments and Jobs. */
const CONTROLLERS: KindsOfPods = {
  StatefulSet: { part: 0.12, may: ({ kind }) => kind === 'Deployment', change: () => ({ kind: 'StatefulSet' }) },
};

/** Gives the pods of one run different priorities, so that kube-scheduler preempts pods. */
const PRIORITIES_TOGETHER = { name: 'priorities', part: 0.12 };

const isOrdinary = ({ spec }: Workload): boolean => spec.priority === 0;

const withPriority = (priority: number) => ({
  runs: PRIORITIES_TOGETHER,
  may: isOrdinary,
  change: ({ spec }: Workload) => ({ spec: { ...spec, priority } }),
});

/** Beside workloads of priority 0. */
const PRIORITIES: KindsOfPods = {
  'high priority': { part: 0.3, ...withPriority(1_000) },
  'low priority': { part: 0.25, ...withPriority(-5) },
  // Below `expendablePodsPriorityCutoff`: nothing is bought for them, and they keep no node.
  'expendable pods': { part: 0.25, ...withPriority(-100) },
  'never preempts': {
    runs: PRIORITIES_TOGETHER,
    part: 0.3,
    may: () => true,
    change: ({ spec }) => ({ spec: { ...spec, preemptionPolicy: 'Never' } }),
  },
};

/** Pods without a controller: they keep their node, and are not made anew when they are lost. */
const BARE_PODS: KindsOfPods = {
  'bare pods': {
    runs: { name: 'bare pods', part: 0.12 },
    part: 0.2,
    may: ({ kind, minAvailable }) => kind === 'Deployment' && minAvailable === undefined,
    change: ({ annotations }, chance) => ({
      kind: 'Pod',
      // Some may go all the same.
      ...(annotations === undefined && chance.next() < 0.4
        ? { annotations: { 'cluster-autoscaler.kubernetes.io/safe-to-evict': 'true' } }
        : {}),
    }),
  },
};

/** Pods of kube-system without a budget: they keep their node for a while, unless `skipNodesWithSystemPods` is false. */
const SYSTEM_PODS: KindsOfPods = {
  'kube-system pods': {
    runs: { name: 'system pods', part: 0.12 },
    part: 0.2,
    may: ({ kind, minAvailable }) => kind === 'Deployment' && minAvailable === undefined,
    change: () => ({ namespace: 'kube-system' }),
  },
};

/** In runs whose pods are bound to zones, what binds them may be the volume that each has. */
const VOLUMES: KindsOfPods = {
  'zonal volumes': {
    part: 0.5,
    may: ({ kind, labels, volumes }) =>
      (kind === 'Deployment' || kind === 'StatefulSet') &&
      labels[BOUND_TO_LABEL] !== undefined &&
      volumes === undefined,
    change: ({ labels, spec }, chance) => ({
      kind: 'StatefulSet',
      spec: withoutZone(spec),
      volumes: { zone: labels[BOUND_TO_LABEL]!, waits: chance.next() < 0.5 },
    }),
  },
};

function withoutZone(spec: PodSpec): PodSpec {
  const { [ZONE_LABEL]: _zone, ...nodeSelector } = spec.nodeSelector;
  return { ...spec, nodeSelector, nodeAffinity: null };
}

/** By this name constraints of all kinds come together. */
const SPREAD_TOGETHER = 'topology spread';

const over = (
  { labels }: Workload,
  topologyKey: string,
  more: Partial<TopologySpreadConstraint> = {},
): TopologySpreadConstraint => spreadConstraint(topologyKey, selector({ app: labels['app']! }), more);

/** More than there are nodes: the emptiest one counts as empty then, so that each node takes `maxSkew` pods at most. */
const MANY_DOMAINS = 1_000;

/** Topology spread constraints. How many pods of a workload a node can hold stays exact with them. */
const SPREAD: KindsOfPods = {
  'spread over nodes': {
    // Instead of anti-affinity, so in those of the pools that hold one workload, one pod on each node.
    runs: { name: SPREAD_TOGETHER, part: 0.4 },
    part: 0.8,
    may: ({ spec }) => spec.podAntiAffinity.length > 0,
    change: (workload, chance) => ({
      spec: {
        ...workload.spec,
        podAntiAffinity: [],
        topologySpread: [
          over(workload, HOSTNAME_LABEL, {
            minDomains: MANY_DOMAINS,
            nodeTaintsPolicy: chance.next() < 0.5 ? 'Honor' : 'Ignore',
          }),
        ],
      },
    }),
  },
  'spread over zones': {
    // No other zone counts for a pod that is bound to a zone: the constraint holds wherever the pod may run.
    runs: { name: SPREAD_TOGETHER, part: 0.4 },
    part: 0.5,
    may: ({ labels, volumes }) => labels[BOUND_TO_LABEL] !== undefined && volumes === undefined,
    change: (workload) => ({
      spec: { ...workload.spec, topologySpread: [...workload.spec.topologySpread, over(workload, ZONE_LABEL)] },
    }),
  },
  'spread if possible': {
    runs: { name: SPREAD_TOGETHER, part: 0.12 },
    part: 0.4,
    may: ({ spec }) => spec.topologySpread.length === 0,
    change: (workload, chance) => ({
      spec: {
        ...workload.spec,
        topologySpread: [
          over(workload, chance.next() < 0.5 ? HOSTNAME_LABEL : ZONE_LABEL, { whenUnsatisfiable: 'ScheduleAnyway' }),
        ],
      },
    }),
  },
};

const KINDS: KindsOfPods = {
  ...BUDGETS,
  ...CONTROLLERS,
  ...PRIORITIES,
  ...BARE_PODS,
  ...SYSTEM_PODS,
  ...VOLUMES,
  ...SPREAD,
};

/** All kinds that are drawn so. */
export const KINDS_OF_PODS: readonly string[] = Object.keys(KINDS);

/**
 * The scenario with workloads of other kinds. A workload is of the same kind in all of its steps.
 *
 * @param always names of kinds that a run has, whatever part of the runs has them.
 */
export function withKindsOfPods(scenario: FaultScenario, always: readonly string[] = []): FaultScenario {
  const { seed } = scenario;
  const drawn = new Set<string>();
  const kinds = Object.entries(KINDS).filter(
    ([name, { runs }]) => runs === undefined || always.includes(name) || chanceFor(seed, runs.name).next() < runs.part,
  );
  const changed = (given: Workload): Workload =>
    kinds.reduce((workload, [name, { part, may, change }]) => {
      // Each kind has random numbers of its own, so a new kind does not change the drawings of the rest.
      const chance = chanceFor(seed, `${name} of ${given.name}`);
      if (!may(workload) || chance.next() >= part) {
        return workload;
      }
      drawn.add(name);
      return Object.assign({}, workload, change(workload, chance));
    }, given);
  /** Some are in another namespace. */
  const keys = new Map<string, string>();
  const steps = scenario.steps.map((step) => {
    if (step.kind === 'remove') {
      return { ...step, workload: keys.get(step.workload) ?? step.workload };
    }
    const workload = changed(step.workload);
    keys.set(workloadKey(step.workload), workloadKey(workload));
    return { ...step, workload };
  });
  return { ...scenario, steps, drawn: [...scenario.drawn, ...drawn] };
}
