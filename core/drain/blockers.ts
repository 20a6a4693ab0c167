import type { Drain } from '../model/drain.ts';
import { durationMs, formatDuration } from '../model/time.ts';
import { protectionOf } from '../scaledown/protection.ts';
import { DECISION_LIMIT } from './limits.ts';
import { markerOwnerOf, hasMarkers } from './removal-markers.ts';
import type { Facts } from './observation.ts';
import { rollbackReason, type RollbackReason } from './step.ts';

/** What speaks against going on, whatever the phase before the machine's end. `null`: nothing does. */
export function blockerOf({ now, node, machine, cluster, unreadable, keptDaemons }: Facts): RollbackReason | null {
  if (node === null) {
    return rollbackReason('Gone', 'the node is gone');
  }
  if (machine !== null && machine.state !== 'in group') {
    return rollbackReason(
      'Gone',
      machine.state === 'ending' ? 'its machine is being ended' : 'its machine is not in its group',
    );
  }
  const protection = protectionOf(node, now);
  if (protection !== null) {
    return rollbackReason('NoLongerRemovable', protection);
  }
  const closed = cluster.closedNodes.find((one) => one.node === node.name);
  if (closed !== undefined) {
    return rollbackReason('NoLongerRemovable', closed.reason);
  }
  const [problem] = unreadable;
  if (problem !== undefined) {
    const what = problem.startsWith('Pod ') ? 'a pod on it' : 'what a pod on it belongs to or mounts';
    return rollbackReason('NoLongerRemovable', `${what} cannot be read: ${problem}`);
  }
  // A DaemonSet's pod ends with its machine, and is not among those that move; it may be protected all the same.
  const [kept] = keptDaemons;
  return kept?.drainability.kind === 'Block'
    ? rollbackReason('NoLongerRemovable', `${kept.drainability.reason}: ${kept.drainability.message}`, kept.pod)
    : null;
}

/** The same, for a node that was seen with the taint: one that has lost it is wanted back by somebody. */
export function blockerOfMarked(drain: Drain, facts: Facts): RollbackReason | null {
  const blocker = blockerOf(facts);
  if (blocker !== null || facts.node === null || hasMarkers(facts.node, drain)) {
    return blocker;
  }
  return rollbackReason(
    'NoLongerRemovable',
    markerOwnerOf(facts.node, drain) === 'another drain'
      ? 'another attempt has taken over'
      : 'somebody has taken off what marked the node as being removed',
  );
}

/** Before anything is evicted: what was decided long ago, as by a driver that died then, is decided anew. */
export function blockerOfAge({ createdAt }: Drain, { now, options }: Facts): RollbackReason | null {
  const age = durationMs(now - createdAt);
  return age > DECISION_LIMIT + options.nodeDeleteDelayAfterTaint
    ? rollbackReason(
        'NoLongerRemovable',
        `it was decided ${formatDuration(age)} ago, and the node may be needed by now`,
      )
    : null;
}

/** What the group's size has to say: the machine's end takes the target down by one. */
export function blockerOfGroup({ group }: Drain, { machine }: Facts): RollbackReason | null {
  if (machine === null) {
    return null;
  }
  if (machine.size === null) {
    return rollbackReason('NoLongerRemovable', `node group ${group} is gone`);
  }
  const { min, target } = machine.size;
  return target > min ? null : rollbackReason('NoLongerRemovable', `node group ${group} is at its minimum of ${min}`);
}

/** A pod that the machine must not be ended under. */
export function blockerOfPods({ moving }: Facts): RollbackReason | null {
  const [first] = moving;
  if (first === undefined) {
    return null;
  }
  const { pod, drainability } = first;
  switch (drainability.kind) {
    case 'Block':
      return rollbackReason('NoLongerRemovable', drainability.message, pod);
    case 'Wait':
      return rollbackReason('NoLongerRemovable', 'the node has to wait until it has ended', pod);
    case 'DrainOk':
    case 'Move':
      return rollbackReason('NoLongerRemovable', 'it is on the node by now', pod);
  }
}
