import { isDaemon, type Pod } from '@outrigger/core/model/cluster/pod.ts';
import type { Labels } from '@outrigger/core/model/cluster/selectors.ts';
import type { PodDisruptionBudget } from '@outrigger/core/model/cluster/workloads.ts';
import { getOrMake } from '@outrigger/core/model/values/get-or-make.ts';
import type { GroupName, NodeName } from '@outrigger/core/model/values/names.ts';
import { getOptional, mapOptional } from '@outrigger/core/model/values/optional.ts';
import { addTime, type DurationMs, type EpochMs, minutes, seconds } from '@outrigger/core/model/values/time.ts';
import type { SimulatedScalingGroup } from '../cloud/scaling-group.ts';
import { covering, evictionOf } from '../cluster/disruption-controller.ts';
import { isSimulatedNodeReady } from '../cluster/node-readiness.ts';
import type { SimulatedAwsWorld } from '../world.ts';
import { type Budgets, type Command, type KarpenterMethod, METHODS, replaced, withinBudgets } from './consolidation.ts';
import { drain, setDisrupted } from './drain.ts';
import { type Fleet, type FleetNode, followFleet, type UpcomingNode } from './fleet.ts';
import { type InstanceOffering, offeringsOf } from './offerings.ts';
import { pack } from './packing.ts';
import { isMovable, isProvisionable, type PlanView, planView } from './plan-view.ts';

export interface KarpenterSettings {
  /** The NodePool of each group that stands for an instance type in a zone; other groups are left alone. */
  readonly pools: ReadonlyMap<GroupName, string>;
  /** How long a node is left alone after a pod has come or gone. */
  readonly consolidateAfter: DurationMs;
}

/** `BATCH_IDLE_DURATION` and `BATCH_MAX_DURATION`. */
const BATCH_IDLE = seconds(1);
const BATCH_MAX = seconds(10);
/** A node that a pending pod is to get is not disrupted for so long. */
const NOMINATED = seconds(20);
/** From one look for a disruption to the next, and from its choice to its validation. */
const POLL = seconds(10);
const VALIDATION = seconds(15);
/** A cluster in which nothing has changed is looked at again after so long. */
const LOOK_AGAIN = minutes(5);
/** The default budget of a NodePool. */
const DISRUPTED_SHARE = 0.1;
const DO_NOT_DISRUPT = 'karpenter.sh/do-not-disrupt';

interface State {
  readonly world: SimulatedAwsWorld;
  readonly offerings: readonly InstanceOffering[];
  readonly fleet: Fleet;
  readonly consolidateAfter: DurationMs;
  /** Nodes whose end is decided. */
  readonly leaving: Set<NodeName>;
  readonly nominatedUntil: Map<NodeName, EpochMs>;
  /** When a pod last came to a node or went. */
  readonly lastPodEvent: Map<NodeName, EpochMs>;
  /** Raised with each change of a pod or a node. */
  changes: number;
}

/**
 * Starts a simulated Karpenter (v1) with the defaults of its options and of NodePools. docs/backtest.md says what of it is simulated.
 *
 * @param groups of one zone each, with a price.
 */
export function startKarpenter(
  world: SimulatedAwsWorld,
  groups: readonly SimulatedScalingGroup[],
  { pools, consolidateAfter }: KarpenterSettings,
): void {
  const offerings = offeringsOf(groups, pools);
  const batch = batched(world, () => provision(state, batch));
  const state: State = {
    world,
    offerings,
    fleet: followFleet(world, offerings, batch),
    consolidateAfter,
    leaving: new Set(),
    nominatedUntil: new Map(),
    lastPodEvent: new Map(),
    changes: 0,
  };
  followChanges(state, batch);
  followInterruptions(state, batch);
  world.clock.start(() => disrupt(state, batch));
}

/** Calls once for triggers that come close together: after a second without another one, or after ten. */
function batched({ clock }: Pick<SimulatedAwsWorld, 'clock'>, call: () => void): () => void {
  let first: EpochMs | null = null;
  let last = clock.now();
  const wait = (): void => {
    const due = Math.min(last + BATCH_IDLE, (first ?? last) + BATCH_MAX);
    if (clock.now() >= due) {
      first = null;
      call();
    } else {
      clock.after(due - clock.now(), wait);
    }
  };
  return () => {
    last = clock.now();
    if (first === null) {
      first = last;
      clock.after(BATCH_IDLE, wait);
    }
  };
}

