import { affinityTerm, selector } from '../builders.ts';
import { groupName } from '../../core/model/values/names.ts';
import type { ProviderName } from '../../core/model/provider.ts';
import { defaultOptions, type Options } from '../../core/model/options.ts';
import type { PodSpec } from '../../core/model/cluster/pod.ts';
import { HOSTNAME_LABEL } from '../../core/model/cluster/node.ts';
import { CPU, MEMORY, PODS } from '../../core/model/values/resources.ts';
import { type DurationMs, durationMs, type EpochMs, epochMs, minutes, seconds } from '../../core/model/values/time.ts';
import { type Chance, chanceFor } from '../../simulation/chance.ts';
import type { Span } from '../../core/model/values/random.ts';
import { plainSpec } from '../../simulation/cluster/pod-spec.ts';
import type { SimulatedScalingGroup } from '../../simulation/cloud/scaling-group.ts';
import type { Workload } from '../../simulation/cluster/workload.ts';
import { withBuffers } from './drawn-buffers.ts';
import { withDrawnGroups } from './drawn-groups.ts';
import { withDrawnOptions } from './drawn-options.ts';
import { withStackSettings } from './drawn-stack.ts';
import { withRequests } from './drawn-requests.ts';
import { withKindsOfPods } from './kinds.ts';
import { DAEMON_CPU, ODD_CPU, UNIT_CPU } from './node-sizes.ts';
import { CAPACITY_LABEL, withNotices } from './notice-scenario.ts';
import { POOL_LABEL, type Pool, SIZE_LABEL } from './pools.ts';
import { withWarmPools } from './warm-pools.ts';
import { withWholeGroup } from './whole-groups.ts';
import { quickOptions, tides } from './restless.ts';
import type { Step } from './step.ts';
import { withZones, ZONES } from './zones.ts';
import type { Assumption, FaultScenario } from './fault-scenario.ts';

const START = epochMs(Date.UTC(2026, 0, 1, 9));
const TYPES = ['m5.xlarge', 'c5.xlarge', 'r5.xlarge'];
const BOOTS: readonly Span[] = [
  { min: 20_000, max: 60_000 },
  { min: 20_000, max: 200_000 },
  { min: 100_000, max: 200_000 },
];
const TOLERATE_ALL = [{ key: '', operator: 'Exists', value: '', effect: '', tolerationSeconds: null }];
/** An instance that never registers is noticed, its group waits out the longest backoff, a new one boots. */
const RECOVERY: DurationMs = minutes(15 + 30 + 15 + 10);
/** After that, with the longest times: several rounds of nodes that are found unneeded and removed. */
const SHRINKING: DurationMs = minutes(90);

/** The part of the groups that are MachineSets of their own. */
const BARE_SETS = 0.2;

/**
 * The drawings after the basic ones, in this order: a later drawing keeps or follows the results of the earlier ones.
 */
const DRAWS: readonly ((scenario: FaultScenario, always: readonly string[]) => FaultScenario)[] = [
  withDrawnOptions,
  withDrawnGroups,
  withZones,
  withBuffers,
  withRequests,
  withKindsOfPods,
  withWholeGroup,
  withStackSettings,
];

/**
 * Makes a scenario; the seed is all it depends on. On Cluster API it is that on AWS, of other node groups.
 *
 * @param always names of options and kinds of pods that are drawn whatever the seed is.
 */
export const scenarioFor = (
  seed: number,
  provider: ProviderName = 'aws',
  always: readonly string[] = [],
): FaultScenario =>
  DRAWS.reduce(
    (scenario, draw) => draw(scenario, always),
    provider === 'aws' ? withWarmPools(withNotices(scenarioOnAws(seed))) : onClusterApi(scenarioOnAws(seed)),
  );

