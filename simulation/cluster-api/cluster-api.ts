import { getExisting } from '@outrigger/core/model/values/existing.ts';
import { type GroupName, type InstanceId, type NodeName, nodeName } from '@outrigger/core/model/values/names.ts';
import type { InstanceState } from '@outrigger/core/model/node-group.ts';
import { mapOptional } from '@outrigger/core/model/values/optional.ts';
import type { EpochMs } from '@outrigger/core/model/values/time.ts';
import type { Transport } from '@outrigger/providers/kubernetes/client/transport.ts';
import type { ApiCalls } from '../api-call.ts';
import type { ApiServer } from '../cluster/api-server.ts';
import type { Cloud, GroupView, LaunchError, SimulatedInstance } from '../cloud/group-view.ts';
import { type Chance, chanceFor, HEX, NAME_LETTERS } from '../chance.ts';
import type { Clock } from '../clock.ts';
import { createValueHistory, type History } from '../history.ts';
import { conditionsOf } from '../cluster/node-readiness.ts';
import type { SimulatedScalingGroup } from '../cloud/scaling-group.ts';
import type { Emit } from '../world-event.ts';
import { LONGEST_LAG, type WorldFaults } from '../world-faults.ts';
import { createMachine, createSet, machinesOf, setsOf, startControllers } from './controllers.ts';
import { createGroupObjects, placeOf } from './group-objects.ts';
import { aboutMachine, condition, type MachineEvents, machineId, nodeFor, startMachines } from './machines.ts';
import { createSimulatedManagementApi } from './management-api.ts';
import { createObjectStore, type ObjectStore } from './object-store.ts';
import {
  DELETE_MACHINE,
  isDeleting,
  isToBeDeletedFirst,
  isPaused,
  type MachineObject,
  type MachineSetObject,
  type ManagedObject,
  PAUSED,
  type ScalableObject,
  timestamp,
} from './objects.ts';
import { createSimulatedTransport } from './transport.ts';

/**
 * From a read of the machines to the request of a lower size: a client cannot know of a mark that is lost in between, nor
 * of one that is lost while that request is on its way.
 */
const READ_AGE_MS = 3_000;

/** A MachineSet has deleted a machine, since it had too many. */
export interface ScaledDown {
  readonly group: GroupName;
  readonly instance: InstanceId;
  /** The Machine was marked for deletion. */
  readonly marked: boolean;
  /** Another client had lowered the replicas, or a rollout; or a mark that a lower size was for was removed. */
  readonly elsewhere: boolean;
}

/** The Cluster API of a simulated management cluster, and its machines. */
export interface SimulatedClusterApi extends Cloud {
  readonly store: ObjectStore;
  /** To its API server. */
  readonly transport: Transport;
  /** Another client sets the replicas of a group. */
  readonly scaleElsewhere: (group: GroupName, replicas: number) => void;
  readonly setPaused: (group: GroupName, paused: boolean) => void;
  /** The template of its machines is changed, which begins a rollout. */
  readonly rollOut: (group: GroupName) => void;
  readonly onScaledDown: (listener: (event: ScaledDown) => void) => void;
  /** The machines that are marked for deletion and not being deleted. */
  readonly marked: () => readonly InstanceId[];
}

interface ClusterApiOptions {
  readonly clock: Clock;
  readonly api: ApiServer;
  readonly seed: number;
  readonly groups: readonly SimulatedScalingGroup[];
  readonly emit: Emit;
  readonly calls: ApiCalls;
  readonly faults: WorldFaults;
}

/** A group with what its management cluster does not store. */
interface ManagedScalingGroup {
  readonly group: SimulatedScalingGroup;
  readonly chance: Chance;
  available: number;
  error: LaunchError | null;
  readonly history: History<GroupView>;
  /** Machines that other clients and rollouts have removed from the group, and that are not deleted yet. */
  owed: number;
  /** Nodes of its machines, by their UIDs: from when they are there, whether or not the machines have been told of them. */
  readonly nodes: Map<string, NodeName>;
  /**
   * UIDs of the machines that lower sizes were for, and whose marks another client has removed since their client could
   * know of it. One unmarked machine may go for each, until it is marked again.
   */
  readonly unmarked: Set<string>;
}

/** Everything that the parts of the simulated management cluster share. */
interface Management extends ClusterApiOptions {
  readonly store: ObjectStore;
  readonly managed: ReadonlyMap<GroupName, ManagedScalingGroup>;
  /** Marked machines whose termination a lowered scale has been told of. */
  readonly told: Set<string>;
  /** When marks were lost, by the UIDs of their machines. */
  readonly lost: Map<string, EpochMs>;
  readonly listeners: ((event: ScaledDown) => void)[];
}

