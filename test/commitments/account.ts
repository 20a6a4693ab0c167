import { solve } from 'yalps';
import type { Commitment } from '../../core/model/commitment.ts';
import { specRequests } from '../../core/model/cluster/pod-requests.ts';
import { CPU, MEMORY, PODS } from '../../core/model/values/resources.ts';
import { randomFrom } from '../../core/model/values/random.ts';
import { sizeOfType } from '../../core/nodegroups/instance-size.ts';
import type { SimulatedScalingGroup } from '../../simulation/cloud/scaling-group.ts';
import { type DaemonSet, workloadKey } from '../../simulation/cluster/workload.ts';
import type { PodSpec } from '../../core/model/cluster/pod.ts';
import type { DemoLoad } from '../../simulation/load/load.ts';
import { readLoad } from '../../simulation/load/read-load.ts';
import type { Recording } from '../../simulation/recording/recording.ts';
import { livesOf } from '../../simulation/recording/lives.ts';
import { groupsIn, type RawStep, workloadDocument } from '../bench/trace/documents.ts';

const TYPES = ['m5.xlarge', 'm5.2xlarge', 'm5.4xlarge', 'c5.2xlarge', 'c5.4xlarge', 'r5.xlarge', 'r5.2xlarge'];
const ZONES = ['us-east-1a', 'us-east-1b', 'us-east-1c'];
const HOUR = 3_600;

/** An account: some instance types in three zones, a part of which is paid for, and a load that grows, falls and grows again. */
export interface Account {
  readonly load: DemoLoad;
  readonly commitments: readonly Commitment[];
  /** When each phase of the load has been at rest for long, in seconds from the start. */
  readonly checkpoints: readonly number[];
}

export function drawAccount(seed: number): Account {
  const next = randomFrom(seed);
  const within = (least: number, most: number): number => least + Math.floor(next() * (most - least + 1));
  const types = shuffled(TYPES, next).slice(0, within(2, 4));
  const commitments = types.slice(0, within(1, types.length)).map((type): Commitment => {
    const isReserved = next() < 0.5;
    const isZonal = !isReserved || next() < 0.3;
    return {
      kind: isReserved ? 'ReservedInstances' : 'CapacityReservation',
      type,
      zone: isZonal ? ZONES[within(0, 2)]! : null,
      count: within(2, isZonal ? 8 : 20),
      available: isReserved ? null : 0,
      coversSizes: isReserved && !isZonal,
    };
  });
  const deployments = Array.from({ length: 12 }, (_, index) => ({
    name: `app-${index}`,
    replicas: within(20, 60),
    requests: { cpu: `${within(4, 20) * 50 + within(0, 49)}m`, memory: `${within(200, 3_000)}Mi` },
  }));
  const scaled = (at: number, share: number): readonly RawStep[] =>
    deployments.map(({ name, replicas }) => ({ at, scale: { name, replicas: Math.ceil(replicas * share) } }));
  const read = readLoad(
    workloadDocument({
      name: `account-${seed}`,
      seed,
      until: 4 * HOUR,
      groups: groupsIn(types, { maxSize: 200 }),
      steps: [...deployments.map((deploy) => ({ at: 5, deploy })), ...scaled(HOUR, 0.6), ...scaled(3 * HOUR, 1)],
    }),
  );
  if (!read.ok) {
    throw new Error(JSON.stringify(read.error));
  }
  const groups = read.value.groups.map((group, index) => ({
    ...group,
    capacityType: 'on-demand',
    memoryJitter: 8_192 * (1 + (index % 3)),
    price: group.price! * (1 + within(-3, 3) / 100),
  }));
  return {
    load: { ...read.value, groups, commitments },
    commitments,
    checkpoints: [0.9, 2.9, 3.9].map((at) => at * HOUR),
  };
}

function shuffled<T>(all: readonly T[], next: () => number): readonly T[] {
  return all
    .map((one) => ({ one, by: next() }))
    .toSorted((a, b) => a.by - b.by)
    .map(({ one }) => one);
}

/** Use and cost at a time. */
export interface Standing {
  /** Part of the committed capacity that is used. */
  readonly used: number;
  /** Cost of nodes beyond it, USD per hour. */
  readonly cost: number;
  /** Least cost by a linear program, in which pods may be divided among nodes. */
  readonly least: number;
  /** Part of the committed capacity that the program uses. */
  readonly leastUsed: number;
}

interface Pool {
  readonly commitment: Commitment;
  readonly capacity: number;
  /** The capacity that a node of a group in a zone takes; 0: none. */
  readonly each: (group: SimulatedScalingGroup) => number;
}

const poolOf = (commitment: Commitment): Pool => {
  const size = commitment.coversSizes ? sizeOfType(commitment.type)! : null;
  return {
    commitment,
    capacity: commitment.count * (size?.units ?? 1),
    each: ({ instanceType, zones }) => {
      if (commitment.zone !== null && !zones.includes(commitment.zone)) {
        return 0;
      }
      if (size === null) {
        return instanceType === commitment.type ? 1 : 0;
      }
      const own = sizeOfType(instanceType)!;
      return own.family === size.family ? own.units : 0;
    },
  };
};