/** MachineDeployments, and some bare MachineSets, of one zone each. */
function onClusterApi(scenario: FaultScenario): FaultScenario {
  const chance = chanceFor(scenario.seed, 'cluster api groups');
  const names = new Map(
    scenario.groups.map(({ name }) => [
      name,
      groupName(`${chance.next() < BARE_SETS ? 'MachineSet' : 'MachineDeployment'}/default/${name}`),
    ]),
  );
  return {
    ...scenario,
    provider: 'clusterapi',
    pools: scenario.pools.map((pool) => ({ ...pool, groups: pool.groups.map((name) => names.get(name)!) })),
    groups: scenario.groups.map((group) => ({
      ...group,
      name: names.get(group.name)!,
      zones: group.zones.slice(0, 1),
      price: null,
    })),
  };
}

function scenarioOnAws(seed: number): FaultScenario {
  const chance = chanceFor(seed, 'scenario');
  const tide = chanceFor(seed, 'tides');
  const isRestless = tide.next() < 0.4;
  const { oneOf } = chance;
  const within = (min: number, max: number): number => chance.within({ min, max });
  const pools: Pool[] = [];
  const groups: SimulatedScalingGroup[] = [];
  const apart = new Set<Pool>();
  for (const name of ['blue', 'green', 'red'].slice(0, within(1, 3))) {
    const isApart = chance.next() < 0.2 && !isRestless;
    const units = isRestless ? 8 : oneOf([4, 8]);
    const type = oneOf(TYPES);
    const spot = oneOf([null, 'spot', 'on-demand']);
    const own = Array.from({ length: within(1, 3) }, (_, i): SimulatedScalingGroup => {
      const minSize = oneOf([0, 0, 0, 1, 2]);
      const cpu = units * UNIT_CPU + DAEMON_CPU + ODD_CPU;
      return {
        name: groupName(`${name}-${i + 1}`),
        zones: chance.next() < 0.3 ? ZONES.slice(0, 2) : [ZONES[i]!],
        instanceType: type,
        minSize,
        maxSize: minSize + within(2, 12),
        desiredSize: minSize + oneOf([0, 0, 1]),
        capacity: { [CPU]: cpu, [MEMORY]: 64 * 2 ** 30, [PODS]: 110 },
        allocatable: { [CPU]: cpu, [MEMORY]: 60 * 2 ** 30, [PODS]: 110 },
        labels: {
          [POOL_LABEL]: name,
          ...(spot === null ? {} : { [CAPACITY_LABEL]: spot.toUpperCase().replace('-', '_') }),
        },
        taints: [],
        options: {},
        price: 0.1 * units,
        boot: oneOf(BOOTS),
        ready: { min: 1_000, max: 20_000 },
        available: Number.POSITIVE_INFINITY,
      };
    });
    const pool = { name, groups: own.map((group) => group.name), units: isApart ? 1 : units };
    if (isApart) {
      apart.add(pool);
    }
    pools.push(pool);
    groups.push(...own);
  }
  const down = chanceFor(seed, 'scale-down');
  const shrinking = shrinkingOptions(down);
  const calm = within(15, 35) + (shrinking.slow ? 30 : 10);
  const faultsUntil = epochMs(START + minutes(calm + 5));
  const length = minutes(calm);
  return {
    seed,
    start: START,
    options: {
      ...defaultOptions(),
      expander: [oneOf(['least-waste', 'random', 'most-pods', 'least-nodes', 'price'])],
      balanceSimilarNodeGroups: chance.next() < 0.7,
      salvoScaleUp: chance.next() < 0.8,
      ...shrinking.options,
      ...(isRestless ? quickOptions(tide) : {}),
    },
    pools,
    groups,
    daemonSets: [
      {
        namespace: 'kube-system',
        name: 'agent',
        spec: plainSpec({ [CPU]: DAEMON_CPU }, { tolerations: TOLERATE_ALL, priority: 2_000_001_000 }),
      },
    ],
    steps: isRestless
      ? tides(smallWorkloads(pools, tide), START, length, tide)
      : stepsFor(pools, apart, chance, down, length),
    commitments: [],
    templateChanges: [],
    buffers: [],
    requests: [],
    faultsUntil,
    beyond: beyondFor(seed),
    provider: 'aws',
    drawn: [],
    shards: chanceFor(seed, 'shards').next() < 0.3,
    webhook: true,
    concurrency: null,
    oldLists: false,
    until: epochMs(faultsUntil + RECOVERY + SHRINKING),
  };
}

