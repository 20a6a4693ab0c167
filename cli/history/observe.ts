import { isDeepStrictEqual } from 'node:util';
import { controllerKeyOf, isDaemon, isFinished, isMirror, keyOf, type Pod } from '@outrigger/core/model/cluster/pod.ts';
import type { Controller } from '@outrigger/core/model/cluster/workloads.ts';
import type { Node } from '@outrigger/core/model/cluster/node.ts';
import { isBeingRemoved } from '@outrigger/core/model/cluster/removal-taints.ts';
import { heldInstances, type NodeGroup, nodePricesOf } from '@outrigger/core/model/node-group.ts';
import { type Notice, noticeContent } from '@outrigger/core/model/notice.ts';
import { ordered } from '@outrigger/core/model/ordered.ts';
import type { Scenario } from '@outrigger/core/model/scenario.ts';
import { mapOptional } from '@outrigger/core/model/values/optional.ts';
import { rounded } from '@outrigger/core/model/values/rounded.ts';
import { valueOf } from '@outrigger/core/model/values/records.ts';
import type { GroupName, NodeName, PodKey } from '@outrigger/core/model/values/names.ts';
import { durationMs, type EpochMs, epochMs, minutes } from '@outrigger/core/model/values/time.ts';
import { withStatedPrices } from '@outrigger/core/nodegroups/stated-prices.ts';
import type {
  AvailableInstances,
  HistoryObservation,
  ObservedBudget,
  ObservedDecision,
  ObservedNode,
  ObservedPeriod,
  ObservedPod,
  RequestedNodes,
} from './observed.ts';

/** An evicted pod ends this long after the decision, at the latest; one that lives longer was not evicted. */
const LONGEST_EVICTION = minutes(30);
/** A removed node is gone this long after it was seen last or its removal was decided, where nothing says so sooner. */
const USUAL_REMOVAL = minutes(1);

interface ObservedRange {
  first: Scenario | null;
  last: Scenario | null;
  scenarios: number;
  withoutScenario: number;
  longestGap: number;
  hasDecisions: boolean;
  optionChanges: number;
  readonly pods: ObservedPod[];
  readonly alive: Map<PodKey, ObservedPod>;
  readonly nodes: ObservedNode[];
  readonly existing: Map<NodeName, ObservedNode>;
  readonly removedAt: Map<NodeName, EpochMs>;
  readonly groups: Map<GroupName, NodeGroup>;
  /** Prices of the cloud and of tags, and the prices of the nodes with those that options state. */
  readonly listed: PriceSums;
  readonly stated: PriceSums;
  readonly requests: Map<string, RequestedNodes>;
  readonly available: AvailableInstances[];
  readonly notices: Map<string, Notice>;
  readonly daemonSets: Map<string, Controller>;
  readonly budgets: Map<string, ObservedBudget>;
}

/** The sum of a group's known prices, each times its weight, and the weights. */
type PriceSums = Map<GroupName, readonly [usd: number, weight: number]>;

/** Weighs prices of groups without nodes, and of the last scenario: they count where there are no others. */
const HARDLY = 1e-9;

/**
 * Follows pods, nodes and node groups through the kept decisions of a period, in the order of their times.
 *
 * @returns `null` without two scenarios of different times.
 */
export async function observePeriod(
  observations: AsyncIterable<HistoryObservation> | Iterable<HistoryObservation>,
): Promise<ObservedPeriod | null> {
  const seen: ObservedRange = {
    first: null,
    last: null,
    scenarios: 0,
    withoutScenario: 0,
    longestGap: 0,
    hasDecisions: true,
    optionChanges: 0,
    pods: [],
    alive: new Map(),
    nodes: [],
    existing: new Map(),
    removedAt: new Map(),
    groups: new Map(),
    listed: new Map(),
    stated: new Map(),
    requests: new Map(),
    available: [],
    notices: new Map(),
    daemonSets: new Map(),
    budgets: new Map(),
  };
  for await (const { at, scenario, decision, isMadeAgain } of observations) {
    if (scenario === null) {
      seen.withoutScenario += 1;
    } else {
      takeScenario(seen, ordered(scenario), decision);
    }
    seen.hasDecisions &&= isMadeAgain !== true;
    takeDecision(seen, at, decision);
  }
  return periodOf(seen);
}

