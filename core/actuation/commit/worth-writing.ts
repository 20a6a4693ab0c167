import type { Decision } from '../../model/decision.ts';
import type { Intent } from '../../model/intent.ts';
import { unboundPods } from '../../model/cluster/unbound-pods.ts';
import type { Scenario } from '../../model/scenario.ts';
import { canonical } from '../../model/snapshot/pod-kind.ts';
import type { State } from '../../model/state.ts';
import { isSameContent } from '../../model/values/same-content.ts';
import type { EpochMs } from '../../model/values/time.ts';

/** A quiet cluster's time of evaluation is written no more often than this. */
const QUIET_MS = 60_000;
/** Hosts' clocks are no further apart. */
const SKEW_MS = 60_000;

/** The content of a commit. */
export interface CommitContent {
  readonly before: State;
  readonly after: State;
  readonly intents: readonly Intent[];
  readonly settled: readonly string[];
}

/** Says whether to write the content; the time of the evaluation alone, which was not written for a while; or nothing. */
export function whatToWrite(
  { before, after, intents, settled }: CommitContent,
  { evaluation, scaleDown }: Pick<Decision, 'evaluation' | 'scaleDown'>,
  { objects, now }: Pick<Scenario, 'objects' | 'now'>,
): 'content' | 'time' | 'nothing' {
  const field = evaluation === 'ScaleUp' ? 'lastScaleUpEvaluation' : 'lastEvaluation';
  const last = before[field] ?? null;
  if (
    intents.length > 0 ||
    settled.length > 0 ||
    // A dry run has no intents: outrigger compare needs the time at which a removal was decided.
    scaleDown.removals.length > 0 ||
    last === null ||
    differ({ ...before, [field]: null }, { ...after, [field]: null }) ||
    (evaluation !== 'ScaleDown' && hasNewPods(objects, last))
  ) {
    return 'content';
  }
  return now - last > QUIET_MS ? 'time' : 'nothing';
}

/** Most parts are the same: canonical texts, which ignore undefined fields, are made of changed parts alone. */
const differ = (before: State, after: State): boolean =>
  [...new Set([...Object.keys(before), ...Object.keys(after)] as (keyof State)[])].some(
    (part) => !isSameContent(before[part], after[part]) && canonical(before[part]) !== canonical(after[part]),
  );

/**
 * Is there a pending pod that the stored decision may not know? The stored decision is to say why each pod is pending.
 * It is the decision of the last evaluation that was worth writing.
 */
const hasNewPods = ({ pods }: Scenario['objects'], lastWritten: EpochMs): boolean =>
  unboundPods(pods).some(
    ({ unscheduled, createdAt }) =>
      unscheduled !== null && (unscheduled.since ?? createdAt ?? 0) > lastWritten - SKEW_MS,
  );
