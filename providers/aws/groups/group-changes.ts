import { type AutoScalingClient, SetDesiredCapacityCommand } from '@aws-sdk/client-auto-scaling';
import type { Discovery } from '@outrigger/core/model/discovery.ts';
import type { GroupSize } from '@outrigger/core/model/node-group.ts';
import { itemAt } from '@outrigger/core/model/values/existing.ts';
import type { ClusterName, GroupName } from '@outrigger/core/model/values/names.ts';
import { mapOptional } from '@outrigger/core/model/values/optional.ts';
import type { NodeGroupChanges } from '@outrigger/core/ports/node-groups.ts';
import { callFailed } from '../api/call-problem.ts';
import { abortable } from '../api/clients.ts';
import { failureOrThrow } from '../api/failures.ts';
import { createGroupReads, type ReadGroup } from './discovery.ts';
import { stateInGroup } from './instances.ts';
import { gone, held, refusedGroupSize } from './resize.ts';
import type { ScalingGroup } from './scaling-group.ts';
import { terminateInstance } from './terminate.ts';

interface ChangesOptions {
  readonly client: AutoScalingClient;
  readonly cluster: ClusterName;
  readonly discovery: Discovery;
}

/** Instances that are terminated at the same time: each is a call, and AWS limits the rate of an account. */
const TERMINATIONS = 8;

/** Changes to the Auto Scaling groups of one cluster. A group that is not discovered does not exist. */
export function createGroupChanges({ client, cluster, discovery }: ChangesOptions): NodeGroupChanges {
  const readGroup = createGroupReads(client, discovery);
  const terminationCalls = { autoScaling: client, readGroup, inTurn: inTurns() };
  const describe = async (name: GroupName, signal?: AbortSignal): Promise<ScalingGroup | null> => {
    try {
      return await readGroup(name, signal);
    } catch (error) {
      throw callFailed(`DescribeAutoScalingGroups for ${name}`, error);
    }
  };
  return {
    readSize: async (name, signal) => sizeOf(await describe(name, signal)),

    async readInstance(name, instance, signal) {
      const group = await describe(name, signal);
      const member = group?.members.find(({ id }) => id === instance);
      return { state: stateInGroup(member), size: sizeOf(group) };
    },

    setSize: sizeSetter({ client, cluster, readGroup }),

    terminate: (group, id, decrement, signal) => terminateInstance(terminationCalls, { group, id, decrement }, signal),
  };
}

const sizeOf = (given: ScalingGroup | null): GroupSize | null =>
  mapOptional(given, (group) => ({ min: group.min, max: group.max, target: group.desired, held: held(group) }));

/** Runs calls in order, at most `TERMINATIONS` of them at the same time. */
function inTurns(): <T>(call: () => Promise<T>) => Promise<T> {
  const turns: Promise<unknown>[] = Array.from({ length: TERMINATIONS }, async () => {});
  let asked = 0;
  return (call) => {
    const turn = asked++ % TERMINATIONS;
    const result = itemAt(turns, turn).then(call);
    turns[turn] = result.catch(() => {});
    return result;
  };
}

interface SizeCalls {
  readonly client: AutoScalingClient;
  readonly cluster: ClusterName;
  readonly readGroup: ReadGroup;
}

const sizeSetter =
  ({ client, cluster, readGroup }: SizeCalls): NodeGroupChanges['setSize'] =>
  async (name, size, signal) => {
    try {
      const group = await readGroup(name, signal);
      const refusal = group === null ? gone(name, cluster) : refusedGroupSize(group, size);
      if (refusal !== null) {
        return refusal;
      }
      await client.send(
        // Without `HonorCooldown`: the cooldown is for Auto Scaling's own policies and would make this call fail.
        new SetDesiredCapacityCommand({ AutoScalingGroupName: name, DesiredCapacity: size, HonorCooldown: false }),
        abortable(signal),
      );
      return { kind: 'set' };
    } catch (error) {
      return { kind: 'failed', ...failureOrThrow(error) };
    }
  };