function periodOf({ first, last, ...seen }: ObservedRange): ObservedPeriod | null {
  if (first === null || last === null || last.now <= first.now) {
    return null;
  }
  takePrices(seen, last, HARDLY);
  const { listed, stated } = seen;
  return {
    ...seen,
    first,
    last,
    since: first.now,
    until: last.now,
    longestGap: durationMs(seen.longestGap),
    groups: new Map([...seen.groups].map(([name, group]) => [name, { ...group, price: meanPrice(listed, name) }])),
    prices: new Map([...seen.groups.keys()].map((name) => [name, meanPrice(stated, name)])),
    requests: [...seen.requests.values()].toSorted((a, b) => a.at - b.at),
    notices: [...seen.notices.values()],
    daemonSets: [...seen.daemonSets.values()],
    budgets: [...seen.budgets.values()],
  };
}

const meanPrice = (sums: PriceSums, group: GroupName): number | null =>
  mapOptional(sums.get(group), ([usd, weight]) => rounded(usd / weight)) ?? null;

function takeScenario(seen: ObservedRange, scenario: Scenario, decision: ObservedDecision): void {
  const { last } = seen;
  const before = last?.now ?? scenario.now;
  seen.longestGap = Math.max(seen.longestGap, scenario.now - before);
  if (last !== null && !isDeepStrictEqual(last.options, scenario.options)) {
    seen.optionChanges += 1;
  }
  takePods(seen, scenario, before, unneededBy(scenario, decision));
  takeNotices(seen, scenario);
  takeNodes(seen, scenario, before);
  if (last !== null) {
    takePrices(seen, last, scenario.now - before);
  }
  takeGroups(seen, scenario);
  takeObjects(seen, scenario);
  seen.first ??= scenario;
  seen.last = scenario;
  seen.scenarios += 1;
}

/** When the node of a pod was found unneeded, which ends of its pods make it; `null` where it is not. */
type UnneededSince = (pod: ObservedPod) => EpochMs | null;

/** A node that this decision finds unneeded first is not in its state yet. */
function unneededBy({ now, state, objects }: Scenario, decision: ObservedDecision): UnneededSince {
  const found = new Set(decision.scaleDown.unneeded);
  const sinceOf = (node: NodeName): EpochMs | null =>
    valueOf(state.unneededSince, node) ?? (found.has(node) ? now : null);
  const byAge = objects.nodes
    .flatMap(({ name, createdAt }) => mapOptional(sinceOf(name), (since) => ({ since, createdAt })) ?? [])
    .toSorted((a, b) => a.since - b.since);
  return ({ node, createdAt }) => {
    if (node !== null) {
      return sinceOf(node);
    }
    // A pod that was never seen on a node was on one that was launched for it.
    const younger = byAge.filter((one) => one.createdAt !== null && one.createdAt >= createdAt);
    return younger[Math.floor(younger.length / 2)]?.since ?? null;
  };
}

function takePods(
  seen: ObservedRange,
  { now, objects }: Scenario,
  before: EpochMs,
  unneededSince: UnneededSince,
): void {
  const { alive, pods, scenarios } = seen;
  const present = new Set<ObservedPod>();
  for (const pod of objects.pods) {
    if (isDaemon(pod) || isMirror(pod) || isFinished(pod) || pod.deletedAt !== null) {
      continue;
    }
    const key = keyOf(pod);
    let one = alive.get(key);
    if (one === undefined || one.pod.uid !== pod.uid) {
      if (one !== undefined) {
        endPod(one, { before, now, scenario: scenarios, unneededSince, deletedAt: null });
      }
      one = newPod(pod, now, scenarios);
      alive.set(key, one);
      pods.push(one);
    }
    one.startedAt ??= pod.startedAt;
    one.node = pod.nodeName ?? one.node;
    if (pod.unscheduled?.reason === 'Unschedulable') {
      one.waitingSince ??= pod.unscheduled.since;
    }
    present.add(one);
  }
  if (present.size === alive.size) {
    return;
  }
  const ended: EndedPod[] = [];
  const leaving = new Map(objects.pods.map(({ uid, deletedAt }) => [uid, deletedAt]));
  for (const [key, one] of alive) {
    if (!present.has(one)) {
      const deletedAt = leaving.get(one.pod.uid) ?? null;
      ended.push({ one, isKnown: endPod(one, { before, now, scenario: scenarios, unneededSince, deletedAt }) });
      alive.delete(key);
    }
  }
  alignEnds(ended);
}

