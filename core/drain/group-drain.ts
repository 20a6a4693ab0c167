import type { Drain, DrainPhase, StoredDrain } from '../model/drain.ts';
import { mapOptional } from '../model/values/optional.ts';
import { DECISION_LIMIT } from './limits.ts';
import type { DrainFacts } from './observation.ts';
import { rollbackReason, type RollbackReason } from './step.ts';

/** Once all drains of a group are in one of these phases, all of them terminate their instances. */
const DRAINED: ReadonlySet<DrainPhase> = new Set(['DeletionDelay', 'Terminating', 'AwaitingTermination', 'Removed']);

/** The phases in which a drain asks about the other drains of its group. */
const ASKING: ReadonlySet<DrainPhase> = new Set(['Validating', 'DeletionDelay', 'Terminating']);

/**
 * Does the drain ask about the rest of its group? Once before any eviction, and each time before its instance is
 * terminated: an all-or-nothing group is removed as a whole, or stays.
 */
export const needsOtherDrains = ({ together = 1, phase, notice }: Drain): boolean =>
  together > 1 && notice === undefined && ASKING.has(phase);

/** The other drains of the same intent. @param stored all of the cluster. */
export function otherDrainsOf(drain: Drain, stored: readonly StoredDrain[]): readonly Drain[] {
  const intent = drain.id.slice(0, -drain.node.length);
  return stored.map(({ drain: other }) => other).filter(({ id, node }) => id !== drain.id && id === `${intent}${node}`);
}

/** Was the instance found outside its group? Another client may have put it into Standby, and may take it out again. */
export const wasOutsideGroup = ({ outcome }: Drain): boolean =>
  outcome?.kind === 'rolledBack' && outcome.blocker === 'InstanceNotInGroup';

/**
 * Another node of the group stays, so this one does. One that has gone by itself does not stay, as long as its instance is not in the
 * group again; one without a drain, when the decision is old, will not get one.
 *
 * Follows Cluster Autoscaler's `GroupDeletionScheduler`, which terminates an all-or-nothing group's nodes when all are drained.
 */
export function blockerOfGroupDrain(
  { together = 1, createdAt }: Drain,
  { others, returned, now }: DrainFacts,
): RollbackReason | null {
  if (together <= 1 || others === undefined) {
    return null;
  }
  const isMissing = others.length + 1 < together && now - createdAt > DECISION_LIMIT;
  return blockerOfOther(others, returned) ?? (isMissing ? rollbackReason({ kind: 'PartStays', node: null }) : null);
}

/** The same, once all were drained: those whose drains have been forgotten since have gone. */
export const blockerOfDrainedGroup = (
  { together = 1 }: Drain,
  { others, returned }: Pick<DrainFacts, 'others' | 'returned'>,
): RollbackReason | null => (together <= 1 ? null : blockerOfOther(others ?? [], returned));

function blockerOfOther(others: readonly Drain[], returned: DrainFacts['returned'] = []): RollbackReason | null {
  const stays = others.find(
    ({ node, outcome }) => outcome?.kind === 'rolledBack' && (outcome.failure !== 'Gone' || returned.includes(node)),
  );
  return mapOptional(stays, ({ node }) => rollbackReason({ kind: 'PartStays', node })) ?? null;
}

/** Why this drain does not terminate its instance yet, in words; `null`: all nodes of the group are drained. */
export function waitsForOtherDrains({ together = 1 }: Drain, { others }: DrainFacts): string | null {
  if (together <= 1) {
    return null;
  }
  if (others === undefined) {
    return 'the other nodes of its group are to be asked about';
  }
  const drained = others.filter(({ phase, outcome }) => DRAINED.has(phase) || outcome !== null).length + 1;
  return drained >= together ? null : `${drained} of ${together} nodes of its all-or-nothing group are drained`;
}
