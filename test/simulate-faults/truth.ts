import type { GroupName, InstanceId, NodeName } from '../../core/model/values/names.ts';
import type { ProviderName } from '../../core/model/provider.ts';
import type { Scenario } from '../../core/model/scenario.ts';
import type { Intent } from '../../core/model/intent.ts';
import { HOSTNAME_LABEL, type Node } from '../../core/model/cluster/node.ts';
import { isExpendable, withoutExpendable } from '../../core/model/cluster/expendable.ts';
import { isDaemon, isFinished, type Pod } from '../../core/model/cluster/pod.ts';
import { consumedBy } from '../../core/model/cluster/provisioning-request.ts';
import { type EpochMs, minutes } from '../../core/model/values/time.ts';
import { homeOf } from '../../core/scheduling/cluster-snapshot.ts';
import type { GroupView, SimulatedInstance } from '../../providers/simulated/auto-scaling.ts';
import { isNodeReady } from '../../providers/simulated/node-readiness.ts';
import type { ScalingGroup } from '../../providers/simulated/scaling-group.ts';
import type { SimulatedWorld } from '../../providers/simulated/world.ts';
import { nodeUnits } from './node-sizes.ts';
import { type Pool, SIZE_LABEL } from './pools.ts';
import { MAX_SKEW_MS } from './runtime.ts';
import { MAX_LAG_MS } from './world-faults.ts';

/** How long functions wait for an instance to register and for a node to get ready, by clocks that may be off. */
export const PATIENCE_MS = minutes(15) - 2 * MAX_SKEW_MS - 30_000;
/** How long one of them may wait. */
export const LONGEST_PATIENCE_MS = minutes(15) + 2 * MAX_SKEW_MS + 30_000;
/**
 * An evaluation that has seen a launch fail, or an instance go, may not have seen yet that another one has been launched.
 * And it need not count on the instance that Auto Scaling will launch in the place of one that has gone by itself.
 */
export const RECOVERED_MS = MAX_LAG_MS + 12_000;

export const unitsOf = (pod: Pod): number => Number(pod.labels[SIZE_LABEL] ?? 0);

/**
 * What a pod that is on a node takes from others. Where a topology spread constraint lets a node hold one pod of a workload,
 * another one may come as soon as that one ends: kube-scheduler does not count pods that are on their way out.
 */
export const takenBy = (pod: Pod): number => (pod.deletedAt !== null && isSpreadOverNodes(pod) ? 0 : unitsOf(pod));

/** May a node hold a limited number of pods like this one? */
export const isSpreadOverNodes = ({ spec: { topologySpread } }: Pod): boolean =>
  topologySpread.some(
    ({ topologyKey, whenUnsatisfiable }) => topologyKey === HOSTNAME_LABEL && whenUnsatisfiable === 'DoNotSchedule',
  );

/** It needs a node, and the scheduler has said that there is none. */
export const isWaiting = (pod: Pod): boolean =>
  pod.nodeName === null && pod.deletedAt === null && !isDaemon(pod) && pod.unscheduled?.reason === 'Unschedulable';

/** Its room was asked for before it came, by a ProvisioningRequest: no node is bought for it itself. */
export const isForARequest = (pod: Pod, options: Scenario['options']): boolean =>
  options.provisioningRequests && consumedBy(pod) !== null;

/** It waits, and a node is bought for it if there is none: it is not expendable, and none of its nodes is being cleared for it. */
export const wantsNode = (pod: Pod, { objects, options }: Pick<Scenario, 'objects' | 'options'>): boolean =>
  isWaiting(pod) &&
  !isExpendable(pod, options) &&
  !isForARequest(pod, options) &&
  (pod.nominatedNodeName === null || !objects.nodes.some(({ name }) => name === pod.nominatedNodeName));

/**
 * What takes room on nodes for these pods: expendable ones do where one of them never preempts, and where the room is that of volumes.
 * Those of a pod are attached until it has gone, so that kube-scheduler finds nothing to be gained by its preemption.
 */
export const inTheWay = (
  pods: readonly Pod[],
  of: readonly Pod[],
  options: Scenario['options'],
  { ofVolumes }: Pick<Pool, 'ofVolumes'> = {},
): readonly Pod[] =>
  ofVolumes === true || of.some(({ spec }) => spec.preemptionPolicy === 'Never')
    ? pods
    : withoutExpendable(pods, options);

export const members = ({ instances }: GroupView): readonly SimulatedInstance[] =>
  instances.filter(({ state }) => state !== 'Deleting');

