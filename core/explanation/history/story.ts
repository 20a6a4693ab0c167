import type { Decision } from '../../model/decision.ts';
import type { EpochMs } from '../../model/values/time.ts';
import type { HistoryEntry, HistoryKind } from '../../ports/decision-history.ts';
import { clip } from '../../model/values/clip.ts';
import { explain } from '../../words/explain.ts';

/** Characters of what a decision did, in words: that of a large one is long. */
const LONGEST_DID = 1_000;

export const HISTORY_KINDS = { ScaleUp: 'scale-up', ScaleDown: 'scale-down' } as const;

/** The part of an evaluation that a decision is of. */
export const entryKind = ({ evaluation }: Pick<Decision, 'evaluation'>): HistoryKind =>
  evaluation === undefined ? 'evaluation' : HISTORY_KINDS[evaluation];

/** Does a decision order anything: sizes, removals, repairs, drains for a notice? */
const changesAnything = ({ scaleUp, scaleDown, registry, departures = [] }: Decision): boolean =>
  scaleUp.increases.length > 0 ||
  scaleDown.removals.length > 0 ||
  registry.repairs.length > 0 ||
  (departures.length > 0 && scaleUp.result !== 'NotEvaluated');

/** A decision in a line. */
export const historyEntry = (version: number, at: EpochMs, decision: Decision): Omit<HistoryEntry, 'scenario'> => ({
  id: String(version),
  at,
  kind: entryKind(decision),
  changes: changesAnything(decision),
  did: clip(explain(decision).message, LONGEST_DID),
});

/**
 * The statements of a decision, as a text. A decision says something new if its text differs from the previous
 * decision's: times, figures of options and the state, which change all the time, are not part of the text.
 */
export function storyOf(decision: Decision): string {
  const { scaleUp, scaleDown, registry, departures = [], notices = [], pauses = [], unexpectedErrors = [] } = decision;
  return JSON.stringify([
    scaleUp.result,
    scaleUp.increases,
    scaleUp.pods,
    scaleUp.skippedGroups.map(({ group, reason, message }) => [group, reason, message]),
    scaleUp.considered.map(({ winner }) => winner),
    scaleUp.skippedDaemonSets,
    scaleDown.result,
    scaleDown.unneeded,
    scaleDown.removals,
    scaleDown.unremovable.map(({ node, reason, pod, podReason }) => [node, reason, pod, podReason]),
    registry.clusterHealthy,
    Object.entries(registry.groups)
      .map(([group, { resizedByOthers }]) => [group, resizedByOthers])
      .filter(([, resized]) => resized !== undefined),
    registry.repairs,
    notices.map(({ instance, notice, answer }) => [instance, notice, answer]),
    pauses,
    departures.map(({ node, notice, deadline }) => [node, notice, deadline]),
    unexpectedErrors.map((error) => ({ ...error, stack: '' })),
  ]);
}
