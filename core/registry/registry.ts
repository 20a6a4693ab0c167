import { present } from '../model/values/present.ts';
import { entriesOf, valueOf } from '../model/values/records.ts';
import { eachGroup } from '../model/fault.ts';
import type { GroupReport, RegistryReport, Repair } from '../model/decision.ts';
import type { GroupName, InstanceId, NodeName } from '../model/values/names.ts';
import { endingNodes, type Instance, type NodeGroup } from '../model/node-group.ts';
import { type Pause, pauseOf } from '../model/pause.ts';
import type { Scenario } from '../model/scenario.ts';
import { sortedBy, sortedRecord } from '../model/values/sorted.ts';
import { type Backoff, nodesBeingRemoved, type ScaleUpRequest, type State } from '../model/state.ts';
import type { EpochMs } from '../model/values/time.ts';
import { backOff, currentBackoff, freshErrors, zonesWithoutCapacity } from './backoff.ts';
import { monthCostsAfter } from './month-costs.ts';
import {
  beyondRepair,
  countGroup,
  failuresOf,
  givenUp,
  type GroupCounts,
  settledNodes,
  updateUnregistered,
} from './counts.ts';
import { acceptableRange, incorrectSizeOf, isClusterHealthy, isGroupHealthy, openScaleDownRequests } from './health.ts';
import { abandonedBy, isIncomplete, missingFrom, type ObservedGroup, repairsOf, targetAfter } from './repairs.ts';
import { requestProgress, reducedBy, requestOf } from './scale-up-request.ts';
import { createShortages, type NoCapacity, type Shortages } from './shortages.ts';
import { nodeCountsOf, totalsOf } from './totals.ts';

/** The status of one node group: its requests, its existing nodes, its upcoming nodes. */
export interface GroupStatus {
  readonly group: GroupName;
  readonly report: GroupReport;
  /** Instances that are asked for or launched, but whose nodes cannot take pods yet. */
  readonly upcoming: number;
  /** The upcoming nodes that registered and are starting. */
  readonly starting: readonly NodeName[];
  /** Why the group is left alone, and until when; `null` where it is not. */
  readonly backoff: Backoff | null;
  /** Why the cloud has no node of any of the group's shapes at the moment; `null` where it may have. */
  readonly shortage: NoCapacity | null;
  /** The pause that holds its scale-up back; `null`: none does. */
  readonly pause: Pause | null;
  /** The group's target after its repairs: increases start from here. */
  readonly target: number;
  /**
   * Number of nodes that may come beyond existing and upcoming ones: instances that the target counts in the cloud
   * until repairs are made, these and earlier ones, and instances that the cloud launches without an open request, such
   * as an instance in the place of one that has ended.
   */
  readonly mayCome: number;
  /** Instances that will not become nodes, that cannot be ended, and that the target counts. */
  readonly beyondRepair: readonly Instance[];
}

/** Registration, readiness and open requests of every group, from what is observed and what is remembered. */
export interface Registry {
  readonly groups: ReadonlyMap<GroupName, GroupStatus>;
  readonly report: RegistryReport;
  /** The remembered state, brought up to date with what is observed. */
  readonly state: State;
}

/** All groups in the making, and what they have taught. */
interface Observation {
  readonly observed: readonly ObservedGroup[];
  readonly unregisteredSince: ReadonlyMap<InstanceId, EpochMs>;
  readonly backoff: ReadonlyMap<GroupName, Backoff>;
  readonly shortages: Shortages;
  readonly seenErrors: readonly (readonly [GroupName, readonly InstanceId[]])[];
  readonly scaleDownRequests: State['scaleDownRequests'];
}

/**
 * Builds the registry: counts, follows the open requests, learns from failures, then judges and repairs. Follows
 * `UpdateNodes` of Cluster Autoscaler's clusterstate.go, which keeps in memory what is state here.
 */
export function buildRegistry(scenario: Scenario): Registry {
  const { options, now } = scenario;
  const observation = observe(scenario);
  const totals = totalsOf(observation.observed, ungrouped(scenario), options, now);
  const clusterHealthy = isClusterHealthy(totals, options);
  const repairs: Repair[] = [];
  const statuses = new Map<GroupName, GroupStatus>();
  eachGroup(observation.observed, (one) => {
    const own = mayRepair(one, scenario) ? repairsOf(one, clusterHealthy, scenario) : [];
    repairs.push(...own);
    statuses.set(one.name, statusOf(one, own, observation, scenario));
  });
  return {
    groups: statuses,
    report: {
      clusterHealthy,
      totals,
      groups: sortedRecord([...statuses].map(([name, { report }]) => [name, report] as const)),
      repairs: inNameOrder(repairs),
    },
    state: stateAfter(scenario, observation),
  };
}