/** Starts the management cluster, with the first machines in place and their nodes ready. */
export function startClusterApi(options: ClusterApiOptions): SimulatedClusterApi {
  const { clock, groups, seed, calls } = options;
  const managed = new Map(groups.map((group) => [group.name, newGroup(group, seed, clock)]));
  const store = createObjectStore(clock);
  const management: Management = { ...options, store, managed, told: new Set(), lost: new Map(), listeners: [] };
  for (const { group } of managed.values()) {
    createGroupObjects(store, group);
  }
  startWith(management);
  watchGroups(management);
  run(management);
  const server = createSimulatedManagementApi(store, hooksOf(management));
  return {
    store,
    transport: createSimulatedTransport(server, calls, clock),
    groups: (ago = 0) => [...managed.values()].map(({ history }) => history.ago(ago)),
    setAvailable: (name, available) => {
      getExisting(managed, name).available = available;
    },
    // A MachineHealthCheck finds it, and deletes its Machine.
    fail: (id) => {
      const machine = store.list('Machine').find((one) => machineId(one) === id);
      if (machine !== undefined) {
        store.remove(machine);
      }
    },
    scaleElsewhere: (name, replicas) => {
      const one = getExisting(managed, name);
      const { replicas: from } = objectOf(store, one).spec;
      management.emit({ kind: 'SizeSetElsewhere', group: name, from, to: replicas });
      change(management, one, (object) => {
        one.owed += Math.max(0, object.spec.replicas - replicas);
        return { ...object, spec: { ...object.spec, replicas } };
      });
    },
    setPaused: (name, paused) => {
      management.emit({ kind: paused ? 'PausedElsewhere' : 'ResumedElsewhere', group: name });
      change(management, getExisting(managed, name), ({ metadata, ...rest }) => {
        const { [PAUSED]: _paused, ...others } = metadata.annotations;
        const annotations = paused ? { ...others, [PAUSED]: '' } : others;
        return { ...rest, metadata: { ...metadata, annotations } };
      });
    },
    rollOut: (name) => {
      change(management, getExisting(managed, name), (object) => {
        const labels = { ...object.spec.template.metadata.labels, 'example.com/rolled-out': timestamp(clock.now()) };
        const { spec } = object;
        return { ...object, spec: { ...spec, template: { ...spec.template, metadata: { labels } } } };
      });
    },
    changeTemplate: (name) => {
      change(management, getExisting(managed, name), (object) => {
        const { metadata, spec } = object.spec.template;
        const version = Number(metadata.labels[TEMPLATE_VERSION] ?? 1) + 1;
        management.emit({ kind: 'TemplateChanged', group: name, version });
        const labels = { ...metadata.labels, [TEMPLATE_VERSION]: String(version) };
        const template = { spec, metadata: { labels } };
        return { ...object, spec: { ...object.spec, rollout: { strategy: { type: 'OnDelete' } }, template } };
      });
    },
    onScaledDown: (listener) => {
      management.listeners.push(listener);
    },
    marked: () =>
      store
        .list('Machine')
        .filter((machine) => isToBeDeletedFirst(machine) && !isDeleting(machine))
        .map(machineId),
  };
}

const newGroup = (group: SimulatedScalingGroup, seed: number, clock: Clock): ManagedScalingGroup => ({
  group,
  chance: chanceFor(seed, `group ${group.name}`),
  available: group.available,
  error: null,
  history: createValueHistory<GroupView>(clock.now, LONGEST_LAG, {
    group,
    desired: group.desiredSize,
    instances: [],
    error: null,
  }),
  owed: 0,
  nodes: new Map(),
  unmarked: new Set(),
});

function objectOf(store: ObjectStore, { group }: ManagedScalingGroup): ScalableObject {
  const { kind, namespace, name } = placeOf(group);
  return store.get(kind, namespace, name)!;
}

const change = (
  { store }: Management,
  one: ManagedScalingGroup,
  made: (object: ScalableObject) => ScalableObject,
): void => store.update(objectOf(store, one), (object) => made(object) as typeof object);

const setsOfGroup = (store: ObjectStore, one: ManagedScalingGroup): readonly MachineSetObject[] => {
  const object = objectOf(store, one);
  return object.kind === 'MachineSet' ? [object] : setsOf(store, object);
};

const machinesOfGroup = (store: ObjectStore, one: ManagedScalingGroup): readonly MachineObject[] =>
  setsOfGroup(store, one).flatMap((set) => machinesOf(store, set));

