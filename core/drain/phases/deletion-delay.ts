import type { Node } from '../../model/cluster/node.ts';
import { mapOptional } from '../../model/values/optional.ts';
import { pollAfter } from '../limits.ts';
import { blockerOfPods, blockerOfMarked } from '../blockers.ts';
import { endingNotice } from '../deadline.ts';
import { blockerOfGroupDrain, waitsForOtherDrains } from '../group-drain.ts';
import { go, type Phase, rollBack, stay } from '../step.ts';

const PREFIX = 'delay-deletion.cluster-autoscaler.kubernetes.io/';

/**
 * Waits for annotations that delay the termination, no longer than `nodeDeletionDelayTimeout`, and for the other nodes of a
 * group that goes as a whole.
 */
export const deletionDelay: Phase = (drain, facts) => {
  const { now, node, options } = facts;
  const blocker = blockerOfMarked(drain, facts) ?? (endingNotice(drain) === null ? blockerOfPods(facts) : null);
  if (blocker !== null) {
    return rollBack(drain, facts, blocker);
  }
  if (endingNotice(drain) !== null) {
    return go('Terminating', drain);
  }
  const age = now - drain.phaseSince;
  const part = blockerOfGroupDrain(drain, facts);
  if (part !== null) {
    return rollBack(drain, facts, part);
  }
  const annotation = mapOptional(node, delayedBy);
  if (annotation !== null && age < options.nodeDeletionDelayTimeout) {
    return stay(drain, facts, pollAfter(age), `annotation ${annotation} delays its end`);
  }
  const waits = waitsForOtherDrains(drain, facts);
  return waits === null ? go('Terminating', drain) : stay(drain, facts, pollAfter(age), waits);
};

const delayedBy = ({ annotations }: Node): string | null =>
  Object.keys(annotations)
    .filter((key) => key.startsWith(PREFIX))
    .toSorted()[0] ?? null;
