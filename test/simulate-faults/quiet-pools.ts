import type { NodeName, PodKey } from '../../core/model/values/names.ts';
import { type EpochMs, epochMs } from '../../core/model/values/time.ts';
import { isSimulatedNodeReady } from '../../simulation/cluster/node-readiness.ts';
import type { Stage } from './invariants/invariant.ts';
import { isOf, type Pool } from './pools.ts';

/** Events by which others, or the cloud, have changed what a group has or may have. */
const CHANGES =
  /^(?:LaunchFailed|.*Elsewhere|Group.*|Standby.*|(?:Unt|T)agged|(?:Unp|P)rotected|Process.*|Instance(?:Stopping|Unnoticed)|Launch(?:Waits|Abandoned)|ZonesBalanced|NodeGone|HookWaits|MarkLost|Termination.*)$/;

/** A pod is known in the API server after its creation only. */
const OF_PODS: ReadonlySet<string> = new Set(['PodUnschedulable', 'PodBound', 'PodEvicted', 'PodPreempted']);

/**
 * Since when nothing but the functions themselves has changed a pool: nobody has changed its groups, no launch has failed, and no
 * node has lost its readiness.
 *
 * @param withPods and no pod has come to it, or been evicted from it.
 */
export function watchQuiet({ scenario, world, unread }: Stage, withPods: boolean): (pool: Pool) => EpochMs {
  const { api, clock } = world;
  const changedAt = new Map<Pool, EpochMs>();
  const poolOf = (pod: PodKey): Pool | undefined => {
    const found = api.pods.get(pod);
    return found === undefined ? undefined : scenario.pools.find((pool) => isOf(pool, found));
  };
  let unreadyAt = scenario.start;
  /** Nodes that have been ready, and are not any more. */
  const unready = new Set<NodeName>();
  api.watch({
    node: (node, before) => {
      if (isSimulatedNodeReady(node)) {
        unready.delete(node.name);
      } else if (before !== null && isSimulatedNodeReady(before)) {
        unready.add(node.name);
      }
      unreadyAt =
        unready.size > 0 || (before !== null && isSimulatedNodeReady(node) !== isSimulatedNodeReady(before))
          ? clock.now()
          : unreadyAt;
    },
    nodeDeleted: ({ name }) => unready.delete(name),
  });
  world.onEvent((event) => {
    const pool =
      withPods && 'pod' in event && OF_PODS.has(event.kind)
        ? poolOf(event.pod)
        : 'group' in event && CHANGES.test(event.kind)
          ? scenario.pools.find(({ groups }) => groups.includes(event.group))
          : undefined;
    if (pool !== undefined) {
      changedAt.set(pool, event.at);
    }
  });
  return (pool) =>
    unread().size > 0 || unready.size > 0
      ? clock.now()
      : epochMs(Math.max(changedAt.get(pool) ?? scenario.start, unreadyAt));
}