/** Counts every group, follows its open request, and learns from the failures of its launches. */
function observe(scenario: Scenario): Observation {
  const { nodeGroups, objects, options, state, now } = scenario;
  const nodes = new Map(objects.nodes.map((node) => [node.name, node]));
  const requests = new Map(state.scaleUpRequests.map((request) => [request.group, request]));
  const unregisteredSince = updateUnregistered(scenario);
  const backoff = currentBackoff(scenario);
  const shortages = createShortages(state.shortages, now);
  const seenErrors: [GroupName, readonly InstanceId[]][] = [];
  const observed: ObservedGroup[] = [];
  eachGroup(nodeGroups, (group) => {
    const { name } = group;
    const fail = (failure: Backoff['class']): unknown =>
      backoff.set(name, backOff(backoff.get(name), failure, options, now));
    const counts = countGroup(group, nodes, unregisteredSince, scenario);
    let progress = requestProgress(group, counts, requests.get(name) ?? requestOf(group, options), now);
    const errors = freshErrors(counts, valueOf(state.seenErrors, name));
    if (progress.kind === 'timed out') {
      // A reason for missing instances that is only now known says more than a timeout.
      fail(errors.class ?? 'Timeout');
    }
    // Without an open request no instance is awaited here.
    if (progress.kind !== 'none') {
      shortages.note(group, zonesWithoutCapacity(errors));
    }
    if (progress.kind === 'open' && errors.class !== null) {
      fail(errors.class);
      progress = reducedBy(progress, errors.fresh.length);
    }
    const inBackoff = (backoff.get(name)?.until ?? 0) >= now;
    const incomplete = isIncomplete({ group, counts, progress }, inBackoff, options);
    if (incomplete && progress.kind === 'open') {
      progress = { kind: 'none' };
    }
    const failures = failuresOf(counts);
    if (failures.length > 0) {
      seenErrors.push([name, failures.map(({ id }) => id)]);
    }
    // Nodes that a paused group lacks are launched when it is resumed.
    const before = valueOf(state.incorrectSize, name);
    const incorrectSize = group.paused === null ? incorrectSizeOf(group, counts, before, now) : null;
    observed.push({ name, group, counts, progress, incorrectSize, incomplete });
  });
  const scaleDownRequests = openScaleDownRequests(state, now);
  return { observed, unregisteredSince, backoff, shortages, seenErrors, scaleDownRequests };
}

/** A group is not repaired while it is paused, and while the last repair that could not be made is not to be tried again. */
const mayRepair = ({ name, group }: ObservedGroup, scenario: Scenario): boolean =>
  (valueOf(scenario.state.repairBackoff, name) ?? 0) <= scenario.now &&
  group.invalid === null &&
  group.paused === null &&
  pauseOf('ScaleDown', group, scenario) === null;

/** The status of a group, with its repairs made. */
function statusOf(
  { name, group, counts, progress, incorrectSize, incomplete }: ObservedGroup,
  repairs: readonly Repair[],
  { backoff, shortages, scaleDownRequests }: Observation,
  scenario: Scenario,
): GroupStatus {
  const { options, now, state } = scenario;
  const target = targetAfter(group, repairs);
  const starting = startingNodes(group, counts, state);
  const known = backoff.get(name);
  const waiting = known !== undefined && known.until >= now ? known : null;
  // A request that is younger than the failure was made when the waiting time was over: of two clocks, one is wrong.
  const expected = progress.kind === 'open' && (waiting === null || progress.request.time > waiting.lastFailure);
  const acceptable = acceptableRange(group, counts, progress, scaleDownRequests);
  const replaced = expected ? 0 : replacements(group, counts, starting, repairs);
  return {
    group: name,
    report: {
      healthy: isGroupHealthy(group, counts, acceptable.min - abandonedBy(repairs), options),
      target: group.targetSize,
      ...nodeCountsOf(counts),
      acceptable,
      incorrectSize,
      backoffUntil: waiting?.until ?? null,
      ...present({
        warnings: group.cloudActions,
        resizedByOthers: group.resizedByOthers,
        scheduledMinimum: group.scheduledMinimum,
        zonalShifts: group.zonalShifts,
      }),
    },
    upcoming: incomplete ? starting.staying.length : upcomingOf(group, counts, starting, expected),
    starting: starting.staying,
    backoff: waiting,
    shortage: shortages.of(group),
    pause: pauseOf('ScaleUp', group, scenario),
    target,
    mayCome: (group.pendingDecrease ?? 0) + group.targetSize - target + replaced,
    beyondRepair: beyondRepair(counts),
  };
}