/** A run in ten is beyond an assumption. */
function beyondFor(seed: number): Assumption | null {
  const chance = chanceFor(seed, 'assumptions').next();
  return chance < 0.05 ? 'lag' : chance < 0.1 ? 'skew' : null;
}

/** A third of the runs have the default times, the others short ones: more then happens at the same time. */
function shrinkingOptions(chance: Chance): { readonly slow: boolean; readonly options: Partial<Options> } {
  const { oneOf } = chance;
  const slow = chance.next() < 0.33;
  return {
    slow,
    options: {
      scaleDownEnabled: chance.next() < 0.9,
      scaleDownUtilizationThreshold: oneOf([0.5, 0.75, 0.9]),
      scaleDownDelayTypeLocal: chance.next() < 0.3,
      maxScaleDownParallelism: oneOf([1, 2, 5, 10]),
      maxDrainParallelism: oneOf([1, 2, 5]),
      nodeLifecycleTaints: chance.next() < 0.3,
      cordonNodeBeforeTerminating: chance.next() < 0.6,
      daemonsetEvictionForEmptyNodes: chance.next() < 0.3,
      daemonsetEvictionForOccupiedNodes: chance.next() < 0.6,
      maxGracefulTerminationSec: oneOf([600, 5]),
      maxBulkSoftTaintCount: oneOf([10, 10, 1, 0]),
      ...(slow
        ? {}
        : {
            scaleDownUnneededTime: oneOf([seconds(20), minutes(1), minutes(3)]),
            scaleDownUnreadyTime: oneOf([minutes(1), minutes(5)]),
            scaleDownDelayAfterAdd: oneOf([seconds(0), seconds(30), minutes(2)]),
            scaleDownDelayAfterDelete: oneOf([seconds(0), seconds(10)]),
            scaleDownDelayAfterFailure: oneOf([seconds(0), minutes(1)]),
            unremovableNodeRecheckTimeout: oneOf([seconds(30), minutes(2)]),
          }),
    },
  };
}

/** 20 to 80 pods that come in bursts; some go again. */
function stepsFor(
  pools: readonly Pool[],
  apart: ReadonlySet<Pool>,
  chance: Chance,
  down: Chance,
  length: DurationMs,
): readonly Step[] {
  const steps: Step[] = [];
  const bursts = Array.from({ length: chance.within({ min: 1, max: 4 }) }, () =>
    chance.within({ min: 0, max: length }),
  );
  let left = chance.within({ min: 20, max: 80 });
  // Many small workloads share nodes, which are then half empty when some of them go.
  const largest = down.next() < 0.7 ? 6 : 20;
  for (let n = 0; left > 0; n += 1) {
    const pool = pools[n % pools.length]!;
    const isApart = apart.has(pool);
    if (isApart && n >= pools.length) {
      // A workload alone: a node then holds one pod of the pool, and its size is one.
      if (pools.every((one) => apart.has(one))) {
        break;
      }
      continue;
    }
    const pods = Math.min(left, chance.within({ min: 2, max: isApart ? 8 : largest }));
    left -= pods;
    const units = isApart ? 1 : chance.oneOf([1, 1, 1, 1, 2, 2, 4]);
    const burst = chance.oneOf(bursts);
    const at = epochMs(START + 1_000 + Math.min(length, burst + chance.within({ min: 0, max: 4_000 })));
    const runsFor = chance.next() < 0.15 ? durationMs(chance.within({ min: 60_000, max: 600_000 })) : null;
    const workload: Workload = {
      ...deployment(pool, n, pods, units, down, isApart),
      ...(runsFor === null ? {} : { kind: 'Job', runsFor }),
      ...guards(down, pods, runsFor !== null),
    };
    steps.push({ kind: 'apply', at, workload });
    if (runsFor === null) {
      steps.push(...changesOf(workload, at, epochMs(START + length), down, isApart));
    }
  }
  return steps.toSorted((a, b) => a.at - b.at);
}

