import type { Decision } from '../model/decision.ts';
import type { Intent } from '../model/intent.ts';
import { unboundPods } from '../model/cluster/unbound-pods.ts';
import type { Scenario } from '../model/scenario.ts';
import { canonical } from '../model/snapshot/pod-kind.ts';
import type { State } from '../model/state.ts';
import { isSameContent } from '../model/values/same-content.ts';
import type { EpochMs } from '../model/values/time.ts';

/** A quiet cluster's time of evaluation is written no more often than this. */
const QUIET_MS = 60_000;
/** Hosts' clocks are no further apart. */
const SKEW_MS = 60_000;

/** What a commit would write. */
export interface Writing {
  readonly before: State;
  readonly after: State;
  readonly intents: readonly Intent[];
  readonly settled: readonly string[];
}

/** What there is to write: content; the time of the evaluation alone, which was not written for a while; or nothing. */
export function whatToWrite(
  { before, after, intents, settled }: Writing,
  { evaluation }: Pick<Decision, 'evaluation'>,
  { objects, now }: Pick<Scenario, 'objects' | 'now'>,
): 'content' | 'time' | 'nothing' {
  const field = evaluation === 'ScaleUp' ? 'lastScaleUpEvaluation' : 'lastEvaluation';
  const last = before[field] ?? null;
  if (
    intents.length > 0 ||
    settled.length > 0 ||
    last === null ||
    differ({ ...before, [field]: null }, { ...after, [field]: null }) ||
    (evaluation !== 'ScaleDown' && hasNewPods(objects, last))
  ) {
    return 'content';
  }
  return now - last > QUIET_MS ? 'time' : 'nothing';
}

/** Most parts are the same: texts, in which a field that is absent is one that is undefined, are made of the others alone. */
const differ = (before: State, after: State): boolean =>
  [...new Set([...Object.keys(before), ...Object.keys(after)] as (keyof State)[])].some(
    (part) => !isSameContent(before[part], after[part]) && canonical(before[part]) !== canonical(after[part]),
  );

/**
 * Does a pod wait that the stored decision may know nothing of? It is to say what each pod waits for. The stored one is
 * that of the last evaluation that was written, for those in between were not worth it.
 */
const hasNewPods = ({ pods }: Scenario['objects'], lastWritten: EpochMs): boolean =>
  unboundPods(pods).some(
    ({ unscheduled, createdAt }) =>
      unscheduled !== null && (unscheduled.since ?? createdAt ?? 0) > lastWritten - SKEW_MS,
  );