/** The remembered state, brought up to date. */
function stateAfter(
  scenario: Scenario,
  { observed, unregisteredSince, backoff, shortages, seenErrors, scaleDownRequests }: Observation,
): State {
  const { state, now } = scenario;
  return {
    ...state,
    unregisteredSince: sortedRecord(unregisteredSince),
    backoff: sortedRecord(backoff),
    scaleUpRequests: sortedBy(
      [
        ...observed
          .map(({ progress }) => progress)
          .filter((progress) => progress.kind === 'open')
          .map(({ request }) => request),
        ...requestsOfAbsent(state, observed, now),
      ],
      ({ group }) => group,
    ),
    scaleDownRequests,
    ...present({ monthCosts: monthCostsAfter(scenario) }),
    incorrectSize: sortedRecord(
      observed.flatMap(({ group, incorrectSize }) =>
        incorrectSize === null ? [] : [[group.name, incorrectSize] as const],
      ),
    ),
    seenErrors: sortedRecord(seenErrors),
    shortages: shortages.list(),
    repairBackoff: sortedRecord(entriesOf(state.repairBackoff).filter(([, until]) => until > now)),
    lastEvaluation: now,
  };
}

/**
 * Requests of groups that are not listed, such as a group whose discovery tags were removed: if the group is listed
 * again before a request's time is over, the requested nodes are upcoming as before. Cluster Autoscaler forgets such
 * requests: a group without a target awaits no nodes.
 */
function requestsOfAbsent(
  { scaleUpRequests }: State,
  observed: readonly ObservedGroup[],
  now: EpochMs,
): readonly ScaleUpRequest[] {
  const listed = new Set(observed.map(({ name }) => name));
  return scaleUpRequests.filter(({ group, expectedAddTime }) => !listed.has(group) && expectedAddTime >= now);
}

/** By group, and each group's in the order in which they are made. */
export const inNameOrder = (repairs: readonly Repair[]): readonly Repair[] => sortedBy(repairs, ({ group }) => group);

function ungrouped({ nodeGroups, objects }: Scenario): Scenario['objects']['nodes'] {
  const grouped = new Set(nodeGroups.flatMap(({ nodes }) => nodes));
  return objects.nodes.filter(({ name }) => !grouped.has(name));
}

/**
 * While a scale-up request is open, everything up to the target is on its way. Without one, a target that was raised
 * from outside has no upcoming nodes, but instances that exist and have not been ready yet are upcoming: counting them
 * keeps a lost state from buying them twice.
 */
function upcomingOf(group: NodeGroup, counts: GroupCounts, starting: StartingNodes, requested: boolean): number {
  const coming = starting.staying.length + counts.unregistered.length;
  if (!requested) {
    return coming;
  }
  return Math.max(coming, group.targetSize - settledNodes(counts) - starting.leaving - givenUp(counts));
}

/**
 * Instances that the cloud launches without being asked again: one in the place of each instance that the target counts
 * and that has ended, or is about to. A node that still exists has the capacity of its replacement.
 */
function replacements(
  group: NodeGroup,
  { leaving }: GroupCounts,
  { ending }: StartingNodes,
  repairs: readonly Repair[],
): number {
  return Math.max(0, missingFrom(group) - abandonedBy(repairs) - leaving - ending);
}

/** Nodes that have not been ready yet. */
interface StartingNodes {
  readonly staying: readonly NodeName[];
  /** How many are being removed, and still counted by the target: nothing is to be put on them. */
  readonly leaving: number;
  /** How many are those of instances that are ending: the target does not count them. */
  readonly ending: number;
}

function startingNodes(group: NodeGroup, { nodes }: GroupCounts, state: State): StartingNodes {
  const all = nodes.NotStarted;
  if (all.length === 0) {
    return { staying: all, leaving: 0, ending: 0 };
  }
  const removed = nodesBeingRemoved(state);
  const ending = new Set(endingNodes(group));
  return {
    staying: all.filter((node) => !removed.has(node) && !ending.has(node)),
    leaving: all.filter((node) => removed.has(node) && !ending.has(node)).length,
    ending: all.filter((node) => ending.has(node)).length,
  };
}
