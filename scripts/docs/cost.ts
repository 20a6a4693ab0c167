import { evaluationOf } from '../../cdk/stack/size.ts';
import { HOURS_A_MONTH } from '../../config/list-prices.ts';
import { SIZES } from '../../config/schema.ts';
import { HOUR_BYTES } from '../../core/explanation/history/room.ts';
import { OVERDUE_WORK } from '../../core/words/overdue-work.ts';
import { HEALTH_PROBLEMS } from '../../core/words/health-problems.ts';
import { BUSY_NODES, type Profile, PROFILES } from '../../cli/cost/busy-hours.ts';
import {
  type Bill,
  CLUSTERS,
  CPU_SECONDS,
  ESTIMATES,
  fullHistoryMonth,
  HOURS_AT_WORK,
  IDLE_HOUR,
  idleMonth,
  monthOf,
  type IdleNodes,
  PRICES,
  secondsOf,
  sizeFor,
  STACK,
  total,
  VCPU_MIB,
} from '../../cli/cost/model.ts';
import { head, row } from './marked-tables.ts';
import { SNAPSHOT, drainsCost, shortScansMonth, snapshotsMonth, waitsUpTo } from '../cost/additional-months.ts';

/** `docs/cost.md`: what an idle cluster costs, computed from the model. */
export const costPage = (): string => `<!-- Written by \`npm run docs\` from cli/cost/model.ts. -->

# Cost

A month (${HOURS_A_MONTH} hours) of an idle cluster: no pod is pending, no node is unneeded, and nothing changes. Amounts are USD at the list
prices of ${PRICES.region} in ${PRICES.of}, without any free tier but that of dashboards:

${bills()}

## At work

A month by what the cluster does. \`npx outrigger cost --nodes 500 --profile busy\` prints it for any number of nodes:

${work()}

* *Idle*: no pod is pending and no node is unneeded, all the time.
* *Office hours*: for ${HOURS_AT_WORK.office} hours, a pod begins and ends each minute, and a deployment grows by 10 % of the nodes and shrinks again each hour; idle otherwise.
* *Busy*: all the time, a pod begins and ends each minute, and jobs take 2 to 20 % more nodes for eight minutes, five times an hour.

An hour is counted at ${LISTED.format(BUSY_NODES.map((nodes) => nodes.toLocaleString('en-US')))} nodes, in a simulated cluster as below: invocations, evaluations, messages,
drained nodes, units of the table, metrics and bytes of the log. A test compares those of 100, and with \`COUNT_ALL=1\` all of them. Between these numbers of nodes they are on the line through two of them. 18 to 20 metrics have a value, for 0.30 USD each.
CPU time is that of an evaluation of an idle cluster; between and beyond the measured numbers of nodes it is on the line through them. A drain is taken to have ${ESTIMATES.drainRounds} rounds of ${ESTIMATES.drainRoundSeconds} s.

## Counts

Requests of an hour are counted: a test runs the functions against a simulated cluster, and compares the model with the run and with the template of the stack. In each hour there are

${hour()}

${basis()}

${estimates()}

The free tiers of an account are not deducted here. They cover more than half of the bill if nothing else uses them: 400,000 GB-seconds of
Lambda, a million requests of SQS, ten alarms.

What costs more:

* A cluster in which pods begin and end every minute: each scan is a full evaluation, and not one in five
  ([decision 23](decisions/0023-an-idle-cluster.md)). The last row of the table is the bill of such a cluster, and of
  \`idleEvaluationInterval: 0s\`. The same holds while a node is unneeded and kept, such as an empty one in a node group at its minimum.
* A drain: a short invocation of 512 MB and three requests of SQS in each of its rounds. A thousand drains of 7 rounds, where pods
  leave at once, cost ${usd(drainsCost(1_000, 7))} USD; of 56 rounds, where budgets hold them, ${usd(drainsCost(1_000, 56))} USD.
* Instances of the account that stop or end, of whichever cluster: EventBridge cannot filter by tag, so each is looked up, for less than
  0.00002 USD. In an account with 50,000 of them a day that makes up to 30 USD a month for each stack.
* Pending pods: an evaluation for each batch of webhook notifications.
* Metrics while they have a value other than zero: 0.30 USD for a whole month of one.
* \`tracing: true\` (${usd(sum(IDLE_HOUR.invocations) * HOURS_A_MONTH * PRICES.trace)} USD for the invocations above).
* The dashboard, where the account has more than the three that are free: ${usd(PRICES.dashboardMonth)} USD a month, for 30 clusters ${usd(27 * PRICES.dashboardMonth)} USD; one
  [dashboard of all clusters](many-clusters.md#one-dashboard) takes their place. It is the one free
  tier that the table above goes by; \`dashboard: false\` leaves the dashboard out. Looking at it costs what its queries read
  of the log, 0.005 USD for a gigabyte, and an invocation of the widget.
* The [history of decisions](history.md): ${usd(fullHistoryMonth())} USD a month at most, if every evaluation has a new result around the
  clock: at most ${HOUR_BYTES / 1024} KB are written in an hour. An idle cluster writes none.
  [A backtest](backtest.md) says from it what nodes would cost with other options, and [\`outrigger node-cost\`](node-cost.md) what they cost, and for whom.
${snapshots()}
* \`scanInterval: 10s\`: ${usd(shortScansMonth(10, 100, 'small', true))} USD a month at 100 nodes with \`size: small\` in an idle cluster, ${usd(shortScansMonth(10, 100, 'small', false))} USD where every scan is a full
  evaluation; \`30s\` costs a third of that. With a webhook, pods are seen at once and a minute is enough.

Most of the remaining cost is SQS: Lambda polls both queues all the time, and SQS charges each request, even if a queue is empty. In return, notifications of the webhook are coalesced and answered one at a time
([decision 5](decisions/0005-wake-ups-and-actuation.md)).

## \`size\`

${sizes()}

An evaluation takes most of its time waiting, and memory is paid for meanwhile. \`small\` has less than half a vCPU: pending
pods get their nodes some tenths of a second later. Memory is what a hostile user can fill ([hostile-objects.md](hostile-objects.md)):
in a cluster of 200 nodes with pods of a megabyte each an evaluation takes 529 MB, so that 512 MB would not do.

If an evaluation runs out of memory or time, nothing is scaled. An alarm follows after five minutes for scale-up, and after a quarter of an hour for scale-down.

## Alarms

CloudWatch charges an alarm by the metrics that it is made from, and 0.50 USD for a composite one. There are two:

* \`EvaluationsFail\` counts the messages that leave the queue of wake-ups. None leaves when the schedule, the queue's delivery or
  the evaluation of scale-up fails, whichever it is. SQS publishes the number free of charge.
* \`NeedsCorrection\` is a metric of scale-up, published while there is something to correct: a flooded webhook, an invalid or forbidden node
  group, a stored item that cannot be read, or a dropped wake-up (a dead letter). Others are a problem of the cluster, and work that another
  function has not done in time. The log of the ScaleUp function says which. One alarm about all of it costs 0.10 USD a month, one about each 0.80 USD: for an alarm of its own, each
  of them has a metric, too ([metrics.md](metrics.md)), which costs nothing while there is nothing to count:

${table(
  ['What', 'Meaning', 'What to do'],
  Object.values({ ...HEALTH_PROBLEMS, ...OVERDUE_WORK }).map(({ short, sentence, advice }) => [
    short,
    sentence,
    advice,
  ]),
)}

## Logs

Lambda writes its own lines (\`platform.report\` and others) about invocations that fail, run out of time or of memory, and none
about those that succeed: their number and duration are metrics that AWS publishes free of charge. To see the memory that
invocations take, set the system log level of a function to \`INFO\` for a while.
`;

