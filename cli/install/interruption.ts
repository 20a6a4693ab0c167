import { constants } from 'node:os';
import { mapOptional } from '@outrigger/core/model/values/optional.ts';
import type { Journal } from './journal.ts';

/** The steps that were taken until the command was interrupted, in a line. */
export function interruptedText({ steps, doing: current }: Pick<Journal, 'steps' | 'doing'>): string {
  const before = steps.map(({ id }) => id);
  const during = mapOptional(current(), (doing) => ` while ${doing.charAt(0).toLowerCase()}${doing.slice(1)}`) ?? '';
  return [
    `Interrupted${during}`,
    before.length === 0 ? 'no step has ended before' : `steps that have ended: ${before.join(', ')}`,
    'the same command goes on from there.',
  ].join('; ');
}

/**
 * Has Ctrl+C end the program with a line that says how far it has come.
 *
 * @param tell takes the line, without its newline, and has written it when it returns
 * @returns restores the default handling
 */
export function tellWhenInterrupted(
  journal: Pick<Journal, 'steps' | 'doing'>,
  tell: (line: string) => void,
): () => void {
  const onSignal = (signal: 'SIGINT' | 'SIGTERM'): void => {
    tell(interruptedText(journal));
    // eslint-disable-next-line no-process-exit -- Requests go on, and what they would do is for the next run.
    process.exit(128 + constants.signals[signal]);
  };
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal);
  return () => void process.off('SIGINT', onSignal).off('SIGTERM', onSignal);
}
