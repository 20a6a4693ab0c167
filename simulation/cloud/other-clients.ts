import { getExisting } from '@outrigger/core/model/values/existing.ts';
import type { GroupName, InstanceId } from '@outrigger/core/model/values/names.ts';
import type { LifecycleHook } from './hooks.ts';
import { type Cloud, areZonesUneven } from './group-view.ts';
import {
  type OtherProcess,
  NOTICING,
  type LaunchHook,
  type GroupState,
  type CloudState,
  isThere,
  instanceNamed,
  aboutInstance,
  noted,
  members,
  emptiestFirst,
  leastMissed,
  mayShrink,
  isUp,
} from './group-state.ts';
import { reconcileSoon, launch, boot, join, terminate, shutDown, failInstance } from './instances.ts';

/** A change of a group by another client, within the group's bounds or with new bounds. */
interface ChangeElsewhere {
  readonly desired?: number;
  readonly minSize?: number;
  readonly maxSize?: number;
}

/** Changes of groups and instances by clients other than Outrigger, and by Auto Scaling for reasons of its own. */
export interface OtherClients extends Pick<Cloud, 'changeTemplate'> {
  /** Another client changes a group's size or its bounds; the size is kept within them, as UpdateAutoScalingGroup does. */
  readonly setElsewhere: (group: GroupName, change: ChangeElsewhere) => void;
  /** Another client suspends the process Launch of a group, or resumes it. */
  readonly setSuspended: (group: GroupName, suspended: boolean) => void;
  /** Another client suspends another process of a group, or resumes it. */
  readonly setProcess: (group: GroupName, process: OtherProcess, suspended: boolean) => void;
  /** Another client gives a group a launching lifecycle hook, or takes it away. */
  readonly setLaunchHook: (group: GroupName, hook: LaunchHook | null) => void;
  /** Another client adds a terminating lifecycle hook to a group. */
  readonly addHook: (group: GroupName, hook: LifecycleHook) => void;
  /** Takes it away again: instances that wait for it go on waiting. */
  readonly removeHook: (group: GroupName, hook: string) => void;
  /** Another client removes the tags of discovery from a group, or adds them again. */
  readonly setTagged: (group: GroupName, tagged: boolean) => void;
  /**
   * Another client puts an instance into Standby: its node serves on, and the group does not count it.
   *
   * @param decrement lower the size with it; otherwise the group launches another instance in its place
   * @returns `false`: the instance does not run, or the group is at its minimum.
   */
  readonly enterStandby: (instance: InstanceId, decrement: boolean) => boolean;
  /** Ends that: the size rises by one; an instance that its group has no room for is terminated. */
  readonly exitStandby: (instance: InstanceId) => void;
  /** Another client protects the instances of a group from scale-in, or takes that back. */
  readonly setProtected: (group: GroupName, isProtected: boolean) => void;
  /** An instance that is late becomes a node now, unless it is one or has ended. */
  readonly register: (instance: InstanceId) => void;
  /**
   * Auto Scaling balances the zones of a group: it launches an instance in the emptiest one, beyond the size, and terminates
   * one of the fullest zone `after` milliseconds later.
   *
   * @returns `false`: no zone has two instances more than another, or the emptiest one has no capacity.
   */
  readonly rebalance: (group: GroupName, after: number) => boolean;
  /** Another client deletes a group, with its instances. */
  readonly remove: (group: GroupName) => void;
  /** Another client creates a group of the options that is not there, or not any more. */
  readonly create: (group: GroupName) => void;
}

/** Changes by other clients. The fault simulation alone makes them. */
export function otherClients(cloud: CloudState): OtherClients {
  const one = (name: GroupName): GroupState => getExisting(cloud.managed, name);
  return {
    setElsewhere: (name, change) => setElsewhere(cloud, one(name), change),
    setSuspended: (name, suspended) => setSuspended(cloud, one(name), suspended),
    setProcess: (name, process, suspended) => setProcess(cloud, one(name), process, suspended),
    setLaunchHook: (name, hook) => {
      one(name).launchHook = hook;
    },
    addHook: (name, hook) => addHook(cloud, one(name), hook),
    removeHook: (name, hook) => removeHook(cloud, one(name), hook),
    setTagged: (name, tagged) => setTagged(cloud, one(name), tagged),
    changeTemplate: (name) => changeTemplate(cloud, one(name)),
    enterStandby: (id, decrement) => enterStandby(cloud, id, decrement),
    exitStandby: (id) => exitStandby(cloud, id),
    setProtected: (name, isProtected) => setProtected(cloud, one(name), isProtected),
    register: (id) => {
      const [group, instance] = instanceNamed(cloud, id);
      if (group !== undefined && instance !== undefined && isUp(instance) && instance.node === null) {
        join(cloud, group, instance, true);
      }
    },
    rebalance: (name, after) => rebalance(cloud, one(name), after),
    remove: (name) => remove(cloud, one(name)),
    create: (name) => create(cloud, one(name)),
  };
}

/** Sets what another client says, with a size within the bounds. */
function setElsewhere(cloud: CloudState, one: GroupState, change: ChangeElsewhere): void {
  const { name, minSize: min, maxSize: max } = one.group;
  const { minSize = min, maxSize = max } = change;
  if (minSize !== min || maxSize !== max) {
    one.group = { ...one.group, minSize, maxSize };
    cloud.emit({ kind: 'BoundsSetElsewhere', group: name, minSize, maxSize });
  }
  resizeElsewhere(cloud, one, Math.min(maxSize, Math.max(minSize, change.desired ?? one.desired)));
}

