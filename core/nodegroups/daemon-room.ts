import type { DaemonLeftOut } from '../model/decision.ts';
import { byName, type GroupName } from '../model/values/names.ts';
import { keyOf, type Pod, type PodSpec, priorityOf } from '../model/cluster/pod.ts';
import { specRequests } from '../model/cluster/pod-requests.ts';
import { PODS } from '../model/values/resources.ts';
import { type Carried, roomFor, shortOf } from './daemon-pods.ts';
import type { GroupTemplate } from './node-templates.ts';

/**
 * Leaves DaemonSets of low priority out of the templates where a pod of higher priority would otherwise fit no new node
 * at all, whatever its group: on a real node kube-scheduler preempts them for it. Only what is requested counts here; all
 * else is for the scheduler's filters to say.
 *
 * Where one group has room beside its daemons, all of them stay as they are: to preempt is worse than to buy elsewhere.
 *
 * @param waiting pods without a node.
 * @param wants whether one of them wants a node: asked only where that would change anything, for there may be very many.
 */
export function withRoomFor(
  waiting: readonly Pod[],
  templates: ReadonlyMap<GroupName, GroupTemplate>,
  wants: (pod: Pod) => boolean,
): ReadonlyMap<GroupName, GroupTemplate> {
  const lowest = lowestPriority(templates);
  if (lowest === Number.POSITIVE_INFINITY) {
    return templates;
  }
  const seen = new Set<PodSpec>();
  const made = new Map(templates);
  for (const pod of waiting) {
    const priority = priorityOf(pod);
    if (priority <= lowest || pod.spec.preemptionPolicy === 'Never' || seen.has(pod.spec) || !wants(pod)) {
      continue;
    }
    seen.add(pod.spec);
    const requests = { ...specRequests(pod.spec), [PODS]: 1 };
    const all = [...made.values()];
    if (all.some(({ free }) => shortOf(requests, free) === null)) {
      continue;
    }
    for (const template of all) {
      const carried = roomFor(template.daemons, template.node, priority);
      if (shortOf(requests, carried.free) === null) {
        made.set(template.group, without(template, carried, pod));
      }
    }
  }
  return made;
}

/** Of all daemons that some template carries. */
function lowestPriority(templates: ReadonlyMap<GroupName, GroupTemplate>): number {
  let lowest = Number.POSITIVE_INFINITY;
  for (const { pods } of templates.values()) {
    for (const pod of pods) {
      lowest = Math.min(lowest, priorityOf(pod));
    }
  }
  return lowest;
}

function without(template: GroupTemplate, { pods, free, without: small }: Carried, pod: Pod): GroupTemplate {
  const known = new Map([...template.without, ...small].map((one) => [one.daemon, one]));
  const kept = new Set(pods);
  const why = `pod ${keyOf(pod)} of priority ${priorityOf(pod)} fits no new node of any group unless it preempts the DaemonSet's`;
  return {
    ...template,
    pods,
    free,
    without: template.daemons
      .filter((daemon) => !kept.has(daemon.pod))
      .map((daemon) => known.get(daemon) ?? { daemon, why }),
  };
}

/** No more are listed. */
const MOST_LISTED = 32;

/** What templates do not carry, a row for each DaemonSet and reason, in the order of the DaemonSets' names. */
export function daemonsLeftOut(templates: Iterable<GroupTemplate>): readonly DaemonLeftOut[] {
  const rows = new Map<string, DaemonLeftOut>();
  for (const { group, without: left } of templates) {
    for (const { daemon, why } of left) {
      const key = `${daemon.name}\n${why}`;
      const known = rows.get(key);
      rows.set(key, {
        daemonSet: daemon.name,
        group: known === undefined || byName(group, known.group) < 0 ? group : known.group,
        groups: (known?.groups ?? 0) + 1,
        reason: why,
      });
    }
  }
  return [...rows.values()]
    .sort((a, b) => byName(a.daemonSet, b.daemonSet) || byName(a.reason, b.reason))
    .slice(0, MOST_LISTED);
}