/** The group of a Machine or a MachineSet. */
function groupOf({ managed, store }: Management, object: MachineObject | MachineSetObject): ManagedScalingGroup {
  const owner = object.metadata.ownerReferences?.[0];
  const { namespace } = object.metadata;
  const set = object.kind === 'MachineSet' ? object : store.get('MachineSet', namespace, owner!.name)!;
  const { kind, name } = set.metadata.ownerReferences?.[0] ?? { kind: set.kind, name: set.metadata.name };
  return getExisting(managed, `${kind}/${namespace}/${name}` as GroupName);
}

/** The first machines are there, run, and have ready nodes. */
function startWith({ store, managed, api, clock }: Management): void {
  for (const one of managed.values()) {
    const { group, chance } = one;
    const set = firstSet(store, one);
    for (let n = 0; n < group.desiredSize; n += 1) {
      const machine = createMachine(store, set, `${set.metadata.name}-${chance.text(5, NAME_LETTERS)}`);
      const running: MachineObject = {
        ...machine,
        spec: { ...machine.spec, providerID: `aws:///${machine.spec.failureDomain}/i-0${chance.text(16, HEX)}` },
        status: {
          phase: 'Running',
          nodeRef: { name: machine.metadata.name },
          conditions: [condition(clock, { type: 'NodeHealthy', status: 'True', reason: 'NodeReady' })],
        },
      };
      store.update<'Machine'>(machine, ({ metadata }) => ({ ...running, metadata }));
      api.putNode({ ...nodeFor(running, group, clock), conditions: conditionsOf(true, clock.now()) });
    }
    note(store, one);
  }
}

function firstSet(store: ObjectStore, one: ManagedScalingGroup): MachineSetObject {
  const object = objectOf(store, one);
  if (object.kind === 'MachineSet') {
    return object;
  }
  return createSet(store, object, {
    name: `${object.metadata.name}-${one.chance.text(5, NAME_LETTERS)}`,
    replicas: one.group.desiredSize,
    revision: 1,
  });
}

/** Keeps the views of the groups. */
function watchGroups(management: Management): void {
  const { store, managed } = management;
  store.watch((object, before) => {
    const changed = object ?? before!;
    if (changed.kind === 'Machine' || changed.kind === 'MachineSet') {
      note(store, groupOf(management, changed));
    } else if (changed.kind === 'MachineDeployment') {
      const { namespace, name } = changed.metadata;
      note(store, getExisting(managed, `MachineDeployment/${namespace}/${name}` as GroupName));
    }
  });
}

function note(store: ObjectStore, one: ManagedScalingGroup): void {
  const machines = machinesOfGroup(store, one);
  if (!machines.some((machine) => !isDeleting(machine) && hasFailed(machine))) {
    one.error = null;
  }
  one.history.note({
    group: one.group,
    desired: objectOf(store, one).spec.replicas,
    instances: machines.map((machine) => instanceOf(one, machine)),
    error: one.error,
    paused: isPaused(objectOf(store, one)),
    version: versionOf(objectOf(store, one).spec.template.metadata),
  });
}

const hasFailed = ({ status }: MachineObject): boolean =>
  status.conditions.some(({ type, status: is }) => type === 'InfrastructureReady' && is === 'False');

/** The node that the machine has become; `null`: none yet. */
const nodeOf = (
  { nodes }: ManagedScalingGroup,
  { metadata: { uid }, status: { nodeRef } }: MachineObject,
): NodeName | null => nodes.get(uid) ?? mapOptional(nodeRef?.name, nodeName) ?? null;

function instanceOf(one: ManagedScalingGroup, machine: MachineObject): SimulatedInstance {
  const { metadata, spec } = machine;
  return {
    id: machineId(machine),
    zone: spec.failureDomain,
    launchedAt: Date.parse(metadata.creationTimestamp),
    state: stateOf(machine),
    node: nodeOf(one, machine),
    failed: hasFailed(machine),
    version: versionOf(metadata),
  };
}

function stateOf(machine: MachineObject): InstanceState {
  if (isDeleting(machine)) {
    return 'Deleting';
  }
  return machine.status.nodeRef === undefined ? 'Creating' : 'Running';
}

/** Label of Machines, with the version of the template that they are made from; absent: the first. */
const TEMPLATE_VERSION = 'example.com/template-version';

const versionOf = ({ labels }: Pick<MachineObject['metadata'], 'labels'>): number =>
  Number(labels[TEMPLATE_VERSION] ?? 1);

