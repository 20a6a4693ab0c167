import type { Drain } from '../model/drain.ts';
import type { Pod } from '../model/cluster/pod.ts';
import { mapOptional } from '../model/values/optional.ts';
import { durationMs } from '../model/values/time.ts';
import type { Block } from '../scaledown/drainability/rule.ts';
import { protectionOf } from '../scaledown/protection.ts';
import { whyNodeExcluded } from '../words/why-node-excluded.ts';
import { DECISION_LIMIT } from './limits.ts';
import { markerOwnerOf, hasMarkers } from './removal-markers.ts';
import { endingNotice } from './deadline.ts';
import { type DrainFacts, isOfPod } from './observation.ts';
import { go, rollBack, rollbackReason, type RollbackReason, type DrainProgress } from './step.ts';

/** A pod that a drain rule keeps on its node. */
export const podBlocks = ({ reason, message }: Pick<Block, 'reason' | 'message'>, pod: Pod): RollbackReason =>
  rollbackReason({ kind: 'PodBlocks', reason, message }, pod);

/**
 * The reason against going on, in every phase before the instance is terminated; `null`: there is none. Where the cloud
 * ends the instance, nothing about the node or its pods can keep it.
 */
export function blockerOf(
  drain: Pick<Drain, 'notice'>,
  { now, node, instance, cluster, unreadable, keptDaemons }: DrainFacts,
): RollbackReason | null {
  const notice = endingNotice(drain);
  // A lifecycle hook waits to be completed, whether there is a node or not.
  if (node === null && notice?.hook == null) {
    return rollbackReason({ kind: 'NodeGone' });
  }
  if (instance?.state === 'gone' || instance?.state === 'aside') {
    return rollbackReason({ kind: 'InstanceNotInGroup' });
  }
  if (node === null || notice !== null) {
    return null;
  }
  if (instance?.state === 'ending') {
    return rollbackReason({ kind: 'InstanceTerminating' });
  }
  const protection = protectionOf(node, now);
  if (protection !== null) {
    return rollbackReason({ kind: 'Protected', annotation: protection });
  }
  const excluded = cluster.excludedNodes.find((one) => one.node === node.name);
  if (excluded !== undefined) {
    return rollbackReason({ kind: 'Unreadable', what: whyNodeExcluded(excluded) });
  }
  const [problem] = unreadable;
  if (problem !== undefined) {
    const what = isOfPod(problem) ? 'a pod on it' : 'what a pod on it belongs to or mounts';
    return rollbackReason({ kind: 'Unreadable', what: `${what} cannot be read: ${problem}` });
  }
  // A DaemonSet's pod ends with its instance, and is not among those that move; it may be protected all the same.
  const [kept] = keptDaemons;
  return mapOptional(kept, ({ pod, block }) => podBlocks(block, pod)) ?? null;
}

/** The same, for a node that was seen with the taint: one that has lost it is to stay. */
export function blockerOfMarked(drain: Drain, facts: DrainFacts): RollbackReason | null {
  const blocker = blockerOf(drain, facts);
  if (blocker !== null || facts.node === null || hasMarkers(facts.node, drain)) {
    return blocker;
  }
  return rollbackReason({
    kind: markerOwnerOf(facts.node, drain) === 'another drain' ? 'TakenOver' : 'MarkersRemoved',
  });
}

/**
 * Rolls back. A node whose instance the cloud ends cannot stay, and is marked again at once where its markers were removed: a
 * lifecycle hook may wait no longer than 30 seconds for its next heartbeat.
 */
export function stopFor(drain: Drain, facts: DrainFacts, blocker: RollbackReason): DrainProgress {
  if (blocker.blocker === 'MarkersRemoved' && endingNotice(drain) !== null) {
    return go('Tainting', drain);
  }
  return rollBack(drain, facts, blocker);
}

/** Before anything is evicted: what was decided long ago, as by a driver that died then, is decided anew. */
export function blockerOfAge(drain: Drain, { now, options }: DrainFacts): RollbackReason | null {
  const age = durationMs(now - drain.createdAt);
  if (endingNotice(drain) !== null || age <= DECISION_LIMIT + options.nodeDeleteDelayAfterTaint) {
    return null;
  }
  return rollbackReason({ kind: 'DecisionTooOld', age });
}

/**
 * The group's reason against a termination, which lowers the target by one. At its minimum a group itself replaces an
 * instance that is replaced ahead of time.
 */
export function blockerOfGroup({ group, notice }: Drain, { instance }: DrainFacts): RollbackReason | null {
  if (instance === null) {
    return null;
  }
  if (instance.size === null) {
    return rollbackReason({ kind: 'GroupGone', group });
  }
  const { min, target, held } = instance.size;
  // Instances that the target promises beyond the existing ones may not come: a launch fails, an instance ends by
  // itself.
  if (Math.min(target, held) > min || notice !== undefined) {
    return null;
  }
  return rollbackReason({ kind: 'GroupAtMinimum', group, min });
}

/** A pod on a node that was empty when its removal was decided. */
export const blockerOfEmpty = ({ kind }: Drain, facts: DrainFacts): RollbackReason | null =>
  kind === 'empty' ? blockerOfPods(facts) : null;

/** A pod under which the instance must not be terminated. */
export function blockerOfPods({ moving }: DrainFacts): RollbackReason | null {
  const [first] = moving;
  if (first === undefined) {
    return null;
  }
  const { pod, drainability } = first;
  switch (drainability.kind) {
    case 'Block':
      return podBlocks(drainability, pod);
    case 'Wait':
      return rollbackReason({ kind: 'PodMustComplete' }, pod);
    case 'DrainOk':
    case 'Move':
      return rollbackReason({ kind: 'PodArrived' }, pod);
  }
}
