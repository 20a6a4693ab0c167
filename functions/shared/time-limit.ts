import { NO_TIME_LIMIT, type TimeLimit } from '@outrigger/core/model/time-limit.ts';
import type { Invocation } from './services.ts';

/**
 * The time that an evaluation may take: half of what the function has when it starts. The other half is for committing what was
 * decided, and for what is done after that.
 */
export function evaluationLimit({ remainingMs }: Pick<Invocation, 'remainingMs'>): TimeLimit {
  if (remainingMs === undefined) {
    return NO_TIME_LIMIT;
  }
  const reserved = remainingMs() / 2;
  let isUp = false;
  return { isUp: () => (isUp ||= remainingMs() < reserved) };
}
