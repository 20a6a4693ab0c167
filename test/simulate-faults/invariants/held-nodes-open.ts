import { AWAITING_PODS_TAINT, type Node } from '../../../core/model/cluster/node.ts';
import { isBeingRemoved } from '../../../core/model/cluster/removal-taints.ts';
import type { NodeName } from '../../../core/model/values/names.ts';
import { addTime, type EpochMs, epochMs, seconds } from '../../../core/model/values/time.ts';
import { isSimulatedNodeReady, NOT_READY_TAINT } from '../../../simulation/cluster/node-readiness.ts';
import type { Invariant } from './invariant.ts';

/** By the next evaluation of the schedule, where no notification has come. */
const LONGEST = seconds(60);

/** A node that only the taint keeps kube-scheduler from. */
interface Held {
  readonly uid: string;
  readonly since: EpochMs;
}

/**
 * No node that kube-scheduler would use but for the taint of planned placement keeps it for longer than a minute: since it
 * became ready, or since the last trouble that may have kept functions from it.
 */
export const heldNodesOpen: Invariant = {
  name: 'no ready node keeps the taint of planned placement',
  watch: ({ scenario, world: { api, clock }, unread, strikes }, violate, count) => {
    const held = new Map<NodeName, Held>();
    const check = (name: NodeName, one: Held): void => {
      if (held.get(name) !== one) {
        return;
      }
      const from = unread().has(name) ? clock.now() : strikes.troubledUntil();
      const due = addTime(epochMs(Math.max(one.since, from)), LONGEST);
      if (clock.now() < due) {
        clock.at(due, () => check(name, one));
        return;
      }
      held.delete(name);
      violate(
        `${name} has been ready for ${(clock.now() - one.since) / 1_000} s, and still has ${AWAITING_PODS_TAINT}`,
      );
    };
    const ended = (name: NodeName): void => {
      const one = held.get(name);
      if (one !== undefined) {
        held.delete(name);
        count(strikes.troubledUntil() < one.since);
      }
    };
    const note = (node: Node, from = clock.now()): void => {
      if (!isHeldBack(node)) {
        ended(node.name);
      } else if (held.get(node.name)?.uid !== node.uid) {
        const one = { uid: node.uid, since: from };
        held.set(node.name, one);
        clock.at(addTime(one.since, LONGEST), () => check(node.name, one));
      }
    };
    if (scenario.drawn.includes('plannedPlacement')) {
      // Nodes at the start bring no notification, and the schedule begins a minute later.
      [...api.nodes.values()].forEach((node) => note(node, addTime(clock.now(), LONGEST)));
      api.watch({ node: (node) => note(node), nodeDeleted: ({ name }) => ended(name) });
    }
    return {};
  },
};

/** By the Node as it is; it may be of a group that is not discovered. */
const isHeldBack = (node: Node): boolean =>
  node.taints.some(({ key }) => key === AWAITING_PODS_TAINT) &&
  isSimulatedNodeReady(node) &&
  !node.unschedulable &&
  node.deletedAt === null &&
  !isBeingRemoved(node) &&
  !node.taints.some(({ key }) => key === NOT_READY_TAINT.key);
