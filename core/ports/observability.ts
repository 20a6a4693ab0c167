import type { MetricName } from '../model/metrics.ts';

export type LogFields = Readonly<Record<string, unknown>>;

/** Structured lines: the message is one sentence, the fields are for queries. Never a token, never a whole event. */
export interface Log {
  readonly debug: (message: string, fields?: LogFields) => void;
  readonly info: (message: string, fields?: LogFields) => void;
  readonly warn: (message: string, fields?: LogFields) => void;
  readonly error: (message: string, fields?: LogFields) => void;
}

/** Figures for dashboards and alarms. A count of zero is not published: what has no value is zero. */
export interface Metrics {
  readonly count: (name: MetricName, value: number) => void;
  readonly milliseconds: (name: MetricName, value: number) => void;
}
