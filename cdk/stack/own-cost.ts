import { Duration } from 'aws-cdk-lib';
import { MathExpression, type IMetric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { CfnFunction, Function } from 'aws-cdk-lib/aws-lambda';
import type { Queue } from 'aws-cdk-lib/aws-sqs';

/** USD at list price in us-east-1, for Arm; without any free tier. */
export const LIST_PRICES = {
  lambdaGbSecond: 0.0000133334,
  lambdaRequest: 0.2e-6,
  sqsFifoRequest: 0.5e-6,
  dynamoDbReadUnit: 0.125e-6,
  dynamoDbWriteUnit: 0.625e-6,
} as const;

const HOURS_A_MONTH = 730;
const period = Duration.hours(1);

/**
 * What the functions, the queue and the table cost, extrapolated from an hour to a month, from what AWS counts free of charge.
 * Without alarms, the log and metrics that have a value.
 */
export function ownCost(
  functions: readonly Function[],
  { queue, table }: { readonly queue: Queue; readonly table: TableV2 },
): IMetric {
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
  return new MathExpression({ expression: terms.join(' + '), usingMetrics, period, label: 'USD a month' });
}
