import { byName, type GroupName, type InstanceId, type NodeName } from '../model/names.ts';
import { type Node, TO_BE_DELETED_TAINT } from '../model/node.ts';
import type { NodeGroup } from '../model/node-group.ts';
import type { GroupReport, RegistryReport } from '../model/decision.ts';
import type { Options } from '../model/options.ts';
import type { ProviderName, Scenario } from '../model/scenario.ts';
import { sortedRecord } from '../model/sorted.ts';
import type { Backoff, ScaleUpRequest, State } from '../model/state.ts';
import type { EpochMs } from '../model/time.ts';
import { backOff } from './backoff.ts';
import { type Readiness, readinessOf } from './readiness.ts';

/** One node group as it stands: what was asked for, what is there, what is on its way. */
export interface GroupStatus {
  readonly group: GroupName;
  readonly report: GroupReport;
  /** Machines that are asked for or launched, but whose nodes cannot take pods yet. */
  readonly upcoming: number;
  /** Of these, the nodes that registered and are starting. */
  readonly starting: readonly NodeName[];
  readonly backedOff: boolean;
}

/** Registration, readiness and open requests of every group, from what is observed and what is remembered. */
export interface Registry {
  readonly groups: ReadonlyMap<GroupName, GroupStatus>;
  readonly report: RegistryReport;
  /** The remembered state, brought up to date with what is observed. */
  readonly state: State;
}

/** Builds the registry. Follows Cluster Autoscaler's clusterstate.go; see `readinessOf`, `upcomingOf` for the rules. */
export function buildRegistry(scenario: Scenario): Registry {
  const { nodeGroups, objects, options, now } = scenario;
  const nodes = new Map(objects.nodes.map((node) => [node.name, node]));
  const unregisteredSince = updateUnregistered(scenario);
  const backoff = currentBackoff(scenario);
  const statuses = new Map<GroupName, GroupStatus>();
  const requests: ScaleUpRequest[] = [];
  for (const group of nodeGroups) {
    const counted = countGroup(group, nodes, unregisteredSince, scenario);
    const request = scenario.state.scaleUpRequests.find((candidate) => candidate.group === group.name) ?? null;
    const awaited = group.targetSize - settledNodes(counted);
    const open = request !== null && awaited > 0;
    const timedOut = open && request.expectedAddTime < now;
    if (timedOut) {
      backoff.set(group.name, backOff(backoff.get(group.name) ?? null, 'Timeout', options, now));
    } else if (open) {
      requests.push(request);
    }
    statuses.set(group.name, statusOf(group, counted, open ? request : null, backoff, options, now));
  }
  const clusterHealthy = isClusterHealthy(objects.nodes, statuses, options, now);
  return {
    groups: statuses,
    report: {
      clusterHealthy,
      groups: sortedRecord([...statuses].map(([name, { report }]) => [name, report] as const)),
      repairs: [],
    },
    state: {
      ...scenario.state,
      unregisteredSince: sortedRecord(unregisteredSince),
      backoff: sortedRecord(backoff),
      scaleUpRequests: requests.sort((a, b) => byName(a.group, b.group)),
      lastEvaluation: now,
    },
  };
}

interface Counted {
  readonly readiness: ReadonlyMap<Readiness, readonly NodeName[]>;
  readonly unregistered: number;
  readonly longUnregistered: number;
  /** Machines that the cloud has given up: they never come. */
  readonly errored: number;
}

const size = (counted: Counted, readiness: Readiness): number => counted.readiness.get(readiness)?.length ?? 0;

/** Nodes for which nobody waits any more. */
const settledNodes = (counted: Counted): number =>
  size(counted, 'Ready') + size(counted, 'Unready') + size(counted, 'Suspended') + counted.longUnregistered;

function countGroup(
  group: NodeGroup,
  nodes: ReadonlyMap<NodeName, Node>,
  unregisteredSince: ReadonlyMap<InstanceId, EpochMs>,
  { options, now, provider }: Scenario,
): Counted {
  const known = new Set(group.instances.map((instance) => instance.node));
  const readiness = new Map<Readiness, NodeName[]>();
  for (const name of group.nodes) {
    const node = nodes.get(name);
    if (node !== undefined) {
      const kind = readinessOf(node, isDeleted(node, known.has(name), provider), options, now);
      readiness.set(kind, [...(readiness.get(kind) ?? []), name]);
    }
  }
  let unregistered = 0;
  let longUnregistered = 0;
  for (const instance of group.instances) {
    const since = unregisteredSince.get(instance.id);
    if (since !== undefined && instance.state !== 'Deleting') {
      if (since + options.maxNodeProvisionTime < now) {
        longUnregistered += 1;
      } else {
        unregistered += 1;
      }
    }
  }
  const errored = group.instances.filter(({ error }) => error !== null).length;
  return { readiness, unregistered, longUnregistered, errored };
}

