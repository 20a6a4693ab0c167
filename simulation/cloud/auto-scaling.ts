import { present } from '../../core/model/values/present.ts';
import { firstItem, itemAt } from '../../core/model/values/existing.ts';
import {
  byName,
  type GroupName,
  type InstanceId,
  instanceId,
  type NodeName,
  nodeName,
} from '../../core/model/values/names.ts';
import type { Node } from '../../core/model/cluster/node.ts';
import type { GroupSize, InstanceError, InstanceState } from '../../core/model/node-group.ts';
import type { CallFailed, HookOutcome, SetSizeOutcome, TerminateOutcome } from '../../core/model/answers.ts';
import type { TerminationHook } from '../../core/model/notice.ts';
import type { EpochMs } from '../../core/model/values/time.ts';
import type { ApiServer } from '../cluster/api-server.ts';
import { type Chance, chanceFor, HEX } from '../chance.ts';
import type { Span } from '../../core/model/values/random.ts';
import type { Clock, Timer } from '../clock.ts';
import { createValueHistory, type History } from '../history.ts';
import { createHookWaits, type HookWaits, type LifecycleHook } from './hooks.ts';
import { conditionsOf, NOT_READY_TAINT } from '../cluster/node-readiness.ts';
import { simulatedNode, type SimulatedScalingGroup, withoutDevices } from './scaling-group.ts';
import type { AnnouncementEvent, Emit } from '../world-event.ts';
import { LONGEST_LAG, type WorldFaults } from '../world-faults.ts';

/** From a change of the desired capacity to the launch. */
const LAUNCH: Span = { min: 500, max: 2_500 };
/** From the launch to the instance's state Running. */
const STARTED: Span = { min: 8_000, max: 14_000 };
/** From the termination of an instance to the end of its node. */
const SHUTDOWN: Span = { min: 5_000, max: 20_000 };
/** Time after which the group retries a failed launch. */
const RELAUNCH_MS = 60_000;

/** An instance of the simulated cloud. */
export interface SimulatedInstance {
  readonly id: InstanceId;
  readonly zone: string;
  readonly launchedAt: number;
  readonly state: InstanceState;
  /** The Node it registered as; `null` before that. */
  readonly node: NodeName | null;
  /** The instance will not run: a Machine whose instance was refused. */
  readonly failed?: boolean;
  /** Whether a failed instance is requested again, so that it may run later. */
  readonly isRetried?: boolean;
  /** Auto Scaling does not choose it when it lowers the number of instances by itself. */
  readonly isProtected?: boolean;
  /** The version of the launch template that it was made from; absent: the only one. */
  readonly version?: number;
}

export interface GroupView {
  readonly group: SimulatedScalingGroup;
  readonly desired: number;
  readonly instances: readonly SimulatedInstance[];
  /** Why the missing instances could not be launched; `null`: no launch has failed since the last success. */
  readonly error: LaunchError | null;
  /**
   * The group's controllers leave it alone: no instance comes or goes. On AWS, the process Launch is suspended: no
   * instance comes.
   */
  readonly paused?: boolean;
  /** Instances in Standby, which the desired capacity does not count. */
  readonly aside?: readonly SimulatedInstance[];
  /** Instances of its warm pool: no nodes, and not counted. Absent: it has none. */
  readonly warm?: readonly SimulatedInstance[];
  /** The group is without the tags by which a cluster's groups are discovered. */
  readonly untagged?: boolean;
  /** The version of its launch template that new instances are made from; absent: the only one. */
  readonly version?: number;
}

/** A launch that failed. */
export interface LaunchError extends InstanceError {
  readonly zone: string;
  readonly at: EpochMs;
}

/** The true node groups and instances, whatever Outrigger is told. */
export interface Cloud {
  /** @param ago age of the description in milliseconds. */
  readonly groups: (ago?: number) => readonly GroupView[];
  /** Changes the cloud's capacity of instances for a group. */
  readonly setAvailable: (group: GroupName, available: number) => void;
  /** An instance fails by itself; the group replaces it. */
  readonly fail: (instance: InstanceId) => void;
  /**
   * Another client gives a group another template, which new instances are made from: a version of its launch template, or one of
   * a MachineDeployment with the strategy `OnDelete`.
   */
  readonly changeTemplate: (group: GroupName) => void;
}