/** Instances that their groups have, and whose Nodes are gone: they may be taken for starting. */
export const withoutNodes = ({ api, scaling }: Pick<SimulatedWorld, 'api' | 'scaling'>): ReadonlySet<InstanceId> =>
  new Set(
    scaling
      .groups()
      .flatMap(members)
      .flatMap(({ id, node }) => (node !== null && !api.nodes.has(node) ? id : [])),
  );

/** Decided so long ago that no evaluation counts on it any more, or that one need not: by how long functions wait. */
export const isStale = ({ createdAt }: Intent, now: EpochMs, patienceMs = PATIENCE_MS): boolean =>
  now - createdAt > patienceMs;

/**
 * What a group has once everything is done that has been decided, but for what is no longer counted on, increases that were
 * decided before the group is known to have failed, and sizes beyond the bounds that it has been given since.
 */
export const plannedSize = (...about: Parameters<typeof plannedOf>): number => plannedOf(...about).size;

/** The same, with the instances that are ended then: at the minimum those are left alone that are not to be replaced. */
function plannedOf(
  view: GroupView,
  intents: readonly Intent[],
  { now, failedAt, patienceMs }: Known,
): { readonly size: number; readonly ending: ReadonlySet<InstanceId> } {
  const { group, desired } = view;
  const ending = new Set<InstanceId>();
  let size = desired;
  const pending = pendingOf(group.name, intents);
  // What a group is waited for begins anew with each of its increases.
  const latest = pending.findLast((intent) => intent.kind === 'SetSize' && intent.to > intent.from);
  for (const intent of pending) {
    if (intent.kind === 'SetSize') {
      const isIncrease = intent.to > intent.from;
      const overtaken = isIncrease && intent.createdAt <= failedAt(group.name);
      const isAllowed = intent.to >= group.minSize && intent.to <= group.maxSize;
      size =
        intent.from === size && isAllowed && !overtaken && !isStale(isIncrease ? latest! : intent, now, patienceMs)
          ? intent.to
          : size;
    } else if (intent.kind === 'DeleteInstances') {
      const still = new Set(members(view).map(({ id }) => id));
      for (const id of intent.instances.filter((one) => !ending.has(one))) {
        // What has been ended is not counted any more.
        const lowers = still.has(id) && size > group.minSize;
        if (lowers || intent.force || !still.has(id)) {
          ending.add(id);
        }
        size -= lowers ? 1 : 0;
      }
    }
  }
  return { size, ending };
}

/** The version that decided it, and its place among what was decided for its group. */
function order({ id }: Intent): number {
  const [version = '', place = '0'] = id.split('-', 1)[0]!.split('.');
  return Number(version) * 1_000 + Number(place);
}

/** What is still to be done for a group, in the order in which it is done. */
export const pendingOf = (group: GroupName, intents: readonly Intent[]): readonly Intent[] =>
  intents
    .filter((intent) => intent.group === group && intent.status === 'pending')
    .toSorted((a, b) => order(a) - order(b));

/** What may be known to an evaluation. */
export interface Known {
  readonly now: EpochMs;
  /** Of a group that has failed: increases that were decided until then are not counted on; before all time where none did. */
  readonly failedAt: (group: GroupName) => EpochMs;
  /** When each group had last failed to launch an instance, or lost one. */
  readonly lastTrouble: ReadonlyMap<GroupName, EpochMs>;
  /** Nodes that take no pods: they are on their way out, or in trouble. */
  readonly closed: ReadonlySet<NodeName>;
  /**
   * How old an instance that is no ready node, or an increase that is not made, may be to be counted on, in milliseconds; absent: no
   * less than any function waits.
   */
  readonly patienceMs?: number;
  /** Until when no function knew how long an instance of this group had been waited for already; absent: they always have. */
  readonly forgottenAt?: (group: GroupName) => number;
  /** Since when functions have known of an instance: it is waited for from then on; absent: since it was launched. */
  readonly knownSince?: (instance: InstanceId) => number;
  /**
   * How long an instance that Auto Scaling has launched beyond its group's size, to balance zones or to replace others, may
   * not have been seen yet, in milliseconds; absent: it has been at once.
   */
  readonly unseenMs?: number;
  /** How many volumes take places on a node though none of these pods has them there; absent: none are limited. */
  readonly lingering?: (node: NodeName, pods: readonly Pod[]) => number;
  /**
   * Whether a group's failed launch may not have been seen yet, and what is asked for again after that may be waited for; absent: it
   * has been seen at once.
   */
  readonly despiteErrors?: boolean;
  /** Instances that are taken for starting, though their Nodes were there and have been deleted; absent: none. */
  readonly awaited?: ReadonlySet<InstanceId>;
  /** Is what a MachineSet makes counted on that waits for a machine to go, which may take long? Absent: not. */
  readonly afterOthers?: boolean;
}

