import type { HookOutcome } from '../model/answers.ts';
import type { TerminationHook } from '../model/notice.ts';
import type { GroupName, InstanceId } from '../model/values/names.ts';

/** Instances that the cloud is about to end. */
export interface Terminations {
  /**
   * The groups of the cluster that have these instances, including groups that are no node groups at present: their
   * notices are answered once they are. An instance of another cluster's group, or of none, is left out.
   */
  groupsOf(instances: readonly InstanceId[], signal?: AbortSignal): Promise<ReadonlyMap<InstanceId, GroupName>>;
  /** Has the cloud end an instance that waits for a terminating lifecycle hook. */
  completeHook(
    group: GroupName,
    instance: InstanceId,
    hook: TerminationHook,
    signal?: AbortSignal,
  ): Promise<HookOutcome>;
  /** Has the cloud wait for another heartbeat timeout of the hook. */
  heartbeat(group: GroupName, instance: InstanceId, hook: TerminationHook, signal?: AbortSignal): Promise<HookOutcome>;
}
