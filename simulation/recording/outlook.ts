import { ORDINARY_REASONS } from '@outrigger/core/explanation/ordinary-reasons.ts';
import type { Decision, Unremovable, UnremovableReason } from '@outrigger/core/model/decision.ts';
import { byName, type NodeName } from '@outrigger/core/model/values/names.ts';
import { sortedBy } from '@outrigger/core/model/values/sorted.ts';
import type { EpochMs } from '@outrigger/core/model/values/time.ts';
import type { ScaleDownEntry } from './recording.ts';

/** The statements of successive scale-down decisions about the nodes. */
export interface Outlook {
  /** @returns what to record; `null` where the decision says the same as the one before. */
  readonly take: (decision: Decision, now: EpochMs) => ScaleDownEntry | null;
  /** The last known reason why each node stays. */
  readonly staying: () => readonly Unremovable[];
  /** Whether another node may be removed although nothing has changed since `lastChange`. */
  readonly isOpen: (lastChange: EpochMs) => boolean;
}

interface Verdict {
  readonly why: Unremovable;
  readonly at: EpochMs;
}

/** With one of these reasons, an unneeded node stays until something else changes. */
const LASTING: ReadonlySet<UnremovableReason> = new Set([
  'MinimalResourceLimitExceeded',
  'AtomicScaleDownFailed',
  'NodeGroupMinSizeReached',
  'BlockedByOnCompletionPod',
]);

/** Entries of equal fingerprints say the same, but for reasons that change in the ordinary course. */
const fingerprintOf = ({ unneeded, staying }: ScaleDownEntry): string =>
  JSON.stringify([
    unneeded,
    staying
      .filter(({ reason }) => !ORDINARY_REASONS.has(reason))
      .map(({ node, reason, pod }) => [node, reason, pod ?? null]),
  ]);

export function createOutlook(): Outlook {
  const verdicts = new Map<NodeName, Verdict>();
  let lastEntry = JSON.stringify([[], []]);
  let lastRemovals = JSON.stringify([]);
  let last: { readonly decision: Decision; readonly now: EpochMs } | null = null;

  const takeVerdicts = ({ scaleDown: { unneeded, unremovable } }: Decision, now: EpochMs): void => {
    const here = new Set([...unneeded, ...unremovable.map(({ node }) => node)]);
    for (const node of verdicts.keys()) {
      if (!here.has(node)) {
        verdicts.delete(node);
      }
    }
    for (const why of unremovable) {
      // RecentlyUnremovable means that the node was not checked again: its last reason still holds.
      if (why.reason !== 'RecentlyUnremovable') {
        verdicts.set(why.node, { why, at: now });
      }
    }
  };

  const isWaiting = (decision: Decision, lastChange: EpochMs): boolean => {
    const reasons = new Map(decision.scaleDown.unremovable.map(({ node, reason }) => [node, reason]));
    return (
      decision.state.deletionsInProgress.length > 0 ||
      decision.scaleDown.unneeded.some((node) => !LASTING.has(reasons.get(node) ?? 'NotUnneededLongEnough')) ||
      [...reasons].some(
        ([node, reason]) =>
          reason === 'CurrentlyBeingDeleted' ||
          (reason === 'RecentlyUnremovable' && (verdicts.get(node)?.at ?? 0) <= lastChange),
      )
    );
  };

  const staying = (): readonly Unremovable[] =>
    sortedBy(
      [...verdicts.values()].map(({ why }) => why),
      ({ node }) => node,
    );

  return {
    take: (decision, now) => {
      last = { decision, now };
      takeVerdicts(decision, now);
      const { result, message, unneeded, removals } = decision.scaleDown;
      const entry: ScaleDownEntry = {
        kind: 'ScaleDown',
        result,
        message,
        unneeded: unneeded.toSorted(byName),
        removals,
        staying: staying().filter(({ node }) => !unneeded.includes(node)),
      };
      const fingerprint = fingerprintOf(entry);
      // Equal removals twice in a row are one decision: the first was not committed, because another commit came before.
      const isRepeated = JSON.stringify(removals) === lastRemovals;
      lastRemovals = JSON.stringify(removals);
      if (fingerprint === lastEntry && (removals.length === 0 || isRepeated)) {
        return null;
      }
      lastEntry = fingerprint;
      return entry;
    },
    staying,
    isOpen: (lastChange) => last === null || last.now <= lastChange || isWaiting(last.decision, lastChange),
  };
}
