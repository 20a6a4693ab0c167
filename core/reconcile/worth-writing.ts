import type { Scenario } from '../model/scenario.ts';
import { canonical } from '../model/snapshot/pod-kind.ts';
import type { State } from '../model/state.ts';
import type { EpochMs } from '../model/values/time.ts';

/** A quiet cluster's time of evaluation is written no more often than this. */
const QUIET_MS = 60_000;
/** Hosts' clocks are no further apart. */
const SKEW_MS = 60_000;

/** Which of the state's times is that of the evaluation. */
export type EvaluationTime = 'lastEvaluation' | 'lastScaleUpEvaluation';

/** Is the state after an evaluation equal to that before it, but for the time of evaluation, and was that written lately? */
export function isUnchanged(before: State, after: State, field: EvaluationTime, now: EpochMs): boolean {
  const last = before[field] ?? null;
  return (
    last !== null && now - last <= QUIET_MS && canonical(without(before, field)) === canonical(without(after, field))
  );
}

const without = (state: State, field: EvaluationTime): State => ({ ...state, [field]: null });

/**
 * Does a pod wait that the stored decision may know nothing of? Whoever asks what it waits for is to find it there. The
 * stored one is that of the last evaluation that was written, for those in between were not worth it.
 */
export const hasNewPods = ({ objects }: Pick<Scenario, 'objects'>, lastWritten: EpochMs | null): boolean =>
  objects.pods.some(
    ({ nodeName, unscheduled, createdAt }) =>
      nodeName === null && unscheduled !== null && (unscheduled.since ?? createdAt ?? 0) > (lastWritten ?? 0) - SKEW_MS,
  );
