import type { GroupAccess } from './group-access.ts';
import { setTimeout } from 'node:timers/promises';
import type { CallFailed, SetSizeOutcome, TerminateOutcome, WithdrawOutcome } from '@outrigger/core/model/answers.ts';
import { type GroupSize, heldInstances, type Instance, type InstanceView } from '@outrigger/core/model/node-group.ts';
import { mapOptional } from '@outrigger/core/model/values/optional.ts';
import type { GroupName } from '@outrigger/core/model/values/names.ts';
import type { EpochMs } from '@outrigger/core/model/values/time.ts';
import type { NodeGroupChanges } from '@outrigger/core/ports/node-groups.ts';
import type { Warn } from '../../node-groups/warnings.ts';
import type { Group } from '../groups/group.ts';
import { instancesOf } from '../groups/instances.ts';
import { readGroup } from '../groups/inventory.ts';
import type { MatchedNodes } from '../groups/node-matching.ts';
import { type ChangedManagementCluster, accessTo } from './group-of-cluster.ts';
import { machineFailure, refusedChange } from './outcomes.ts';
import { setMachineSize } from './resize.ts';
import { terminateMachine, withdrawTermination } from './terminate.ts';
import { present } from '@outrigger/core/model/values/present.ts';

interface Time {
  readonly now: () => EpochMs;
  readonly sleep?: (ms: number, signal?: AbortSignal) => Promise<void>;
  readonly warn: Warn;
}

/** The changes to the groups of a management cluster. */
export function createChanges(
  management: ChangedManagementCluster,
  { now, warn, sleep = pause }: Time,
): NodeGroupChanges {
  const rules = { apiGroup: management.apiGroup, keys: management.rules.keys };
  /** @param gone the outcome where there are no groups. A failure before the change is begun is an outcome, too. */
  const changeGroup = async <T>(
    name: GroupName,
    gone: T,
    change: (access: GroupAccess) => Promise<T>,
    signal?: AbortSignal,
  ): Promise<T | CallFailed> => {
    try {
      const access = await accessTo(management, name, signal);
      return access === null ? gone : await change(access);
    } catch (error) {
      return machineFailure(error, signal);
    }
  };
  const settings = { rules, now, sleep, warn };
  const readNow = async (name: GroupName, signal?: AbortSignal): Promise<Group | null> =>
    await readGroup(management.api, management.rules, name, signal);
  return {
    readSize: async (name, signal) => mapOptional(await readNow(name, signal), sizeOf),

    async readInstance(name, instance, signal) {
      const group = await readNow(name, signal);
      if (group === null) {
        return { state: 'gone', size: null };
      }
      const found = instancesOf(group, NO_NODES).find(({ id }) => id === instance);
      return { state: mapOptional(found, stateInGroup) ?? 'gone', size: sizeOf(group) };
    },

    setSize: (name, size, signal) =>
      changeGroup<SetSizeOutcome>(
        name,
        notThere(name),
        (access) => setMachineSize(access, size, notThere(name), signal),
        signal,
      ),

    terminate: (name, instance, decrement, signal) =>
      changeGroup<TerminateOutcome>(
        name,
        { kind: 'gone' },
        (access) => terminateMachine({ ...settings, access }, instance, decrement, signal),
        signal,
      ),

    withdrawTermination: (name, instance, signal) =>
      changeGroup<WithdrawOutcome>(
        name,
        { kind: 'withdrawn' },
        (access) => withdrawTermination({ ...settings, access }, instance, signal),
        signal,
      ),
  };
}

const NO_NODES: MatchedNodes['nodes'] = new Map();

const stateInGroup = ({ state }: Instance): InstanceView['state'] => (state === 'Deleting' ? 'ending' : 'in group');

const sizeOf = (group: Group): GroupSize => ({
  ...group.bounds,
  target: group.resource.replicas,
  held: heldInstances({ instances: instancesOf(group, NO_NODES) }).length,
});

const notThere = (name: GroupName): CallFailed =>
  refusedChange('GroupGone', `there is no node group ${name} with bounds in the management cluster`);

const pause = async (ms: number, signal?: AbortSignal): Promise<void> => {
  await setTimeout(ms, undefined, present({ signal }));
};
