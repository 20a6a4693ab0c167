import { Duration } from 'aws-cdk-lib';
import { MathExpression, type IMetric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { CfnFunction, Function } from 'aws-cdk-lib/aws-lambda';
import { HOURS_A_MONTH, LIST_PRICES } from '../../config/list-prices.ts';
import type { MetricName } from '@outrigger/core/model/metrics.ts';
import { own } from './own-metric.ts';
import type { StackResources } from './permissions.ts';

const period = Duration.hours(1);

/**
 * Cost of the functions, the queue, the table and requests for snapshots, extrapolated from an hour to a month, from
 * what AWS counts free of charge, and of snapshots from metrics of the functions: S3 charges more for counting requests
 * than for the requests. Without alarms, the log and metrics that have a value, and what is stored, which is less than
 * a cent.
 */
export function ownCost(functions: readonly Function[], { cluster, queue, table }: StackResources): IMetric {
  const usingMetrics: Record<string, IMetric> = {};
  const terms: string[] = [];
  const add = (name: string, metric: IMetric, price: number): void => {
    usingMetrics[name] = metric;
    terms.push(`FILL(${name}, 0) * ${price * HOURS_A_MONTH}`);
  };
  const sum = { period, statistic: Stats.SUM };
  functions.forEach((one, i) => {
    const { memorySize = 128 } = one.node.defaultChild as CfnFunction;
    add(`d${i}`, one.metricDuration(sum), (memorySize / 1024 / 1000) * LIST_PRICES.lambdaGbSecond);
    add(`i${i}`, one.metricInvocations(sum), LIST_PRICES.lambdaRequest);
  });
  add('sent', queue.metricNumberOfMessagesSent(sum), LIST_PRICES.sqsFifoRequest);
  add('received', queue.metricNumberOfMessagesReceived(sum), LIST_PRICES.sqsFifoRequest);
  add('deleted', queue.metricNumberOfMessagesDeleted(sum), LIST_PRICES.sqsFifoRequest);
  add('empty', queue.metricNumberOfEmptyReceives(sum), LIST_PRICES.sqsFifoRequest);
  add('read', table.metricConsumedReadCapacityUnits(sum), LIST_PRICES.dynamoDbReadUnit);
  add('written', table.metricConsumedWriteCapacityUnits(sum), LIST_PRICES.dynamoDbWriteUnit);
  if (cluster.snapshots) {
    const counted = (service: string, name: MetricName): IMetric =>
      own({ cluster: cluster.name, service }, name, Stats.SUM);
    add('put', counted('scale-down', 'SnapshotsStored'), LIST_PRICES.s3Put);
    ['scale-up', 'scale-down'].forEach((service, i) => {
      add(`used${i}`, counted(service, 'SnapshotsUsed'), LIST_PRICES.s3Get);
      add(`unused${i}`, counted(service, 'SnapshotsNotUsed'), LIST_PRICES.s3Get);
    });
  }
  return new MathExpression({ expression: terms.join(' + '), usingMetrics, period, label: 'USD a month' });
}