function snapshots(): string {
  const { puts, thousandColdStarts, storage, time, metric } = snapshotsMonth();
  const [least, most] = time.map(usd);
  return `* \`snapshots: true\` ([large-clusters.md](large-clusters.md#cold-starts)): ${usd(puts)} USD a month for the requests to S3 that store a list
  which changes around the clock; ${usd(metric)} USD for the metric of these requests. A thousand cold starts and storage cost
  ${(thousandColdStarts + storage).toFixed(4)} USD. With ${SNAPSHOT.pods.toLocaleString('en-US')} pods it is ${least} to ${most} USD for the time of the function, too. Of an idle cluster nothing is stored.`;
}

const TITLES: Readonly<Record<keyof Bill, string>> = {
  functions: 'Lambda',
  schedules: 'EventBridge, scheduled rule',
  queue: 'SQS',
  table: 'DynamoDB',
  alarms: 'CloudWatch alarms and metrics',
  logs: 'CloudWatch Logs',
};

const table = (titles: readonly string[], rows: readonly (readonly string[])[]): string =>
  [...head(...titles), ...rows.map((cells) => row(...cells))].join('\n');

const LISTED = new Intl.ListFormat('en-US');
const usd = (amount: number): string => amount.toFixed(2);
const sum = (counts: Readonly<Record<string, number>>): number =>
  Object.values(counts).reduce((all, count) => all + count, 0);

const PROFILE_TITLES: Readonly<Record<Profile, string>> = { idle: 'idle', office: 'office hours', busy: 'busy' };

function work(): string {
  const columns = BUSY_NODES.flatMap((nodes) => PROFILES.map((profile) => ({ nodes, profile, size: sizeFor(nodes) })));
  const months = columns.map(({ nodes, profile, size }) => monthOf(nodes, size, profile));
  return table(
    ['', ...columns.map(({ nodes, profile }) => `${nodes.toLocaleString('en-US')} nodes, ${PROFILE_TITLES[profile]}`)],
    [
      ['Size', ...columns.map(({ size }) => `\`${size}\``)],
      ...(Object.keys(TITLES) as (keyof Bill)[]).map((item) => [
        TITLES[item],
        ...months.map((bill) => usd(bill[item])),
      ]),
      ['**Total**', ...months.map((bill) => `**${usd(total(bill))}**`)],
    ],
  );
}