/** Reports the events in the life of Machines to the world. */
function machineEvents(management: Management): MachineEvents {
  const { clock, store, emit, told } = management;
  const about = (machine: MachineObject) => aboutMachine(groupOf(management, machine).group, machine);
  return {
    onFailed: (machine, error) => {
      const one = groupOf(management, machine);
      one.error = { ...error, zone: machine.spec.failureDomain, at: clock.now() };
      note(store, one);
      emit({ kind: 'LaunchFailed', group: one.group.name, code: error.code, message: error.message });
    },
    onRegistered: (machine, node) => {
      const one = groupOf(management, machine);
      one.nodes.set(machine.metadata.uid, node);
      note(store, one);
      emit({ kind: 'NodeRegistered', ...about(machine), node });
    },
    onGone: (machine, node) => {
      told.delete(machine.metadata.uid);
      groupOf(management, machine).nodes.delete(machine.metadata.uid);
      if (node !== null) {
        emit({ kind: 'NodeGone', ...about(machine), node });
      }
    },
  };
}

/** Starts the controllers, and tells the world what they do. */
function run(management: Management): void {
  const { clock, api, store, seed, emit, faults, listeners } = management;
  const chance = chanceFor(seed, 'cluster api');
  startMachines({
    emit,
    clock,
    api,
    store,
    chance,
    faults,
    groupOf: (machine) => groupOf(management, machine),
    instancesOf: (group) =>
      machinesOfGroup(store, getExisting(management.managed, group.name)).filter(
        (machine) => !isDeleting(machine) && machine.status.phase !== 'Pending' && !hasFailed(machine),
      ).length,
    events: machineEvents(management),
  });
  startControllers({
    clock,
    store,
    chance,
    onScaledDown: (machine) => {
      const one = groupOf(management, machine);
      const marked = isToBeDeletedFirst(machine);
      const elsewhere = !marked && isExcused(management, one, machine);
      for (const listener of listeners) {
        listener({ group: one.group.name, instance: machineId(machine), marked, elsewhere });
      }
    },
    onSettled: (set) => {
      const one = groupOf(management, set);
      const sets = setsOfGroup(store, one);
      // A lower size of a MachineDeployment may not have come to its MachineSet yet.
      const passedOn = sets.reduce((sum, { spec }) => sum + spec.replicas, 0) <= objectOf(store, one).spec.replicas;
      if (passedOn && sets.every((other) => machinesOf(store, other).length <= other.spec.replicas)) {
        one.owed = 0;
        one.unmarked.clear();
      }
    },
    onRolledOver: (set, machines) => {
      groupOf(management, set).owed += machines;
    },
  });
  store.watch((object, before) => {
    if (object?.kind === 'Machine' && before === null) {
      emit({ kind: 'InstanceLaunched', ...aboutMachine(groupOf(management, object).group, object) });
    }
  });
}

/** Whether an unmarked machine may go because of other clients. Each change of a client takes one machine. */
function isExcused({ store, emit, told }: Management, one: ManagedScalingGroup, machine: MachineObject): boolean {
  const { uid } = machine.metadata;
  const [first] = one.unmarked;
  if (one.unmarked.delete(uid)) {
    return true;
  }
  if (first === undefined) {
    if (one.owed <= 0) {
      return false;
    }
    one.owed -= 1;
    return true;
  }
  one.unmarked.delete(first);
  const stays = machinesOfGroup(store, one).find((other) => other.metadata.uid === first && !isDeleting(other));
  if (stays !== undefined && told.delete(first)) {
    emit({ kind: 'TerminationMissed', ...aboutMachine(one.group, stays) });
  }
  return true;
}