/** A change of a group by another client, within the group's bounds or with new bounds. */
export interface ChangeElsewhere {
  readonly desired?: number;
  readonly minSize?: number;
  readonly maxSize?: number;
}

/** Simulates EC2 Auto Scaling and its instances: sizes, launches, boot, registration as nodes, terminations. */
export interface AutoScaling extends Cloud {
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

export interface AutoScalingOptions {
  readonly clock: Clock;
  readonly api: ApiServer;
  readonly seed: number;
  readonly groups: readonly SimulatedScalingGroup[];
  /** The groups that do not exist at the start; absent: none. */
  readonly later?: ReadonlySet<GroupName>;
  readonly emit: Emit;
  readonly faults: Pick<WorldFaults, 'launch' | 'fate' | 'nodeName'>;
  /** Whether changes of instances' states are announced, as on EC2; absent: they are not. */
  readonly announcesStates?: boolean;
}

/** A process of Auto Scaling whose suspension is no reason to buy elsewhere. */
export type OtherProcess = 'Terminate' | 'AZRebalance' | 'HealthCheck' | 'ReplaceUnhealthy';

/** While one of these is suspended, an instance that has ended by itself is shown as before, and not replaced. */
const NOTICING: readonly OtherProcess[] = ['Terminate', 'HealthCheck', 'ReplaceUnhealthy'];

/** The wait of a launched instance before it is in service. The instance's node registers meanwhile. */
export interface LaunchHook {
  readonly ms: number;
  /** ABANDON ends the instance, and the group launches another one. */
  readonly result: 'CONTINUE' | 'ABANDON';
  /** Number of times that the tool which the hook is for records a heartbeat, with which the wait begins anew; absent: none. */
  readonly heartbeats?: number;
}

/** The part of a wait after which its heartbeat is recorded. */
const HEARTBEAT_AT = 0.75;

interface Running {
  readonly id: InstanceId;
  readonly zone: string;
  readonly launchedAt: number;
  state: InstanceState;
  node: NodeName | null;
  readonly version: number;
  /** The desired capacity does not count it. */
  aside: boolean;
  /** The instance waits for its group's launching lifecycle hook. */
  waits: boolean;
  /** The instance has ended by itself, and its group has not noticed. */
  unnoticed: boolean;
  /** The instance's host name, once it has been a node and was stopped: it keeps its address. */
  readonly host?: NodeName;
}

interface Managed {
  group: SimulatedScalingGroup;
  readonly chance: Chance;
  readonly instances: Map<InstanceId, Running>;
  desired: number;
  available: number;
  /** Instances beyond the desired capacity, while zones are balanced. */
  surplus: number;
  suspended: boolean;
  /** Suspended processes other than Launch. */
  readonly otherwise: Set<OtherProcess>;
  launchHook: LaunchHook | null;
  /** The group's warm pool; its first instance joins the group next. */
  readonly warm: Running[];
  readonly warmChance: Chance;
  untagged: boolean;
  version: number;
  /** Whether its instances are protected from scale-in. */
  isProtected: boolean;
  error: LaunchError | null;
  /** The next time that the group is reconciled. */
  next: Timer | null;
  readonly history: History<GroupView>;
  /** Whether the group exists. */
  readonly presence: History<boolean>;
}

/** The groups and their dependencies. */
interface Managing extends Omit<AutoScalingOptions, 'groups' | 'seed' | 'later'> {
  readonly managed: ReadonlyMap<GroupName, Managed>;
  readonly hooks: HookWaits;
  /** Number of host names assigned so far. */
  addresses: number;
  /** Names of nodes that are gone. */
  readonly freed: Set<NodeName>;
}

/** Starts the groups, with their first nodes in place and ready. */
export function startAutoScaling({ groups, seed, later = new Set(), ...around }: AutoScalingOptions): AutoScaling {
  const managed = new Map(
    groups.map((group) => [group.name, newGroup(group, seed, around.clock, !later.has(group.name))]),
  );
  const hooks = createHookWaits(around.clock, around.emit);
  const cloud: Managing = { ...around, managed, hooks, addresses: 0, freed: new Set() };
  for (const one of managed.values().filter(isThere)) {
    for (let i = 0; i < one.desired; i++) {
      const instance = launch(cloud, one, firstItem(emptiestFirst(one)));
      cloud.api.putNode(register(cloud, one, instance));
    }
    fillWarmPool(cloud, one, Number.POSITIVE_INFINITY);
  }
  return {
    groups: (ago = 0) =>
      [...managed.values()].flatMap(({ history, presence }) => (presence.ago(ago) ? history.ago(ago) : [])),
    sizeOf: (name, ago = 0) => sizeOf(managed.get(name), ago),
    setDesired: (name, size) => setDesired(cloud, name, size),
    terminate: (name, id, decrement) => terminateAsAsked(cloud, name, id, decrement),
    setAvailable: (name, available) => {
      named(cloud, name).available = available;
    },
    fail: (id) => fail(cloud, id),
    replaceElsewhere: (id) => replaceElsewhere(cloud, id),
    announce: (announcement) => cloud.emit({ kind: 'Announced', ...announcement }),
    completeHook: (id, { name, token }) => hooks.complete(id, name, token),
    heartbeat: (id, { name, token }) => hooks.heartbeat(id, name, token),
    setElsewhere: (name, change) => setElsewhere(cloud, named(cloud, name), change),
    setSuspended: (name, suspended) => setSuspended(cloud, named(cloud, name), suspended),
    setProcess: (name, process, suspended) => setProcess(cloud, named(cloud, name), process, suspended),
    setLaunchHook: (name, hook) => {
      named(cloud, name).launchHook = hook;
    },
    addHook: (name, hook) => setHooks(cloud, named(cloud, name), hook, (hooks) => [...hooks, hook]),
    removeHook: (name, hook) => removeHook(cloud, named(cloud, name), hook),
    setTagged: (name, tagged) => setTagged(cloud, named(cloud, name), tagged),
    changeTemplate: (name) => changeTemplate(cloud, named(cloud, name)),
    enterStandby: (id, decrement) => enterStandby(cloud, id, decrement),
    exitStandby: (id) => exitStandby(cloud, id),
    setProtected: (name, isProtected) => setProtected(cloud, named(cloud, name), isProtected),
    register: (id) => {
      const one = [...managed.values()].find(({ instances }) => instances.has(id));
      const instance = one?.instances.get(id);
      if (one !== undefined && instance !== undefined && isUp(instance) && instance.node === null) {
        join(cloud, one, instance, true);
      }
    },
    rebalance: (name, after) => rebalance(cloud, named(cloud, name), after),
    remove: (name) => remove(cloud, named(cloud, name)),
    create: (name) => create(cloud, named(cloud, name)),
  };
}

const newGroup = (group: SimulatedScalingGroup, seed: number, clock: Clock, isPresent: boolean): Managed => ({
  group,
  chance: chanceFor(seed, `group ${group.name}`),
  instances: new Map(),
  desired: group.desiredSize,
  available: group.available,
  surplus: 0,
  suspended: false,
  otherwise: new Set(),
  launchHook: null,
  warm: [],
  warmChance: chanceFor(seed, `warm pool of ${group.name}`),
  untagged: false,
  version: 1,
  isProtected: false,
  error: null,
  next: null,
  history: createValueHistory<GroupView>(clock.now, LONGEST_LAG, {
    group,
    desired: group.desiredSize,
    instances: [],
    error: null,
    paused: false,
    version: 1,
  }),
  presence: createValueHistory(clock.now, LONGEST_LAG, isPresent),
});

const isThere = ({ presence }: Managed): boolean => presence.ago(0);

/** The group, unless it does not exist. */
function existing({ managed }: Managing, group: GroupName): Managed | undefined {
  const one = managed.get(group);
  return one !== undefined && isThere(one) ? one : undefined;
}

function named({ managed }: Managing, group: GroupName): Managed {
  const one = managed.get(group);
  if (one === undefined) {
    throw new Error(`simulation: there is no Auto Scaling group ${group}`);
  }
  return one;
}

function sizeOf(one: Managed | undefined, ago: number): GroupSize | null {
  if (one?.presence.ago(ago) !== true) {
    return null;
  }
  const { desired, instances, group } = one.history.ago(ago);
  const held = instances.filter(({ state }) => state !== 'Deleting').length;
  return { min: group.minSize, max: group.maxSize, target: desired, held };
}

function setDesired(cloud: Managing, name: GroupName, size: number): SetSizeOutcome {
  const one = existing(cloud, name);
  if (one === undefined) {
    return failed('AutoScalingGroup name not found');
  }
  const { minSize, maxSize } = one.group;
  if (size < minSize || size > maxSize) {
    return failed(
      size < minSize
        ? `New SetDesiredCapacity value ${size} is below min value ${minSize} for the AutoScalingGroup.`
        : `New SetDesiredCapacity value ${size} is above max value ${maxSize} for the AutoScalingGroup.`,
    );
  }
  cloud.emit({ kind: 'SizeSet', group: name, from: one.desired, to: size });
  one.desired = size;
  noted(one);
  reconcile(cloud, one, one.chance.within(LAUNCH));
  return { kind: 'set' };
}

function terminateAsAsked(cloud: Managing, name: GroupName, id: InstanceId, decrement: boolean): TerminateOutcome {
  const one = existing(cloud, name);
  const instance = one?.instances.get(id);
  if (one === undefined || instance === undefined || instance.state === 'Deleting' || instance.aside) {
    return { kind: 'gone' };
  }
  if (decrement && one.desired <= one.group.minSize) {
    return failed(
      `Currently, desiredSize equals minSize (${one.group.minSize}). Terminating instance without replacement will violate group's min size constraint.`,
    );
  }
  const { zone, node } = instance;
  cloud.emit({ kind: 'InstanceTerminated', group: name, instance: id, zone, node, decrement });
  if (decrement) {
    cloud.emit({ kind: 'SizeSet', group: name, from: one.desired, to: one.desired - 1 });
    one.desired -= 1;
  }
  terminate(cloud, one, instance, decrement);
  reconcile(cloud, one, one.chance.within(LAUNCH));
  return { kind: 'terminated' };
}

/** Schedules the reconciliation of the group with its desired capacity. */
function reconcile(cloud: Managing, one: Managed, delay: number): void {
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
function launchOrFail(cloud: Managing, one: Managed): void {
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
      emit({ kind: 'InstanceLaunched', group: group.name, instance: instance.id, zone });
      boot(cloud, one, instance);
      return;
    }
    refused ??= { ...no, zone, at: clock.now() };
  }
  one.error = refused!;
  emit({ kind: 'LaunchFailed', group: group.name, code: one.error.code, message: one.error.message });
}

