import { Logger } from '@aws-lambda-powertools/logger';
import { injectLambdaContext } from '@aws-lambda-powertools/logger/middleware';
import { MetricUnit, Metrics as PowertoolsMetrics } from '@aws-lambda-powertools/metrics';
import middyChain from '@middy/core';
import type { Context } from 'aws-lambda';
import { printable } from '@outrigger/core/model/values/printable.ts';
import type { Log, Metrics } from '@outrigger/core/ports/observability.ts';

/** X-Ray's SDK takes a tenth to a fifth of a cold start, so it is loaded where the stack traces its functions alone. */
const tracing = process.env['POWERTOOLS_TRACE_ENABLED'] === 'false' ? null : await import('./tracer.ts');

/** The log, metrics and traces of a function, made once per sandbox. */
export interface Observability {
  readonly log: Log;
  readonly metrics: Metrics;
  /** Wraps the function's work into a Lambda handler. */
  readonly handler: <Event, Result>(work: LambdaWork<Event, Result>) => LambdaHandler<Event, Result>;
  /** Publishes the metrics so far. For functions that are put together in another way: `handler` does it by itself. */
  readonly publish: () => void;
}

/**
 * The work of a function. `signal` is aborted shortly before the function is out of time, `remainingMs` tells how long
 * that is, and `functionArn` is what was invoked.
 */
type LambdaWork<Event, Result> = (
  event: Event,
  invocation: { readonly signal: AbortSignal; readonly functionArn: string; readonly remainingMs: () => number },
) => Promise<Result>;

type LambdaHandler<Event, Result> = (event: Event, context: Context) => Promise<Result>;

/**
 * The one way in which a standard function is put together: middy around Powertools' logger, tracer and metrics, in
 * the order that their hooks need (`after` runs in reverse, so metrics are flushed inside the trace and the logged
 * context). The level of the log comes from POWERTOOLS_LOG_LEVEL.
 *
 * @param service the function's name, as it appears in logs, traces and metrics
 * @param cluster the cluster that this deployment manages: a dimension of each metric
 */
export function observe(service: string, cluster: string): Observability {
  const logger = new Logger({
    serviceName: service,
    persistentKeys: { cluster },
    // JSON hides ESC, but neither C1 nor what changes directions.
    jsonReplacerFn: (_key, value: unknown) => (typeof value === 'string' ? printable(value) : value),
  });
  const metrics = new PowertoolsMetrics({
    namespace: 'Outrigger',
    serviceName: service,
    defaultDimensions: { cluster },
    logger,
  });
  // Powertools' own middleware warns whenever there is nothing to publish, which is most of the time.
  const publish = (): void => {
    if (metrics.hasStoredMetrics()) {
      metrics.publishStoredMetrics();
    }
  };
  return {
    publish,
    log: {
      debug: (message, fields = {}) => logger.debug(message, fields),
      info: (message, fields = {}) => logger.info(message, fields),
      warn: (message, fields = {}) => logger.warn(message, fields),
      error: (message, fields = {}) => logger.error(message, fields),
    },
    metrics: {
      count: (name, value) => {
        // A metric is paid for by the hours in which it has a value.
        if (value !== 0) {
          metrics.addMetric(name, MetricUnit.Count, value);
        }
      },
      milliseconds: (name, value) => void metrics.addMetric(name, MetricUnit.Milliseconds, value),
    },
    handler: <Event, Result>(work: LambdaWork<Event, Result>): LambdaHandler<Event, Result> =>
      middyChain<Event, Result>()
        .use(injectLambdaContext(logger, { resetKeys: true }))
        .use(tracing === null ? [] : tracing.traceInvocations(service))
        .use({ after: publish, onError: publish })
        .handler((event: Event, context: Context, { signal }) =>
          work(event, {
            signal,
            functionArn: context.invokedFunctionArn,
            remainingMs: () => context.getRemainingTimeInMillis(),
          }),
        ) as LambdaHandler<Event, Result>,
  };
}