interface EndedPod {
  readonly one: ObservedPod;
  readonly isKnown: boolean;
}

/** A controller that gets smaller ends its pods together: an unknown end is the median of the known ends. */
function alignEnds(ended: readonly EndedPod[]): void {
  for (const pods of Map.groupBy(ended, ({ one }) => controllerKeyOf(one.pod)).values()) {
    const known = pods
      .filter(({ isKnown }) => isKnown)
      .flatMap(({ one }) => one.end ?? [])
      .toSorted((a, b) => a - b);
    const middle = known[Math.floor(known.length / 2)];
    for (const { one, isKnown } of pods) {
      if (!isKnown && middle !== undefined && one.pod.controller !== null) {
        one.end = epochMs(Math.max(one.createdAt, middle));
      }
    }
  }
}

const newPod = (pod: Pod, now: EpochMs, scenario: number): ObservedPod => ({
  pod,
  createdAt: pod.createdAt ?? now,
  startedAt: null,
  waitingSince: null,
  node: null,
  evictedAt: null,
  end: null,
  bornIn: scenario,
  endedIn: null,
});

interface End {
  readonly before: EpochMs;
  readonly now: EpochMs;
  readonly scenario: number;
  readonly unneededSince: UnneededSince;
  /** The end that its deletion grants it at most. */
  readonly deletedAt: EpochMs | null;
}

/**
 * The end of a pod that was there before and is not now: that of its deletion or its eviction; the time at which its node was
 * found unneeded; or, as nothing is known, the middle between the two.
 *
 * @returns whether something is known
 */
function endPod(one: ObservedPod, { before, now, scenario, unneededSince, deletedAt }: End): boolean {
  const unneeded = unneededSince(one);
  const middle = epochMs((before + now) / 2);
  const evicted = one.evictedAt !== null && now - one.evictedAt <= LONGEST_EVICTION ? one.evictedAt : null;
  const known = evicted ?? deletedAt ?? (unneeded !== null && unneeded > before ? unneeded : null);
  one.evictedAt = evicted;
  one.end = epochMs(Math.max(one.createdAt, Math.min(now, Math.max(before, known ?? middle))));
  one.endedIn = scenario;
  return known !== null;
}

function takeNodes(seen: ObservedRange, { now, objects, nodeGroups }: Scenario, before: EpochMs): void {
  const { existing, nodes, first, removedAt } = seen;
  const groupOf = new Map(nodeGroups.flatMap(({ name, nodes: of }) => of.map((node) => [node, name] as const)));
  const present = new Set<NodeName>();
  for (const node of objects.nodes) {
    let one = existing.get(node.name);
    if (one === undefined || one.node.uid !== node.uid) {
      if (one !== undefined) {
        endNode(seen, one, { before, now, nodeGroups });
      }
      // The clock of the API server may be ahead.
      const registeredAt = first === null ? null : epochMs(Math.min(now, node.createdAt ?? now));
      one = { node, group: null, registeredAt, readyAt: null, end: null, ending: null };
      existing.set(node.name, one);
      nodes.push(one);
    }
    one.node = node;
    // A node may be there before its group is.
    one.group ??= groupOf.get(node.name) ?? null;
    if (one.registeredAt !== null) {
      const ready = node.conditions.find(({ type, status }) => type === 'Ready' && status === 'True');
      one.readyAt ??= ready?.since ?? null;
    }
    present.add(node.name);
  }
  for (const [name, one] of existing) {
    if (!present.has(name)) {
      endNode(seen, one, { before, now, nodeGroups });
      existing.delete(name);
      removedAt.delete(name);
    }
  }
}

interface NodeEnd extends Pick<Scenario, 'nodeGroups'> {
  readonly before: EpochMs;
  readonly now: EpochMs;
}

function endNode(seen: ObservedRange, one: ObservedNode, { before, now, nodeGroups }: NodeEnd): void {
  const { node, group } = one;
  const decided = seen.removedAt.get(node.name);
  const announced = announcedEnd(seen, one);
  const since = Math.max(before, decided ?? before);
  const middle = since + Math.min((now - since) / 2, decided === undefined ? Infinity : USUAL_REMOVAL);
  one.end = epochMs(announced === null ? middle : Math.max(before, Math.min(now, announced)));
  const target = nodeGroups.find(({ name }) => name === group)?.targetSize ?? 0;
  const wasLowered = group === null || target < (seen.groups.get(group)?.targetSize ?? 0);
  if (decided !== undefined || isBeingRemoved(node)) {
    one.ending = 'removed';
  } else if (announced !== null) {
    one.ending = 'announced';
  } else {
    one.ending = wasLowered ? 'removed' : 'unknown';
  }
}