function launch({ clock }: Managing, one: Managed, zone: string): Running {
  const instance: Running = {
    id: instanceId(`i-0${one.chance.text(16, HEX)}`),
    zone,
    launchedAt: clock.now(),
    state: 'Creating',
    node: null,
    version: one.version,
    aside: false,
    waits: false,
    unnoticed: false,
  };
  one.instances.set(instance.id, instance);
  return instance;
}

function boot(cloud: Managing, one: Managed, instance: Running, takes: Span = one.group.boot): void {
  const { clock, faults } = cloud;
  const { group, chance } = one;
  const fate = faults.fate({ group, zone: instance.zone });
  const bootMs = chance.within(takes) + (fate.kind === 'late' ? fate.by : 0);
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
    clock.after(fate.after, () => fail(cloud, instance.id));
  }
}

/** The instance's node joins the cluster, and becomes ready later. */
function join(cloud: Managing, one: Managed, instance: Running, getsReady: boolean): void {
  const { clock, api, emit } = cloud;
  const equipped = register(cloud, one, instance);
  const { devices } = one.group;
  const node = withoutDevices(equipped, devices);
  const about = { group: one.group.name, instance: instance.id, zone: instance.zone, node: node.name };
  emit({ kind: 'NodeRegistered', ...about });
  api.putNode({
    ...node,
    taints: [...node.taints, NOT_READY_TAINT],
    conditions: conditionsOf(false, clock.now()),
  });
  clock.after(one.chance.within(one.group.ready), () => {
    const current = api.nodes.get(node.name);
    if (getsReady && isUp(instance) && current !== undefined) {
      emit({ kind: 'NodeReady', ...about });
      api.putNode({
        ...current,
        taints: current.taints.filter(({ key }) => key !== NOT_READY_TAINT.key),
        conditions: conditionsOf(true, clock.now()),
      });
      if (devices !== undefined) {
        clock.after(one.chance.within(devices.announced), () => announceDevices(cloud, equipped));
      }
    }
  });
}

