import { byName, type GroupName, nodeName, type NodeName } from '../model/values/names.ts';
import { withoutExpendable } from '../model/cluster/expendable.ts';
import { isDaemon, isMirror, type Pod } from '../model/cluster/pod.ts';
import type { Scenario } from '../model/scenario.ts';
import { sortedRecord } from '../model/values/sorted.ts';
import type { Snapshot } from '../model/snapshot/snapshot.ts';
import { about } from '../model/fault.ts';
import { homeOf } from '../scheduling/cluster-snapshot.ts';
import type { GroupStatus, Registry } from '../registry/registry.ts';
import { addTemplateNode, type GroupTemplate } from './node-templates.ts';

/**
 * Puts upcoming nodes into the snapshot, ready and empty but for their daemons. A node that has registered and is still
 * starting is replaced by the ready node, with the pods that are bound to it.
 *
 * @returns how many per group; groups without any are left out.
 */
export function addUpcomingNodes(
  snapshot: Snapshot,
  scenario: Scenario,
  registry: Registry,
  templates: ReadonlyMap<GroupName, GroupTemplate>,
): Readonly<Record<GroupName, number>> {
  const upcoming: [GroupName, number][] = [];
  const bound = podsByNode(scenario, registry);
  for (const status of [...registry.groups.values()].sort((a, b) => byName(a.group, b.group))) {
    if (status.upcoming > 0) {
      upcoming.push([status.group, status.upcoming]);
    }
    const template = templates.get(status.group);
    if (template === undefined) {
      continue;
    }
    about({ kind: 'group', group: status.group }, () => addNodesOf(status, template, snapshot, bound));
  }
  return sortedRecord(upcoming);
}

function addNodesOf(
  status: GroupStatus,
  template: GroupTemplate,
  snapshot: Snapshot,
  bound: ReadonlyMap<NodeName, readonly Pod[]>,
): void {
  const daemons = template.pods.map((pod) => snapshot.kindOf(pod));
  const starting = status.starting.slice(0, status.upcoming);
  for (const name of starting) {
    const info = snapshot.byName(name);
    if (info === undefined) {
      continue;
    }
    snapshot.removeNode(info);
    const labels = { ...template.node.labels, ...info.node.labels };
    const started = addTemplateNode(snapshot, { ...template, node: { ...template.node, labels } }, name, daemons);
    for (const pod of bound.get(name) ?? []) {
      snapshot.place(snapshot.kindOf(pod), started);
    }
  }
  for (let i = starting.length; i < status.upcoming; i++) {
    addTemplateNode(snapshot, template, upcomingName(status.group, i), daemons);
  }
}

/** The name of a group's i-th upcoming node. */
const upcomingName = (group: GroupName, i: number): NodeName => nodeName(`${group}-upcoming-${i}`);

/** The workload pods on nodes that are starting: bound there, or nominated. Expendable ones make room. */
function podsByNode({ objects, options }: Scenario, registry: Registry): ReadonlyMap<NodeName, readonly Pod[]> {
  const bound = new Map<NodeName, Pod[]>();
  for (const { starting } of registry.groups.values()) {
    for (const name of starting) {
      bound.set(name, []);
    }
  }
  if (bound.size > 0) {
    for (const pod of withoutExpendable(objects.pods, options)) {
      const home = homeOf(pod);
      if (home !== null && !isDaemon(pod) && !isMirror(pod)) {
        bound.get(home)?.push(pod);
      }
    }
  }
  return bound;
}