function followChanges(state: State, batch: () => void): void {
  const { world, lastPodEvent, leaving, nominatedUntil } = state;
  const note = (node: NodeName | null): void => {
    state.changes += 1;
    if (node !== null) {
      lastPodEvent.set(node, world.clock.now());
    }
  };
  world.api.watch({
    pod: (pod, before) => {
      const moved =
        pod.nodeName !== before?.nodeName || pod.phase !== before?.phase || pod.deletedAt !== before?.deletedAt;
      if (moved && !isDaemon(pod)) {
        note(pod.nodeName);
      }
      if (isProvisionable(pod) && (before === null || !isProvisionable(before))) {
        batch();
      }
    },
    podDeleted: ({ nodeName }) => note(nodeName),
    node: () => note(null),
    nodeDeleted: ({ name }) => {
      note(null);
      leaving.delete(name);
      lastPodEvent.delete(name);
      nominatedUntil.delete(name);
    },
  });
}

/** An instance that the cloud announces to end is drained at once, and its pods get other nodes. */
function followInterruptions(state: State, batch: () => void): void {
  const { world, fleet } = state;
  world.onEvent((event) => {
    if (event.kind === 'Announced' && event.what === 'SpotInterruption') {
      for (const node of fleet.nodes.values()) {
        if (event.instances.includes(node.instance) && !state.leaving.has(node.name)) {
          leave(state, [node]);
          batch();
          end(state, node);
        }
      }
    }
  });
}

const viewOf = ({ world, fleet, leaving }: State): PlanView => planView(world.api, fleet, leaving);

const available = ({ offerings, fleet }: State): readonly InstanceOffering[] => offerings.filter(fleet.isAvailable);

/** Launches nodes for the pods that want one. */
function provision(state: State, batch: () => void): void {
  const { world, fleet, nominatedUntil } = state;
  const view = viewOf(state);
  if (view.waiting.length === 0) {
    return;
  }
  const { claims, used } = pack(view, view.waiting, {
    existing: view.existing,
    offerings: available(state),
    mostClaims: Infinity,
  });
  for (const { name } of used) {
    nominatedUntil.set(name, addTime(world.clock.now(), NOMINATED));
  }
  for (const { options } of claims) {
    fleet.launch(options[0] as InstanceOffering);
  }
  // As long as pods wait, Karpenter looks again.
  world.clock.after(POLL, batch);
}

function leave({ world, leaving }: State, nodes: readonly FleetNode[]): void {
  for (const { name } of nodes) {
    leaving.add(name);
    setDisrupted(world, name, true);
  }
}

/** Drains a node and ends its instance. */
function end({ world, fleet }: State, { name }: FleetNode): void {
  world.clock.start(async () => {
    await drain(world, name);
    if (fleet.nodes.has(name)) {
      fleet.terminate(name);
    }
  });
}

/** Looks for disruptions for ever: again at once after one, else a while later. */
async function disrupt(state: State, batch: () => void): Promise<void> {
  const { clock } = state.world;
  let seen = -1;
  let lookAgain = 0;
  for (;;) {
    if (state.changes !== seen || clock.now() >= lookAgain) {
      const { changes } = state;
      const found = await disruptOnce(state, batch);
      if (found === 'disrupted') {
        continue;
      }
      seen = found === 'held' ? -1 : changes;
      lookAgain = addTime(clock.now(), LOOK_AGAIN);
    }
    await clock.sleep(POLL);
  }
}

/**
 * Tries one method after another until a command is carried out.
 *
 * @returns `held`: nothing is disrupted now, and may be a while later.
 */
async function disruptOnce(state: State, batch: () => void): Promise<'disrupted' | 'nothing' | 'held'> {
  let isHeld = false;
  let look = lookAt(state);
  for (const method of METHODS) {
    const found = method.find(look.view, look.candidates, available(state), budgetsOf(state));
    isHeld ||= look.isAnyHeld || found !== null;
    if (found !== null) {
      await state.world.clock.sleep(VALIDATION);
      const command = validated(state, method, found);
      if (command !== null) {
        carryOut(state, command, batch);
        return 'disrupted';
      }
      look = lookAt(state);
    }
  }
  return isHeld ? 'held' : 'nothing';
}