/** The device plugin has started on the node, if that is still there. */
function announceDevices({ api, emit }: Managing, { name, uid, capacity, allocatable }: Node): void {
  const current = api.nodes.get(name);
  if (current !== undefined && current.uid === uid) {
    api.putNode({ ...current, capacity, allocatable });
    emit({ kind: 'DevicesAnnounced', node: name });
  }
}

/** Assigns the instance the name of a node; returns the node as it is once ready. */
function register(cloud: Managing, one: Managed, instance: Running): Node {
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
function newName(cloud: Managing): NodeName {
  cloud.addresses += 1;
  const { addresses } = cloud;
  return nodeName(`ip-10-0-${Math.floor(addresses / 250)}-${(addresses % 250) + 4}.ec2.internal`);
}

/**
 * The group ends the instance, once its lifecycle hooks let it go.
 *
 * @param isScaleIn the group's size is lowered with it: a warm pool that reuses instances takes it in
 */
function terminate(cloud: Managing, one: Managed, instance: Running, isScaleIn = false): void {
  const { id, zone, node } = instance;
  const { name, hooks = [], warmPool } = one.group;
  const end = isScaleIn && warmPool?.reuse === true && !instance.unnoticed ? returnToWarmPool : shutDown;
  instance.state = 'Deleting';
  noted(one);
  cloud.hooks.wait({ group: name, instance: id, zone, node }, hooks, one.chance, () => end(cloud, one, instance));
}

function shutDown(cloud: Managing, one: Managed, instance: Running): void {
  stop(cloud, one, instance, () => {
    if (instance.node !== null && !instance.unnoticed) {
      cloud.freed.add(instance.node);
    }
  });
}

/** The instance is stopped, and is no node until it is taken from the pool again, which is the sooner the later it came. */
function returnToWarmPool(cloud: Managing, one: Managed, instance: Running): void {
  stop(cloud, one, instance, () => {
    const { id, zone, node } = instance;
    const size = one.group.warmPool?.size ?? 0;
    if (!isThere(one) || size === 0) {
      return;
    }
    one.warm.unshift({ ...instance, ...present({ host: node }), node: null, state: 'Running', aside: true });
    // Instances beyond the pool's size are ended.
    one.warm.splice(size).forEach(({ host }) => {
      if (host !== undefined) {
        cloud.freed.add(host);
      }
    });
    cloud.emit({ kind: 'ReturnedToWarmPool', group: one.group.name, instance: id, zone });
    noted(one);
  });
}

function stop(
  { clock, api, emit, announcesStates }: Managing,
  one: Managed,
  instance: Running,
  stopped: () => void,
): void {
  const { id, zone, node } = instance;
  const about = { group: one.group.name, instance: id, zone };
  instance.state = 'Deleting';
  noted(one);
  if (announcesStates === true && !instance.unnoticed) {
    emit({ kind: 'InstanceStopping', ...about });
  }
  clock.after(one.chance.within(SHUTDOWN), () => {
    one.instances.delete(id);
    noted(one);
    if (node !== null && !instance.unnoticed) {
      emit({ kind: 'NodeGone', ...about, node });
      api.deleteNode(node);
    }
    stopped();
  });
}

/** EC2 ends the instance, and no lifecycle hook keeps it. */
function fail(cloud: Managing, id: InstanceId): void {
  const [one, instance] = instanceNamed(cloud, id);
  if (one === undefined || instance === undefined || instance.unnoticed) {
    return;
  }
  if (instance.state !== 'Deleting' && !instance.aside && NOTICING.some((process) => one.otherwise.has(process))) {
    goUnnoticed(cloud, one, instance);
  } else if (instance.state !== 'Deleting' || cloud.hooks.forget(id)) {
    shutDown(cloud, one, instance);
    reconcile(cloud, one, one.chance.within(LAUNCH));
  }
}

function replaceElsewhere(cloud: Managing, id: InstanceId): void {
  const [one, instance] = instanceNamed(cloud, id);
  if (one !== undefined && instance !== undefined && instance.state !== 'Deleting') {
    terminate(cloud, one, instance);
    reconcile(cloud, one, one.chance.within(LAUNCH));
  }
}

function instanceNamed({ managed }: Managing, id: InstanceId): readonly [Managed | undefined, Running | undefined] {
  const one = managed.values().find(({ instances }) => instances.has(id));
  return [one, one?.instances.get(id)];
}

const failed = (message: string): CallFailed => ({
  kind: 'failed',
  class: 'Configuration',
  code: 'ValidationError',
  message,
});

/** The cloud has no capacity in the zone. The message is EC2's. */
export const noCapacity = (instanceType: string, zone: string): InstanceError => ({
  class: 'OutOfResources',
  code: 'InsufficientInstanceCapacity',
  message: `We currently do not have sufficient ${instanceType} capacity in the Availability Zone you requested (${zone}).`,
});

/** Records the present state of the group for later descriptions. */
function noted(one: Managed): void {
  const { group, desired, error, suspended, untagged, version, isProtected, warm, history } = one;
  const shown = (instances: readonly Running[]): readonly SimulatedInstance[] =>
    instances
      .map(({ aside: _aside, waits: _waits, unnoticed: _unnoticed, host: _host, ...instance }) => ({
        ...instance,
        isProtected,
      }))
      .sort((a, b) => byName(a.id, b.id));
  const all = [...one.instances.values()];
  history.note({
    group,
    desired,
    instances: shown(all.filter(({ aside }) => !aside)),
    aside: shown(all.filter(({ aside }) => aside)),
    ...(group.warmPool !== undefined && { warm: shown(warm) }),
    error,
    paused: suspended,
    untagged,
    version,
  });
}

/** The instances that the desired capacity counts. */
const members = ({ instances }: Managed): readonly Running[] =>
  [...instances.values()].filter(({ state, aside }) => state !== 'Deleting' && !aside);

/** Auto Scaling balances its zones; equal zones in their order. */
function emptiestFirst(one: Managed): readonly string[] {
  const count = (zone: string): number => members(one).filter((instance) => instance.zone === zone).length;
  return one.group.zones.length === 1 ? one.group.zones : one.group.zones.toSorted((a, b) => count(a) - count(b));
}

/** The instance that is terminated first: of the fullest zone, the youngest there. */
function leastMissed(one: Managed, kept?: InstanceId): Running {
  const all = members(one).filter(({ id }) => id !== kept);
  const count = (zone: string): number => all.filter((instance) => instance.zone === zone).length;
  return all.reduce((best, instance) => {
    const difference = count(instance.zone) - count(best.zone);
    return difference > 0 || (difference === 0 && instance.launchedAt >= best.launchedAt) ? instance : best;
  });
}

/** Sets what another client says, with a size within the bounds. */
function setElsewhere(cloud: Managing, one: Managed, change: ChangeElsewhere): void {
  const { name, minSize: min, maxSize: max } = one.group;
  const { minSize = min, maxSize = max } = change;
  if (minSize !== min || maxSize !== max) {
    one.group = { ...one.group, minSize, maxSize };
    cloud.emit({ kind: 'BoundsSetElsewhere', group: name, minSize, maxSize });
  }
  resizeElsewhere(cloud, one, Math.min(maxSize, Math.max(minSize, change.desired ?? one.desired)));
}

function resizeElsewhere(cloud: Managing, one: Managed, desired: number): void {
  if (desired !== one.desired) {
    cloud.emit({ kind: 'SizeSetElsewhere', group: one.group.name, from: one.desired, to: desired });
    one.desired = desired;
  }
  noted(one);
  reconcile(cloud, one, one.chance.within(LAUNCH));
}

function setSuspended(cloud: Managing, one: Managed, suspended: boolean): void {
  cloud.emit({ kind: suspended ? 'PausedElsewhere' : 'ResumedElsewhere', group: one.group.name });
  one.suspended = suspended;
  noted(one);
  reconcile(cloud, one, one.chance.within(LAUNCH));
}

function setProcess(cloud: Managing, one: Managed, process: OtherProcess, suspended: boolean): void {
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
  reconcile(cloud, one, one.chance.within(LAUNCH));
}

/** EC2 ends the instance. Its group does not look, or may not replace it, until the process is resumed. */
function goUnnoticed({ clock, api, emit, announcesStates }: Managing, one: Managed, instance: Running): void {
  const { id, zone, node } = instance;
  const about = { group: one.group.name, instance: id, zone };
  instance.unnoticed = true;
  emit({ kind: 'InstanceUnnoticed', ...about });
  if (announcesStates === true) {
    emit({ kind: 'InstanceStopping', ...about });
  }
  clock.after(one.chance.within(SHUTDOWN), () => {
    if (node !== null) {
      emit({ kind: 'NodeGone', ...about, node });
      api.deleteNode(node);
    }
  });
}

/** Whether Auto Scaling ends instances that are beyond the desired capacity. */
const mayShrink = ({ isProtected, otherwise }: Managed): boolean => !isProtected && !otherwise.has('Terminate');

/** Whether the instance runs, whatever its group waits for. */
const isUp = ({ state, waits, unnoticed }: Running): boolean =>
  !unnoticed && (state === 'Running' || (state === 'Creating' && waits));

/** `Pending:Wait`: the instance runs, and is not in service before the hook is completed. */
function awaitLaunchHook(cloud: Managing, one: Managed, instance: Running): void {
  const { launchHook } = one;
  if (launchHook === null) {
    return;
  }
  const about = { group: one.group.name, instance: instance.id, zone: instance.zone };
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
      reconcile(cloud, one, one.chance.within(LAUNCH));
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

/**
 * Auto Scaling keeps the pool at its size. EC2 announces the stop of an instance, as for any other instance.
 *
 * @param most number of instances that the cloud has for the group.
 * @returns `false`: the cloud has too few.
 */
function fillWarmPool({ clock, emit, announcesStates }: Managing, one: Managed, most = one.available): boolean {
  const { group, warm, warmChance } = one;
  const { warmPool } = group;
  const size = warmPool?.size ?? 0;
  while (warm.length < size && members(one).length + warm.length < most) {
    const instance: Running = {
      id: instanceId(`i-0${warmChance.text(16, HEX)}`),
      zone: itemAt(group.zones, warmChance.within({ min: 0, max: group.zones.length - 1 })),
      launchedAt: clock.now(),
      state: 'Running',
      node: null,
      version: one.version,
      aside: true,
      waits: false,
      unnoticed: false,
    };
    warm.push(instance);
    if (announcesStates === true && warmPool?.state === 'Stopped') {
      emit({ kind: 'InstanceStopping', group: group.name, instance: instance.id, zone: instance.zone });
    }
  }
  noted(one);
  return warm.length >= size;
}

/** Fills the pool later, and again while the cloud has too few instances. */
function refillWarmPool(cloud: Managing, one: Managed, delay: number): void {
  cloud.clock.after(delay, () => {
    if (isThere(one) && !fillWarmPool(cloud, one)) {
      refillWarmPool(cloud, one, RELAUNCH_MS);
    }
  });
}

/** Starts an instance of the warm pool in place of a new one; `false` where there is none. */
function takeFromWarmPool(cloud: Managing, one: Managed): boolean {
  const taken = one.warm.shift();
  if (taken === undefined) {
    return false;
  }
  const instance: Running = { ...taken, launchedAt: cloud.clock.now(), state: 'Creating', aside: false };
  one.instances.set(instance.id, instance);
  one.error = null;
  const about = { group: one.group.name, instance: instance.id, zone: instance.zone };
  cloud.emit({ kind: 'WarmInstanceTaken', ...about });
  cloud.emit({ kind: 'InstanceLaunched', ...about });
  boot(cloud, one, instance, one.group.warmPool?.boot);
  refillWarmPool(cloud, one, one.warmChance.within(one.group.warmPool?.prepared ?? STARTED));
  return true;
}

function setHooks(
  cloud: Managing,
  one: Managed,
  { name }: Pick<LifecycleHook, 'name'>,
  change: (hooks: readonly LifecycleHook[]) => readonly LifecycleHook[],
): void {
  const hooks = change(one.group.hooks ?? []);
  const added = hooks.some((hook) => hook.name === name);
  cloud.emit({ kind: added ? 'HookAdded' : 'HookRemoved', group: one.group.name, hook: name });
  one.group = { ...one.group, hooks };
  noted(one);
}

const removeHook = (cloud: Managing, one: Managed, name: string): void =>
  setHooks(cloud, one, { name }, (hooks) => hooks.filter((hook) => hook.name !== name));

function setTagged(cloud: Managing, one: Managed, tagged: boolean): void {
  cloud.emit({ kind: tagged ? 'Tagged' : 'Untagged', group: one.group.name });
  one.untagged = !tagged;
  noted(one);
}

function changeTemplate(cloud: Managing, one: Managed): void {
  one.version += 1;
  cloud.emit({ kind: 'TemplateChanged', group: one.group.name, version: one.version });
  noted(one);
}

function setProtected(cloud: Managing, one: Managed, isProtected: boolean): void {
  cloud.emit({ kind: isProtected ? 'Protected' : 'Unprotected', group: one.group.name });
  one.isProtected = isProtected;
  noted(one);
  reconcile(cloud, one, one.chance.within(LAUNCH));
}

function enterStandby(cloud: Managing, id: InstanceId, decrement: boolean): boolean {
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
  cloud.emit({ kind: 'StandbyEntered', group: one.group.name, instance: id, zone: instance.zone });
  resizeElsewhere(cloud, one, one.desired - (decrement ? 1 : 0));
  return true;
}

function exitStandby(cloud: Managing, id: InstanceId): void {
  const [one, instance] = instanceNamed(cloud, id);
  if (one === undefined || instance === undefined || instance.state === 'Deleting' || !instance.aside) {
    return;
  }
  if (one.desired >= one.group.maxSize) {
    fail(cloud, id);
    return;
  }
  instance.aside = false;
  cloud.emit({ kind: 'StandbyLeft', group: one.group.name, instance: id, zone: instance.zone });
  resizeElsewhere(cloud, one, one.desired + 1);
}

function rebalance(cloud: Managing, one: Managed, after: number): boolean {
  const { group } = one;
  const [emptiest] = emptiestFirst(one);
  if (
    one.otherwise.has('AZRebalance') ||
    one.suspended ||
    !isUnbalanced(one) ||
    cloud.faults.launch({ group, zone: emptiest! }) !== null
  ) {
    return false;
  }
  one.surplus += 1;
  const added = launch(cloud, one, emptiest!);
  noted(one);
  cloud.emit({ kind: 'InstanceLaunched', group: group.name, instance: added.id, zone: added.zone });
  boot(cloud, one, added);
  cloud.clock.after(after, () => {
    one.surplus -= 1;
    if (isThere(one) && mayShrink(one) && members(one).length > one.desired + one.surplus) {
      // All others may have gone meanwhile.
      const ended = leastMissed(one, members(one).length > 1 ? added.id : undefined);
      cloud.emit({ kind: 'ZonesBalanced', group: group.name, instance: ended.id, zone: ended.zone });
      terminate(cloud, one, ended);
      reconcile(cloud, one, one.chance.within(LAUNCH));
    }
  });
  return true;
}

/** Whether a zone of the group has two instances more than another. */
export const areZonesUneven = ({ group: { zones }, instances }: GroupView): boolean => {
  const counts = zones.map((zone) => instances.filter((one) => one.zone === zone && one.state !== 'Deleting').length);
  return Math.max(...counts) - Math.min(...counts) >= 2;
};

const isUnbalanced = ({ history }: Managed): boolean => areZonesUneven(history.ago(0));

function remove(cloud: Managing, one: Managed): void {
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

function create(cloud: Managing, one: Managed): void {
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
  reconcile(cloud, one, one.chance.within(LAUNCH));
}
