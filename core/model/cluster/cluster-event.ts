import type { NodeName } from '../values/names.ts';

/**
 * Cluster Autoscaler's reasons; Karpenter's `DisruptionLaunching`; `Cordoned`, `DisruptionCancelled` and `Paused`, which neither has.
 * docs/events.md has when each is recorded.
 */
export type EventReason =
  | 'TriggeredScaleUp'
  | 'NotTriggerScaleUp'
  | 'ScaleDown'
  | 'ScaleDownEmpty'
  | 'ScaleDownFailed'
  | 'Cordoned'
  | 'DisruptionLaunching'
  | 'DisruptionCancelled'
  | 'ClusterAutoscalerCleanup'
  | 'ScaledUpGroup'
  | 'FailedToScaleUpGroup'
  | 'ScaleUpTimedOut'
  | 'ScaleUpFailed'
  | 'MaxNodesTotalReached'
  | 'MaxCostPerHourReached'
  | 'ClusterUnhealthy'
  | 'Paused'
  | 'DeleteUnregistered'
  | 'DeleteUnregisteredFailed';

/** A Kubernetes Event, for people who look at the object. */
export interface ClusterEvent {
  readonly about:
    | { readonly kind: 'Node'; readonly name: NodeName; readonly uid: string }
    | { readonly kind: 'Pod'; readonly namespace: string; readonly name: string; readonly uid: string }
    /** The ConfigMap with the status: what is about no node and no pod is recorded there. */
    | { readonly kind: 'Status' };
  readonly type: 'Normal' | 'Warning';
  readonly reason: EventReason;
  readonly message: string;
  /**
   * Events of one object with the same type, reason and occurrence are recorded once as long as the API server keeps the
   * first of them, whatever their messages. Absent: each event is recorded.
   */
  readonly occurrence?: string;
}
