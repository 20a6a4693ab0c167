import { firstItem, itemAt } from '@outrigger/core/model/values/existing.ts';
import { BUSY_HOURS, BUSY_NODES, type BusyHour, type BusyProfile, type Profile } from './busy-hours.ts';
import { HOURS_A_MONTH, LIST_PRICES } from '../../config/list-prices.ts';
import { type ClusterSize, SIZE_MEMORY_MIB } from '../../config/schema.ts';
import { HOUR_BYTES } from '@outrigger/core/explanation/history/room.ts';

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
} as const;

/** The numbers of nodes that the page has columns for, with the setting `size` of such a cluster. */
export const CLUSTERS = [
  { nodes: 10, size: 'small' },
  { nodes: 100, size: 'small' },
  { nodes: 1_000, size: 'medium' },
] as const satisfies readonly { readonly nodes: number; readonly size: ClusterSize }[];

export type IdleNodes = (typeof CLUSTERS)[number]['nodes'];

type ScheduledFunction = 'scale-up' | 'scale-down' | 'actuate';

/** Counts for an hour without pending pods and without unneeded nodes. */
export const IDLE_HOUR = {
  /** Each by a schedule of its own. */
  invocations: { 'scale-up': 60, 'scale-down': 60, actuate: 60 } as Readonly<Record<ScheduledFunction, number>>,
  /** Full evaluations: the others end after a change check. */
  evaluations: { ScaleUp: 11, ScaleDown: 10 },
  /** Requests to the API server and to Auto Scaling, which do not charge for them. */
  requests: { summarize: 180, read: 21, list: 21, withLaunchFailures: 21 } as Readonly<Record<string, number>>,
  /** Messages in the queue: scans. Each is sent and deleted. */
  wakeUps: 60,
  /** Custom metrics that have a value. */
  metrics: 0,
  /** Lines in the log at the level INFO and above: one for each full evaluation of scale-up. */
  logLines: 11,
  /** Transactions: a full evaluation writes its time. One of two in the same second is refused, and charged. */
  commits: 21,
  refusedCommits: 4,
  /** Read units of DynamoDB, by the number of nodes. */
  readUnits: { 10: 360, 100: 360, 1_000: 360 } as Readonly<Record<IdleNodes, number>>,
  /** Write units of the transactions that are not refused. */
  writeUnits: { 10: 68, 100: 88, 1_000: 188 } as Readonly<Record<IdleNodes, number>>,
} as const;

/** Hours of a month in which a cluster is at work. At other hours it is idle. */
export const HOURS_AT_WORK: Readonly<Record<Profile, number>> = { idle: 0, office: 220, busy: HOURS_A_MONTH };

/** Alarms and dashboards of the stack. */
export const STACK = { alarmMetrics: 2, dashboards: 1 } as const;

/**
 * CPU time of a full evaluation after its change check, and of a change check: the mean of three hours that begin with
 * a new process, as `npm run bench -- idle-10 idle-100 idle-1000` measures it on one x86-64 core, with 30 pods
 * on each node.
 */
export const CPU_SECONDS = {
  evaluation: { 10: 0.03, 100: 0.066, 1_000: 0.55 },
  changeCheck: { 10: 0.007, 100: 0.007, 1_000: 0.04 },
} as const satisfies Readonly<Record<string, Readonly<Record<IdleNodes, number>>>>;

/** Not counted: to be measured in an account. */
export const ESTIMATES = {
  /** Lambda's vCPU takes longer than that core by this; it includes the clients of AWS and TLS. */
  cpuFactor: 2,
  /** Seconds that a full evaluation waits for the API server, Auto Scaling and the table after its change check. */
  evaluationWait: { 10: 0.2, 100: 0.3, 1_000: 1.5 } as Readonly<Record<IdleNodes, number>>,
  /**
   * Seconds that scale-up's change check waits: for the stored state, three small requests to the API server, and
   * finally the descriptions of the groups.
   */
  scaleUpCheckWait: { 10: 0.15, 100: 0.2, 1_000: 0.4 } as Readonly<Record<IdleNodes, number>>,
  /** Seconds that scale-down's change check waits; it does not read the descriptions of the groups. */
  scaleDownCheckWait: { 10: 0.06, 100: 0.08, 1_000: 0.1 } as Readonly<Record<IdleNodes, number>>,
  actuateSeconds: 0.1,
  /** An invocation that puts off a scan which is not due. */
  putOffSeconds: 0.05,
  actuateMemoryMiB: 512,
  /** A run of Actuate that sets sizes, terminates instances or starts drains. */
  actuateBusySeconds: 1,
  ingestSeconds: 0.05,
  ingestMemoryMiB: 256,
  /** Rounds of a drain, of 512 MB and this time each. */
  drainRounds: 7,
  drainRoundSeconds: 0.3,
  /** Lambda's receives from each of the two queues, those included that find nothing. */
  receivesPerMinute: 15,
  /** Bytes of a log line with the sizes of five node groups. */
  lineBytes: 1_000,
} as const;

