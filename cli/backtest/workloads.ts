import { counted } from '@outrigger/core/model/values/counted.ts';
import { addCount } from '@outrigger/core/model/values/counts.ts';
import { getOrMake } from '@outrigger/core/model/values/get-or-make.ts';
import { firstItem } from '@outrigger/core/model/values/existing.ts';
import { controllerKeyOf, type Pod, type PodSpec } from '@outrigger/core/model/cluster/pod.ts';
import { type DurationMs, durationMs, type EpochMs, minutes, seconds } from '@outrigger/core/model/values/time.ts';
import { compileSelector } from '@outrigger/core/scheduling/label-selector.ts';
import { type Workload, workloadKey } from '@outrigger/simulation/cluster/workload.ts';
import type { LoadStep } from '@outrigger/simulation/load/load.ts';
import type { ObservedBudget, ObservedPeriod, ObservedPod } from '../history/observed.ts';

/** A finished Job stays this long: a run of days with all of them would be slow. */
const KEPT_AFTER_END = minutes(1);
/** A pod that lives on after the period runs until long after it. */
const LIVES_ON = minutes(7 * 24 * 60);

type WorkloadContent = Pick<Workload, 'namespace' | 'name' | 'labels' | 'annotations' | 'spec'>;

/**
 * The load that the pods of a period were. Of a controller that replaces its pods the number counts; each pod of a Job runs
 * as long as it did; a pod without a controller is one until it ended.
 */
export function workloadSteps(period: ObservedPeriod): readonly LoadStep[] {
  const names = uniqueNames();
  const controllers = Map.groupBy(period.pods, ({ pod }) => controllerKeyOf(pod) ?? `${pod.namespace}/Pod/${pod.uid}`);
  return [...controllers.values()].flatMap((pods) => stepsOf(pods, period, names)).toSorted((a, b) => a.at - b.at);
}

type StepsOf = (
  pods: readonly ObservedPod[],
  period: ObservedPeriod,
  names: (named: WorkloadContent) => WorkloadContent,
) => LoadStep[];

const stepsOf: StepsOf = (pods, period, names) => {
  switch (firstItem(pods).pod.controller?.kind) {
    case undefined:
      return barePod(pods, period, names);
    case 'Job':
      return jobSteps(pods, period, names);
    default:
      return replicatedSteps(pods, period, names);
  }
};

/** Two controllers of different kinds may have one name, and a Job becomes several. */
function uniqueNames(): (named: WorkloadContent) => WorkloadContent {
  const taken = new Map<string, number>();
  return (named) => {
    const key = workloadKey(named);
    const count = addCount(taken, key).get(key);
    return count === 1 ? named : { ...named, name: `${named.name}-x${count}` };
  };
}

/** The time from the start of a period, in whole seconds; what was before is at the start. */
const offset = ({ since }: ObservedPeriod, at: EpochMs): DurationMs =>
  seconds(Math.max(0, Math.round((at - since) / 1_000)));

const namedAfter = ({ namespace, name, controller, labels, annotations, spec }: Pod): WorkloadContent => ({
  namespace,
  name: controller?.name ?? name,
  labels,
  annotations,
  spec: simulable(spec),
});

/** A spec without what the simulation has not: disks, claimed devices, scheduling gates, PodGroups. */
export const simulable = (spec: PodSpec): PodSpec => ({
  ...spec,
  podGroup: undefined,
  volumes: spec.volumes.filter(({ kind }) => kind === 'emptyDir' || kind === 'hostPath'),
  schedulingGates: [],
  resourceClaims: [],
});

/** The note about pods of which a part is left out; none where there are none. */
export function simplifiedNote({ pods }: Pick<ObservedPeriod, 'pods'>): readonly string[] {
  const simplified = pods.filter(({ pod }) => isSimplified(pod)).length;
  if (simplified === 0) {
    return [];
  }
  return [`Not simulated: the disks, claimed devices, scheduling gates or PodGroups of ${counted(simplified, 'pod')}.`];
}

/** Is something left out of the spec of a simulated pod? */
export const isSimplified = ({ spec }: Pod): boolean =>
  spec.volumes.some(({ kind }) => kind !== 'emptyDir' && kind !== 'hostPath') ||
  spec.schedulingGates.length > 0 ||
  spec.resourceClaims.length > 0 ||
  spec.podGroup !== undefined;

const barePod: StepsOf = (pods, period, names) =>
  pods.flatMap(({ pod, createdAt, end }): LoadStep[] => {
    const workload: Workload = { ...names(namedAfter(pod)), kind: 'Pod', pods: 1, runsFor: null };
    const at = offset(period, createdAt);
    const deploy: LoadStep = { at, kind: 'deploy', workload };
    if (end === null) {
      return [deploy];
    }
    const until = durationMs(Math.max(at, offset(period, end)));
    return [deploy, { at: until, kind: 'delete', workload: workloadKey(workload) }];
  });