function resizeElsewhere(cloud: CloudState, one: GroupState, desired: number): void {
  if (desired !== one.desired) {
    cloud.emit({ kind: 'SizeSetElsewhere', group: one.group.name, from: one.desired, to: desired });
    one.desired = desired;
  }
  noted(one);
  reconcileSoon(cloud, one);
}

function setSuspended(cloud: CloudState, one: GroupState, suspended: boolean): void {
  cloud.emit({ kind: suspended ? 'PausedElsewhere' : 'ResumedElsewhere', group: one.group.name });
  one.suspended = suspended;
  noted(one);
  reconcileSoon(cloud, one);
}

function setProcess(cloud: CloudState, one: GroupState, process: OtherProcess, suspended: boolean): void {
  const { otherwise, instances } = one;
  cloud.emit({ kind: suspended ? 'ProcessSuspended' : 'ProcessResumed', group: one.group.name, process });
  if (suspended) {
    otherwise.add(process);
    return;
  }
  otherwise.delete(process);
  if (!NOTICING.some((other) => otherwise.has(other))) {
    instances
      .values()
      .filter(({ unnoticed, state }) => unnoticed && state !== 'Deleting')
      .forEach((instance) => instances.delete(instance.id));
    noted(one);
  }
  reconcileSoon(cloud, one);
}

function addHook(cloud: CloudState, one: GroupState, hook: LifecycleHook): void {
  cloud.emit({ kind: 'HookAdded', group: one.group.name, hook: hook.name });
  one.group = { ...one.group, hooks: [...(one.group.hooks ?? []), hook] };
  noted(one);
}

function removeHook(cloud: CloudState, one: GroupState, name: string): void {
  cloud.emit({ kind: 'HookRemoved', group: one.group.name, hook: name });
  one.group = { ...one.group, hooks: (one.group.hooks ?? []).filter((hook) => hook.name !== name) };
  noted(one);
}

function setTagged(cloud: CloudState, one: GroupState, tagged: boolean): void {
  cloud.emit({ kind: tagged ? 'Tagged' : 'Untagged', group: one.group.name });
  one.untagged = !tagged;
  noted(one);
}

function changeTemplate(cloud: CloudState, one: GroupState): void {
  one.version += 1;
  cloud.emit({ kind: 'TemplateChanged', group: one.group.name, version: one.version });
  noted(one);
}

function setProtected(cloud: CloudState, one: GroupState, isProtected: boolean): void {
  cloud.emit({ kind: isProtected ? 'Protected' : 'Unprotected', group: one.group.name });
  one.isProtected = isProtected;
  noted(one);
  reconcileSoon(cloud, one);
}

function enterStandby(cloud: CloudState, id: InstanceId, decrement: boolean): boolean {
  const [one, instance] = instanceNamed(cloud, id);
  if (
    one === undefined ||
    instance?.state !== 'Running' ||
    instance.aside ||
    instance.unnoticed ||
    (decrement && one.desired <= one.group.minSize)
  ) {
    return false;
  }
  instance.aside = true;
  cloud.emit({ kind: 'StandbyEntered', ...aboutInstance(one, instance) });
  resizeElsewhere(cloud, one, one.desired - Number(decrement));
  return true;
}

function exitStandby(cloud: CloudState, id: InstanceId): void {
  const [one, instance] = instanceNamed(cloud, id);
  if (one === undefined || instance === undefined || instance.state === 'Deleting' || !instance.aside) {
    return;
  }
  if (one.desired >= one.group.maxSize) {
    failInstance(cloud, id);
    return;
  }
  instance.aside = false;
  cloud.emit({ kind: 'StandbyLeft', ...aboutInstance(one, instance) });
  resizeElsewhere(cloud, one, one.desired + 1);
}

function rebalance(cloud: CloudState, one: GroupState, after: number): boolean {
  const { group } = one;
  const [emptiest] = emptiestFirst(one);
  if (
    one.otherwise.has('AZRebalance') ||
    one.suspended ||
    !areZonesUneven(one.history.ago(0)) ||
    cloud.faults.launch({ group, zone: emptiest! }) !== null
  ) {
    return false;
  }
  one.surplus += 1;
  const added = launch(cloud, one, emptiest!);
  noted(one);
  cloud.emit({ kind: 'InstanceLaunched', ...aboutInstance(one, added) });
  boot(cloud, one, added);
  cloud.clock.after(after, () => {
    one.surplus -= 1;
    if (isThere(one) && mayShrink(one) && members(one).length > one.desired + one.surplus) {
      // All others may have gone meanwhile.
      const ended = leastMissed(one, members(one).length > 1 ? added.id : undefined);
      cloud.emit({ kind: 'ZonesBalanced', ...aboutInstance(one, ended) });
      terminate(cloud, one, ended);
      reconcileSoon(cloud, one);
    }
  });
  return true;
}

function remove(cloud: CloudState, one: GroupState): void {
  one.next?.cancel();
  one.next = null;
  one.error = null;
  one.presence.note(false);
  cloud.emit({ kind: 'GroupDeleted', group: one.group.name });
  // Nothing is waited for: no lifecycle hook.
  for (const instance of one.instances.values()) {
    if (instance.state !== 'Deleting' || cloud.hooks.forget(instance.id)) {
      shutDown(cloud, one, instance);
    }
  }
}

function create(cloud: CloudState, one: GroupState): void {
  const { desiredSize, minSize, maxSize } = one.group;
  one.desired = Math.min(maxSize, Math.max(minSize, desiredSize));
  one.suspended = false;
  one.otherwise.clear();
  one.launchHook = null;
  one.untagged = false;
  one.isProtected = false;
  noted(one);
  one.presence.note(true);
  cloud.emit({ kind: 'GroupCreated', group: one.group.name });
  reconcileSoon(cloud, one);
}
