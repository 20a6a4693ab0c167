import { present } from '@outrigger/core/model/values/present.ts';
import { type InstanceId, instanceId, type NodeName, nodeName } from '@outrigger/core/model/values/names.ts';
import type { Node } from '@outrigger/core/model/cluster/node.ts';
import { type Chance, HEX } from '../chance.ts';
import type { Span } from '@outrigger/core/model/values/random.ts';
import { latenessOf } from '../world-faults.ts';
import { asRegistered, becomeReady } from './node-start.ts';
import { simulatedNode } from './scaling-group.ts';
import { type LaunchError, noCapacity } from './group-view.ts';
import {
  NOTICING,
  type CloudInstance,
  type GroupState,
  type CloudState,
  isThere,
  aboutInstance,
  instanceNamed,
  noted,
  members,
  emptiestFirst,
  leastMissed,
  mayShrink,
  isUp,
} from './group-state.ts';

/** From a change of the desired capacity to the launch. */
const LAUNCH: Span = { min: 500, max: 2_500 };

/** From the launch to the instance's state Running. */
const STARTED: Span = { min: 8_000, max: 14_000 };

/** From the termination of an instance to the end of its node. */
const SHUTDOWN: Span = { min: 5_000, max: 20_000 };

/** Time after which the group retries a failed launch. */
const RELAUNCH_MS = 60_000;

/** The part of a wait after which its heartbeat is recorded. */
const HEARTBEAT_AT = 0.75;

/** Reconciles the group as soon after a change of its size or instances as Auto Scaling does. */
export const reconcileSoon = (cloud: CloudState, one: GroupState): void =>
  reconcile(cloud, one, one.chance.within(LAUNCH));

/** Schedules the reconciliation of the group with its desired capacity. */
function reconcile(cloud: CloudState, one: GroupState, delay: number): void {
  one.next?.cancel();
  one.next = cloud.clock.after(delay, () => {
    one.next = null;
    if (!isThere(one)) {
      return;
    }
    while (members(one).length > one.desired + one.surplus && mayShrink(one)) {
      terminate(cloud, one, leastMissed(one), true);
    }
    one.error = null;
    while (members(one).length < one.desired && one.error === null && !one.suspended) {
      launchOrFail(cloud, one);
    }
    noted(one);
    if (one.error !== null) {
      reconcile(cloud, one, RELAUNCH_MS);
    }
  });
}

/** In the emptiest zone with capacity for the group; like Auto Scaling, it tries all zones before it fails. */
function launchOrFail(cloud: CloudState, one: GroupState): void {
  const { group } = one;
  const { emit, faults, clock } = cloud;
  if (takeFromWarmPool(cloud, one)) {
    return;
  }
  let refused: LaunchError | null = null;
  for (const zone of emptiestFirst(one)) {
    const no =
      members(one).length >= one.available ? noCapacity(group.instanceType, zone) : faults.launch({ group, zone });
    if (no === null) {
      one.error = null;
      const instance = launch(cloud, one, zone);
      emit({ kind: 'InstanceLaunched', ...aboutInstance(one, instance) });
      boot(cloud, one, instance);
      return;
    }
    refused ??= { ...no, zone, at: clock.now() };
  }
  one.error = refused!;
  emit({ kind: 'LaunchFailed', group: group.name, code: one.error.code, message: one.error.message });
}

export function launch(cloud: CloudState, one: GroupState, zone: string): CloudInstance {
  const instance = newInstance(cloud, one, newId(one.chance), zone);
  one.instances.set(instance.id, instance);
  return instance;
}

const newId = (chance: Chance): InstanceId => instanceId(`i-0${chance.text(16, HEX)}`);

const newInstance = ({ clock }: CloudState, { version }: GroupState, id: InstanceId, zone: string): CloudInstance => ({
  id,
  zone,
  launchedAt: clock.now(),
  state: 'Creating',
  node: null,
  version,
  aside: false,
  waits: false,
  unnoticed: false,
});

export function boot(cloud: CloudState, one: GroupState, instance: CloudInstance, takes: Span = one.group.boot): void {
  const { clock, faults } = cloud;
  const { group, chance } = one;
  const fate = faults.fate({ group, zone: instance.zone });
  const bootMs = chance.within(takes) + latenessOf(fate);
  awaitLaunchHook(cloud, one, instance);
  clock.after(Math.min(bootMs, chance.within(STARTED)), () => {
    if (instance.state === 'Creating' && !instance.waits) {
      instance.state = 'Running';
      noted(one);
    }
  });
  clock.after(bootMs, () => {
    if (isUp(instance) && fate.kind !== 'silent' && instance.node === null) {
      join(cloud, one, instance, fate.kind !== 'unready');
    }
  });
  if (fate.kind === 'vanishing') {
    clock.after(fate.after, () => failInstance(cloud, instance.id));
  }
}