/** The cluster, in which pending pods have the free room first, and the nodes that may be disrupted. */
function lookAt(state: State) {
  const view = viewOf(state);
  const found = candidatesIn(state, view);
  pack(view, view.waiting, { existing: view.existing, offerings: available(state), mostClaims: 0 });
  return { view, ...found };
}

/** The nodes that may be disrupted; others may be a while later. */
function candidatesIn(
  { world, fleet, leaving, nominatedUntil, lastPodEvent, consolidateAfter }: State,
  view: PlanView,
): { readonly candidates: readonly FleetNode[]; readonly isAnyHeld: boolean } {
  const now = world.clock.now();
  const budgets = world.api.budgets();
  // The pods of a workload share their labels.
  const known = new Map<string, Map<Labels, readonly PodDisruptionBudget[]>>();
  const mayGo = (pod: Pod): boolean => {
    const ofNamespace = getOrMake(known, pod.namespace, () => new Map());
    const own = getOrMake(ofNamespace, pod.labels, () => covering(pod, budgets));
    return pod.annotations[DO_NOT_DISRUPT] !== 'true' && evictionOf(pod, own).kind === 'goes';
  };
  let isAnyHeld = false;
  const candidates = [...fleet.nodes.values()].filter(({ name }) => {
    const node = world.api.nodes.get(name);
    if (leaving.has(name) || !isSimulatedNodeReady(node) || view.snapshot.byName(name) === undefined) {
      return false;
    }
    if ((nominatedUntil.get(name) ?? 0) > now || (lastPodEvent.get(name) ?? 0) + consolidateAfter > now) {
      isAnyHeld = true;
      return false;
    }
    return view.podsOn(name).filter(isMovable).every(mayGo);
  });
  return { candidates, isAnyHeld };
}

/** A tenth of the nodes of each NodePool, rounded up, less those that leave or are not ready. */
function budgetsOf({ world, fleet, leaving }: State): Budgets {
  const pools = Map.groupBy(fleet.nodes.values(), ({ offering }) => offering.pool);
  return new Map(
    [...pools].map(([pool, nodes]) => {
      const disrupted = nodes.filter(
        ({ name }) => leaving.has(name) || !isSimulatedNodeReady(world.api.nodes.get(name)),
      );
      return [pool, Math.max(0, Math.ceil(nodes.length * DISRUPTED_SHARE) - disrupted.length)];
    }),
  );
}

/** The command as it is after the delay; `null` where it is given up. */
function validated(state: State, { find, inPart }: KarpenterMethod, command: Command): Command | null {
  const { view, candidates } = lookAt(state);
  const there = new Set(candidates);
  const stay = command.nodes.filter((node) => there.has(node));
  const [budgets, offerings] = [budgetsOf(state), available(state)];
  if (inPart) {
    return find(view, stay, offerings, budgets);
  }
  if (withinBudgets(stay, budgets).length < command.nodes.length) {
    return null;
  }
  const again = replaced(view, stay, offerings);
  return again !== null && (again.replacement === null) === (command.replacement === null) ? command : null;
}

/** Ends the nodes of a command once its replacement is ready; without one, at once. */
function carryOut(state: State, { nodes, replacement }: Command, batch: () => void): void {
  const { world, fleet, leaving } = state;
  leave(state, nodes);
  const launched = mapOptional(replacement, fleet.launch);
  world.clock.start(async () => {
    if (launched !== null && !(await becomesReady(state, launched))) {
      for (const { name } of nodes) {
        leaving.delete(name);
        setDisrupted(world, name, false);
      }
      return;
    }
    batch();
    nodes.forEach((node) => end(state, node));
  });
}

/** From a launch to a ready node, at most: Karpenter's time for a registration. */
const LONGEST_LAUNCH = minutes(15);

async function becomesReady({ world }: State, launched: UpcomingNode): Promise<boolean> {
  const { clock, api } = world;
  for (const until = addTime(clock.now(), LONGEST_LAUNCH); clock.now() < until && !launched.failed;) {
    await clock.sleep(seconds(1));
    if (isSimulatedNodeReady(getOptional(api.nodes, launched.node))) {
      return true;
    }
  }
  return false;
}
