/** A value of a metric, as a function has published it. */
export interface Datapoint {
  readonly namespace: string;
  readonly metric: string;
  readonly dimensions: Readonly<Record<string, unknown>>;
  /** Milliseconds. */
  readonly at: number;
  readonly value: number;
}

/** CloudFormation's properties of an alarm about one metric. */
export interface AlarmProperties {
  readonly Namespace: string;
  readonly MetricName: string;
  readonly Dimensions: readonly { readonly Name: string; readonly Value: unknown }[];
  readonly Statistic: 'Sum' | 'Maximum';
  /** Seconds. */
  readonly Period: number;
  readonly EvaluationPeriods: number;
  readonly Threshold: number;
  readonly ComparisonOperator: 'LessThanThreshold' | 'GreaterThanOrEqualToThreshold';
  readonly TreatMissingData: 'breaching' | 'notBreaching';
}

/**
 * Is the alarm in `ALARM` at this time? As CloudWatch judges it: all of the last periods breach, a period without a value as
 * `TreatMissingData` says.
 *
 * @throws Error for a property that is not judged here
 */
export function isInAlarm(alarm: AlarmProperties, points: readonly Datapoint[], now: number): boolean {
  const { Period, EvaluationPeriods, Threshold, ComparisonOperator, TreatMissingData, Statistic } = alarm;
  if ('DatapointsToAlarm' in alarm || 'Metrics' in alarm || 'ExtendedStatistic' in alarm) {
    throw new Error('expected an alarm about all periods of one metric');
  }
  const own = points.filter(
    ({ namespace, metric, dimensions }) =>
      namespace === alarm.Namespace && metric === alarm.MetricName && sameDimensions(dimensions, alarm.Dimensions),
  );
  return Array.from({ length: EvaluationPeriods }, (_, i) => now - i * Period * 1_000).every((end) => {
    const values = own.filter(({ at }) => at > end - Period * 1_000 && at <= end).map(({ value }) => value);
    if (values.length === 0) {
      return TreatMissingData === 'breaching';
    }
    const statistic = Statistic === 'Sum' ? values.reduce((sum, value) => sum + value, 0) : Math.max(...values);
    return ComparisonOperator === 'LessThanThreshold' ? statistic < Threshold : statistic >= Threshold;
  });
}

const sameDimensions = (given: Datapoint['dimensions'], wanted: AlarmProperties['Dimensions']): boolean =>
  Object.keys(given).length === wanted.length &&
  wanted.every(({ Name, Value }) => JSON.stringify(given[Name]) === JSON.stringify(Value));
