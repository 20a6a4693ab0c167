import { Aws, Duration } from 'aws-cdk-lib';
import {
  type Alarm,
  AlarmStatusWidget,
  CustomWidget,
  Dashboard,
  GraphWidget,
  type IMetric,
  type IWidget,
  LogQueryVisualizationType,
  LogQueryWidget,
  Stats,
  TextWidget,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { Function } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import type { Functions } from './functions.ts';
import { ownCost } from './own-cost.ts';
import { own } from './own-metric.ts';
import type { StackResources } from './permissions.ts';
import { presentItems } from '@outrigger/core/model/values/optional.ts';
import { TITLES } from '@outrigger/core/explanation/titles.ts';

/** Widgets of a dashboard are as wide as this together. */
const WIDTH = 24;
const period = Duration.minutes(1);

interface DashboardProps extends StackResources {
  readonly alarms: readonly Alarm[];
}

/**
 * The dashboard of a cluster: nothing, where the setting says so. What it draws comes from metrics that AWS publishes free of
 * charge, from metrics that have a value only while something happens, and from queries of the log, which are paid for by
 * those who look: an idle cluster pays for no custom metric (docs/metrics.md).
 */
export function createDashboard(scope: Construct, functions: Functions, props: DashboardProps): void {
  const { widget } = functions;
  if (widget === null) {
    return;
  }
  const { functionArn } = widget;
  const { cluster, alarms } = props;
  new Dashboard(scope, 'Dashboard', {
    // Dashboards of all regions of an account share their names.
    dashboardName: `Outrigger-${cluster.name}-${Aws.REGION}`,
    defaultInterval: Duration.hours(3),
    widgets: [
      [new AlarmStatusWidget({ title: 'Alarms', alarms: [...alarms], width: WIDTH, height: 2 })],
      // Called with the rights of the person who looks, at each refresh.
      [new CustomWidget({ title: 'Why?', functionArn, width: WIDTH, height: 14, updateOnResize: false })],
      ...podRows(cluster.name),
      ...sizeRows(functions),
      ...removalRows(cluster.name, functions),
      ...operationRows(functions, props),
      ...(cluster.snapshots ? [snapshotRow(cluster.name, functions)] : []),
    ],
  });
}

const graph = (title: string, left: readonly IMetric[], unit: string): GraphWidget =>
  new GraphWidget({
    title,
    left: [...left],
    leftYAxis: { min: 0, label: unit, showUnits: false },
    width: WIDTH / 2,
    height: 6,
  });

/** A query of the log of scale-up, which has a line of each decision, or of the logs of several functions. */
const query = (
  title: string,
  of: readonly Function[],
  lines: readonly string[],
  look: { readonly view: LogQueryVisualizationType; readonly width?: number },
): LogQueryWidget =>
  new LogQueryWidget({
    title,
    logGroupNames: of.map(({ logGroup }) => logGroup.logGroupName),
    queryLines: [...lines],
    width: WIDTH / 2,
    height: 6,
    ...look,
  });

const LINE = { view: LogQueryVisualizationType.LINE };
const STACKED_AREA = { view: LogQueryVisualizationType.STACKEDAREA };
const TABLE = { view: LogQueryVisualizationType.TABLE };

const podRows = (cluster: string): readonly IWidget[][] => [
  [
    graph(TITLES.pendingPods, [own({ cluster, service: 'scale-up' }, 'PendingPods', Stats.MAXIMUM, 'pending')], 'pods'),
    graph(
      'Time to capacity: from a pod’s creation to the readiness of its new node',
      [
        own({ cluster, service: 'scale-up' }, 'TimeToCapacityMs', Stats.p(50), 'p50'),
        own({ cluster, service: 'scale-up' }, 'TimeToCapacityMs', Stats.p(95), 'p95'),
        own({ cluster, service: 'scale-up' }, 'PendingToDecisionMs', Stats.p(95), 'until the decision, p95'),
      ],
      'milliseconds',
    ),
  ],
];

const sizeRows = ({ scaleUp, scaleDown }: Functions): readonly IWidget[][] => [
  [
    query(
      'Nodes: desired, ready, and the limits of all groups',
      [scaleUp],
      [
        'filter ispresent(maxSize)',
        'stats max(size) as desired, max(readyNodes) as ready, max(minSize) as minimum, max(maxSize) as maximum by bin(5m)',
      ],
      LINE,
    ),
    query(
      'Upcoming and unneeded nodes',
      [scaleUp],
      ['filter ispresent(maxSize)', 'stats max(upcomingNodes) as upcoming, max(unneededNodes) as unneeded by bin(5m)'],
      LINE,
    ),
  ],
  [
    query(
      'Node groups: sizes against their limits',
      [scaleUp],
      [
        'filter ispresent(maxSize)',
        'fields jsonParse(@message) as line',
        'unnest line.groups into one',
        'stats latest(one.size) as now, min(one.size) as smallest, max(one.size) as largest, latest(one.min) as minimum, latest(one.max) as maximum, max(one.upcoming) as mostUpcoming by one.group',
        'sort largest desc',
      ],
      TABLE,
    ),
    query(
      'Cost of the nodes, USD per hour (groups whose price is known)',
      [scaleUp],
      ['filter ispresent(costPerHour)', 'stats max(costPerHour) as usdPerHour by bin(5m)'],
      LINE,
    ),
  ],
  [
    query(
      TITLES.decisions,
      [scaleUp, scaleDown],
      [
        'fields @timestamp, service, message',
        'filter service = "scale-down" or result != "NotNeeded"',
        'sort @timestamp desc',
        'limit 50',
      ],
      { ...TABLE, width: WIDTH },
    ),
  ],
];

const removalRows = (cluster: string, { scaleUp, drain }: Functions): readonly IWidget[][] => [
  [
    graph(
      'Removals',
      [
        own({ cluster, service: 'scale-down' }, 'UnneededNodes', Stats.MAXIMUM, 'unneeded'),
        own({ cluster, service: 'actuate' }, 'RemovalsStarted', Stats.SUM, 'drains begun'),
        own({ cluster, service: 'drain' }, 'NodesRemoved', Stats.SUM, 'removed'),
        own({ cluster, service: 'drain' }, 'DrainsRolledBack', Stats.SUM, 'rolled back'),
      ],
      'nodes',
    ),
    query(
      'Drains that were rolled back, by cause',
      [drain],
      ['filter ispresent(failure)', 'stats count(*) as drains by failure'],
      TABLE,
    ),
  ],
  [
    query(
      'Node groups in backoff, by what has failed',
      [scaleUp],
      [
        'filter ispresent(maxSize)',
        'stats max(failing.OutOfResources) as OutOfResources, max(failing.Quota) as Quota, max(failing.Addresses) as Addresses, max(failing.Configuration) as Configuration, max(failing.Authorization) as Authorization, max(failing.Throttled) as Throttled, max(failing.Timeout) as Timeout, max(failing.Other) as Other by bin(5m)',
      ],
      STACKED_AREA,
    ),
    graph(
      'Sizes that were set, refused and failed',
      [
        own({ cluster, service: 'actuate' }, 'SizesSet', Stats.SUM, 'set'),
        own({ cluster, service: 'actuate' }, 'SizesRefused', Stats.SUM, 'refused'),
        own({ cluster, service: 'actuate' }, 'SizesFailed', Stats.SUM, 'failed'),
      ],
      'sizes',
    ),
  ],
];

const snapshotRow = (cluster: string, { scaleUp, scaleDown }: Functions): IWidget[] => [
  graph(
    'Snapshots of lists: stored, and used or not by cold starts',
    [
      own({ cluster, service: 'scale-down' }, 'SnapshotsStored', Stats.SUM, 'stored'),
      ...(['scale-up', 'scale-down'] as const).flatMap((service) => [
        own({ cluster, service }, 'SnapshotsUsed', Stats.SUM, `used by ${service}`),
        own({ cluster, service }, 'SnapshotsNotUsed', Stats.SUM, `not used by ${service}`),
      ]),
    ],
    'lists',
  ),
  query(
    'Cold starts: what has become of snapshots',
    [scaleUp, scaleDown],
    ['filter ispresent(snapshot)', 'stats count(*) as coldStarts by snapshot, list'],
    TABLE,
  ),
];

const functionsOf = ({ ingest, wake, scaleUp, scaleDown, drain, actuate }: Functions): readonly Function[] =>
  presentItems([ingest, wake, scaleUp, scaleDown, drain, actuate]);

function operationRows(functions: Functions, props: DashboardProps): readonly IWidget[][] {
  const { cluster, queue, table } = props;
  const { scaleUp, scaleDown } = functions;
  const all = functionsOf(functions);
  const named = ({ node }: Function): string => node.id;
  return [
    [
      graph(
        'Evaluation time',
        [scaleUp, scaleDown].flatMap((one) =>
          [50, 95].map((p) => one.metricDuration({ period, statistic: Stats.p(p), label: `${named(one)} p${p}` })),
        ),
        'milliseconds',
      ),
      graph(
        'Failures and throttles',
        [
          ...all.map((one) => one.metricErrors({ period, label: `${named(one)} failed` })),
          ...all.map((one) => one.metricThrottles({ period, label: `${named(one)} throttled` })),
          ...all.map((one) =>
            one.metric('RecursiveInvocationsDropped', {
              period,
              statistic: Stats.SUM,
              label: `${named(one)} dropped as a loop`,
            }),
          ),
          table.metricThrottledRequestsForOperations({ period, label: 'Table throttled' }),
        ],
        'calls',
      ),
    ],
    [
      query(
        'Calls that AWS has throttled',
        all,
        [
          'filter error.name like /Throttl|RequestLimitExceeded|TooManyRequests/',
          'stats count(*) as calls by service, error.name',
        ],
        TABLE,
      ),
      graph(
        'Webhook notifications, wake-ups and evaluations',
        [
          own({ cluster: cluster.name, service: 'ingest' }, 'WebhookNotifications', Stats.SUM, 'notifications'),
          queue.metricNumberOfMessagesSent({ period, label: 'wake-ups' }),
          queue.metricNumberOfMessagesDeleted({ period, label: 'evaluated wake-ups' }),
          queue.metricApproximateAgeOfOldestMessage({ period, label: 'age of the oldest, seconds' }),
        ],
        'a minute',
      ),
    ],
    [
      graph('What Outrigger itself costs', [ownCost(all, props)], 'USD a month, at this rate'),
      new TextWidget({
        markdown: `### Cluster ${cluster.name}\n\nEach number is explained in docs/metrics.md, each reason in docs/reasons.md, what to do in docs/troubleshooting.md. Queries of the log are charged by what they read.`,
        width: WIDTH / 2,
        height: 6,
      }),
    ],
  ];
}
