import type { Node } from '@outrigger/core/model/cluster/node.ts';
import type { Chance } from '../chance.ts';
import type { Clock } from '../clock.ts';
import type { ApiServer } from '../cluster/api-server.ts';
import { conditionsOf, NOT_READY_TAINT } from '../cluster/node-readiness.ts';
import type { Emit, OfInstance } from '../world-event.ts';
import { type SimulatedScalingGroup, withoutAmounts } from './scaling-group.ts';

interface NodeStartWorld {
  readonly clock: Clock;
  readonly api: ApiServer;
  readonly chance: Chance;
  readonly emit: Emit;
}

interface StartingNode {
  /** The node as it is once its devices are announced. */
  readonly node: Node;
  /** The fields of its events. */
  readonly about: OfInstance;
  /** Whether its instance runs, asked when the node is to become ready. */
  readonly isUp: () => boolean;
}

/** A node of a group when it registers: not ready, and without its devices. */
export const asRegistered = (node: Node, { devices }: SimulatedScalingGroup, { now }: Pick<Clock, 'now'>): Node => ({
  ...node,
  capacity: withoutAmounts(node.capacity, devices),
  allocatable: withoutAmounts(node.allocatable, devices),
  taints: [...node.taints, NOT_READY_TAINT],
  conditions: conditionsOf(false, now()),
});

/** A registered node becomes ready in the time of its group, and its device plugin announces its devices later. */
export function becomeReady(
  world: NodeStartWorld,
  { ready, devices }: SimulatedScalingGroup,
  { node, about, isUp }: StartingNode,
): void {
  const { clock, api, chance, emit } = world;
  clock.after(chance.within(ready), () => {
    const current = api.nodes.get(node.name);
    if (current === undefined || !isUp()) {
      return;
    }
    emit({ kind: 'NodeReady', ...about, node: node.name });
    api.putNode({
      ...current,
      taints: current.taints.filter(({ key }) => key !== NOT_READY_TAINT.key),
      conditions: conditionsOf(true, clock.now()),
    });
    if (devices !== undefined) {
      clock.after(chance.within(devices.announced), () => announceDevices(world, node));
    }
  });
}

/** The device plugin has started on the node, if that is still there. */
function announceDevices({ api, emit }: NodeStartWorld, { name, uid, capacity, allocatable }: Node): void {
  const current = api.nodes.get(name);
  if (current?.uid === uid) {
    api.putNode({ ...current, capacity, allocatable });
    emit({ kind: 'DevicesAnnounced', node: name });
  }
}
