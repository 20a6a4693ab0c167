import type { Intent } from '../model/intent.ts';
import { addTime, type EpochMs, minutes } from '../model/values/time.ts';

/** A node or instance that was not needed when it was decided may be needed three minutes later. */
const VALID_FOR = minutes(3);
/** An instance that is no node yet may become one at any time, and pods may run there soon after. */
const DELETION_VALID_FOR = minutes(1);
/** An intent that has been tried this often, and for this long, will not succeed. */
const MAX_ATTEMPTS = 5;
const GIVE_UP_AFTER = minutes(5);

/** Was a removal decided so long ago that it has to be decided again? */
export const isOutdated = ({ createdAt }: Pick<Intent, 'createdAt'>, now: EpochMs): boolean =>
  now - createdAt > VALID_FOR;

/** Was the end of instances that were no nodes decided so long ago that they may be nodes by now? */
export const isDeletionOutdated = ({ createdAt }: Pick<Intent, 'createdAt'>, now: EpochMs): boolean =>
  now - createdAt > DELETION_VALID_FOR;

/** Does an intent fail for good when its present attempt fails? */
export const isLastAttempt = ({ attempts, createdAt }: Pick<Intent, 'attempts' | 'createdAt'>, now: EpochMs): boolean =>
  attempts >= MAX_ATTEMPTS && now >= addTime(createdAt, GIVE_UP_AFTER);
