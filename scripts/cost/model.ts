import { LIST_PRICES } from '../../cdk/stack/own-cost.ts';
import { evaluationOf } from '../../cdk/stack/size.ts';
import { HOUR_BYTES } from '../../core/history/room.ts';
import type { ClusterSize } from '../../config/schema.ts';
import { WATCHED_RESOURCES } from '../../providers/kubernetes/read/reader.ts';

/**
 * The cost of an idle cluster for a month at list price. Requests are counted (`IDLE_HOUR`, which
 * `test/cdk/cost.test.ts` holds to the simulated runtime and to the stack's template), and so is CPU time
 * (`CPU_SECONDS`); how long a function waits and how often Lambda polls a queue is estimated (`ESTIMATES`).
 */
export const HOURS = 730;

/** USD, us-east-1, without any free tier. */
export const PRICES = {
  of: '2025',
  region: 'us-east-1',
  ...LIST_PRICES,
  /** A scheduled rule of EventBridge: custom events, archives and Pipes are charged, and EventBridge Scheduler's invocations. */
  ruleInvocation: 0,
  sqsRequest: 0.4e-6,
  dynamoDbGigabyteMonth: 0.25,
  /** S3 Standard, as its requests are (`s3Put`, `s3Get`). */
  s3GigabyteMonth: 0.023,
  metricMonth: 0.3,
  alarmMetricMonth: 0.1,
  /** The first three of an account are free. */
  dashboardMonth: 3,
  logGigabyte: 0.5,
  trace: 5e-6,
  durableOperation: 8e-6,
} as const;

/** Cost of drains with this number of rounds each. A round is a step and a wait of a durable execution. */
export const drainsCost = (drains: number, rounds: number): number => drains * rounds * 2 * PRICES.durableOperation;

/** The numbers of nodes that the page has columns for, with the setting `size` of such a cluster. */
export const CLUSTERS = [
  { nodes: 10, size: 'small' },
  { nodes: 100, size: 'small' },
  { nodes: 1_000, size: 'medium' },
] as const satisfies readonly { readonly nodes: number; readonly size: ClusterSize }[];

export type Nodes = (typeof CLUSTERS)[number]['nodes'];

export type Scheduled = 'scale-up' | 'scale-down' | 'actuate';

/** Counts for an hour without pending pods and without unneeded nodes. */
export const IDLE_HOUR = {
  /** Each by a schedule of its own. */
  invocations: { 'scale-up': 60, 'scale-down': 60, actuate: 60 } as Readonly<Record<Scheduled, number>>,
  /** Full evaluations: the others end after a glance. */
  evaluations: { ScaleUp: 11, ScaleDown: 10 },
  /** Requests to the API server and to Auto Scaling, which do not charge for them. */
  requests: { glance: 180, read: 21, list: 21, withLaunchFailures: 21 } as Readonly<Record<string, number>>,
  /** Messages in the queue: ticks. Each is sent and deleted. */
  wakeUps: 60,
  /** Custom metrics that have a value. */
  metrics: 0,
  /** Lines in the log at the level INFO and above: one for each full evaluation of scale-up. */
  logLines: 11,
  /** Transactions: a full evaluation writes its time. One of two in the same second is refused, and charged. */
  commits: 21,
  refusedCommits: 4,
  /** Read units of DynamoDB, by the number of nodes. */
  readUnits: { 10: 360, 100: 360, 1_000: 360 } as Readonly<Record<Nodes, number>>,
  /** Write units of the transactions that are not refused. */
  writeUnits: { 10: 68, 100: 88, 1_000: 188 } as Readonly<Record<Nodes, number>>,
} as const;

/** Alarms and dashboards of the stack. */
export const STACK = { alarmMetrics: 2, dashboards: 1 } as const;

/**
 * CPU time of a full evaluation after its change check, and of a change check: the mean of three hours that begin with
 * a new process, as `npm run bench -- at-rest-10 at-rest-100 at-rest-1000` measures it on one x86-64 core, with 30 pods
 * on each node.
 */
export const CPU_SECONDS = {
  evaluation: { 10: 0.03, 100: 0.066, 1_000: 0.55 },
  glance: { 10: 0.007, 100: 0.007, 1_000: 0.04 },
} as const satisfies Readonly<Record<string, Readonly<Record<Nodes, number>>>>;

