import { PROMETHEUS_METRICS as EXPOSED, STORED_METRICS } from '../../cli/local/endpoint/metric-names.ts';
import { type MetricMeaning, METRICS } from '../../core/model/metrics.ts';
import { DRAIN_PHASES } from '../../core/words/drain.ts';
import { PRICES } from '../../cli/cost/model.ts';
import { head, row } from './marked-tables.ts';

const table = (titles: readonly string[], rows: readonly (readonly string[])[]): string =>
  [...head(...titles), ...rows.map((cells) => row(...cells))].join('\n');
const code = (text: string): string => `\`${text}\``;

/** `docs/metrics.md`: every metric, from the code that publishes it. */
export const metricsPage =
  (): string => `<!-- Written by \`npm run docs\` from core/model/metrics.ts and cli/local/endpoint/metric-names.ts. -->

# Metrics

* [In CloudWatch](#in-cloudwatch): what the functions publish.
* [In the log](#in-the-log): sizes and costs, from which the [dashboard](dashboard.md) is drawn.
* [Free of charge](#free-of-charge): what AWS counts by itself.
* [From outrigger local](#from-outrigger-local): \`/metrics\` for Prometheus.
* [From Cluster Autoscaler](#from-cluster-autoscaler): what its metrics are here.

## In CloudWatch

In the namespace \`Outrigger\`, with the dimensions \`cluster\` and \`service\`, which is the function. The dimensions are no more than
that, as each combination is a metric of its own: what differs by node group is in the log. A metric costs ${usd(PRICES.metricMonth)} USD a month, by the hours
in which it has a value; a count of zero is not published, so an idle cluster pays for none ([cost.md](cost.md)).

${published()}

\`Drain\` with the name of a phase is how long a drain was in that [phase](drain.md#phases), in milliseconds, of \`drain\`: ${Object.keys(
    DRAIN_PHASES,
  )
    .map((phase) => code(`Drain${phase}`))
    .join(', ')}.

Two [alarms](troubleshooting.md#alarms) go by \`NeedsCorrection\`, and by the number of messages that leave the queue. For an alarm of
your own take one of the others: \`LongPendingPods\`, for example, is 1 in each minute in which it holds.

## In the log

Each line of the ScaleUp function about a decision has these fields. A line of five node groups is about a kilobyte, of which a cluster at
rest has eleven an hour: that is less than a cent a month.

${figures()}

Sizes by node group over the last hours, for CloudWatch Logs Insights:

\`\`\`insights
filter ispresent(maxSize)
| fields jsonParse(@message) as line
| unnest line.groups into one
| stats min(one.size), max(one.size), latest(one.min), latest(one.max), max(one.upcoming) by one.group
\`\`\`

## Free of charge

${free()}

## From outrigger local

\`outrigger local --address HOST:PORT\` serves \`/metrics\` in the text format of Prometheus. [\`outrigger exporter\`](prometheus.md) serves
${STORED_METRICS.length} of them for a deployment on AWS.

${exposed()}

## From Cluster Autoscaler

What has the same meaning. \`/metrics\` of \`outrigger local\` has the names of Cluster Autoscaler themselves.

${mapping()}
`;

const usd = (amount: number): string => amount.toFixed(2);

const published = (): string =>
  table(
    ['Metric', 'Function', 'Unit', 'Meaning'],
    Object.entries<MetricMeaning>(METRICS).map(([name, { of, unit, meaning }]) => [
      code(name),
      of.map(code).join(', '),
      unit.toLowerCase(),
      meaning,
    ]),
  );

/** The fields of `Figures`. */
const FIGURES = {
  size: 'Nodes that all groups were asked for',
  'minSize, maxSize': 'The limits of all groups together',
  readyNodes: 'Nodes that are ready, those of no group included',
  upcomingNodes: 'Upcoming nodes',
  unneededNodes: 'Nodes that are unneeded',
  costPerHour: 'What the nodes of groups with a known price cost, in USD per hour; `null` where no price is known',
  failing: 'Node groups in backoff, by the [class of the failure](reasons.md#why-a-launch-failed)',
  groups: '`group`, `size`, `min`, `max` and `upcoming` of each node group, of 200 at most',
  evaluationMs: 'How long the evaluation has taken, in milliseconds',
  pendingToDecisionMs: 'How long the oldest pod of a scale-up had waited, in milliseconds',
} as const;

const figures = (): string =>
  table(
    ['Field', 'Meaning'],
    Object.entries(FIGURES).map(([names, meaning]) => [names.split(', ').map(code).join(', '), meaning]),
  );

const free = (): string =>
  table(
    ['Metric', 'What it shows'],
    [
      ['`AWS/Lambda` `Duration` of `ScaleUp` and `ScaleDown`', 'Evaluation time'],
      ['`AWS/Lambda` `Errors`, `Throttles`', 'Invocations that have failed, and invocations that Lambda has refused'],
      ['`AWS/SQS` `NumberOfMessagesDeleted` of the queue of wake-ups', 'Evaluations that have succeeded'],
      [
        '`AWS/Lambda` `RecursiveInvocationsDropped`',
        'Invocations that Lambda dropped as a [recursive loop](limits.md#limits-of-aws): 0',
      ],
      ['`AWS/DynamoDB` `ThrottledRequests`', 'Requests to the table that were turned away'],
      [
        '`AWS/Lambda` `Duration`, `Invocations`; `AWS/SQS` and `AWS/DynamoDB` counts',
        'What Outrigger itself costs: the dashboard multiplies them by the list prices',
      ],
    ],
  );

const exposed = (): string =>
  table(
    ['Metric', 'Type', 'Labels', 'Exporter', 'Meaning'],
    Object.entries(EXPOSED).map(([name, { type, help, labels }]) => [
      code(name),
      type,
      labels.map(code).join(', '),
      (STORED_METRICS as readonly string[]).includes(name) ? 'yes' : '',
      help,
    ]),
  );

/** Metrics of Cluster Autoscaler whose counterpart is not one of the functions' metrics. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  nodes_count: 'the fields `readyNodes` and `upcomingNodes` [in the log](#in-the-log)',
  node_group_target_count: 'the field `groups` in the log',
  node_group_min_count: 'the field `groups` in the log',
  node_group_max_count: 'the field `groups` in the log',
  unremovable_nodes_count: 'the widget of the [dashboard](dashboard.md), `outrigger status`',
  function_duration_seconds: '`Duration` of the functions, [free of charge](#free-of-charge)',
  last_activity: 'the alarm [EvaluationsFail](troubleshooting.md#evaluationsfail)',
};

function mapping(): string {
  const like = Map.groupBy(
    Object.entries<MetricMeaning>(METRICS).filter(([, metric]) => metric.like !== undefined),
    ([, metric]) => metric.like!,
  );
  const rows = [
    ...[...like].map(([name, same]) => [name, same.map(([metric]) => code(metric)).join(', ')] as const),
    ...Object.entries(ELSEWHERE),
  ].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return table(
    ['Cluster Autoscaler', 'Outrigger in CloudWatch'],
    rows.map(([name, here]) => [code(`cluster_autoscaler_${name}`), here]),
  );
}