/** The end of a node by a notice of the cloud about its instance. */
function announcedEnd({ notices }: ObservedRange, { node }: ObservedNode): EpochMs | null {
  const notice = [...notices.values()].find((one) => isInterruption(one) && isAbout(one, node));
  return mapOptional(notice, endOf) ?? null;
}

/** Notices after which the cloud takes the instance, whatever Outrigger does. */
export const isInterruption = ({ kind }: Notice): boolean =>
  kind === 'SpotInterruption' || kind === 'CapacityReservationEnd';

export const isAbout = ({ instance }: Notice, { providerId }: Node): boolean =>
  providerId?.endsWith(`/${instance}`) === true;

/** EC2 gives two minutes. */
export const endOf = ({ receivedAt, endsAt }: Notice): EpochMs => endsAt ?? epochMs(receivedAt + minutes(2));

function takeNotices(seen: ObservedRange, { notices = [] }: Scenario): void {
  for (const notice of notices) {
    const key = `${notice.instance} ${noticeContent(notice)}`;
    seen.notices.set(key, seen.notices.get(key) ?? notice);
  }
}

/** A price holds for the nodes until the next scenario. A scenario has none if prices could not be read then. */
function takePrices(
  { listed, stated }: Pick<ObservedRange, 'listed' | 'stated'>,
  scenario: Scenario,
  lasted: number,
): void {
  const addTo = (sums: PriceSums, group: NodeGroup, price: number | null): void => {
    if (price !== null && lasted > 0) {
      const more = lasted * (heldInstances(group).length || HARDLY);
      const [usd = 0, weight = 0] = sums.get(group.name) ?? [];
      sums.set(group.name, [usd + price * more, weight + more]);
    }
  };
  scenario.nodeGroups.forEach((group) => addTo(listed, group, group.price));
  withStatedPrices(scenario).nodeGroups.forEach((group) => addTo(stated, group, nodePricesOf(group).mean));
}

function takeGroups(seen: ObservedRange, { now, nodeGroups, state }: Scenario): void {
  for (const group of nodeGroups) {
    takeFailures(seen, group, now);
    seen.groups.set(group.name, group);
  }
  for (const { group, time, increase } of state.scaleUpRequests) {
    takeRequest(seen, { group, at: time, nodes: increase });
  }
}

const takeRequest = ({ requests }: ObservedRange, request: RequestedNodes): void => {
  const key = `${request.group} ${request.at}`;
  requests.set(key, requests.get(key) ?? request);
};

/** While launches fail, the cloud has no more instances than there are. */
function takeFailures({ groups, available }: ObservedRange, group: NodeGroup, at: EpochMs): void {
  const { name, launchFailures } = group;
  const fails = launchFailures.length > 0;
  const failed = (groups.get(name)?.launchFailures.length ?? 0) > 0;
  if (fails !== failed) {
    available.push({ group: name, at, available: fails ? heldInstances(group).length : Infinity });
  }
}

function takeObjects({ daemonSets, budgets }: ObservedRange, { objects }: Scenario): void {
  for (const controller of objects.controllers) {
    if (controller.kind === 'DaemonSet') {
      daemonSets.set(`${controller.namespace}/${controller.name}`, controller);
    }
  }
  for (const budget of objects.podDisruptionBudgets) {
    const key = `${budget.namespace}/${budget.name}`;
    const known = budgets.get(key);
    const isConstant =
      known === undefined || (known.isConstant && known.budget.desiredHealthy === budget.desiredHealthy);
    budgets.set(key, { budget, isConstant });
  }
}

function takeDecision(seen: ObservedRange, at: EpochMs, { scaleUp, scaleDown }: ObservedDecision): void {
  for (const { group, from, to } of scaleUp.increases) {
    takeRequest(seen, { group, at, nodes: to - from });
  }
  for (const { node, pods } of scaleDown.removals) {
    seen.removedAt.set(node, at);
    for (const pod of pods) {
      const one = seen.alive.get(pod);
      if (one !== undefined) {
        one.evictedAt = at;
      }
    }
  }
}