/** `Pending:Wait`: the instance runs, and is not in service before the hook is completed. */
function awaitLaunchHook(cloud: CloudState, one: GroupState, instance: CloudInstance): void {
  const { launchHook } = one;
  if (launchHook === null) {
    return;
  }
  const about = aboutInstance(one, instance);
  instance.waits = true;
  cloud.emit({ kind: 'LaunchWaits', ...about });
  const isWaiting = (): boolean => instance.waits && instance.state === 'Creating';
  const end = (): void => {
    if (!isWaiting()) {
      return;
    }
    instance.waits = false;
    if (launchHook.result === 'CONTINUE') {
      cloud.emit({ kind: 'LaunchContinued', ...about });
      instance.state = 'Running';
      noted(one);
    } else if (isThere(one)) {
      cloud.emit({ kind: 'LaunchAbandoned', ...about });
      shutDown(cloud, one, instance);
      reconcileSoon(cloud, one);
    }
  };
  const wait = (heartbeats: number): void => {
    if (heartbeats === 0) {
      cloud.clock.after(launchHook.ms, end);
      return;
    }
    cloud.clock.after(launchHook.ms * HEARTBEAT_AT, () => {
      if (isWaiting()) {
        cloud.emit({ kind: 'LaunchHeartbeat', ...about });
        wait(heartbeats - 1);
      }
    });
  };
  wait(launchHook.heartbeats ?? 0);
}

/** The instance's node joins the cluster, and becomes ready later. */
export function join(cloud: CloudState, one: GroupState, instance: CloudInstance, getsReady: boolean): void {
  const { clock, api, emit } = cloud;
  const { group, chance } = one;
  const node = register(cloud, one, instance);
  const about = { ...aboutInstance(one, instance), node: node.name };
  emit({ kind: 'NodeRegistered', ...about });
  api.putNode(asRegistered(node, group, clock));
  becomeReady({ clock, api, emit, chance }, group, { node, about, isUp: () => getsReady && isUp(instance) });
}

/** Assigns the instance the name of a node; returns the node as it is once ready. */
export function register(cloud: CloudState, one: GroupState, instance: CloudInstance): Node {
  const name = instance.host ?? cloud.faults.nodeName([...cloud.freed]) ?? newName(cloud);
  cloud.freed.delete(name);
  instance.node = name;
  instance.state = instance.waits ? 'Creating' : 'Running';
  noted(one);
  return simulatedNode(one.group, instance.zone, name, {
    createdAt: cloud.clock.now(),
    uid: `node-${instance.id}${instance.host === undefined ? '' : `-${cloud.clock.now()}`}`,
    providerId: `aws:///${instance.zone}/${instance.id}`,
  });
}

/** EC2 names hosts by their addresses. */
function newName(cloud: CloudState): NodeName {
  cloud.addresses += 1;
  const { addresses } = cloud;
  return nodeName(`ip-10-0-${Math.floor(addresses / 250)}-${(addresses % 250) + 4}.ec2.internal`);
}

/**
 * The group ends the instance, once its lifecycle hooks let it go.
 *
 * @param isScaleIn the group's size is lowered with it: a warm pool that reuses instances takes it in
 */
export function terminate(cloud: CloudState, one: GroupState, instance: CloudInstance, isScaleIn = false): void {
  const { hooks = [], warmPool } = one.group;
  const end = isScaleIn && warmPool?.reuse === true && !instance.unnoticed ? returnToWarmPool : shutDown;
  instance.state = 'Deleting';
  noted(one);
  const ending = { ...aboutInstance(one, instance), node: instance.node };
  cloud.hooks.wait(ending, hooks, one.chance, () => end(cloud, one, instance));
}

export function shutDown(cloud: CloudState, one: GroupState, instance: CloudInstance): void {
  stop(cloud, one, instance, () => {
    if (instance.node !== null && !instance.unnoticed) {
      cloud.freed.add(instance.node);
    }
  });
}

