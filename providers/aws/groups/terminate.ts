import { type AutoScalingClient, TerminateInstanceInAutoScalingGroupCommand } from '@aws-sdk/client-auto-scaling';
import type { InstanceId } from '@outrigger/core/model/values/names.ts';
import type { TerminateOutcome } from '@outrigger/core/model/answers.ts';
import { abortable } from '../api/clients.ts';
import type { ReadGroup } from './discovery.ts';
import { goneOrFailed } from '../api/failures.ts';
import { stateInGroup } from './instances.ts';

interface TerminationCalls {
  readonly autoScaling: AutoScalingClient;
  readonly readGroup: ReadGroup;
  /** Makes a call when it is its turn. */
  readonly inTurn: <T>(call: () => Promise<T>) => Promise<T>;
}

/** An instance to be terminated. */
interface InstanceTermination {
  readonly group: string;
  readonly id: InstanceId;
  /** Lower the desired capacity with it; otherwise Auto Scaling replaces the instance. */
  readonly decrement: boolean;
}

/**
 * Terminates one instance of a group. The group is read first: an instance that is not a member or is terminating counts
 * as gone, so a second call does no harm. An instance in Standby is not a member.
 */
export async function terminateInstance(
  { autoScaling, readGroup, inTurn }: TerminationCalls,
  { group, id, decrement }: InstanceTermination,
  signal?: AbortSignal,
): Promise<TerminateOutcome> {
  try {
    const found = await readGroup(group, signal);
    const member = found?.members.find((one) => one.id === id);
    if (stateInGroup(member) !== 'in group') {
      return { kind: 'gone' };
    }
    const command = new TerminateInstanceInAutoScalingGroupCommand({
      InstanceId: id,
      ShouldDecrementDesiredCapacity: decrement,
    });
    await inTurn(() => autoScaling.send(command, abortable(signal)));
    return { kind: 'terminated' };
  } catch (error) {
    return goneOrFailed(error, GONE);
  }
}

/** Auto Scaling's errors for an instance that was terminated between the two calls. */
const GONE = /not found|not in (?:a )?valid state|is not part of/i;
