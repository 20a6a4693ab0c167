import type { Container } from '../model/cluster/pod.ts';
import { podRequests } from '../model/cluster/pod-requests.ts';
import { counted } from '../model/values/counted.ts';
import { mapOptional } from '../model/values/optional.ts';
import { valueOf } from '../model/values/records.ts';
import { CPU, PODS, type Resources } from '../model/values/resources.ts';
import type { PodKind } from '../model/snapshot/pod-kind.ts';
import type { Rejection } from '../scheduling/plugin.ts';
import type { Daemon } from './daemon-pods.ts';
import type { GroupTemplate } from './node-templates.ts';

/** No more are named for one reason. */
const MOST_NAMED = 3;

/**
 * The DaemonSets on a group's new nodes that use the capacity for which a pod is refused, such as `evil/d takes 3500m
 * of each node`; `null` where an empty node without them would refuse the pod as well.
 */
export function takenByDaemons(
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