/** Tells the world what its clients change, as an Auto Scaling group tells it, and lets marks be lost. */
function hooksOf(management: Management): Parameters<typeof createSimulatedManagementApi>[1] {
  const { store, emit, faults, told } = management;
  const terminated = (one: ManagedScalingGroup, machine: MachineObject, decrement: boolean): void =>
    emit({ kind: 'InstanceTerminated', ...aboutMachine(one.group, machine), node: nodeOf(one, machine), decrement });
  const isLostSince = (sentAt: EpochMs, { metadata: { uid } }: MachineObject): boolean =>
    (management.lost.get(uid) ?? Number.NEGATIVE_INFINITY) >= sentAt - READ_AGE_MS;
  return {
    onScaleAsked: (object) => {
      if (faults.conflict()) {
        store.touch(object);
      }
    },
    onScale: (object, replicas, sentAt) => {
      const { kind, metadata, spec } = object;
      const one = getExisting(management.managed, `${kind}/${metadata.namespace}/${metadata.name}` as GroupName);
      const withMark = machinesOfGroup(store, one).filter(isToBeDeletedFirst);
      const marked = withMark.filter((machine) => !isDeleting(machine));
      if (replicas === spec.replicas - 1) {
        const isNews = ({ metadata: { uid } }: MachineObject): boolean => !told.has(uid);
        const unmarked = machinesOfGroup(store, one).find(
          (machine) => !isDeleting(machine) && isNews(machine) && isLostSince(sentAt, machine),
        );
        // A Machine that is being deleted keeps its place until it is gone: with the lower size, no Machine is made in
        // that place.
        const chosen = marked.find(isNews) ?? unmarked ?? withMark.find(isNews);
        // The mark existed when the machines were read: the client that removed it causes the deletion of another
        // Machine.
        if (chosen !== undefined && chosen === unmarked) {
          one.unmarked.add(chosen.metadata.uid);
        }
        if (chosen !== undefined) {
          told.add(chosen.metadata.uid);
          terminated(one, chosen, true);
        }
      }
      const kept = replicas === spec.replicas + 1 ? keptMachine(management, one) : undefined;
      if (kept !== undefined) {
        told.delete(kept.metadata.uid);
        one.unmarked.delete(kept.metadata.uid);
        emit({ kind: 'TerminationUndone', ...aboutMachine(one.group, kept) });
        return;
      }
      if (replicas !== spec.replicas) {
        emit({ kind: 'SizeSet', group: one.group.name, from: spec.replicas, to: replicas });
      }
    },
    onDelete: (machine) => {
      // A Machine that was reported with a lower size is reported once.
      if (!told.has(machine.metadata.uid)) {
        terminated(groupOf(management, machine), machine, false);
      }
    },
    onPatch: (before, after) => {
      // Its termination is given up, since another Machine went in its place.
      const isGivenUp =
        before.kind === 'Machine' && !isDeleting(before) && isToBeDeletedFirst(before) && !isToBeDeletedFirst(after);
      if (isGivenUp && told.delete(before.metadata.uid)) {
        emit({ kind: 'TerminationMissed', ...aboutMachine(groupOf(management, before).group, before) });
      }
      loseMark(management, before, after);
    },
    onConflict: (path) => emit({ kind: 'Conflict', path }),
  };
}

/** A machine that the larger size keeps although its termination was told. The mark of the machine may be lost by now. */
function keptMachine({ store, told }: Management, one: ManagedScalingGroup): MachineObject | undefined {
  const live = machinesOfGroup(store, one).filter((machine) => !isDeleting(machine) && told.has(machine.metadata.uid));
  return live.find(isToBeDeletedFirst) ?? live[0];
}

/** Another client removes a mark that was just set, if that is the mark's fate. */
function loseMark(management: Management, before: ManagedObject, after: ManagedObject): void {
  const { store, faults, clock, lost, emit } = management;
  if (before.kind !== 'Machine' || isToBeDeletedFirst(before) || !isToBeDeletedFirst(after)) {
    return;
  }
  groupOf(management, before).unmarked.delete(before.metadata.uid);
  const lostAfter = faults.lostMark();
  if (lostAfter !== null) {
    clock.after(lostAfter, () => {
      const { uid } = before.metadata;
      const machine = store.current<'Machine'>(before);
      if (machine === null || !isToBeDeletedFirst(machine)) {
        return;
      }
      lost.set(uid, clock.now());
      emit({ kind: 'MarkLost', ...aboutMachine(groupOf(management, machine).group, machine) });
      if (isAwaited(management, machine)) {
        groupOf(management, machine).unmarked.add(uid);
      }
      unmark(store, machine);
    });
  }
}

/** The replicas were lowered for this machine, and the controller has not deleted a machine for it yet. */
function isAwaited(management: Management, machine: MachineObject): boolean {
  const { store, told } = management;
  const one = groupOf(management, machine);
  const live = machinesOfGroup(store, one).filter((other) => !isDeleting(other)).length;
  return told.has(machine.metadata.uid) && !isDeleting(machine) && live > objectOf(store, one).spec.replicas;
}

/** Another client writes the Machine without the mark. */
const unmark = (store: ObjectStore, machine: MachineObject): void =>
  store.update<'Machine'>(machine, (now) => {
    const { [DELETE_MACHINE]: _mark, ...annotations } = now.metadata.annotations;
    return { ...now, metadata: { ...now.metadata, annotations } };
  });
