import type { Intent } from '../../core/model/ports.ts';
import type { State } from '../../core/model/state.ts';

/**
 * Is this an increase of a group that has failed since it was decided? The pods that it was for have been planned anew on
 * other groups when the failure was learnt: to make it now would buy their nodes twice.
 */
export function isOvertaken(intent: Intent, { backoff }: Pick<State, 'backoff'>): boolean {
  const failed = backoff[intent.group]?.lastFailure;
  return intent.kind === 'SetSize' && intent.to > intent.from && failed !== undefined && intent.createdAt <= failed;
}
