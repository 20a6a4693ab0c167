import type { Decision, Unremovable, UnremovableReason } from '../../../core/model/decision.ts';
import { byName, type NodeName } from '../../../core/model/values/names.ts';
import { sortedBy } from '../../../core/model/values/sorted.ts';
import type { EpochMs } from '../../../core/model/values/time.ts';
import type { ScaleDownEntry } from './recording.ts';

/** What evaluations say about nodes that might go, one after the other. */
export interface Outlook {
  /** @returns what is to be told; `null` where the nodes are seen as before. */
  readonly take: (decision: Decision, now: EpochMs) => ScaleDownEntry | null;
  /** Why nodes stay, as it was last found out. */
  readonly staying: () => readonly Unremovable[];
  /** Might another node go, though nothing in the world changes that has not changed by then? */
  readonly isOpen: (lastChange: EpochMs) => boolean;
}

interface Verdict {
  readonly why: Unremovable;
  readonly at: EpochMs;
}

/** An unneeded node that stays for such a reason does not go by waiting alone. */
const LASTING: ReadonlySet<UnremovableReason> = new Set([
  'MinimalResourceLimitExceeded',
  'AtomicScaleDownFailed',
  'NodeGroupMinSizeReached',
  'BlockedByOnCompletionPod',
]);

/** The usual ones are of no interest as they come and go. */
const ORDINARY: ReadonlySet<UnremovableReason> = new Set([
  'NotAutoscaled',
  'NotUnneededLongEnough',
  'NotUnneededOtherReason',
  'NotUnderutilized',
  'NodeGroupMinSizeReached',
  'NodeGroupMaxDeletionCountReached',
  'CurrentlyBeingDeleted',
]);

export function createOutlook(): Outlook {
  const verdicts = new Map<NodeName, Verdict>();
  let told = JSON.stringify([[], []]);
  let last: { readonly decision: Decision; readonly now: EpochMs } | null = null;

  const takeVerdicts = ({ scaleDown: { unneeded, unremovable } }: Decision, now: EpochMs): void => {
    const here = new Set([...unneeded, ...unremovable.map(({ node }) => node)]);
    for (const node of verdicts.keys()) {
      if (!here.has(node)) {
        verdicts.delete(node);
      }
    }
    for (const why of unremovable) {
      // That it was not tried again says nothing about why.
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
      const light = JSON.stringify([
        entry.unneeded,
        entry.staying.flatMap(({ node, reason, pod }) => (ORDINARY.has(reason) ? [] : [[node, reason, pod ?? null]])),
      ]);
      if (light === told && removals.length === 0) {
        return null;
      }
      told = light;
      return entry;
    },
    staying,
    isOpen: (lastChange) => last === null || last.now <= lastChange || isWaiting(last.decision, lastChange),
  };
}