export function standingAt({ load, commitments }: Account, recording: Recording, at: number): Standing {
  const pools = commitments.map(poolOf);
  const groups = new Map(load.groups.map((group) => [group.name as string, group]));
  const lives = livesOf(recording, recording.summary.seconds).filter(
    ({ launched, gone }) => (launched ?? 0) <= at && (gone ?? Infinity) > at,
  );
  const counts = new Map<SimulatedScalingGroup, number>();
  for (const { group } of lives) {
    const of = groups.get(group)!;
    counts.set(of, (counts.get(of) ?? 0) + 1);
  }
  const covered = coverage(counts, pools);
  const total = pools.reduce((sum, pool) => sum + worthOf(pool, load.groups), 0);
  return {
    used: covered.used / total,
    cost: covered.cost,
    ...leastCost(load, demandAt(load, at), pools, total),
  };
}

/** List price of committed capacity, USD per hour. */
const worthOf = ({ commitment, capacity, each }: Pool, groups: readonly SimulatedScalingGroup[]): number => {
  const like = groups.find((group) => group.instanceType === commitment.type && each(group) > 0)!;
  return (capacity / each(like)) * like.price!;
};

/** Cost of existing nodes beyond the pools, where these cover the dearest nodes that they can. */
function coverage(counts: ReadonlyMap<SimulatedScalingGroup, number>, pools: readonly Pool[]) {
  const variables: Record<string, Record<string, number>> = {};
  const constraints: Record<string, { max: number }> = {};
  let all = 0;
  for (const [group, count] of counts) {
    constraints[group.name] = { max: count };
    all += count * group.price!;
    for (const [index, pool] of pools.entries()) {
      const each = pool.each(group);
      if (each > 0) {
        constraints[`pool ${index}`] = { max: pool.capacity };
        variables[`${group.name} ${index}`] = { [group.name]: 1, [`pool ${index}`]: each, worth: group.price! };
      }
    }
  }
  const { result } = solve({ direction: 'maximize', objective: 'worth', constraints, variables });
  const used = Number.isFinite(result) ? result : 0;
  return { used, cost: all - used };
}

/** Amounts of a linear program are of one order of magnitude: with bytes, the solver ends at wrong solutions. */
const CORE = 1_000;
const GIB = 2 ** 30;

/** Cores and GiB of all pods, and their number. */
type Amounts = Readonly<Record<typeof CPU | typeof MEMORY | typeof PODS, number>>;

/** The pods of all Deployments at a time, in seconds from the start. */
function demandAt({ steps }: DemoLoad, at: number): Amounts {
  const deployed = new Map<string, { pods: number; readonly spec: PodSpec }>();
  for (const step of steps.filter((one) => one.at / 1_000 <= at)) {
    if (step.kind === 'deploy') {
      deployed.set(workloadKey(step.workload), { pods: step.workload.pods, spec: step.workload.spec });
    }
    if (step.kind === 'scale') {
      deployed.get(step.workload)!.pods = step.pods;
    }
  }
  const sum = (of: (spec: PodSpec) => number): number =>
    [...deployed.values()].reduce((all, { pods, spec }) => all + pods * of(spec), 0);
  return {
    [CPU]: sum((spec) => specRequests(spec)[CPU] ?? 0) / CORE,
    [MEMORY]: sum((spec) => specRequests(spec)[MEMORY] ?? 0) / GIB,
    [PODS]: sum(() => 1),
  };
}

/** Room of a node of a group beside the DaemonSets. */
function roomOf({ allocatable }: SimulatedScalingGroup, daemonSets: readonly DaemonSet[]): Amounts {
  const free = (of: string): number =>
    daemonSets.reduce((left, { spec }) => left - (specRequests(spec)[of] ?? 0), allocatable[of] ?? 0);
  return { [CPU]: free(CPU) / CORE, [MEMORY]: free(MEMORY) / GIB, [PODS]: free(PODS) - daemonSets.length };
}

function leastCost({ groups, daemonSets }: DemoLoad, demand: Amounts, pools: readonly Pool[], total: number) {
  const variables: Record<string, Record<string, number>> = {};
  const constraints: Record<string, { readonly max?: number; readonly min?: number }> = Object.fromEntries(
    Object.entries(demand).map(([name, min]) => [name, { min }]),
  );
  for (const group of groups) {
    const room = roomOf(group, daemonSets);
    variables[group.name] = { ...room, cost: group.price! };
    for (const [index, pool] of pools.entries()) {
      const each = pool.each(group);
      if (each > 0) {
        constraints[`pool ${index}`] = { max: pool.capacity };
        variables[`${group.name} ${index}`] = { ...room, [`pool ${index}`]: each, cost: 0, worth: group.price! };
      }
    }
  }
  const { result, variables: chosen } = solve({ direction: 'minimize', objective: 'cost', constraints, variables });
  const worth = chosen.reduce((sum, [name, count]) => sum + (variables[name]!['worth'] ?? 0) * count, 0);
  return { least: result, leastUsed: worth / total };
}