/** USD a month, by what is paid for. */
export type Bill = Readonly<Record<(typeof BILL_ITEMS)[number], number>>;
const BILL_ITEMS = ['functions', 'schedules', 'queue', 'table', 'alarms', 'logs'] as const;

/** A cluster that is not quite as estimated. */
export interface Deviation {
  /** `false`: every scan is a full evaluation, as where pods come and go all the time. */
  readonly isIdle?: boolean;
  /** Waits are longer than estimated by this. */
  readonly waits?: number;
}

/**
 * The cost of an idle cluster for a month at list price. Requests are counted (`IDLE_HOUR`, which
 * `test/cdk/cost.test.ts` holds to the simulated runtime and to the stack's template), and so is CPU time
 * (`CPU_SECONDS`); how long a function waits and how often Lambda polls a queue is estimated (`ESTIMATES`).
 */
export function idleMonth(nodes: number, size: ClusterSize, { isIdle = true, waits = 1 }: Deviation = {}): Bill {
  const { invocations, wakeUps, metrics, commits, refusedCommits, readUnits, writeUnits, logLines } = IDLE_HOUR;
  const calls = Object.values(invocations).reduce((sum, count) => sum + count, 0);
  const { ScaleUp, ScaleDown } = IDLE_HOUR.evaluations;
  const more = isIdle ? 1 : (invocations['scale-up'] + invocations['scale-down']) / (ScaleUp + ScaleDown);
  const writes = (more * interpolated(writeUnits, nodes) * commits) / (commits - refusedCommits);
  const functions = gigabyteSeconds(nodes, size, more, waits) * PRICES.lambdaGbSecond + calls * PRICES.lambdaRequest;
  const table = interpolated(readUnits, nodes) * PRICES.dynamoDbReadUnit + writes * PRICES.dynamoDbWriteUnit;
  return {
    functions: functions * HOURS_A_MONTH,
    schedules: calls * PRICES.ruleInvocation * HOURS_A_MONTH,
    queue: queuesHour(wakeUps, 0) * HOURS_A_MONTH,
    table: table * HOURS_A_MONTH,
    alarms: STACK.alarmMetrics * PRICES.alarmMetricMonth + metrics * PRICES.metricMonth,
    logs: ((more * logLines * ESTIMATES.lineBytes) / 1e9) * PRICES.logGigabyte * HOURS_A_MONTH,
  };
}

/**
 * The value at a number of nodes, on the lines through the counted or measured values; beyond the last of them on the last
 * line. Figures for an equal number of nodes are exact.
 */
function interpolated(values: Readonly<Record<number, number>>, nodes: number): number {
  // A record has its numbers in ascending order.
  const points = Object.entries(values).map(([at, value]) => ({ at: Number(at), value }));
  const next = points.findIndex(({ at }) => at >= nodes);
  const to = next === -1 ? points.length - 1 : Math.max(1, next);
  const [a, b] = [itemAt(points, to - 1), itemAt(points, to)];
  return Math.max(0, a.value + ((b.value - a.value) * (nodes - a.at)) / (b.at - a.at));
}

/** The counts of a busy hour at a number of nodes: each interpolated by itself. */
const busyHour = (profile: BusyProfile, nodes: number): BusyHour => {
  const blended = (counts: readonly unknown[]): unknown => {
    if (typeof counts[0] === 'number') {
      return interpolated(
        Object.fromEntries(BUSY_NODES.map((counted, index) => [counted, counts[index] as number])),
        nodes,
      );
    }
    const fields = counts as readonly Readonly<Record<string, unknown>>[];
    return Object.fromEntries(
      Object.keys(firstItem(fields)).map((key) => [key, blended(fields.map((one) => one[key]))]),
    );
  };
  return blended(BUSY_NODES.map((counted) => BUSY_HOURS[profile][counted])) as BusyHour;
};

