import { getExisting, itemAt } from '../../model/values/existing.ts';
import { clip, clippedList } from '../../model/values/clip.ts';
import type { PodReason } from '../../model/decision.ts';
import type { GroupName } from '../../model/values/names.ts';
import { mapOptional, presentItems } from '../../model/values/optional.ts';
import type { NodeGroup } from '../../model/node-group.ts';
import { type Container, keyOf, type Pod } from '../../model/cluster/pod.ts';
import { podRequests } from '../../model/cluster/pod-requests.ts';
import { counted } from '../../model/values/counted.ts';
import { fairShares, inTurns } from '../../model/values/fair-shares.ts';
import type { State } from '../../model/state.ts';
import { valueOf } from '../../model/values/records.ts';
import { CPU, PODS, type Resources } from '../../model/values/resources.ts';
import type { PodKind } from '../../model/snapshot/pod-kind.ts';
import type { Daemon } from '../../nodegroups/daemon-pods.ts';
import type { Demand } from '../../estimator/demand.ts';
import type { GroupTemplate } from '../../nodegroups/node-templates.ts';
import { whyGroupCannotHelp } from '../../words/why-group-skipped.ts';
import type { Ledger } from './ledger.ts';
import { newNodeVerdicts } from './new-nodes.ts';
import type { PlanInput } from './plan-input.ts';
import type { Rejection } from '../../scheduling/plugin.ts';

/** Pods of one kind for which no node is added now. */
export interface LeftOver extends Demand {
  /** Some group would hold them, but for a limit or because another decision comes first. */
  readonly awaiting: boolean;
  readonly reasons: readonly PodReason[];
}

/** Limits that the decisions of this evaluation have used up. */
const USED_UP: ReadonlySet<string> = new Set(['MaxSizeReached', 'ResourceLimitExceeded', 'MaxCostPerHourReached']);

const NO_GROUP: PodReason = { reason: 'there is no node group' };

/** The verdict of one group on the pods of one demand. */
interface GroupVerdict {
  readonly reason: PodReason;
  /** The group would hold the pods, but for a limit or a decision that comes first. */
  readonly holds: boolean;
}

/**
 * Why no node is added for these pods, group by group.
 *
 * @param skipped the groups that could not grow from the start.
 */
export function leftOvers(input: PlanInput, ledger: Ledger, skipped: ReadonlySet<GroupName>): readonly LeftOver[] {
  const { demands, scenario } = input;
  if (demands.length === 0) {
    return [];
  }
  const verdicts = scenario.nodeGroups.map((group) => verdictsOf(input, ledger, group, skipped));
  return demands.map(({ kind, pods }, i) => ({
    kind,
    pods,
    awaiting: verdicts.some((ofGroup) => itemAt(ofGroup, i).holds),
    reasons: verdicts.length === 0 ? [NO_GROUP] : verdicts.map((ofGroup) => itemAt(ofGroup, i).reason),
  }));
}

/** The verdicts of a group, demand by demand. */
function verdictsOf(
  input: PlanInput,
  ledger: Ledger,
  group: NodeGroup,
  skipped: ReadonlySet<GroupName>,
): readonly GroupVerdict[] {
  const { demands, templates, scenario } = input;
  const { name } = group;
  const skip = ledger.skipOf(group);
  const mayHold = skip === null || (USED_UP.has(skip.reason) && !skipped.has(name));
  const reason = { group: name, reason: mapOptional(skip, whyGroupCannotHelp) ?? laterThan(input, ledger) };
  const isSimulated = scenario.options.scaleupSimulationForSkippedNodeGroupsEnabled && templates.has(name);
  if (!mayHold && !isSimulated) {
    return demands.map(() => ({ reason, holds: false }));
  }
  const template = getExisting(templates, name);
  const kinds = demands.map(({ kind }) => kind);
  return newNodeVerdicts(input, name, kinds).map((no, i) => {
    const text = mapOptional(no, (of) => whyNot(of, itemAt(kinds, i), template));
    return {
      reason: mapOptional(text, (why) => ({ group: name, reason: why })) ?? reason,
      holds: mayHold && no === null,
    };
  });
}

/** kube-scheduler's reasons, and the DaemonSets that take what the pod lacks. */
function whyNot(no: Rejection, kind: PodKind, template: GroupTemplate): string {
  const texts = [clippedList(no.reasons), takenByDaemons(no, kind, template)];
  return clip(presentItems(texts).join(': '));
}

/** Why a group that can still grow does not. */
function laterThan({ scenario }: PlanInput, ledger: Ledger): string {
  if (ledger.nodesLeft() > 0) {
    return 'waits for a later decision';
  }
  return `maxNodesPerScaleup ${scenario.options.maxNodesPerScaleup} reached, the next evaluation goes on`;
}

/** No more are named for one reason. */
const MOST_NAMED = 3;

/**
 * The DaemonSets on a group's new nodes that use the capacity for which a pod is refused, such as `evil/d takes 3500m
 * of each node`; `null` where an empty node without them would refuse the pod as well.
 */
