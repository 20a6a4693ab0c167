import type { Node } from '../model/cluster/node.ts';
import type { Pod, PodSpec } from '../model/cluster/pod.ts';
import { podRequests } from '../model/cluster/pod-requests.ts';
import type { Scenario } from '../model/scenario.ts';
import { valueOf } from '../model/values/records.ts';
import { PODS, type Resources } from '../model/values/resources.ts';
import { matchRequiredAffinity } from '../scheduling/node-selector.ts';
import { toleratesAll } from '../scheduling/tolerations.ts';
import { costsOf, fractionalBound } from './cost.ts';
import { groupTemplates } from './node-templates.ts';

/** Pods that are alike for `leastCost`. */
interface Kind {
  readonly spec: PodSpec;
  readonly requests: Resources;
}

/**
 * Lower bound on the cost of nodes for these pods, USD per hour: `fractionalBound`, as if each of them were on a new
 * node of the groups, beside the DaemonSets' pods. A group takes a pod if the labels, taints and capacity of its nodes
 * allow it: other pods, volumes and limits can only make nodes dearer.
 *
 * @returns `null` where no group has a price.
 */
export function leastCost(scenario: Scenario, pods: Iterable<Pod>): number | null {
  const templates = groupTemplates(scenario);
  const costs = costsOf(scenario.nodeGroups, templates);
  if (costs.basis !== 'price') {
    return null;
  }
  const loads = loadsOf(pods);
  const offers = [...templates.values()].map(({ group, node, free }) => ({
    cost: costs.of(group),
    free,
    holds: new Set(loads.map(({ kind }) => kind).filter((kind) => takes(node, free, kind))),
  }));
  return fractionalBound<Kind>(loads, offers);
}

/** Pods with the same spec have the same object of requests, unless they were resized. */
function loadsOf(pods: Iterable<Pod>): readonly { readonly kind: Kind; readonly count: number }[] {
  const loads = new Map<Resources, { readonly kind: Kind; count: number }>();
  for (const pod of pods) {
    const requests = podRequests(pod);
    const load = loads.get(requests) ?? { kind: { spec: pod.spec, requests }, count: 0 };
    load.count += 1;
    loads.set(requests, load);
  }
  return [...loads.values()];
}

function takes(node: Node, free: Resources, { spec, requests }: Kind): boolean {
  return (
    Object.entries({ ...requests, [PODS]: 1 }).every(
      ([name, amount]) => amount <= Math.max(0, valueOf(free, name) ?? 0),
    ) &&
    toleratesAll(spec.tolerations, node.taints) &&
    (matchRequiredAffinity(spec)?.(node) ?? true)
  );
}