/** The instance is stopped, and is no node until it is taken from the pool again, which is the sooner the later it came. */
function returnToWarmPool(cloud: CloudState, one: GroupState, instance: CloudInstance): void {
  stop(cloud, one, instance, () => {
    const size = one.group.warmPool?.size ?? 0;
    if (!isThere(one) || size === 0) {
      return;
    }
    one.warm.unshift({ ...instance, ...present({ host: instance.node }), node: null, state: 'Running', aside: true });
    // Instances beyond the pool's size are ended.
    one.warm.splice(size).forEach(({ host }) => {
      if (host !== undefined) {
        cloud.freed.add(host);
      }
    });
    cloud.emit({ kind: 'ReturnedToWarmPool', ...aboutInstance(one, instance) });
    noted(one);
  });
}

function stop(cloud: CloudState, one: GroupState, instance: CloudInstance, stopped: () => void): void {
  instance.state = 'Deleting';
  noted(one);
  if (!instance.unnoticed) {
    announceStop(cloud, one, instance);
  }
  cloud.clock.after(one.chance.within(one.group.shutdown ?? SHUTDOWN), () => {
    one.instances.delete(instance.id);
    noted(one);
    if (!instance.unnoticed) {
      endNode(cloud, one, instance);
    }
    stopped();
  });
}

function announceStop({ emit, announcesStates }: CloudState, one: GroupState, instance: CloudInstance): void {
  if (announcesStates) {
    emit({ kind: 'InstanceStopping', ...aboutInstance(one, instance) });
  }
}

function endNode({ api, emit }: CloudState, one: GroupState, instance: CloudInstance): void {
  const { node } = instance;
  if (node !== null) {
    emit({ kind: 'NodeGone', ...aboutInstance(one, instance), node });
    api.deleteNode(node);
  }
}

/** EC2 ends the instance, and no lifecycle hook keeps it. */
export function failInstance(cloud: CloudState, id: InstanceId): void {
  const [one, instance] = instanceNamed(cloud, id);
  if (one === undefined || instance === undefined || instance.unnoticed) {
    return;
  }
  if (instance.state !== 'Deleting' && !instance.aside && NOTICING.some((process) => one.otherwise.has(process))) {
    goUnnoticed(cloud, one, instance);
  } else if (instance.state !== 'Deleting' || cloud.hooks.forget(id)) {
    shutDown(cloud, one, instance);
    reconcileSoon(cloud, one);
  }
}

/** EC2 ends the instance. Its group does not look, or may not replace it, until the process is resumed. */
function goUnnoticed(cloud: CloudState, one: GroupState, instance: CloudInstance): void {
  instance.unnoticed = true;
  cloud.emit({ kind: 'InstanceUnnoticed', ...aboutInstance(one, instance) });
  announceStop(cloud, one, instance);
  cloud.clock.after(one.chance.within(one.group.shutdown ?? SHUTDOWN), () => endNode(cloud, one, instance));
}

/**
 * Auto Scaling keeps the pool at its size. EC2 announces the stop of an instance, as for any other instance.
 *
 * @param most number of instances that the cloud has for the group.
 * @returns `false`: the cloud has too few.
 */
export function fillWarmPool(cloud: CloudState, one: GroupState, most = one.available): boolean {
  const { group, warm, warmChance } = one;
  const { warmPool } = group;
  const size = warmPool?.size ?? 0;
  while (warm.length < size && members(one).length + warm.length < most) {
    const instance = newInstance(cloud, one, newId(warmChance), warmChance.oneOf(group.zones));
    warm.push({ ...instance, state: 'Running', aside: true });
    if (warmPool?.state === 'Stopped') {
      announceStop(cloud, one, instance);
    }
  }
  noted(one);
  return warm.length >= size;
}

/** Fills the pool later, and again while the cloud has too few instances. */
function refillWarmPool(cloud: CloudState, one: GroupState, delay: number): void {
  cloud.clock.after(delay, () => {
    if (isThere(one) && !fillWarmPool(cloud, one)) {
      refillWarmPool(cloud, one, RELAUNCH_MS);
    }
  });
}

/** Starts an instance of the warm pool in place of a new one; `false` where there is none. */
function takeFromWarmPool(cloud: CloudState, one: GroupState): boolean {
  const taken = one.warm.shift();
  if (taken === undefined) {
    return false;
  }
  const instance: CloudInstance = { ...taken, launchedAt: cloud.clock.now(), state: 'Creating', aside: false };
  one.instances.set(instance.id, instance);
  one.error = null;
  cloud.emit({ kind: 'WarmInstanceTaken', ...aboutInstance(one, instance) });
  cloud.emit({ kind: 'InstanceLaunched', ...aboutInstance(one, instance) });
  boot(cloud, one, instance, one.group.warmPool?.boot);
  refillWarmPool(cloud, one, one.warmChance.within(one.group.warmPool?.prepared ?? STARTED));
  return true;
}