/**
 * On AWS a node whose machine is not in the cloud's list may simply be ahead of that list: it counts as deleted only
 * once it bears the ToBeDeleted taint.
 */
function isDeleted(node: Node, known: boolean, provider: ProviderName): boolean {
  return !known && (provider !== 'aws' || node.taints.some(({ key }) => key === TO_BE_DELETED_TAINT));
}

/** When each machine without a node was first seen; machines that registered or went are forgotten. */
function updateUnregistered({ nodeGroups, objects, state, now }: Scenario): Map<InstanceId, EpochMs> {
  const registered = new Set(objects.nodes.map((node) => node.name));
  const since = new Map<InstanceId, EpochMs>();
  for (const group of nodeGroups) {
    for (const { id, node } of group.instances) {
      if (node === null || !registered.has(node)) {
        since.set(id, state.unregisteredSince[id] ?? now);
      }
    }
  }
  return since;
}

/** Entries whose last failure is long past are dropped, and with them the doubled waiting time. */
function currentBackoff({ state, options, now }: Scenario): Map<GroupName, Backoff> {
  const entries = Object.entries(state.backoff) as [GroupName, Backoff][];
  return new Map(entries.filter(([, backoff]) => backoff.lastFailure + options.nodeGroupBackoffResetTimeout >= now));
}

function statusOf(
  group: NodeGroup,
  counted: Counted,
  request: ScaleUpRequest | null,
  backoff: ReadonlyMap<GroupName, Backoff>,
  options: Options,
  now: EpochMs,
): GroupStatus {
  const until = backoff.get(group.name)?.until ?? null;
  const backedOff = until !== null && until > now;
  const ready = size(counted, 'Ready');
  const suspended = size(counted, 'Suspended');
  const min = group.targetSize - counted.longUnregistered - (request?.increase ?? 0);
  return {
    group: group.name,
    report: {
      healthy: isGroupHealthy(group, counted, min, options),
      target: group.targetSize,
      registered: [...counted.readiness.values()].reduce((sum, names) => sum + names.length, 0),
      ready,
      unready: size(counted, 'Unready'),
      notStarted: size(counted, 'NotStarted'),
      unregistered: counted.unregistered,
      longUnregistered: counted.longUnregistered,
      deleted: size(counted, 'Deleted'),
      suspended,
      acceptable: { min, max: group.targetSize, current: group.targetSize },
      incorrectSize: null,
      backoffUntil: backedOff ? until : null,
    },
    upcoming: upcomingOf(group, counted, request !== null && !backedOff),
    starting: counted.readiness.get('NotStarted') ?? [],
    backedOff,
  };
}

/**
 * A group is healthy while few enough of the nodes it should have are missing. Follows `IsNodeGroupHealthy` of Cluster
 * Autoscaler's clusterstate.go.
 */
function isGroupHealthy(group: NodeGroup, counted: Counted, acceptableMin: number, options: Options): boolean {
  const ready = size(counted, 'Ready');
  const suspended = size(counted, 'Suspended');
  const seen = ready + size(counted, 'Unready') + size(counted, 'NotStarted') + suspended;
  if (seen === 0 && counted.unregistered + counted.longUnregistered === 0) {
    // Nothing is there yet: as it should be when nothing was asked for, or all of it only just now.
    return group.targetSize === 0 || acceptableMin <= 0;
  }
  const missing = acceptableMin - ready - suspended;
  return missing <= options.okTotalUnreadyCount || missing <= (options.maxTotalUnreadyPercentage / 100) * seen;
}

/** Follows `IsClusterHealthy` of Cluster Autoscaler's clusterstate.go; nodes of no group count too. */
function isClusterHealthy(
  nodes: readonly Node[],
  statuses: ReadonlyMap<GroupName, GroupStatus>,
  options: Options,
  now: EpochMs,
): boolean {
  const gone = [...statuses.values()].reduce((sum, { report }) => sum + report.deleted, 0);
  const unready = nodes.filter((node) => readinessOf(node, false, options, now) === 'Unready').length;
  return (
    unready <= options.okTotalUnreadyCount ||
    unready <= (options.maxTotalUnreadyPercentage / 100) * (nodes.length - gone)
  );
}

/**
 * While a scale-up request is open, everything up to the target is on its way. Without one, a target that somebody
 * else raised promises nothing, but machines that exist and have not been ready yet are still coming: counting them
 * keeps a lost state from buying them twice.
 */
function upcomingOf(group: NodeGroup, counted: Counted, requested: boolean): number {
  const coming = Math.max(0, size(counted, 'NotStarted') + counted.unregistered - counted.errored);
  return requested ? Math.max(coming, group.targetSize - settledNodes(counted) - counted.errored) : coming;
}
