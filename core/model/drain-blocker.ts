import type { BlockingReason } from './decision.ts';
import type { GroupName, NodeName } from './values/names.ts';
import type { DurationMs } from './values/time.ts';

/**
 * The reason that blocks a drain, with the values for its message. If the reason is about a pod, the pod is named
 * beside it.
 */
export type DrainBlocker =
  | { readonly kind: 'NodeGone' | 'InstanceTerminating' | 'InstanceNotInGroup' }
  /** The node is protected by an annotation. */
  | { readonly kind: 'Protected'; readonly annotation: string }
  | { readonly kind: 'Unreadable'; readonly what: string }
  /** The removal markers are not this drain's: taken off, another drain's, or of another autoscaler. */
  | { readonly kind: 'MarkersRemoved' | 'TakenOver' | 'OtherAutoscaler' }
  | { readonly kind: 'DecisionTooOld'; readonly age: DurationMs }
  | { readonly kind: 'GroupGone'; readonly group: GroupName }
  | { readonly kind: 'GroupAtMinimum'; readonly group: GroupName; readonly min: number }
  /** A node of a group that is scaled as a whole stays; `null`: no drain of the other node was begun. */
  | { readonly kind: 'PartStays'; readonly node: NodeName | null }
  /** By a drain rule. */
  | { readonly kind: 'PodBlocks'; readonly reason: BlockingReason; readonly message: string }
  | { readonly kind: 'PodMustComplete' | 'PodArrived' }
  /** `trouble`: the last answer of the API server or the cloud; `null` where there was none. */
  | { readonly kind: 'TaintNotSeen' | 'TerminationRefused' | 'TerminationUnanswered'; readonly trouble: string | null }
  | { readonly kind: 'InstanceUnknown' | 'TerminationNotSeen' }
  | { readonly kind: 'PodNotEvicted'; readonly after: DurationMs; readonly refusal: string | null }
  | { readonly kind: 'PodStillThere' | 'NodeNotEmpty' | 'TimeUp'; readonly after: DurationMs }
  /** `pause`: in words. */
  | { readonly kind: 'Paused'; readonly pause: string }
  | { readonly kind: 'Unobservable'; readonly after: DurationMs; readonly trouble: string }
  | { readonly kind: 'TooLargeToStore'; readonly pods: number };
