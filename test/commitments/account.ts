import { solve } from 'yalps';
import type { InstanceCommitment, SavingsPlan } from '../../core/model/commitment.ts';
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
  readonly commitments: readonly (InstanceCommitment | SavingsPlan)[];
  /** When each phase of the load has been at rest for long, in seconds from the start. */
  readonly checkpoints: readonly number[];
}

export function drawAccount(seed: number): Account {
  const next = randomFrom(seed);
  const within = (least: number, most: number): number => least + Math.floor(next() * (most - least + 1));
  const types = shuffled(TYPES, next).slice(0, within(2, 4));
  const commitments = types.slice(0, within(1, types.length)).map((type): InstanceCommitment => {
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
  const all = [...commitments, ...drawPlans(types, seed, priceOf(groups))];
  return {
    load: { ...read.value, groups, commitments: all },
    commitments: all,
    checkpoints: [0.9, 2.9, 3.9].map((at) => at * HOUR),
  };
}

const priceOf =
  (groups: readonly SimulatedScalingGroup[]) =>
  (type: string): number =>
    groups.find(({ instanceType }) => instanceType === type)!.price!;

/** Most accounts have a savings plan for all types, and some have one for a family beside it. */
function drawPlans(types: readonly string[], seed: number, price: (type: string) => number): readonly SavingsPlan[] {
  const next = randomFrom(seed + 1_000_000);
  const plan = (family: string | null, rate: number): SavingsPlan => {
    const some = types.filter((type) => family === null || type.startsWith(`${family}.`));
    const rates = Object.fromEntries(
      some.map((type) => [type, Math.round(price(type) * (rate + next() * 0.06) * 1e4) / 1e4]),
    );
    return { kind: 'SavingsPlan', family, commitment: Math.round((0.4 + 3 * next()) * 1e3) / 1e3, rates };
  };
  const [has, hasFamily] = [next() < 0.8, next() < 0.4];
  const family = types[0]!.split('.', 1).join();
  return [...(has ? [plan(null, 0.62)] : []), ...(hasFamily ? [plan(family, 0.5)] : [])];
}

function shuffled<T>(all: readonly T[], next: () => number): readonly T[] {
  return all
    .map((one) => ({ one, by: next() }))
    .toSorted((a, b) => a.by - b.by)
    .map(({ one }) => one);
}

/** Use and cost at a time. */
export interface Standing {
  /** Mean part of each commitment that is used. */
  readonly used: number;
  /** Cost of nodes beyond it, and of reservations without a discount, USD per hour. */
  readonly cost: number;
  /** Least cost by a linear program, in which pods may be divided among nodes. */
  readonly least: number;
  /** Mean part of each commitment that the program uses. */
  readonly leastUsed: number;
}

interface Pool {
  readonly capacity: number;
  /** The capacity that a node of a group in a zone takes; 0: none. */
  readonly each: (group: SimulatedScalingGroup) => number;
  /** The pool covers instances of capacity reservations, too, whether they are used or not. */
  readonly coversReservations: boolean;
}

const poolOf = (commitment: InstanceCommitment | SavingsPlan): Pool => {
  if (commitment.kind === 'SavingsPlan') {
    return {
      capacity: commitment.commitment,
      each: ({ instanceType }) => commitment.rates[instanceType] ?? 0,
      coversReservations: true,
    };
  }
  const size = commitment.coversSizes ? sizeOfType(commitment.type)! : null;
  return {
    capacity: commitment.count * (size?.units ?? 1),
    coversReservations: commitment.kind === 'ReservedInstances' && commitment.zone === null,
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

type Row = Readonly<Record<string, number>>;
type Bounds = Readonly<Record<string, { readonly max?: number; readonly min?: number; readonly equal?: number }>>;

/** Instances of a kind, as columns of a program: on each pool, and on none, at their price. */
function columnsOf(
  name: string,
  { group, amounts }: { readonly group: SimulatedScalingGroup; readonly amounts: Row },
  pools: readonly Pool[],
  isReservation = false,
): Readonly<Record<string, Row>> {
  const covered = pools.flatMap(({ each, coversReservations }, index) =>
    each(group) > 0 && (!isReservation || coversReservations)
      ? [[`${name} ${index}`, { ...amounts, [`pool ${index}`]: each(group) }] as const]
      : [],
  );
  return { [name]: { ...amounts, cost: group.price! }, ...Object.fromEntries(covered) };
}

/** Instances that capacity reservations charge, whether they are used or not. */
function reservationsIn({ load, commitments }: Account, pools: readonly Pool[]) {
  const reservations = commitments.filter(({ kind }) => kind === 'CapacityReservation') as InstanceCommitment[];
  const columns = reservations.map((one, index) => {
    const group = load.groups.find(
      ({ instanceType, zones }) => instanceType === one.type && zones.includes(one.zone!),
    )!;
    const name = `reservation ${index}`;
    return {
      columns: columnsOf(name, { group, amounts: { [name]: 1 } }, pools, true),
      bound: [name, one.count] as const,
    };
  });
  return {
    columns: Object.assign({}, ...columns.map((one) => one.columns)) as Readonly<Record<string, Row>>,
    bounds: Object.fromEntries(columns.map(({ bound: [name, equal] }) => [name, { equal }])),
  };
}

/** The least cost, and the part of what is committed that it uses: each commitment counts alike. */
function leastOf(columns: Readonly<Record<string, Row>>, bounds: Bounds, pools: readonly Pool[]) {
  const { result, variables: chosen } = solve({
    direction: 'minimize',
    objective: 'cost',
    constraints: {
      ...bounds,
      ...Object.fromEntries(pools.map(({ capacity }, index) => [`pool ${index}`, { max: capacity }])),
    },
    variables: columns,
  });
  const shares = pools.map(
    ({ capacity }, index) =>
      chosen.reduce((sum, [name, count]) => sum + (columns[name]![`pool ${index}`] ?? 0) * count, 0) / capacity,
  );
  return { cost: result, used: shares.reduce((sum, share) => sum + share, 0) / pools.length };
}

export function standingAt(account: Account, recording: Recording, at: number): Standing {
  const { load, commitments } = account;
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
  const reservations = reservationsIn(account, pools);
  const existing = [...counts].map(([group, count]) => ({
    columns: columnsOf(group.name, { group, amounts: { [group.name]: 1 } }, pools),
    bound: [group.name, { equal: count }] as const,
  }));
  const { used, cost } = leastOf(
    Object.assign({}, reservations.columns, ...existing.map(({ columns }) => columns)) as Readonly<Record<string, Row>>,
    { ...reservations.bounds, ...Object.fromEntries(existing.map(({ bound }) => bound)) },
    pools,
  );
  const demand = demandAt(load, at);
  const possible = load.groups.map((group) =>
    columnsOf(group.name, { group, amounts: roomOf(group, load.daemonSets) }, pools),
  );
  const least = leastOf(
    Object.assign({}, reservations.columns, ...possible) as Readonly<Record<string, Row>>,
    { ...reservations.bounds, ...Object.fromEntries(Object.entries(demand).map(([name, min]) => [name, { min }])) },
    pools,
  );
  return { used, cost, least: least.cost, leastUsed: least.used };
}

/** Units of the program, which is inexact with numbers of very different sizes. */
const CORE = 1_000;
const GIB = 2 ** 30;

/** Requests of all pods in cores and GiB, and their number. */
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
