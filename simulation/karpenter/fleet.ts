import { getExisting } from '@outrigger/core/model/values/existing.ts';
import { type GroupName, type InstanceId, type NodeName, nodeName } from '@outrigger/core/model/values/names.ts';
import { addTime, type EpochMs, minutes } from '@outrigger/core/model/values/time.ts';
import type { SimulatedAwsWorld } from '../world.ts';
import type { WorldEvent } from '../world-event.ts';
import type { InstanceOffering } from './offerings.ts';

/** After a launch failed for want of capacity, Karpenter does not try the offering for so long. */
const UNAVAILABLE = minutes(3);

/** A node that Karpenter may end. */
export interface FleetNode {
  readonly name: NodeName;
  readonly offering: InstanceOffering;
  readonly instance: InstanceId;
}

/** A launched node that has not registered yet. */
export interface UpcomingNode {
  /** A name for plans. */
  readonly name: NodeName;
  readonly offering: InstanceOffering;
  instance: InstanceId | null;
  /** The node that it has become. */
  node: NodeName | null;
  failed: boolean;
}

/** Karpenter's instances: each launch raises the size of the group of its offering, and each end lowers it. */
export interface Fleet {
  readonly nodes: ReadonlyMap<NodeName, FleetNode>;
  readonly upcoming: readonly UpcomingNode[];
  readonly launch: (offering: InstanceOffering) => UpcomingNode;
  readonly terminate: (node: NodeName) => void;
  readonly isAvailable: (offering: InstanceOffering) => boolean;
}

type FleetWorld = Pick<SimulatedAwsWorld, 'clock' | 'scaling' | 'onEvent'>;

interface FleetState extends Omit<FleetWorld, 'onEvent'> {
  readonly byGroup: ReadonlyMap<GroupName, InstanceOffering>;
  readonly nodes: Map<NodeName, FleetNode>;
  readonly unavailable: Map<GroupName, EpochMs>;
  upcoming: readonly UpcomingNode[];
  launched: number;
}

/** @param onFailure is called when instances could not be launched. */
export function followFleet(
  { clock, scaling, onEvent }: FleetWorld,
  offerings: readonly InstanceOffering[],
  onFailure: () => void,
): Fleet {
  const byGroup = new Map(offerings.map((offering) => [offering.group, offering]));
  const state: FleetState = {
    clock,
    scaling,
    byGroup,
    nodes: startingNodes(scaling, byGroup),
    unavailable: new Map(),
    upcoming: [],
    launched: 0,
  };
  onEvent((event) => {
    if (event.kind === 'InstanceLaunched') {
      takeInstance(state, event.group, event.instance);
    } else if (event.kind === 'NodeRegistered') {
      takeNode(state, event);
    } else if (event.kind === 'NodeGone') {
      state.nodes.delete(event.node);
    } else if (event.kind === 'LaunchFailed' && byGroup.has(event.group)) {
      giveUpLaunches(state, event.group);
      onFailure();
    }
  });
  return {
    nodes: state.nodes,
    get upcoming() {
      return state.upcoming;
    },
    launch: (offering) => launch(state, offering),
    terminate: (name) => {
      const { offering, instance } = getExisting(state.nodes, name);
      scaling.terminate(offering.group, instance, true);
    },
    isAvailable: ({ group }) => (state.unavailable.get(group) ?? 0) <= clock.now(),
  };
}

function startingNodes(scaling: FleetWorld['scaling'], byGroup: FleetState['byGroup']): FleetState['nodes'] {
  const nodes: FleetState['nodes'] = new Map();
  for (const { group, instances } of scaling.groups()) {
    const offering = byGroup.get(group.name);
    for (const { id, node } of instances) {
      if (offering !== undefined && node !== null) {
        nodes.set(node, { name: node, offering, instance: id });
      }
    }
  }
  return nodes;
}

function launch(state: FleetState, offering: InstanceOffering): UpcomingNode {
  const { scaling } = state;
  state.launched += 1;
  const one: UpcomingNode = {
    name: nodeName(`upcoming-${String(state.launched).padStart(6, '0')}`),
    offering,
    instance: null,
    node: null,
    failed: false,
  };
  state.upcoming = [...state.upcoming, one];
  scaling.setDesired(offering.group, (scaling.sizeOf(offering.group)?.target ?? 0) + 1);
  return one;
}

const isRequested =
  (group: GroupName) =>
  ({ offering, instance }: UpcomingNode): boolean =>
    offering.group === group && instance === null;

function takeInstance({ upcoming }: FleetState, group: GroupName, instance: InstanceId): void {
  const one = upcoming.find(isRequested(group));
  if (one !== undefined) {
    one.instance = instance;
  }
}

function takeNode(
  state: FleetState,
  { group, instance, node }: Pick<Extract<WorldEvent, { kind: 'NodeRegistered' }>, 'group' | 'instance' | 'node'>,
): void {
  const offering = state.byGroup.get(group);
  const one = state.upcoming.find((upcoming) => upcoming.instance === instance);
  if (offering !== undefined) {
    state.nodes.set(node, { name: node, offering, instance });
  }
  if (one !== undefined) {
    one.node = node;
    state.upcoming = state.upcoming.filter((other) => other !== one);
  }
}

/** The group would request the instances again and again. */
function giveUpLaunches(state: FleetState, group: GroupName): void {
  const { clock, scaling, unavailable } = state;
  unavailable.set(group, addTime(clock.now(), UNAVAILABLE));
  for (const one of state.upcoming.filter(isRequested(group))) {
    one.failed = true;
  }
  state.upcoming = state.upcoming.filter(({ failed }) => !failed);
  clock.after(0, () => scaling.setDesired(group, scaling.sizeOf(group)?.held ?? 0));
}
