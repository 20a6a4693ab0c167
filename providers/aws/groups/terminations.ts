import { getExisting } from '@outrigger/core/model/values/existing.ts';
import {
  type AutoScalingClient,
  CompleteLifecycleActionCommand,
  DescribeAutoScalingInstancesCommand,
  RecordLifecycleActionHeartbeatCommand,
} from '@aws-sdk/client-auto-scaling';
import type { Discovery } from '@outrigger/core/model/discovery.ts';
import { type GroupName, groupName, type InstanceId, instanceId } from '@outrigger/core/model/values/names.ts';
import { type EpochMs, minutes } from '@outrigger/core/model/values/time.ts';
import { ok } from '@outrigger/core/model/values/result.ts';
import type { HookOutcome } from '@outrigger/core/model/answers.ts';
import type { Terminations } from '@outrigger/core/ports/terminations.ts';
import { abortable } from '../api/clients.ts';
import { callFailed } from '../api/call-problem.ts';
import { goneOrFailed } from '../api/failures.ts';
import { createLookup } from '../api/lookup.ts';
import { instanceState } from './instances.ts';
import { groupsNamed } from './membership.ts';
import { chunksOf } from '@outrigger/core/model/values/chunks.ts';

/** Instances per call: the API's maximum. */
const PAGE = 50;
/** For so long a group is taken for the cluster's, or for another's. */
const TTL = minutes(5);

/**
 * Instances that Auto Scaling is about to end. `groupsOf` makes one call for fifty instances, and one for a hundred
 * groups that were not asked about in the last five minutes; it throws when a call fails. Keep the result for the life
 * of the process.
 */
export function createTerminations(
  client: AutoScalingClient,
  cluster: string,
  discovery: Discovery,
  now: () => EpochMs,
): Terminations {
  const discovered = createLookup(
    async (names, signal) => {
      const known = await groupsNamed(client, { cluster, discovery }, names, signal);
      return new Map(names.map((name) => [name, ok(known.has(name))]));
    },
    TTL,
    now,
  );
  return {
    async groupsOf(instances, signal) {
      try {
        const found = await lookUp(client, instances, signal);
        const groups = await discovered.get(
          found.map(([, group]) => group),
          signal,
        );
        const own = found.filter(([, group]) => {
          const answer = getExisting(groups, group);
          if (!answer.ok) {
            throw new Error(`group ${group}: ${answer.error.code}: ${answer.error.message}`);
          }
          return answer.value;
        });
        return new Map(own);
      } catch (error) {
        throw callFailed('DescribeAutoScalingInstances', error);
      }
    },

    completeHook: (group, instance, { name, token }, signal) =>
      outcomeOf(
        client.send(
          new CompleteLifecycleActionCommand({
            AutoScalingGroupName: group,
            InstanceId: instance,
            LifecycleHookName: name,
            LifecycleActionToken: token,
            // The instance is terminated with ABANDON as well, but other hooks of the group are then left out.
            LifecycleActionResult: 'CONTINUE',
          }),
          abortable(signal),
        ),
      ),

    heartbeat: (group, instance, { name, token }, signal) =>
      outcomeOf(
        client.send(
          new RecordLifecycleActionHeartbeatCommand({
            AutoScalingGroupName: group,
            InstanceId: instance,
            LifecycleHookName: name,
            LifecycleActionToken: token,
          }),
          abortable(signal),
        ),
      ),
  };
}

/** The groups of instances, of whatever cluster these are. */
async function lookUp(
  client: AutoScalingClient,
  instances: readonly InstanceId[],
  signal?: AbortSignal,
): Promise<readonly (readonly [InstanceId, GroupName])[]> {
  const found: (readonly [InstanceId, GroupName])[] = [];
  for (const some of chunksOf(instances, PAGE)) {
    const { AutoScalingInstances = [] } = await client.send(
      new DescribeAutoScalingInstancesCommand({ InstanceIds: [...some] }),
      abortable(signal),
    );
    for (const { InstanceId = '', AutoScalingGroupName = '', LifecycleState = '' } of AutoScalingInstances) {
      if (!isInWarmPool(LifecycleState)) {
        found.push([instanceId(InstanceId), groupName(AutoScalingGroupName)]);
      }
    }
  }
  return found;
}

/** Is an instance in a warm pool, or on its way there? An instance that is stopped in the pool may become a node later. */
const isInWarmPool = (state: string): boolean => state.startsWith('Warmed:') && instanceState(state) === null;

/** Auto Scaling's errors for an instance that waits no more, and for a group or a hook that was deleted. */
const GONE = /no active lifecycle action|lifecycle hook .*not found|no lifecycle hook|group .*not found/i;

async function outcomeOf(call: Promise<unknown>): Promise<HookOutcome> {
  try {
    await call;
    return { kind: 'done' };
  } catch (error) {
    return goneOrFailed(error, GONE);
  }
}