function takenByDaemons(
  { plugin, reasons }: Rejection,
  kind: PodKind,
  { node, daemons, pods, free }: GroupTemplate,
): string | null {
  const carried = daemons.filter(({ pod }) => pods.includes(pod));
  if (plugin === 'NodeResourcesFit') {
    const lacking = Object.entries({ ...kind.requests, [PODS]: 1 }).find(
      ([name, amount]) => amount > (valueOf(free, name) ?? 0) && amount <= (valueOf(node.allocatable, name) ?? 0),
    );
    return mapOptional(lacking, ([name]) => amountsOf(name, carried, node.allocatable)) ?? null;
  }
  if (plugin === 'NodePorts') {
    const ports = new Set(hostPortsOf(kind.spec.containers));
    return onEach(carried.filter(({ pod }) => hostPortsOf(pod.spec.containers).some((port) => ports.has(port))));
  }
  if (plugin === 'InterPodAffinity' && reasons.includes(KEPT_APART)) {
    return onEach(carried.filter(({ pod }) => pod.spec.podAntiAffinity.length > 0));
  }
  return null;
}

const KEPT_APART = "node(s) didn't satisfy existing pods anti-affinity rules";

const onEach = (daemons: readonly Daemon[]): string | null =>
  daemons.length === 0 ? null : `${namesOf(daemons)} on each node`;

const hostPortsOf = (containers: readonly Container[]): readonly number[] =>
  containers.flatMap(({ hostPorts }) => hostPorts.map(({ hostPort }) => hostPort));

const namesOf = (daemons: readonly Daemon[]): string => {
  const more = daemons.length - MOST_NAMED;
  const names = daemons.slice(0, MOST_NAMED).map(({ name }) => name);
  return more > 0 ? `${names.join(', ')} and ${counted(more, 'other DaemonSet')}` : names.join(', ');
};

function amountsOf(resource: string, carried: readonly Daemon[], allocatable: Resources): string {
  if (resource === PODS) {
    return `${namesOf(carried)} take ${carried.length} of the ${allocatable[PODS]} pods of each node`;
  }
  const takers = carried
    .map(({ name, pod }) => ({ name, amount: valueOf(podRequests(pod), resource) ?? 0 }))
    .filter(({ amount }) => amount > 0)
    .sort((a, b) => b.amount - a.amount);
  const texts = takers
    .slice(0, MOST_NAMED)
    .map(({ name, amount }, i) => `${name}${i === 0 ? ' takes' : ''} ${amountText(resource, amount)}`);
  const rest = takers.slice(MOST_NAMED);
  if (rest.length > 0) {
    const sum = rest.reduce((total, { amount }) => total + amount, 0);
    texts.push(`${counted(rest.length, 'other DaemonSet')} ${amountText(resource, sum)}`);
  }
  return `${texts.join(', ')} of each node`;
}

const MEBIBYTE = 2 ** 20;

function amountText(resource: string, amount: number): string {
  if (resource === CPU) {
    return `${amount}m`;
  }
  return amount >= MEBIBYTE ? `${Math.round(amount / MEBIBYTE)}Mi` : String(amount);
}

/** Why a pod is left to the next evaluation. */
const TIME_USED_UP: PodReason = Object.freeze({
  kind: 'TimeUsedUp',
  reason: 'the time of the evaluation was used up; the next one considers this pod first',
});

/** These pods, left to the next evaluation. */
export const leftForTime = (demands: readonly Demand[]): readonly LeftOver[] =>
  demands.map((demand) => ({ ...demand, awaiting: true, reasons: [TIME_USED_UP] }));

/** No more pods are remembered: namespaces share the number fairly. */
export const MOST_DEFERRED = 200;

/** The pods that the next evaluation considers first; `undefined` where there are none. */
export function deferredIn(left: readonly LeftOver[], pending: readonly Pod[]): readonly string[] | undefined {
  const deferred = left.filter(({ reasons }) => reasons.includes(TIME_USED_UP));
  if (deferred.length === 0) {
    return undefined;
  }
  const known = new Set(pending);
  const rows = deferred.map(({ kind, pods }) => ({
    namespace: kind.namespace,
    pods: pods.filter((pod) => known.has(pod)),
  }));
  const shares = fairShares(
    rows.map(({ namespace, pods }) => ({ namespace, count: pods.length })),
    MOST_DEFERRED,
  );
  const keys: string[] = rows.flatMap(({ pods }, i) => pods.slice(0, shares[i]).map(keyOf));
  return keys.length === 0 ? undefined : keys.sort();
}

/** The demands that the evaluation before had no time for, one of each namespace in turn. */
export function deferredAmong<D extends Demand>(demands: readonly D[], { deferredPods = [] }: State): readonly D[] {
  if (deferredPods.length === 0) {
    return [];
  }
  const keys = new Set<string>(deferredPods);
  const deferred = demands.filter(({ pods }) => pods.some((pod) => keys.has(keyOf(pod))));
  return inTurns(deferred, ({ kind }) => kind.namespace);
}