/**
 * Pods that need a new place in a moment, since a drain has evicted them or is about to: those on nodes that are being
 * drained, or whose instances drains have ended, and those evicted lately that their controllers have not replaced yet.
 */
export function displaced({ objects: { nodes, pods, controllers }, options, state }: Scenario): readonly Pod[] {
  const removed = new Set(state.deletionsInProgress.map(({ node }) => node));
  const ended = state.scaleDownRequests.flatMap(({ node, time }) =>
    !removed.has(node) && nodes.some(({ name, createdAt }) => name === node && (createdAt ?? time) < time) ? node : [],
  );
  // From a node that is removed as an empty one nothing is evicted.
  const draining = new Set([
    ...state.deletionsInProgress.flatMap(({ node, kind }) => (kind === 'drain' ? node : [])),
    ...ended,
  ]);
  const missing = new Map<string, number>();
  const evicted = state.recentEvictions.filter(({ controller }) => {
    const uid = controller?.uid ?? '';
    const wanted = controllers.find((one) => one.uid === uid)?.replicas ?? 0;
    const alive = pods.filter(
      (pod) => pod.controller?.uid === uid && pod.deletedAt === null && !isFinished(pod),
    ).length;
    const left = missing.get(uid) ?? wanted - alive;
    missing.set(uid, left - 1);
    return left > 0;
  });
  const onTheirWay = pods.filter(
    (pod) =>
      pod.nodeName !== null &&
      draining.has(pod.nodeName) &&
      pod.controller !== null &&
      !isDaemon(pod) &&
      !isFinished(pod),
  );
  return withoutExpendable([...onTheirWay, ...evicted], options).filter((pod) => !isForARequest(pod, options));
}

/** Room on a node that is there or on its way. */
export interface Place {
  readonly group: ScalingGroup;
  readonly units: number;
}

/**
 * The room that a pool has and will have, by node, in units: on nodes that are ready, on instances that are on their way
 * and need not have been given up yet, on instances that have been requested.
 *
 * @param pods what is on the nodes, or nominated to them; what is expendable makes room.
 */
export const roomOf = (...about: Parameters<typeof placesOf>): readonly number[] =>
  placesOf(...about).map(({ units }) => units);

/** The same, with the group that each node is of. */
export function placesOf(
  { api, scaling, provider }: SimulatedWorld,
  pool: Pool,
  pods: readonly Pod[],
  intents: readonly Intent[],
  known: Known,
): readonly Place[] {
  const {
    now,
    lastTrouble,
    closed,
    patienceMs = PATIENCE_MS,
    forgottenAt = () => 0,
    knownSince = () => 0,
    awaited,
    despiteErrors = false,
    afterOthers = false,
    lingering = () => 0,
  } = known;
  const used = new Map<NodeName, number>();
  for (const pod of pods) {
    const home = homeOf(pod);
    if (home !== null) {
      used.set(home, (used.get(home) ?? 0) + takenBy(pod));
    }
  }
  const places: Place[] = [];
  for (const view of scaling.groups()) {
    const { name } = view.group;
    if (!pool.groups.includes(name)) {
      continue;
    }
    const size = nodeUnits(pool, view.group);
    const inTrouble = now - (lastTrouble.get(name) ?? Number.NEGATIVE_INFINITY) < RECOVERED_MS;
    const { size: planned, ending } = plannedOf(view, intents, known);
    const there = members(view);
    // The nodes of instances in Standby serve on; those that are not ready yet are not waited for.
    const serving = (view.aside ?? []).filter(({ node }) => {
      const own = node === null ? undefined : api.nodes.get(node);
      return own !== undefined && isNodeReady(own) && hasDevices(own, view);
    });
    const unseen = unseenBeyond(view, there, known);
    for (const { id, node: nodeName, launchedAt, failed, isRetried } of [...there, ...serving]) {
      const node = nodeName === null ? undefined : api.nodes.get(nodeName);
      const isHopeless = failed === true && !(despiteErrors && isRetried === true);
      if (isHopeless || ending.has(id) || unseen.has(id) || (node !== undefined && closed.has(node.name))) {
        continue;
      }
      if (node === undefined) {
        if (view.untagged === true) {
          // It is no instance of the cluster's, as far as that is known.
          continue;
        }
        // One whose Node was deleted does not register again; an evaluation may wait for it all the same.
        const isAwaited =
          nodeName === null
            ? now - Math.max(launchedAt, forgottenAt(name), knownSince(id)) < patienceMs &&
              !(inTrouble && now - launchedAt < RECOVERED_MS)
            : awaited?.has(id) === true;
        if (isAwaited) {
          places.push({ group: view.group, units: size });
        }
      } else if (now - launchedAt > patienceMs && now - (node.createdAt ?? now) < RECOVERED_MS) {
        // It came after it had been given up, so lately that it may not have been seen.
        continue;
      } else if (
        (isNodeReady(node) && hasDevices(node, view)) ||
        (view.untagged !== true && now - (node.createdAt ?? now) < patienceMs)
      ) {
        // A node that starts, or whose devices are not announced yet, is waited for where its group is known.
        places.push({
          group: view.group,
          units: size - (used.get(node.name) ?? 0) - (pool.ofVolumes === true ? lingering(node.name, pods) : 0),
        });
      }
    }
    if ((view.error === null || despiteErrors) && !inTrouble && view.untagged !== true) {
      // A MachineSet counts a machine that is on its way out until it is gone, and makes none in its place before.
      const counted = provider === 'clusterapi' && !afterOthers ? view.instances : there;
      const missing = planned - counted.filter(({ id }) => !ending.has(id)).length;
      places.push(...Array.from({ length: Math.max(0, missing) }, () => ({ group: view.group, units: size })));
    }
  }
  return places;
}

