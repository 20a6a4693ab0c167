import { byName, type GroupName, type InstanceId, type NodeName } from '@outrigger/core/model/values/names.ts';
import type { InstanceState } from '@outrigger/core/model/node-group.ts';
import type { ApiServer } from '../cluster/api-server.ts';
import { type Chance, chanceFor } from '../chance.ts';
import type { Clock, Timer } from '../clock.ts';
import { createValueHistory, type History } from '../history.ts';
import type { HookWaits } from './hooks.ts';
import type { SimulatedScalingGroup } from './scaling-group.ts';
import type { Emit, OfInstance } from '../world-event.ts';
import { LONGEST_LAG, type WorldFaults } from '../world-faults.ts';
import type { SimulatedInstance, GroupView, LaunchError } from './group-view.ts';

export interface AutoScalingOptions {
  readonly clock: Clock;
  readonly api: ApiServer;
  readonly seed: number;
  readonly groups: readonly SimulatedScalingGroup[];
  /** The groups that do not exist at the start. */
  readonly later: ReadonlySet<GroupName>;
  readonly emit: Emit;
  readonly faults: Pick<WorldFaults, 'launch' | 'fate' | 'nodeName'>;
  /** Whether changes of instances' states are announced, as on EC2. */
  readonly announcesStates: boolean;
}

/** A process of Auto Scaling whose suspension is no reason to buy elsewhere. */
export type OtherProcess = 'Terminate' | 'AZRebalance' | 'HealthCheck' | 'ReplaceUnhealthy';

/** While one of these is suspended, an instance that has ended by itself is shown as before, and not replaced. */
export const NOTICING: readonly OtherProcess[] = ['Terminate', 'HealthCheck', 'ReplaceUnhealthy'];

/** The wait of a launched instance before it is in service. The instance's node registers meanwhile. */
export interface LaunchHook {
  readonly ms: number;
  /** ABANDON ends the instance, and the group launches another one. */
  readonly result: 'CONTINUE' | 'ABANDON';
  /** Number of times that the tool which the hook is for records a heartbeat, with which the wait begins anew; absent: none. */
  readonly heartbeats?: number;
}

export interface CloudInstance {
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

export interface GroupState {
  group: SimulatedScalingGroup;
  readonly chance: Chance;
  readonly instances: Map<InstanceId, CloudInstance>;
  desired: number;
  available: number;
  /** Instances beyond the desired capacity, while zones are balanced. */
  surplus: number;
  suspended: boolean;
  /** Suspended processes other than Launch. */
  readonly otherwise: Set<OtherProcess>;
  launchHook: LaunchHook | null;
  /** The group's warm pool; its first instance joins the group next. */
  readonly warm: CloudInstance[];
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
export interface CloudState extends Omit<AutoScalingOptions, 'groups' | 'seed' | 'later'> {
  readonly managed: ReadonlyMap<GroupName, GroupState>;
  readonly hooks: HookWaits;
  /** Number of host names assigned so far. */
  addresses: number;
  /** Names of nodes that are gone. */
  readonly freed: Set<NodeName>;
}

export const newGroup = (group: SimulatedScalingGroup, seed: number, clock: Clock, isPresent: boolean): GroupState => ({
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

export const isThere = ({ presence }: GroupState): boolean => presence.ago(0);

/** An instance with its group; both are `undefined` once the instance is gone. */
export function instanceNamed(
  { managed }: CloudState,
  id: InstanceId,
): readonly [GroupState | undefined, CloudInstance | undefined] {
  const one = managed.values().find(({ instances }) => instances.has(id));
  return [one, one?.instances.get(id)];
}

/** The fields of an event about an instance. */
export const aboutInstance = ({ group }: GroupState, { id, zone }: CloudInstance): OfInstance => ({
  group: group.name,
  instance: id,
  zone,
});

/** Records the present state of the group for later descriptions. */
export function noted(one: GroupState): void {
  const { group, desired, error, suspended, untagged, version, warm, history } = one;
  const shown = (instances: readonly CloudInstance[]): readonly SimulatedInstance[] =>
    instances.map((instance) => ({ ...instance })).sort((a, b) => byName(a.id, b.id));
  const all = [...one.instances.values()];
  history.note({
    group,
    desired,
    instances: shown(all.filter(({ aside }) => !aside)),
    aside: shown(all.filter(({ aside }) => aside)),
    warm: group.warmPool && shown(warm),
    error,
    paused: suspended,
    untagged,
    version,
  });
}

/** The instances that the desired capacity counts. */
export const members = ({ instances }: GroupState): readonly CloudInstance[] =>
  [...instances.values()].filter(({ state, aside }) => state !== 'Deleting' && !aside);

/** Auto Scaling balances its zones; equal zones in their order. */
export function emptiestFirst(one: GroupState): readonly string[] {
  const count = (zone: string): number => members(one).filter((instance) => instance.zone === zone).length;
  return one.group.zones.toSorted((a, b) => count(a) - count(b));
}

/** The instance that is terminated first: of the fullest zone, the youngest there. */
export function leastMissed(one: GroupState, kept?: InstanceId): CloudInstance {
  const all = members(one).filter(({ id }) => id !== kept);
  const count = (zone: string): number => all.filter((instance) => instance.zone === zone).length;
  return all.reduce((best, instance) => {
    const difference = count(instance.zone) - count(best.zone);
    return difference > 0 || (difference === 0 && instance.launchedAt >= best.launchedAt) ? instance : best;
  });
}

/** Whether Auto Scaling ends instances that are beyond the desired capacity. */
export const mayShrink = ({ isProtected, otherwise }: GroupState): boolean =>
  !isProtected && !otherwise.has('Terminate');

/** Whether the instance runs, whatever its group waits for. */
export const isUp = ({ state, waits, unnoticed }: CloudInstance): boolean =>
  !unnoticed && (state === 'Running' || (state === 'Creating' && waits));
