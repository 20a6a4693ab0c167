import { Duration } from 'aws-cdk-lib';
import { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import type { MetricName } from '@outrigger/core/model/metrics.ts';

/** A metric of the functions' own: it has a value only while there is something to count. */
export const own = (
  cluster: string,
  service: string,
  metricName: MetricName,
  statistic: string,
  label: string = metricName,
): Metric =>
  new Metric({
    namespace: 'Outrigger',
    metricName,
    dimensionsMap: { service, cluster },
    statistic,
    label,
    period: Duration.minutes(1),
  });