/** Not counted: to be measured in an account. */
export const ESTIMATES = {
  /** Lambda's vCPU takes longer than that core by this; it includes the clients of AWS and TLS. */
  cpuFactor: 2,
  /** Seconds that a full evaluation waits for the API server, Auto Scaling and the table after its change check. */
  evaluationWait: { 10: 0.2, 100: 0.3, 1_000: 1.5 } as Readonly<Record<Nodes, number>>,
  /**
   * Seconds that scale-up's change check waits: for the stored state, three small requests to the API server, and
   * finally the descriptions of the groups.
   */
  scaleUpGlanceWait: { 10: 0.15, 100: 0.2, 1_000: 0.4 } as Readonly<Record<Nodes, number>>,
  /** Seconds that scale-down's change check waits; it does not read the descriptions of the groups. */
  scaleDownGlanceWait: { 10: 0.06, 100: 0.08, 1_000: 0.1 } as Readonly<Record<Nodes, number>>,
  actuateSeconds: 0.1,
  /** An invocation that puts off a tick which is not due. */
  putOffSeconds: 0.05,
  actuateMemoryMiB: 512,
  /** Lambda's receives from the queue, those included that find nothing. */
  receivesPerMinute: 15,
  /** Bytes of a log line with the sizes of five node groups. */
  lineBytes: 1_000,
} as const;

/** USD a month, by what is paid for. */
export type Bill = Readonly<Record<'functions' | 'schedules' | 'queue' | 'table' | 'alarms' | 'logs', number>>;

/** A cluster that is not quite as estimated. */
export interface Deviation {
  /** `false`: every tick is a full evaluation, as where pods come and go all the time. */
  readonly atRest?: boolean;
  /** Waits are longer than estimated by this. */
  readonly waits?: number;
}

export function idleMonth(nodes: Nodes, size: ClusterSize, { atRest = true, waits = 1 }: Deviation = {}): Bill {
  const { invocations, wakeUps, metrics, commits, refusedCommits, readUnits, writeUnits, logLines } = IDLE_HOUR;
  const calls = Object.values(invocations).reduce((sum, count) => sum + count, 0);
  const { ScaleUp, ScaleDown } = IDLE_HOUR.evaluations;
  const more = atRest ? 1 : (invocations['scale-up'] + invocations['scale-down']) / (ScaleUp + ScaleDown);
  const writes = (more * writeUnits[nodes] * commits) / (commits - refusedCommits);
  const hourly = {
    functions: gigabyteSeconds(nodes, size, more, waits) * PRICES.lambdaGbSecond + calls * PRICES.lambdaRequest,
    schedules: calls * PRICES.ruleInvocation,
    queue: (2 * wakeUps + 60 * ESTIMATES.receivesPerMinute) * PRICES.sqsFifoRequest,
    table: readUnits[nodes] * PRICES.dynamoDbReadUnit + writes * PRICES.dynamoDbWriteUnit,
    logs: ((more * logLines * ESTIMATES.lineBytes) / 1e9) * PRICES.logGigabyte,
  };
  return {
    functions: hourly.functions * HOURS,
    schedules: hourly.schedules * HOURS,
    queue: hourly.queue * HOURS,
    table: hourly.table * HOURS,
    alarms: STACK.alarmMetrics * PRICES.alarmMetricMonth + metrics * PRICES.metricMonth,
    logs: hourly.logs * HOURS,
  };
}

/** Additional cost of `drains: schedule`: Lambda polls the queue of drains, too, which is no FIFO queue. */
export const drainQueueMonth = (): number => 60 * ESTIMATES.receivesPerMinute * HOURS * PRICES.sqsRequest;

/**
 * Additional cost of ticks of scale-up that are `seconds` apart, less than a minute: each is sent, received, put off by an
 * invocation, received again and answered by one, of which a cluster at rest needs the change check alone.
 */
export function shortTicksMonth(seconds: number, nodes: Nodes, size: ClusterSize, atRest: boolean): number {
  const ticks = (3_600 / seconds) * HOURS;
  const { scaleUpGlance, evaluation } = secondsOf(nodes, size);
  const each = ESTIMATES.putOffSeconds + scaleUpGlance + (atRest ? 0 : evaluation);
  const functions = ((each * evaluationOf(size).memoryMiB) / 1_024) * PRICES.lambdaGbSecond + 2 * PRICES.lambdaRequest;
  // A batch a minute; each tick is received twice, put off and deleted.
  return ticks * (functions + 4 * PRICES.sqsFifoRequest) + 60 * HOURS * PRICES.sqsFifoRequest;
}