const replicatedSteps: StepsOf = (pods, period, names) => {
  const first = firstItem(pods).pod;
  const changes = sizeChanges(pods, period);
  const named = names(namedAfter(first));
  const budget = budgetOf(first, period.budgets);
  const kind = first.controller?.kind === 'StatefulSet' ? 'StatefulSet' : 'Deployment';
  let size = 0;
  return changes.map(({ at, by }, index): LoadStep => {
    size = Math.max(0, size + by);
    if (index > 0) {
      return { at, kind: 'scale', workload: workloadKey(named), pods: size };
    }
    return { at, kind: 'deploy', workload: { ...named, ...budget, kind, pods: size, runsFor: null } };
  });
};

interface SizeChange {
  readonly at: DurationMs;
  readonly by: number;
}

/**
 * When the number of pods of a controller changed. Pods that ended between two scenarios, and pods that came between the same
 * two, are replacements: moved pods, or a new version.
 */
function sizeChanges(pods: readonly ObservedPod[], period: ObservedPeriod): readonly SizeChange[] {
  const born = Map.groupBy(pods, ({ bornIn }) => bornIn);
  const ended = new Map<number, EpochMs[]>();
  for (const { endedIn, end } of pods) {
    if (endedIn !== null && end !== null) {
      getOrMake(ended, endedIn, () => []).push(end);
    }
  }
  const byTime = new Map<DurationMs, number>();
  const change = (at: EpochMs, by: number) => addCount(byTime, offset(period, at), by);
  for (const scenario of new Set([...born.keys(), ...ended.keys()])) {
    const came = (born.get(scenario) ?? []).toSorted((a, b) => b.createdAt - a.createdAt);
    const went = (ended.get(scenario) ?? []).toSorted((a, b) => a - b);
    const replaced = scenario === 0 ? 0 : Math.min(came.length, went.length);
    came.slice(0, came.length - replaced).forEach(({ createdAt }) => change(createdAt, 1));
    went.slice(replaced).forEach((end) => change(end, -1));
  }
  return [...byTime]
    .filter(([, by]) => by !== 0)
    .map(([at, by]) => ({ at, by }))
    .toSorted((a, b) => a.at - b.at);
}

/** A pod of a Job from its creation on, and how long it had to run. */
interface Run {
  readonly at: DurationMs;
  readonly runsFor: DurationMs;
}

const jobSteps: StepsOf = (pods, period, names) => {
  const runs = Map.groupBy(
    runsOf(pods).map((run) => runIn(period, run)),
    ({ at, runsFor }) => `${at} ${runsFor}`,
  );
  return [...runs.values()].map((alike): LoadStep => {
    const { at, runsFor } = firstItem(alike);
    const named = names(namedAfter(firstItem(pods).pod));
    const budget = budgetOf(firstItem(pods).pod, period.budgets);
    return {
      at,
      kind: 'job',
      workload: { ...named, ...budget, kind: 'Job', pods: alike.length, runsFor, keptAfterEnd: KEPT_AFTER_END },
    };
  });
};

/** A pod that was evicted began again as the next pod of its Job: the creation of the first, the run of the last. */
function runsOf(pods: readonly ObservedPod[]): readonly (readonly [first: ObservedPod, last: ObservedPod])[] {
  const open: [ObservedPod, ObservedPod][] = [];
  const runs: [ObservedPod, ObservedPod][] = [];
  for (const pod of pods.toSorted((a, b) => a.createdAt - b.createdAt)) {
    const before = open.findIndex(([, last]) => last.end !== null && last.end <= pod.createdAt + SLACK);
    const [earlier] = before === -1 ? [] : open.splice(before, 1);
    (pod.evictedAt === null ? runs : open).push([earlier?.[0] ?? pod, pod]);
  }
  return [...runs, ...open];
}

/** Another pod is created at once for one that is evicted; clocks differ. */
const SLACK = seconds(5);

function runIn(period: ObservedPeriod, [first, last]: readonly [ObservedPod, ObservedPod]): Run {
  const from = Math.max(period.since, last.startedAt ?? last.createdAt);
  const runsFor = last.end === null ? LIVES_ON : Math.max(1_000, last.end - from);
  return { at: offset(period, first.createdAt), runsFor: seconds(Math.round(runsFor / 1_000)) };
}

/** The budget of a pod: the number that it asks for, where this was always the same, or else the percentage. */
function budgetOf(
  { namespace, labels }: Pod,
  budgets: readonly ObservedBudget[],
): Pick<Workload, 'minAvailable' | 'minAvailablePercent'> {
  const found = budgets.find(({ budget }) => {
    const selector = compileSelector(budget.selector);
    return budget.namespace === namespace && selector.ok && selector.value.matches(labels);
  });
  if (found === undefined) {
    return {};
  }
  const { desiredHealthy, expectedPods } = found.budget;
  if (found.isConstant || expectedPods === 0) {
    return { minAvailable: desiredHealthy };
  }
  return { minAvailablePercent: Math.floor((100 * desiredHealthy) / expectedPods) };
}
