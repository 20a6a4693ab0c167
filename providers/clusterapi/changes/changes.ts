import { setTimeout } from 'node:timers/promises';
import type { CallFailed } from '@outrigger/core/model/answers.ts';
import type { GroupName } from '@outrigger/core/model/values/names.ts';
import type { EpochMs } from '@outrigger/core/model/values/time.ts';
import type { NodeGroups } from '@outrigger/core/ports/node-groups.ts';
import type { Warn } from '../../node-groups/warnings.ts';
import { type ChangedManagementCluster, accessTo } from './group-of-cluster.ts';
import { machineFailure, refusedChange } from './outcomes.ts';
import { setMachineSize } from './resize.ts';
import { terminateMachine, withdrawTermination } from './terminate.ts';

interface Time {
  readonly now: () => EpochMs;
  readonly sleep?: (ms: number, signal?: AbortSignal) => Promise<void>;
  readonly warn: Warn;
}

/** The changes to the groups of a management cluster. */
export function createChanges(
  management: ChangedManagementCluster,
  { now, warn, sleep = pause }: Time,
): Pick<NodeGroups, 'setSize' | 'terminate' | 'withdrawTermination'> {
  const rules = { apiGroup: management.apiGroup, keys: management.rules.keys };
  return {
    setSize: (name, size, signal) =>
      attempted(async () => {
        const access = await accessTo(management, name, signal);
        return access === null ? notThere(name) : await setMachineSize(access, size, notThere(name), signal);
      }, signal),

    terminate: (name, instance, decrement, signal) =>
      attempted(async () => {
        const access = await accessTo(management, name, signal);
        return access === null
          ? { kind: 'gone' }
          : await terminateMachine({ access, rules, now, sleep, warn }, instance, decrement, signal);
      }, signal),

    withdrawTermination: (name, instance, signal) =>
      attempted(async () => {
        const access = await accessTo(management, name, signal);
        return access === null
          ? { kind: 'withdrawn' }
          : await withdrawTermination({ access, rules, now, sleep, warn }, instance, signal);
      }, signal),
  };
}

/** A failure before a change is begun, as an outcome. */
async function attempted<T>(change: () => Promise<T>, signal?: AbortSignal): Promise<T | CallFailed> {
  try {
    return await change();
  } catch (error) {
    signal?.throwIfAborted();
    const failure = machineFailure(error);
    if (failure === null) {
      throw error;
    }
    return failure;
  }
}

const notThere = (name: GroupName): CallFailed =>
  refusedChange('GroupGone', `there is no node group ${name} with bounds in the management cluster`);

const pause = async (ms: number, signal?: AbortSignal): Promise<void> => {
  await setTimeout(ms, undefined, signal === undefined ? {} : { signal });
};