/** USD for an hour at work. */
function workHour(profile: BusyProfile, nodes: number, size: ClusterSize): Bill {
  const hour = busyHour(profile, nodes);
  const { invocations, evaluations, sent, drains, commits, refusedCommits, units, metrics, logBytes } = hour;
  const { evaluation, scaleUpCheck, scaleDownCheck } = secondsOf(nodes, size);
  const rounds = drains * ESTIMATES.drainRounds;
  const evaluating =
    invocations['scale-up'] * scaleUpCheck +
    invocations['scale-down'] * scaleDownCheck +
    (evaluations.ScaleUp + evaluations.ScaleDown) * evaluation;
  const scans = IDLE_HOUR.invocations.actuate;
  const actuating = scans * ESTIMATES.actuateSeconds + (invocations.actuate - scans) * ESTIMATES.actuateBusySeconds;
  const gigabyteSeconds =
    (evaluating * SIZE_MEMORY_MIB[size] +
      (actuating + rounds * ESTIMATES.drainRoundSeconds) * ESTIMATES.actuateMemoryMiB +
      invocations.ingest * ESTIMATES.ingestSeconds * ESTIMATES.ingestMemoryMiB) /
    1_024;
  const calls = Object.values(invocations).reduce((sum, count) => sum + count, rounds);
  const writes = (units.writes * commits) / (commits - refusedCommits);
  return {
    functions: gigabyteSeconds * PRICES.lambdaGbSecond + calls * PRICES.lambdaRequest,
    schedules: 0,
    queue: queuesHour(IDLE_HOUR.wakeUps + sent, rounds),
    table:
      units.reads * PRICES.dynamoDbReadUnit + writes * PRICES.dynamoDbWriteUnit + fullHistoryMonth() / HOURS_A_MONTH,
    alarms: (STACK.alarmMetrics * PRICES.alarmMetricMonth + metrics * PRICES.metricMonth) / HOURS_A_MONTH,
    logs: (logBytes / 1e9) * PRICES.logGigabyte,
  };
}

/** The queues of wake-ups and of rounds of drains in an hour: each message is sent and deleted, and Lambda receives all the time. */
const queuesHour = (wakeUps: number, rounds: number): number =>
  (2 * wakeUps + 60 * ESTIMATES.receivesPerMinute) * PRICES.sqsFifoRequest +
  (2 * rounds + 60 * ESTIMATES.receivesPerMinute) * PRICES.sqsRequest;

/** Nodes that each size is for, at most. */
const MOST_NODES: Readonly<Record<Exclude<ClusterSize, 'large'>, number>> = { small: 300, medium: 1_500 };

/** The smallest size for a number of nodes. */
export function sizeFor(nodes: number): ClusterSize {
  if (nodes > MOST_NODES.medium) {
    return 'large';
  }
  return nodes > MOST_NODES.small ? 'medium' : 'small';
}

/** A month of a cluster: hours at work by the profile, all others idle. */
export function monthOf(nodes: number, size: ClusterSize, profile: Profile): Bill {
  const idle = idleMonth(nodes, size);
  if (profile === 'idle') {
    return idle;
  }
  const work = workHour(profile, nodes, size);
  const hours = HOURS_AT_WORK[profile];
  return Object.fromEntries(
    BILL_ITEMS.map((item) => [item, idle[item] * (1 - hours / HOURS_A_MONTH) + work[item] * hours]),
  ) as Bill;
}

/**
 * The most that the history of decisions adds, where every decision says something new around the clock: its bytes, which are
 * billed as they are counted, and the table's storage of a week of them. An idle cluster adds nothing to it.
 */
export const fullHistoryMonth = (): number =>
  (HOUR_BYTES / 1024) * PRICES.dynamoDbWriteUnit * HOURS_A_MONTH +
  ((HOUR_BYTES * 24 * 7) / 1024 ** 3) * PRICES.dynamoDbGigabyteMonth;

/**
 * GB-seconds of Lambda in an hour.
 *
 * @param more times as many full evaluations as are counted
 */
function gigabyteSeconds(nodes: number, size: ClusterSize, more: number, waits: number): number {
  const { invocations, evaluations } = IDLE_HOUR;
  const { actuateSeconds, actuateMemoryMiB } = ESTIMATES;
  const { evaluation, scaleUpCheck, scaleDownCheck } = secondsOf(nodes, size, waits);
  const full = (evaluations.ScaleUp + evaluations.ScaleDown) * more;
  const seconds =
    invocations['scale-up'] * scaleUpCheck + invocations['scale-down'] * scaleDownCheck + full * evaluation;
  return (seconds * SIZE_MEMORY_MIB[size] + invocations.actuate * actuateSeconds * actuateMemoryMiB) / 1_024;
}

/** Memory that comes with a vCPU. A function with less has as much less of it. */
export const VCPU_MIB = 1_769;

/**
 * Seconds of each evaluation: its waits, and its CPU time divided by its share of a vCPU. One thread uses at most one
 * vCPU.
 */
export function secondsOf(nodes: number, size: ClusterSize, waits = 1) {
  const { cpuFactor, evaluationWait, scaleUpCheckWait, scaleDownCheckWait } = ESTIMATES;
  const slowdown = cpuFactor / Math.min(1, SIZE_MEMORY_MIB[size] / VCPU_MIB);
  const changeCheck = interpolated(CPU_SECONDS.changeCheck, nodes) * slowdown;
  return {
    evaluation: interpolated(evaluationWait, nodes) * waits + interpolated(CPU_SECONDS.evaluation, nodes) * slowdown,
    scaleUpCheck: interpolated(scaleUpCheckWait, nodes) * waits + changeCheck,
    scaleDownCheck: interpolated(scaleDownCheckWait, nodes) * waits + changeCheck,
  };
}

export const total = (bill: Bill): number => Object.values(bill).reduce((sum, usd) => sum + usd, 0);
