import { Aws, Duration, Stack, type StackProps } from 'aws-cdk-lib';
import { Dashboard, GraphWidget, MathExpression, Stats, TextWidget } from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct } from 'constructs';
import type { MetricName } from '@outrigger/core/model/metrics.ts';
import { TITLES } from '@outrigger/core/explanation/titles.ts';

/** The width of a dashboard. */
const WIDTH = 24;
const period = Duration.minutes(1);

/**
 * One dashboard for all clusters of an account and a region. CloudWatch searches for the metrics when the dashboard is
 * opened: a new cluster is shown without a deployment.
 */
export class FleetStack extends Stack {
  constructor(scope: Construct, id: string, props: StackProps) {
    super(scope, id, props);
    new Dashboard(this, 'Dashboard', {
      // Dashboards of all regions of an account share their names.
      dashboardName: `Outrigger-${Aws.REGION}`,
      defaultInterval: Duration.hours(3),
      widgets: [
        [graph(TITLES.corrections, { metric: 'NeedsCorrection', service: 'scale-up' }, Stats.MAXIMUM, WIDTH)],
        [
          graph(TITLES.pendingPods, { metric: 'PendingPods', service: 'scale-up' }, Stats.MAXIMUM),
          graph(
            'Time to capacity, p95, milliseconds',
            { metric: 'TimeToCapacityMs', service: 'scale-up' },
            Stats.p(95),
          ),
        ],
        [
          graph('Sizes set', { metric: 'SizesSet', service: 'actuate' }, Stats.SUM),
          graph('Sizes that could not be set', { metric: 'SizesFailed', service: 'actuate' }, Stats.SUM),
        ],
        [
          graph(TITLES.removed, { metric: 'NodesRemoved', service: 'drain' }, Stats.SUM),
          graph('Drains rolled back', { metric: 'DrainsRolledBack', service: 'drain' }, Stats.SUM),
        ],
        [
          new TextWidget({
            markdown: `A cluster without a line has nothing to count. \`outrigger status --all-clusters\` shows decisions and pending work; each number is explained in docs/metrics.md.`,
            width: WIDTH,
            height: 2,
          }),
        ],
      ],
    });
  }
}

/** A line for each cluster that has the metric of this function. */
const graph = (
  title: string,
  { metric, service }: { readonly metric: MetricName; readonly service: string },
  statistic: string,
  width = WIDTH / 2,
): GraphWidget =>
  new GraphWidget({
    title,
    left: [
      new MathExpression({
        expression: `SEARCH('{Outrigger,service,cluster} MetricName="${metric}" service="${service}"', '${statistic}', ${period.toSeconds()})`,
        label: '',
        period,
      }),
    ],
    leftYAxis: { min: 0 },
    width,
    height: 6,
  });
