import { present } from '@outrigger/core/model/values/present.ts';
import { type InstanceId, instanceId, type NodeName, nodeName } from '@outrigger/core/model/values/names.ts';
import type { InstanceError } from '@outrigger/core/model/node-group.ts';
import type { ApiServer } from '../cluster/api-server.ts';
import { noCapacity } from '../cloud/group-view.ts';
import { type Chance, HEX } from '../chance.ts';
import type { Span } from '@outrigger/core/model/values/random.ts';
import type { Clock } from '../clock.ts';
import { isSimulatedNodeReady } from '../cluster/node-readiness.ts';
import { asRegistered, becomeReady } from '../cloud/node-start.ts';
import { simulatedNode, type SimulatedScalingGroup } from '../cloud/scaling-group.ts';
import type { Emit, OfInstance } from '../world-event.ts';
import { latenessOf, type WorldFaults } from '../world-faults.ts';
import type { ObjectStore } from './object-store.ts';
import { type Condition, isDeleting, type MachineObject, type MachinePhase, timestamp } from './objects.ts';

/** From a Machine to the request for its instance, and to the instance's being there. */
const REQUEST: Span = { min: 300, max: 1_500 };
const STARTED: Span = { min: 5_000, max: 12_000 };
/** Delay between a change of a node and the change of its Machine's status. */
const NOTICED: Span = { min: 100, max: 1_200 };
/** From the deletion of a Machine to the end of its instance and its node. */
const SHUTDOWN: Span = { min: 5_000, max: 20_000 };
/** The infrastructure provider asks again for an instance that it did not get. */
const RETRY_MS = 60_000;

/** Happenings in a Machine's life. */
export interface MachineEvents {
  readonly onFailed: (machine: MachineObject, error: InstanceError) => void;
  readonly onRegistered: (machine: MachineObject, node: NodeName) => void;
  readonly onGone: (machine: MachineObject, node: NodeName | null) => void;
}

interface MachineLifeOptions {
  readonly clock: Clock;
  readonly api: ApiServer;
  readonly store: ObjectStore;
  readonly chance: Chance;
  readonly faults: Pick<WorldFaults, 'launch' | 'fate' | 'deletion' | 'isTerminal'>;
  /** The group that a Machine is of, and the number of instances that the cloud has for it. */
  readonly groupOf: (machine: MachineObject) => { readonly group: SimulatedScalingGroup; readonly available: number };
  /** The machines of the group that have, or had, an instance and are not being deleted. */
  readonly instancesOf: (group: SimulatedScalingGroup) => number;
  readonly events: MachineEvents;
  readonly emit: Emit;
}

/** Starts the controller of Machines and their infrastructure: instances, nodes, and the end of both. */
export function startMachines(options: MachineLifeOptions): void {
  const { clock, api, store, chance } = options;
  store.watch((object, before) => {
    if (object?.kind !== 'Machine') {
      return;
    }
    if (before === null && object.status.phase === 'Pending') {
      clock.after(chance.within(REQUEST), () => provision(options, object));
    }
    if (isDeleting(object) && (before === null || !isDeleting(before))) {
      end(options, object);
    }
  });
  const noticed = (name: NodeName): void => {
    clock.after(chance.within(NOTICED), () => noteNode(options, name));
  };
  api.watch({ node: ({ name }) => noticed(name), nodeDeleted: ({ name }) => noticed(name) });
}

/** The machine, unless it is on its way out. */
function alive(store: ObjectStore, machine: MachineObject): MachineObject | null {
  const now = store.current<'Machine'>(machine);
  return now === null || isDeleting(now) ? null : now;
}

export const machineId = ({ metadata: { namespace, name } }: MachineObject): InstanceId =>
  instanceId(`${namespace}/${name}`);

/** The fields of an event about the instance of a Machine. */
export const aboutMachine = ({ name }: SimulatedScalingGroup, machine: MachineObject): OfInstance => ({
  group: name,
  instance: machineId(machine),
  zone: machine.spec.failureDomain,
});

function provision(options: MachineLifeOptions, created: MachineObject): void {
  const { clock, store, chance, faults, groupOf, instancesOf, events } = options;
  const machine = alive(store, created);
  if (machine === null) {
    return;
  }
  const { group, available } = groupOf(machine);
  const zone = machine.spec.failureDomain;
  const refused =
    instancesOf(group) >= available ? noCapacity(group.instanceType, zone) : faults.launch({ group, zone });
  if (refused !== null) {
    const isTerminal = faults.isTerminal({ group, zone });
    store.update<'Machine'>(machine, (now) => withFailure(options, now, refused, isTerminal));
    events.onFailed(machine, refused);
    if (!isTerminal) {
      clock.after(RETRY_MS, () => provision(options, machine));
    }
    return;
  }
  setPhase(store, machine, 'Provisioning', [
    condition(clock, { type: 'InfrastructureReady', status: 'Unknown', reason: 'Provisioning' }),
  ]);
  const fate = faults.fate({ group, zone });
  const bootMs = chance.within(group.boot) + latenessOf(fate);
  const providerID = `aws:///${zone}/i-0${chance.text(16, HEX)}`;
  clock.after(Math.min(bootMs, chance.within(STARTED)), () => {
    const started = alive(store, machine);
    if (started !== null) {
      store.update<'Machine'>(started, (now) => ({ ...now, spec: { ...now.spec, providerID } }));
      setPhase(store, started, 'Provisioned', [
        condition(clock, { type: 'InfrastructureReady', status: 'True', reason: 'Ready' }),
      ]);
    }
  });
  clock.after(bootMs, () => {
    const started = alive(store, machine);
    if (started !== null && fate.kind !== 'silent') {
      join(options, started, fate.kind !== 'unready');
    }
  });
  if (fate.kind === 'vanishing') {
    // A MachineHealthCheck deletes a Machine whose instance is gone.
    clock.after(fate.after, () => store.remove(machine));
  }
}