/** Has it all that nodes of its group have, those of device plugins among it? */
const hasDevices = ({ allocatable }: Node, { group }: GroupView): boolean =>
  Object.keys(group.allocatable).every((resource) => Object.hasOwn(allocatable, resource));

/** The latest instances of a group, as many as it has beyond its size, if they were launched a moment ago. */
function unseenBeyond(
  { desired }: GroupView,
  there: readonly SimulatedInstance[],
  { now, unseenMs = 0 }: Known,
): ReadonlySet<InstanceId> {
  const latest = there.toSorted((a, b) => b.launchedAt - a.launchedAt).slice(0, Math.max(0, there.length - desired));
  return new Set(latest.flatMap(({ id, launchedAt }) => (now - launchedAt < unseenMs ? id : [])));
}

/**
 * An instance has gone that is to be replaced. One that its group had too many is not: on Cluster API a machine goes a
 * moment after the size was lowered for it.
 */
const hasLost = (view: GroupView, before: GroupView = view): boolean =>
  view !== before &&
  view.desired >= before.desired &&
  members(view).length < Math.min(members(before).length, view.desired);

/**
 * Watches for losses of instances, view by view, until another one is made for each. A MachineSet counts a machine that is
 * on its way out until it is gone, and makes none in its place before; Auto Scaling does not wait.
 *
 * @returns whether a group has lost an instance in its new view, or on Cluster API has one that is not replaced yet.
 */
export function watchLosses(provider: ProviderName): (view: GroupView) => boolean {
  const before = new Map<GroupName, GroupView>();
  const awaiting = new Set<GroupName>();
  return (view) => {
    const { name } = view.group;
    const loses = hasLost(view, before.get(name));
    before.set(name, view);
    if (loses && provider === 'clusterapi') {
      awaiting.add(name);
    } else if (members(view).length >= view.desired) {
      awaiting.delete(name);
    }
    return loses || awaiting.has(name);
  };
}

/** Watches, view by view, for groups of which not all may be counted on that they are to have. */
export function watchTrouble(provider: ProviderName): (view: GroupView) => boolean {
  const before = new Map<GroupName, GroupView>();
  const lacks = watchLosses(provider);
  return (view) => {
    const { name } = view.group;
    const hasGaps = lacks(view);
    const loses = hasLost(view, before.get(name));
    before.set(name, view);
    // What a group lacks is not launched while that is suspended; on Cluster API, none in the place of a machine that is lost.
    const isSuspended = view.paused === true && (provider === 'aws' || hasGaps);
    // A lost machine may be on its way out for long: another one is made when it has gone.
    const isAboutToReplace = hasGaps && view.instances.length < view.desired;
    return view.error !== null || isSuspended || view.untagged === true || loses || isAboutToReplace;
  };
}
