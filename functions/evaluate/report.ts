import type { Decision, UnexpectedError } from '@outrigger/core/model/decision.ts';
import { explain } from '@outrigger/core/words/explain.ts';
import { subjectOf } from '@outrigger/core/words/unexpected-errors.ts';
import type { LogFields } from '@outrigger/core/ports/observability.ts';
import type { ClusterRun } from '../shared/services.ts';
import type { CommitFailure } from './commit.ts';
import { presentItems } from '@outrigger/core/model/values/optional.ts';

/**
 * Says in one line what was decided. Of scale-up there is a line of each decision that stands: the dashboard draws the figures in it.
 *
 * @param figures of the evaluation, for the line.
 * @param failed where storing the decision has failed, which the line says.
 */
export function reportDecision(
  { services: { log, dryRun }, cluster: { name } }: ClusterRun,
  decision: Decision,
  figures: LogFields,
  failed?: CommitFailure,
): void {
  const { message, fields, remarkable } = explain(decision);
  const text = [`${name}: ${message}`, dryRun && '(dry run)', failed !== undefined && '(storing it has failed)'];
  log[levelOf(remarkable || decision.evaluation === 'ScaleUp', failed)](presentItems(text).join(' '), {
    ...fields,
    ...figures,
    ...failed,
  });
}

function levelOf(worthALine: boolean, failed: CommitFailure | undefined): 'debug' | 'info' | 'warn' {
  if (failed === undefined) {
    return worthALine ? 'info' : 'debug';
  }
  return 'warn';
}

/** Reports the mistakes of the program in an evaluation, one in a line: whether or not its decision will stand. */
export function reportUnexpectedErrors(
  { services: { log, metrics }, cluster: { name } }: ClusterRun,
  { unexpectedErrors = [] }: Decision,
): void {
  for (const error of unexpectedErrors) {
    log.error(`${name}: ${error.during} failed for ${subjectOf(error)}, and goes on without it`, {
      ...error,
      error: asError(error),
    });
  }
  metrics.count('UnexpectedErrors', unexpectedErrors.length);
}

/** As the logs show errors: with the stack that it had. */
const asError = ({ message, stack }: UnexpectedError): Error =>
  Object.assign(new Error(message), { name: 'UnexpectedError', stack });
