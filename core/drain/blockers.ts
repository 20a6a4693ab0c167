import type { Drain } from '../model/drain.ts';
import { durationMs, formatDuration } from '../model/time.ts';
import { protectionOf } from '../scaledown/protection.ts';
import { DECISION_LIMIT } from './limits.ts';
import { bearerOf, isMarked } from './removal-markers.ts';
import type { Facts } from './observation.ts';
import { object, type Objection } from './step.ts';

/** What speaks against going on, whatever the phase before the machine's end. `null`: nothing does. */
export function objectionTo({ now, node, machine, cluster, unreadable, keptDaemons }: Facts): Objection | null {
  if (node === null) {
    return object('Gone', 'the node is gone');
  }
  if (machine !== null && machine.state !== 'in group') {
    return object(
      'Gone',
      machine.state === 'ending' ? 'its machine is being ended' : 'its machine is not in its group',
    );
  }
  const protection = protectionOf(node, now);
  if (protection !== null) {
    return object('NoLongerRemovable', protection);
  }
  const closed = cluster.closedNodes.find((one) => one.node === node.name);
  if (closed !== undefined) {
    return object('NoLongerRemovable', closed.reason);
  }
  const [problem] = unreadable;
  if (problem !== undefined) {
    const what = problem.startsWith('Pod ') ? 'a pod on it' : 'what a pod on it belongs to or mounts';
    return object('NoLongerRemovable', `${what} cannot be read: ${problem}`);
  }
  // A DaemonSet's pod ends with its machine, and is not among those that move; it may be protected all the same.
  const [kept] = keptDaemons;
  return kept?.drainability.kind === 'Block'
    ? object('NoLongerRemovable', `${kept.drainability.reason}: ${kept.drainability.message}`, kept.pod)
    : null;
}

/** The same, for a node that was seen with the taint: one that has lost it is wanted back by somebody. */
export function objectionToMarked(drain: Drain, facts: Facts): Objection | null {
  const objection = objectionTo(facts);
  if (objection !== null || facts.node === null || isMarked(facts.node, drain)) {
    return objection;
  }
  return object(
    'NoLongerRemovable',
    bearerOf(facts.node, drain) === 'another drain'
      ? 'another attempt has taken over'
      : 'somebody has taken off what marked the node as being removed',
  );
}

/** Before anything is evicted: what was decided long ago, as by a driver that died then, is decided anew. */
export function objectionOfAge({ createdAt }: Drain, { now, options }: Facts): Objection | null {
  const age = durationMs(now - createdAt);
  return age > DECISION_LIMIT + options.nodeDeleteDelayAfterTaint
    ? object('NoLongerRemovable', `it was decided ${formatDuration(age)} ago, and the node may be needed by now`)
    : null;
}

/** What the group's size has to say: the machine's end takes the target down by one. */
export function objectionOfGroup({ group }: Drain, { machine }: Facts): Objection | null {
  if (machine === null) {
    return null;
  }
  if (machine.size === null) {
    return object('NoLongerRemovable', `node group ${group} is gone`);
  }
  const { min, target } = machine.size;
  return target > min ? null : object('NoLongerRemovable', `node group ${group} is at its minimum of ${min}`);
}

/** A pod that the machine must not be ended under. */
export function objectionOfPods({ moving }: Facts): Objection | null {
  const [first] = moving;
  if (first === undefined) {
    return null;
  }
  const { pod, drainability } = first;
  switch (drainability.kind) {
    case 'Block':
      return object('NoLongerRemovable', drainability.message, pod);
    case 'Wait':
      return object('NoLongerRemovable', 'the node has to wait until it has ended', pod);
    case 'DrainOk':
    case 'Move':
      return object('NoLongerRemovable', 'it is on the node by now', pod);
  }
}
