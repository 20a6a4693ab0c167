import type { Decision, UnexpectedError } from '../../core/model/decision.ts';
import { explain } from '../../core/words/explain.ts';
import { subjectOf } from '../../core/words/unexpected-errors.ts';
import type { LogFields } from '../../core/ports/observability.ts';
import type { Cluster, World } from '../shared/world.ts';

/**
 * Says in one line what was decided, and each mistake of the program in one of its own. Of scale-up there is a line of each
 * decision: the dashboard draws the figures in it.
 */
export function reportDecision(
  { log, metrics, dryRun }: Pick<World, 'log' | 'metrics' | 'dryRun'>,
  { name }: Pick<Cluster, 'name'>,
  decision: Decision,
  evaluationMs: number,
  more: LogFields = {},
): void {
  const { unexpectedErrors = [] } = decision;
  for (const error of unexpectedErrors) {
    log.error(`${name}: ${error.during} failed for ${subjectOf(error)}, and goes on without it`, {
      ...error,
      error: asError(error),
    });
  }
  const { message, fields, remarkable } = explain(decision);
  log[remarkable || decision.evaluation === 'ScaleUp' ? 'info' : 'debug'](
    `${name}: ${message}${dryRun ? ' (dry run)' : ''}`,
    {
      ...fields,
      evaluationMs,
      ...more,
    },
  );
  metrics.count('UnexpectedErrors', unexpectedErrors.length);
}

/** As the logs show errors: with the stack that it had. */
const asError = ({ message, stack }: UnexpectedError): Error =>
  Object.assign(new Error(message), { name: 'UnexpectedError', stack });
