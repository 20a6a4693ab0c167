import type { GroupName, InstanceId, NodeName, PodKey } from '@outrigger/core/model/values/names.ts';
import type { Pod } from '@outrigger/core/model/cluster/pod.ts';
import type { Taint } from '@outrigger/core/model/cluster/node.ts';
import type { NoticeKind } from '@outrigger/core/model/notice.ts';
import type { EpochMs } from '@outrigger/core/model/values/time.ts';

/** An event of the simulated world. */
export type WorldEvent = { readonly at: EpochMs } & EventContent;

/** A type for each kind, so that the kind determines the type. */
type Of<Kind extends string, Fields> = Kind extends string ? { readonly kind: Kind } & Fields : never;

export interface OfPod {
  readonly pod: PodKey;
  /** The workload of the pod, as `namespace/name`. */
  readonly workload: string;
}

export interface OfInstance {
  readonly group: GroupName;
  readonly instance: InstanceId;
  readonly zone: string;
}

/** An event of AWS about instances, which may be of any cluster. */
export interface AnnouncementEvent {
  /** ID of the event: an event that is delivered twice has the same ID. */
  readonly id: string;
  readonly what: Exclude<NoticeKind, 'LifecycleHook'>;
  readonly instances: readonly InstanceId[];
  /** When it happened; the event may come later. */
  readonly time: EpochMs;
  /** When the instances end; `null`: the event does not say. */
  readonly endsAt: EpochMs | null;
}

export type EventContent =
  | Of<'PodCreated' | 'PodFinished' | 'PodDeleted', OfPod>
  /** A pod without a controller is deleted or on its way out: none is made in its place. */
  | Of<'PodLost', OfPod>
  /** The first time that the scheduler finds no node for a pod; `message` is the scheduler's. */
  | Of<'PodUnschedulable', OfPod & { readonly message: string }>
  | Of<'PodBound' | 'PodRunning' | 'PodEvicted', OfPod & { readonly node: NodeName }>
  /** The pod's node has not been ready for five minutes: the taint eviction controller deletes the pod. */
  | Of<'PodTakenAway', OfPod & { readonly node: NodeName }>
  /** The scheduler deletes it, so that the pod `by`, of a higher priority, has room on its node. */
  | Of<'PodPreempted', OfPod & { readonly node: NodeName; readonly by: PodKey }>
  /** A PodDisruptionBudget does not allow an eviction at present, or several cover the pod, which none can leave then. */
  | Of<'EvictionRefused', OfPod & { readonly node: NodeName; readonly budget: string }>
  /** A taint of an unneeded node, or of one being removed, is added or removed. */
  | Of<'NodeTainted' | 'NodeUntainted', { readonly node: NodeName; readonly taint: Taint }>
  /** The device plugin has started on the node: it has the devices of its group. */
  | Of<'DevicesAnnounced', { readonly node: NodeName }>
  | Of<'SizeSet', { readonly group: GroupName; readonly from: number; readonly to: number }>
  | Of<'LaunchFailed', { readonly group: GroupName; readonly code: string; readonly message: string }>
  | Of<'InstanceLaunched', OfInstance>
  /** The termination of this instance was requested; with `decrement` its group's size is lowered with it, at once. */
  | Of<'InstanceTerminated', OfInstance & { readonly node: NodeName | null; readonly decrement: boolean }>
  /** Outrigger has taken back a lower size: this instance, whose termination was requested with it, stays. */
  | Of<'TerminationUndone', OfInstance>
  /**
   * Another client has removed the mark of this instance: an unmarked instance was ended instead, and this instance
   * stays.
   */
  | Of<'TerminationMissed', OfInstance>
  /** Another client has removed the mark of this instance. */
  | Of<'MarkLost', OfInstance>
  /** The API server of a management cluster has refused a change that was made for an earlier version of its object. */
  | Of<'Conflict', { readonly path: string }>
  /** Another client has set a group's size or its bounds, paused or resumed it, deleted or created it. */
  | Of<'SizeSetElsewhere', { readonly group: GroupName; readonly from: number; readonly to: number }>
  | Of<'Announced', AnnouncementEvent>
  /** The instance's group ends it; before its end, the instance waits for this lifecycle hook. */
  | Of<'HookWaits', OfInstance & { readonly node: NodeName | null; readonly hook: string; readonly token: string }>
  | Of<
      'HookEnded',
      OfInstance & {
        readonly node: NodeName | null;
        readonly hook: string;
        readonly token: string;
        readonly how: 'completed' | 'timed out';
      }
    >
  /** EC2 begins to shut an instance down, and announces that. */
  | Of<'InstanceStopping', OfInstance>
  | Of<'PausedElsewhere' | 'ResumedElsewhere' | 'GroupDeleted' | 'GroupCreated', { readonly group: GroupName }>
  /** Another client has taken the tags of discovery off a group, or has put them on again. */
  | Of<'Untagged' | 'Tagged', { readonly group: GroupName }>
  /** Another client has given a group another version of its launch template. */
  | Of<'TemplateChanged', { readonly group: GroupName; readonly version: number }>
  /** Another client has protected the instances of a group from scale-in, or has taken that back. */
  | Of<'Protected' | 'Unprotected', { readonly group: GroupName }>
  | Of<'VolumeAttached' | 'VolumeDetached', { readonly volume: string; readonly node: NodeName }>
  /** Another client has put an instance into Standby, or back into service. */
  | Of<'StandbyEntered' | 'StandbyLeft', OfInstance>
  | Of<'BoundsSetElsewhere', { readonly group: GroupName; readonly minSize: number; readonly maxSize: number }>
  /** Another client has suspended a process of Auto Scaling other than Launch, or resumed it. */
  | Of<'ProcessSuspended' | 'ProcessResumed', { readonly group: GroupName; readonly process: string }>
  /** EC2 has ended an instance, and its group shows it as before, since it may not look or may not act. */
  | Of<'InstanceUnnoticed', OfInstance>
  /** A launched instance waits for a launching lifecycle hook of another tool, which begins the wait anew, or ends it or the instance. */
  | Of<'LaunchWaits' | 'LaunchHeartbeat' | 'LaunchContinued' | 'LaunchAbandoned', OfInstance>
  /** Another client has added a terminating lifecycle hook of its own to a group, or has removed it. */
  | Of<'HookAdded' | 'HookRemoved', { readonly group: GroupName; readonly hook: string }>
  /** An instance of the warm pool joins its group in place of a new one. */
  | Of<'WarmInstanceTaken', OfInstance>
  /** An instance that its group has ended is stopped, and waits in the warm pool. */
  | Of<'ReturnedToWarmPool', OfInstance>
  /** Auto Scaling has launched an instance in another zone, and terminates this one in its place. */
  | Of<'ZonesBalanced', OfInstance>
  | Of<'NodeRegistered' | 'NodeReady' | 'NodeGone', OfInstance & { readonly node: NodeName }>;

/** Reports an event with its time. */
export type Emit = (happening: EventContent) => void;

/** Reports events of pods on nodes, whose fields `aboutBound` gives. */
export interface BoundPodEvents {
  readonly emit: Emit;
  readonly aboutBound: (pod: Pod) => OfPod & { readonly node: NodeName };
}