/** Small enough for several to share a node, which is half empty when some of them shrink. */
const smallWorkloads = (pools: readonly Pool[], chance: Chance): readonly Workload[] =>
  pools.flatMap((pool) =>
    Array.from({ length: Math.ceil(chance.within({ min: 12, max: 20 }) / pools.length) }, (_, n): Workload => {
      const units = chance.oneOf([1, 1, 1, 1, 2, 2, 4]);
      const pods = chance.within({ min: 2, max: 6 });
      return {
        ...deployment(pool, n, pods, units, chance),
        ...(chance.next() < 0.35 ? { minAvailable: chance.within({ min: 0, max: Math.ceil(pods / 2) }) } : {}),
        ...(chance.next() < 0.04 ? { annotations: chance.oneOf(KEEPING.slice(0, 3)) } : {}),
      };
    }),
  );

/** @param chance of pods that tolerate everything */
function deployment(pool: Pool, n: number, pods: number, units: number, chance: Chance, isApart = false): Workload {
  const name = `${pool.name}-${n}`;
  return {
    kind: 'Deployment',
    namespace: 'default',
    name,
    pods,
    labels: { app: name, [SIZE_LABEL]: String(units) },
    spec: specFor(pool, units, isApart, chance.next() < 0.04, name),
    runsFor: null,
  };
}

/** Workloads fall after a rise, and some rise again, while nodes are on their way out because of the fall. */
function changesOf(
  workload: Workload,
  from: EpochMs,
  until: EpochMs,
  chance: Chance,
  isApart: boolean,
): readonly Step[] {
  const steps: Step[] = [];
  const changes = chance.within({ min: 0, max: 4 });
  let at = from;
  for (let n = 0; n < changes; n += 1) {
    at = epochMs(at + chance.within({ min: 30_000, max: 900_000 }));
    if (at > until) {
      break;
    }
    if (chance.next() < 0.12) {
      steps.push({ kind: 'remove', at, workload: `default/${workload.name}` });
      break;
    }
    const falls = n % 2 === 0 && chance.next() < 0.85;
    const pods = falls
      ? chance.within({ min: 1, max: Math.ceil(workload.pods * 0.7) })
      : chance.within({ min: 1, max: workload.pods + (isApart ? 2 : 6) });
    steps.push({ kind: 'apply', at, workload: { ...workload, pods } });
  }
  return steps;
}

/** Guards that keep pods where they are, or limit how many go at a time. */
function guards(chance: Chance, pods: number, isJob: boolean): Pick<Workload, 'minAvailable' | 'annotations'> {
  const minAvailable = chance.next() < 0.35 ? chance.within({ min: 0, max: pods }) : null;
  const kept = chance.next() < 0.12 ? chance.within({ min: 0, max: isJob ? 3 : 2 }) : null;
  return {
    ...(minAvailable === null ? {} : { minAvailable }),
    ...(kept === null ? {} : { annotations: KEEPING[kept]! }),
  };
}

/** Annotations that keep a pod's node. */
const KEEPING: readonly Readonly<Record<string, string>>[] = [
  { 'cluster-autoscaler.kubernetes.io/safe-to-evict': 'false' },
  { 'karpenter.sh/do-not-disrupt': 'true' },
  { 'karpenter.sh/do-not-disrupt': '10m' },
  { 'cluster-autoscaler.kubernetes.io/safe-to-evict': 'on-completion' },
];

const specFor = (pool: Pool, units: number, isApart: boolean, isTolerant: boolean, app: string): PodSpec =>
  plainSpec(
    { [CPU]: units * UNIT_CPU },
    {
      nodeSelector: { [POOL_LABEL]: pool.name },
      // Nothing keeps it from a node, no taint of a removal either.
      tolerations: isTolerant ? TOLERATE_ALL : [],
      podAntiAffinity: isApart ? [affinityTerm(HOSTNAME_LABEL, selector({ app }))] : [],
    },
  );