/** The instance's node joins the cluster, and becomes ready later. */
function join(options: MachineLifeOptions, machine: MachineObject, getsReady: boolean): void {
  const { clock, api, store, groupOf, events } = options;
  const { group } = groupOf(machine);
  const node = nodeFor(machine, group, clock);
  api.putNode(asRegistered(node, group, clock));
  events.onRegistered(machine, node.name);
  becomeReady(options, group, {
    node,
    about: aboutMachine(group, machine),
    isUp: () => getsReady && alive(store, machine) !== null,
  });
}

/** The node of a Machine, ready, and of its name. */
export const nodeFor = (machine: MachineObject, group: SimulatedScalingGroup, clock: Pick<Clock, 'now'>) =>
  simulatedNode(group, machine.spec.failureDomain, nodeName(machine.metadata.name), {
    createdAt: clock.now(),
    uid: `node-${machine.metadata.uid}`,
    providerId: machine.spec.providerID!,
  });

/** The Machine learns of its node by the provider ID, and how the node is. */
function noteNode({ clock, api, store }: MachineLifeOptions, name: NodeName): void {
  const node = api.nodes.get(name);
  const machine = store
    .list('Machine')
    .find(({ spec, status }) =>
      node === undefined ? status.nodeRef?.name === name : spec.providerID === node.providerId,
    );
  if (machine === undefined || isDeleting(machine)) {
    return;
  }
  const ready = isSimulatedNodeReady(node);
  store.update<'Machine'>(machine, (now) => ({
    ...now,
    status: {
      ...now.status,
      nodeRef: now.status.nodeRef ?? { name },
      conditions: withConditions(now, [
        condition(clock, { type: 'NodeHealthy', status: ready ? 'True' : 'False', reason: 'NodeReady' }),
      ]),
    },
  }));
  setPhase(store, machine, 'Running', []);
}

/** The instance ends, then its node, then the Machine. */
function end({ clock, api, store, chance, faults, groupOf, events }: MachineLifeOptions, machine: MachineObject): void {
  const { group } = groupOf(machine);
  const longer = faults.deletion({ group, zone: machine.spec.failureDomain });
  clock.after(chance.within(REQUEST), () => setPhase(store, machine, 'Deleting', []));
  clock.after(chance.within(SHUTDOWN) + longer, () => {
    const now = store.current<'Machine'>(machine);
    if (now === null) {
      return;
    }
    const node = [...api.nodes.values()].find(
      ({ providerId }) => providerId !== null && providerId === now.spec.providerID,
    );
    events.onGone(now, node?.name ?? null);
    if (node !== undefined) {
      api.deleteNode(node.name);
    }
    store.update<'Machine'>(now, (last) => ({ ...last, metadata: { ...last.metadata, finalizers: [] } }));
  });
}

const setPhase = (
  store: ObjectStore,
  machine: MachineObject,
  phase: MachinePhase,
  conditions: readonly Condition[],
): void =>
  store.update<'Machine'>(machine, (now) => ({
    ...now,
    status: {
      ...now.status,
      // A Machine that has failed for good, or is being deleted, keeps its phase.
      phase: now.status.phase === 'Failed' || (isDeleting(now) && phase !== 'Deleting') ? now.status.phase : phase,
      conditions: withConditions(now, conditions),
    },
  }));

export const condition = (
  clock: Pick<Clock, 'now'>,
  now: Pick<Condition, 'type' | 'status' | 'reason'>,
  message = '',
): Condition => ({ ...now, message, lastTransitionTime: timestamp(clock.now()) });

/** A condition that says the same as before keeps its time. */
const withConditions = ({ status }: MachineObject, changed: readonly Condition[]): readonly Condition[] => [
  ...status.conditions.filter(({ type }) => !changed.some((one) => one.type === type)),
  ...changed.map((one) => {
    const before = status.conditions.find(({ type }) => type === one.type);
    return before?.status === one.status && before.reason === one.reason ? before : one;
  }),
];

function withFailure(
  { clock }: MachineLifeOptions,
  machine: MachineObject,
  { code, message }: InstanceError,
  isTerminal: boolean,
): MachineObject {
  const text = `${code}: ${message}`;
  return {
    ...machine,
    status: {
      ...machine.status,
      phase: isTerminal ? 'Failed' : 'Provisioning',
      conditions: withConditions(machine, [
        condition(clock, { type: 'InfrastructureReady', status: 'False', reason: 'InstanceProvisionFailed' }, text),
      ]),
      ...present({
        deprecated: isTerminal ? { v1beta1: { failureReason: 'CreateError', failureMessage: text } } : null,
      }),
    },
  };
}
