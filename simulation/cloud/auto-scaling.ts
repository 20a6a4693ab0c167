import { firstItem, getExisting } from '@outrigger/core/model/values/existing.ts';
import type { GroupName, InstanceId } from '@outrigger/core/model/values/names.ts';
import type { GroupSize } from '@outrigger/core/model/node-group.ts';
import type { CallFailed, HookOutcome, SetSizeOutcome, TerminateOutcome } from '@outrigger/core/model/answers.ts';
import type { TerminationHook } from '@outrigger/core/model/notice.ts';
import { createHookWaits } from './hooks.ts';
import type { AnnouncementEvent } from '../world-event.ts';
import type { Cloud } from './group-view.ts';
import {
  type AutoScalingOptions,
  type GroupState,
  type CloudState,
  newGroup,
  isThere,
  instanceNamed,
  aboutInstance,
  noted,
  emptiestFirst,
} from './group-state.ts';
import { reconcileSoon, launch, register, terminate, failInstance, fillWarmPool } from './instances.ts';
import { type OtherClients, otherClients } from './other-clients.ts';

/** Simulates EC2 Auto Scaling and its instances: sizes, launches, boot, registration as nodes, terminations. */
export interface AutoScaling extends Cloud, OtherClients {
  readonly sizeOf: (group: GroupName, ago?: number) => GroupSize | null;
  readonly setDesired: (group: GroupName, size: number) => SetSizeOutcome;
  /** Terminates an instance of a group; with `decrement` it is not replaced. */
  readonly terminate: (group: GroupName, instance: InstanceId, decrement: boolean) => TerminateOutcome;
  /** The group ends an instance for a reason of its own, after its lifecycle hooks, and replaces it. */
  readonly replaceElsewhere: (instance: InstanceId) => void;
  /** AWS announces something about instances, whosever these are. Nothing comes of it by itself. */
  readonly announce: (announcement: AnnouncementEvent) => void;
  readonly completeHook: (instance: InstanceId, hook: TerminationHook) => HookOutcome;
  readonly heartbeat: (instance: InstanceId, hook: TerminationHook) => HookOutcome;
}

/** Starts the groups, with their first nodes in place and ready. */
export function startAutoScaling({ groups, seed, later, ...around }: AutoScalingOptions): AutoScaling {
  const managed = new Map(
    groups.map((group) => [group.name, newGroup(group, seed, around.clock, !later.has(group.name))]),
  );
  const hooks = createHookWaits(around.clock, around.emit);
  const cloud: CloudState = { ...around, managed, hooks, addresses: 0, freed: new Set() };
  for (const one of managed.values().filter(isThere)) {
    for (let i = 0; i < one.desired; i++) {
      const instance = launch(cloud, one, firstItem(emptiestFirst(one)));
      cloud.api.putNode(register(cloud, one, instance));
    }
    fillWarmPool(cloud, one, Number.POSITIVE_INFINITY);
  }
  return {
    groups: (ago = 0) =>
      [...managed.values()].filter(({ presence }) => presence.ago(ago)).map(({ history }) => history.ago(ago)),
    sizeOf: (name, ago = 0) => sizeOf(managed.get(name), ago),
    setDesired: (name, size) => setDesired(cloud, name, size),
    terminate: (name, id, decrement) => terminateAsAsked(cloud, name, id, decrement),
    setAvailable: (name, available) => {
      getExisting(managed, name).available = available;
    },
    fail: (id) => failInstance(cloud, id),
    replaceElsewhere: (id) => replaceElsewhere(cloud, id),
    announce: (announcement) => cloud.emit({ kind: 'Announced', ...announcement }),
    completeHook: (id, { name, token }) => hooks.complete(id, name, token),
    heartbeat: (id, { name, token }) => hooks.heartbeat(id, name, token),
    ...otherClients(cloud),
  };
}

function sizeOf(one: GroupState | undefined, ago: number): GroupSize | null {
  if (one?.presence.ago(ago) !== true) {
    return null;
  }
  const { desired, instances, group } = one.history.ago(ago);
  const held = instances.filter(({ state }) => state !== 'Deleting').length;
  return { min: group.minSize, max: group.maxSize, target: desired, held };
}

function setDesired(cloud: CloudState, name: GroupName, size: number): SetSizeOutcome {
  const one = cloud.managed.get(name);
  if (one === undefined || !isThere(one)) {
    return failed('AutoScalingGroup name not found');
  }
  const { minSize, maxSize } = one.group;
  if (size < minSize) {
    return failed(`New SetDesiredCapacity value ${size} is below min value ${minSize} for the AutoScalingGroup.`);
  }
  if (size > maxSize) {
    return failed(`New SetDesiredCapacity value ${size} is above max value ${maxSize} for the AutoScalingGroup.`);
  }
  cloud.emit({ kind: 'SizeSet', group: name, from: one.desired, to: size });
  one.desired = size;
  noted(one);
  reconcileSoon(cloud, one);
  return { kind: 'set' };
}

function terminateAsAsked(cloud: CloudState, name: GroupName, id: InstanceId, decrement: boolean): TerminateOutcome {
  const one = cloud.managed.get(name);
  const instance = one?.instances.get(id);
  if (one === undefined || instance === undefined || !isThere(one) || instance.state === 'Deleting' || instance.aside) {
    return { kind: 'gone' };
  }
  if (decrement && one.desired <= one.group.minSize) {
    return failed(
      `Currently, desiredSize equals minSize (${one.group.minSize}). Terminating instance without replacement will violate group's min size constraint.`,
    );
  }
  cloud.emit({ kind: 'InstanceTerminated', ...aboutInstance(one, instance), node: instance.node, decrement });
  if (decrement) {
    cloud.emit({ kind: 'SizeSet', group: name, from: one.desired, to: one.desired - 1 });
    one.desired -= 1;
  }
  terminate(cloud, one, instance, decrement);
  reconcileSoon(cloud, one);
  return { kind: 'terminated' };
}

function replaceElsewhere(cloud: CloudState, id: InstanceId): void {
  const [one, instance] = instanceNamed(cloud, id);
  if (one !== undefined && instance !== undefined && instance.state !== 'Deleting') {
    terminate(cloud, one, instance);
    reconcileSoon(cloud, one);
  }
}

const failed = (message: string): CallFailed => ({
  kind: 'failed',
  class: 'Configuration',
  code: 'ValidationError',
  message,
});
