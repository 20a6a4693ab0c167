import { Duration } from 'aws-cdk-lib';
import { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import type { MetricName } from '@outrigger/core/model/metrics.ts';

/** A metric of the functions' own: it has a value only while there is something to count. */
export const own = (
  dimensionsMap: { readonly service: string; readonly cluster: string },
  metricName: MetricName,
  statistic: string,
  label: string = metricName,
): Metric =>
  new Metric({
    namespace: 'Outrigger',
    metricName,
    dimensionsMap,
    statistic,
    label,
    period: Duration.minutes(1),
  });
