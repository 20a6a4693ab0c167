import { MAX_SKEW_MS } from './runtime.ts';
import { isExpendable } from '../../core/model/cluster/expendable.ts';
import { isDaemon, isFinished, isMirror, keyOf, type Pod } from '../../core/model/cluster/pod.ts';
import { isRemovalTaint } from '../../core/model/cluster/removal-taints.ts';
import type { Drain } from '../../core/model/drain.ts';
import type { NodeName, PodKey } from '../../core/model/values/names.ts';
import { type EpochMs, epochMs, seconds } from '../../core/model/values/time.ts';
import type { WorldEvent } from '../../simulation/world-event.ts';
import type { Stage } from './invariants/invariant.ts';
import { MAX_DELAY_MS, MAX_LAG_MS } from './world-faults.ts';

/** From the last read of a node to the end of its instance: two calls, each as slow as they get. */
const READ_AGE_MS = 3 * MAX_DELAY_MS + MAX_LAG_MS;
/** A pod that has not ended this long after its grace period will not: it is not waited for. */
const OVERDUE_MS = 30_000 - MAX_SKEW_MS;

/** Losses if a node's instance ended now. */
export interface LeftBehind {
  readonly event: (event: WorldEvent) => void;
  /**
   * The pods of a node that have to move: all except DaemonSet pods, static, expendable and finished pods.
   *
   * A pod may come between the last read and the end (`LatePods`). A pod that replaces a pod
   * evicted from the same node would return for ever, and may end with the instance. With the shared taint, the same is
   * true of every pod that tolerates the taint (`budgetsKept` counts these pods).
   *
   * @param drains of the node
   */
  readonly on: (node: NodeName, drains: readonly Drain[]) => readonly Pod[];
  /** When a node last lost the taint; 0 where it never has. */
  readonly untaintedAt: LatePods['untaintedAt'];
}

/**
 * Pods that came to their node after the last read of it, since they tolerate the taint, or since it had just been taken off:
 * nothing can prevent that they end with the node.
 */
export interface LatePods {
  readonly event: (event: WorldEvent) => void;
  readonly has: (pod: Pod) => boolean;
  readonly untaintedAt: (node: NodeName) => EpochMs;
}

export function watchLatePods({ world: { clock } }: Pick<Stage, 'world'>): LatePods {
  const boundAt = new Map<PodKey, EpochMs>();
  const untainted = new Map<NodeName, EpochMs>();
  const untaintedAt = (node: NodeName): EpochMs => untainted.get(node) ?? epochMs(0);
  const isRecent = (at: EpochMs | undefined): boolean => clock.now() - (at ?? 0) < READ_AGE_MS;
  return {
    untaintedAt,
    event: (event) => {
      if (event.kind === 'PodBound') {
        boundAt.set(event.pod, event.at);
      } else if (event.kind === 'NodeUntainted' && isRemovalTaint(event.taint)) {
        untainted.set(event.node, event.at);
      }
    },
    has: (pod) =>
      isRecent(boundAt.get(keyOf(pod))) &&
      (pod.spec.tolerations.length > 0 || (pod.nodeName !== null && isRecent(untaintedAt(pod.nodeName)))),
  };
}

export function watchLeftBehind(stage: Stage): LeftBehind {
  const {
    scenario: { options },
    world: { api, clock },
  } = stage;
  const late = watchLatePods(stage);
  const isOverdue = ({ deletedAt, spec }: Pod): boolean =>
    deletedAt !== null && clock.now() - deletedAt > seconds(spec.terminationGracePeriodSeconds) + OVERDUE_MS;
  return {
    event: late.event,
    untaintedAt: late.untaintedAt,
    on: (node, drains) =>
      [...api.pods.values()].filter(
        (pod) =>
          pod.nodeName === node &&
          !isDaemon(pod) &&
          !isMirror(pod) &&
          !isFinished(pod) &&
          !isExpendable(pod, options) &&
          !late.has(pod) &&
          !isOverdue(pod) &&
          !drains.some((drain) => isBack(pod, drain)) &&
          !(options.nodeLifecycleTaints && pod.spec.tolerations.length > 0),
      ),
  };
}

const isBack = ({ controller, spec }: Pod, { evictions }: Drain): boolean =>
  spec.tolerations.length > 0 && evictions.some(({ manifest }) => manifest.controller?.uid === controller?.uid);