/**
 * The most that the history of decisions adds, where every decision says something new around the clock: its bytes, which are
 * billed as they are counted, and the table's storage of a week of them. A cluster at rest adds nothing to it.
 */
export const fullHistoryMonth = (): number =>
  (HOUR_BYTES / 1024) * PRICES.dynamoDbWriteUnit * HOURS +
  ((HOUR_BYTES * 24 * 7) / 1024 ** 3) * PRICES.dynamoDbGigabyteMonth;

/** A snapshot of 150 000 pods, as `npm run bench:observe` measures it (docs/decisions/0031-lists-that-are-kept.md). */
export const SNAPSHOT = {
  pods: 150_000,
  bytes: 3_600_000,
  /** CPU time to write it, on a machine that does nothing else and on one that is busy: the function writes it when all else is done. */
  seconds: [0.35, 0.7],
} as const;

/** Lists that may be kept, of each of which a cold start asks for a snapshot. */
export const KEPT_LISTS = WATCHED_RESOURCES.length;

/** Additional cost of snapshots of lists, if a list changes around the clock. At rest nothing is stored. */
export const snapshotsMonth = () => ({
  /** Writes of one list, stored by each scheduled evaluation of scale-down. */
  puts: IDLE_HOUR.invocations['scale-down'] * HOURS * PRICES.s3Put,
  /** Reads of all lists by a thousand cold starts. */
  thousandColdStarts: 1_000 * KEPT_LISTS * PRICES.s3Get,
  storage: (SNAPSHOT.bytes / 1024 ** 3) * PRICES.s3GigabyteMonth,
  /** Time of `size: large`, at least and at most. */
  time: SNAPSHOT.seconds.map(
    (seconds) =>
      IDLE_HOUR.invocations['scale-down'] *
      HOURS *
      seconds *
      (evaluationOf('large').memoryMiB / 1_024) *
      PRICES.lambdaGbSecond,
  ) as [number, number],
  /** The metric SnapshotsStored, which has a value then. */
  metric: PRICES.metricMonth,
});

/**
 * GB-seconds of Lambda in an hour.
 *
 * @param more times as many full evaluations as are counted
 */
function gigabyteSeconds(nodes: Nodes, size: ClusterSize, more: number, waits: number): number {
  const { memoryMiB } = evaluationOf(size);
  const { invocations, evaluations } = IDLE_HOUR;
  const { actuateSeconds, actuateMemoryMiB } = ESTIMATES;
  const { evaluation, scaleUpGlance, scaleDownGlance } = secondsOf(nodes, size, waits);
  const full = (evaluations.ScaleUp + evaluations.ScaleDown) * more;
  const seconds =
    invocations['scale-up'] * scaleUpGlance + invocations['scale-down'] * scaleDownGlance + full * evaluation;
  return (seconds * memoryMiB + invocations.actuate * actuateSeconds * actuateMemoryMiB) / 1_024;
}

/** Memory that comes with a vCPU. A function with less has as much less of it. */
export const VCPU_MIB = 1_769;

/**
 * Seconds of each evaluation: its waits, and its CPU time divided by its share of a vCPU. One thread uses at most one
 * vCPU.
 */
export function secondsOf(nodes: Nodes, size: ClusterSize, waits = 1) {
  const { cpuFactor, evaluationWait, scaleUpGlanceWait, scaleDownGlanceWait } = ESTIMATES;
  const slowdown = cpuFactor / Math.min(1, evaluationOf(size).memoryMiB / VCPU_MIB);
  const glance = CPU_SECONDS.glance[nodes] * slowdown;
  return {
    evaluation: evaluationWait[nodes] * waits + CPU_SECONDS.evaluation[nodes] * slowdown,
    scaleUpGlance: scaleUpGlanceWait[nodes] * waits + glance,
    scaleDownGlance: scaleDownGlanceWait[nodes] * waits + glance,
  };
}

/** How many times as long as estimated waits may be for a month to cost as much. */
export function waitsUpTo(usd: number, nodes: Nodes, size: ClusterSize): number {
  const [estimated, twice] = [1, 2].map((waits) => total(idleMonth(nodes, size, { waits }))) as [number, number];
  return 1 + (usd - estimated) / (twice - estimated);
}

export const total = (bill: Bill): number => Object.values(bill).reduce((sum, usd) => sum + usd, 0);