function bills(): string {
  const months = CLUSTERS.map(({ nodes, size }) => idleMonth(nodes, size));
  const rows = (Object.keys(TITLES) as (keyof Bill)[]).map((item) => [
    TITLES[item],
    ...months.map((bill) => usd(bill[item])),
  ]);
  const medium = CLUSTERS.map(({ nodes }) => usd(total(idleMonth(nodes, 'medium'))));
  const restless = CLUSTERS.map(({ nodes, size }) => usd(total(idleMonth(nodes, size, { isIdle: false }))));
  return table(
    ['', ...CLUSTERS.map(({ nodes, size }) => `${nodes} nodes, \`size: ${size}\``)],
    [
      ...rows,
      ['**Total**', ...months.map((bill) => `**${usd(total(bill))}**`)],
      ['Total with `size: medium`, the default', ...medium],
      ['Total where every scan is a full evaluation', ...restless],
    ],
  );
}

const estimates = (): string =>
  table(
    ['Estimate', 'Value'],
    [
      ['Waits of a full evaluation after its change check', byNodes(ESTIMATES.evaluationWait)],
      [
        'Waits of the change check of scale-up, before an evaluation or instead of it',
        byNodes(ESTIMATES.scaleUpCheckWait),
      ],
      [
        'Waits of the change check of scale-down, which does not ask for the groups',
        byNodes(ESTIMATES.scaleDownCheckWait),
      ],
      [
        'CPU time on a vCPU of Lambda',
        `${ESTIMATES.cpuFactor} times that of the core above, with the clients of AWS and TLS`,
      ],
      ['A run of Actuate that finds nothing to do', `${ESTIMATES.actuateSeconds} s`],
      ['An invocation that puts off a scan which is not due', `${ESTIMATES.putOffSeconds} s`],
      ["Lambda's receives from each queue", `${ESTIMATES.receivesPerMinute} a minute`],
    ],
  );

const byNodes = (seconds: Readonly<Record<IdleNodes, number>>): string =>
  CLUSTERS.map(({ nodes }) => `${seconds[nodes]} s at ${nodes.toLocaleString('en-US')} nodes`).join(', ');

/** Sources of the estimates, and their possible error. */
function basis(): string {
  const [, { nodes, size }] = CLUSTERS;
  const { evaluation, scaleUpCheck, scaleDownCheck } = secondsOf(nodes, size);
  const [full, up, down] = [evaluation, scaleUpCheck, scaleDownCheck].map(usd);
  return `CPU time is measured: \`npm run bench -- ${CLUSTERS.map(({ nodes: of }) => `idle-${of}`).join(' ')}\` runs
scale-up and scale-down for three hours, on one core of x86-64. The server lists an idle cluster, with 30 pods on each node. A full evaluation takes
${byNodes(CPU_SECONDS.evaluation)}. A change check takes ${byNodes(CPU_SECONDS.changeCheck)}. With less than
${VCPU_MIB.toLocaleString('en-US')} MB a function has less than a vCPU, and takes as much longer. At ${nodes} nodes with \`size: ${size}\`, a full evaluation takes ${full} s,
and a change check ${up} s or ${down} s. The rest is estimated, to be compared with a bill. The total for ${nodes} nodes is below 1.30 USD even if
functions wait up to ${waitsUpTo(1.3, nodes, size).toFixed(1)} times as long as is estimated here. Data transfer to the API server and the table's storage (less than a
megabyte) are not counted.`;
}

/** The counted requests of an hour. */
function hour(): string {
  const { invocations, evaluations, wakeUps, commits, refusedCommits, requests, metrics, logLines } = IDLE_HOUR;
  return [
    `${sum(invocations)} invocations by the schedule; ${evaluations.ScaleUp} of ${invocations['scale-up']} of scale-up and ${evaluations.ScaleDown} of ${invocations['scale-down']} of scale-down are full evaluations, the others stop after a quick change check;`,
    `${sum(requests)} requests to the API server and to Auto Scaling (${Object.entries(requests)
      .map(([name, count]) => `${count} \`${name}\``)
      .join(', ')}), which are not charged;`,
    `${wakeUps} messages, and what is read of the table and written to it in ${commits} transactions, ${refusedCommits} of them refused;`,
    `${metrics} custom metrics and ${logLines} lines in the log, and alarms on ${STACK.alarmMetrics} metrics.`,
  ]
    .map((line) => `* ${line}`)
    .join('\n');
}

const UP_TO = { small: 'about 300 nodes', medium: '1,500 nodes', large: 'more' } as const;

const sizes = (): string =>
  table(
    ['`size`', 'for up to', 'memory of an evaluation', 'time of an evaluation'],
    SIZES.map((size) => {
      const { memoryMiB, timeout } = evaluationOf(size);
      return [`\`${size}\``, UP_TO[size], `${memoryMiB.toLocaleString('en-US')} MB`, `${timeout.toSeconds()} s`];
    }),
  );
