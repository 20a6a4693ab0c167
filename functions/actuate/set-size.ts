import { isUncertain } from '@outrigger/core/actuation/tries.ts';
import {
  finalVerdict,
  isDraining,
  judgeSize,
  sizeCheck,
  type SizeCheck,
} from '@outrigger/core/actuation/judge-size.ts';
import type { SetSizeIntent } from '@outrigger/core/model/intent.ts';
import { CLOUD_ANSWERS } from '@outrigger/core/words/answers.ts';
import { whySizeNotSet } from '@outrigger/core/words/why-size-not-set.ts';
import { pauseNow } from '../shared/pauses.ts';
import type { ActuationRun } from '../shared/services.ts';
import { done, failed, type Outcome, persistently } from './outcome.ts';

/**
 * Sets a size that was decided, if the group still has the size that it was decided from.
 *
 * @param superseded it is not to be made any more (`isSuperseded`); one that is made already is done all the same. So it is with
 *   a size that a pause holds back, which is read last: tries are up to 8 seconds apart.
 * @param shownAfterMs from a change to the description that shows it.
 */
export async function setSize(
  run: ActuationRun,
  intent: SetSizeIntent,
  superseded: boolean,
  shownAfterMs: number,
): Promise<Outcome> {
  const { group, to } = intent;
  let mayBeSet = intent.attempts > 1;
  const end = await persistently(run, `setting the size of ${group} to ${to}`, async () => {
    const seen = await checkSize(run, intent, shownAfterMs);
    const now = run.services.now();
    const pause = await pauseNow(run, intent);
    const verdict = finalVerdict(seen, intent, { superseded, pause, mayBeSet, now });
    mayBeSet = true;
    return verdict.kind === 'set' ? await run.cluster.groups.setSize(group, to, run.signal) : verdict;
  });
  switch (end.kind) {
    case 'set':
      return done(CLOUD_ANSWERS.set.sentence);
    case 'failed':
      if (isUncertain(end) && (await isSet(run, intent, shownAfterMs))) {
        return done(`${CLOUD_ANSWERS.set.sentence} The call was not answered.`);
      }
      return failed(end);
    case 'done':
    case 'refused':
      return { status: end.kind, message: whySizeNotSet(end.reason), failure: null };
  }
}

/** Reads the size, and once more where the description may be older than a change that has been made. */
async function checkSize(run: ActuationRun, intent: SetSizeIntent, shownAfterMs: number): Promise<SizeCheck> {
  const { services, signal } = run;
  let seen = await readSize(run, intent);
  if (seen.verdict.kind === 'done') {
    // The description may predate the previous change, whose former size is this intent's target.
    await services.sleep(shownAfterMs, signal);
    seen = await readSize(run, intent);
  }
  if (isDraining(seen, intent)) {
    await services.sleep(shownAfterMs, signal);
    seen = await readSize(run, intent);
  }
  return seen;
}

/** The drains are read after the size: a drain stores a request before it makes the request. */
async function readSize({ services, cluster, signal }: ActuationRun, intent: SetSizeIntent): Promise<SizeCheck> {
  const verdict = judgeSize(intent, await cluster.groups.readSize(intent.group, signal));
  return sizeCheck(intent, verdict, verdict.kind === 'set' ? await services.drains.list(cluster.name, signal) : []);
}

/** Reads the size once more after the last try: nodes that are on their way must not be bought elsewhere as well. */
async function isSet(
  { services, cluster, signal }: ActuationRun,
  { group, to }: SetSizeIntent,
  shownAfterMs: number,
): Promise<boolean> {
  await services.sleep(shownAfterMs, signal);
  return (await cluster.groups.readSize(group, signal))?.target === to;
}
