import { firstItem } from '../model/values/existing.ts';
import type { SkippedDaemonSet } from '../model/decision.ts';
import { about } from '../model/fault.ts';
import { byName, type GroupName } from '../model/values/names.ts';
import { keyOf, type Pod, priorityOf } from '../model/cluster/pod.ts';
import type { PodKind } from '../model/snapshot/pod-kind.ts';
import type { NodeInfo } from '../model/snapshot/snapshot.ts';
import type { SnapshotScheduler } from '../estimator/placing.ts';
import type { Daemon } from './daemon-pods.ts';
import { addTemplateNode, freeBeside, type GroupTemplate } from './node-templates.ts';
import type { Scheduler } from '../scheduling/scheduler.ts';
import { withPreemption } from './preemption.ts';
import { type NodeDaemons, scheduleDaemons } from './schedule-daemons.ts';

type Templates = ReadonlyMap<GroupName, GroupTemplate>;

/** The pods without a node. */
interface PodsToPlace {
  readonly pods: readonly Pod[];
  /** Does the pod want a node now? Asked only if the answer matters, for there may be very many pods. */
  readonly wants: (pod: Pod) => boolean;
  /** Groups that may get new nodes. */
  readonly growing: ReadonlySet<GroupName>;
}

/** Templates of new nodes with their DaemonSet pods, and a scheduler that may preempt some of these pods. */
interface RoomOnNewNodes {
  readonly templates: Templates;
  readonly scheduler: Scheduler;
}

/**
 * The templates with their daemons as kube-scheduler would place them on new nodes of this very cluster. Where daemons keep a pod
 * from new nodes of every group that can grow, whatever it is that they take, some of them give way:
 *
 * - those that are not known to get places there (`Daemon.established`) are left out, for anybody may create a DaemonSet, and most of
 *   what would keep others away does not get onto a node itself;
 * - those of lower priority as well are preempted by kube-scheduler for the pod, and for no other (`withPreemption`).
 *
 * Where one group has capacity for the pod beside its daemons, no daemon is preempted: preemption is worse than another node.
 */
export function daemonsOnNewNodes(
  waiting: PodsToPlace,
  templates: Templates,
  scheduling: SnapshotScheduler,
): RoomOnNewNodes {
  const room = searched(waiting, new Room(templates, scheduling, waiting.growing, true), scheduling);
  return { templates: room.templates, scheduler: withPreemption(scheduling, room.victims) };
}

/** The same for pods that move together to a new node: daemons that one of them preempts are left out of the templates. */
export const withRoomFor = (waiting: PodsToPlace, templates: Templates, scheduling: SnapshotScheduler): Templates =>
  searched(waiting, new Room(templates, scheduling, waiting.growing, false), scheduling).templates;

function searched(waiting: PodsToPlace, room: Room, scheduling: SnapshotScheduler): Room {
  const isYielding = room.yielding();
  if (isYielding === null) {
    return room;
  }
  let left = new Map<PodKind, Pod>();
  for (const pod of waiting.pods) {
    if (isYielding(pod) && waiting.wants(pod)) {
      const kind = scheduling.snapshot.kindOf(pod);
      left.set(kind, left.get(kind) ?? pod);
    }
  }
  left = room.without(left);
  if (left.size > 0) {
    left = room.open(left, (daemon) => !daemon.established, UNESTABLISHED);
  }
  const priorities = new Set([...left.values()].filter(preempts).map(priorityOf));
  for (const priority of [...priorities].sort((a, b) => b - a)) {
    const some = new Map([...left].filter(([, pod]) => preempts(pod) && priorityOf(pod) === priority));
    room.preempt(room.without(some), (daemon) => !daemon.established || priorityOf(daemon.pod) < priority);
  }
  return room;
}

const preempts = ({ spec }: Pod): boolean => spec.preemptionPolicy !== 'Never';

const UNESTABLISHED = (pod: Pod): string =>
  `pod ${keyOf(pod)} fits no new node of any group together with the DaemonSet's, which is not known to run on such nodes`;
const PREEMPTED = (pod: Pod): string =>
  `pod ${keyOf(pod)} of priority ${priorityOf(pod)} fits no new node of any group unless it preempts the DaemonSet's`;

/** The capacity of new nodes. */
class Room {
  readonly templates: Map<GroupName, GroupTemplate>;
  /** The daemons that pods of a kind preempt on new nodes. */
  readonly victims = new Map<PodKind, Set<PodKind>>();
  readonly #scheduling: SnapshotScheduler;
  readonly #canGrow: PodsToPlace['growing'];
  readonly #keepsVictims: boolean;

  /** @param keepsVictims daemons that are preempted stay in the templates. */
  constructor(
    templates: Templates,
    scheduling: SnapshotScheduler,
    growing: PodsToPlace['growing'],
    keepsVictims: boolean,
  ) {
    this.#scheduling = scheduling;
    this.#canGrow = growing;
    this.#keepsVictims = keepsVictims;
    this.templates = new Map(templates);
    for (const [group, template] of templates) {
      const carried = this.#onNode(template, template.daemons, (_, placed) => placed);
      if (!isSame(carried, template)) {
        this.templates.set(group, { ...template, ...carried, free: freeBeside(template.node, carried.pods) });
      }
    }
  }

  /** The pods for which some daemon could be left out; `null`: no daemon can be. */
  yielding(): ((pod: Pod) => boolean) | null {
    let lowest = Number.POSITIVE_INFINITY;
    for (const { daemons, pods } of this.#growing()) {
      if (daemons.some(({ established, pod }) => !established && pods.includes(pod))) {
        return () => true;
      }
      lowest = Math.min(lowest, ...pods.map(priorityOf));
    }
    if (lowest === Number.POSITIVE_INFINITY) {
      return null;
    }
    return (pod) => preempts(pod) && priorityOf(pod) > lowest;
  }

  /** The pods that fit no new node. */
  without(pods: ReadonlyMap<PodKind, Pod>): Map<PodKind, Pod> {
    let left = new Map(pods);
    for (const template of this.#growing()) {
      if (left.size === 0) {
        break;
      }
      left = this.#onNode(template, known(template), (info) => this.#refused(left, info));
    }
    return left;
  }

  /**
   * Leaves daemons out of the templates of all groups where one of the pods then fits.
   *
   * @returns the pods that fit none of them even so.
   */
  open(
    pods: ReadonlyMap<PodKind, Pod>,
    yields: (daemon: Daemon) => boolean,
    why: (pod: Pod) => string,
  ): Map<PodKind, Pod> {
    const left = new Map(pods);
    this.#whereFitting(pods, yields, (template, carried, fitting) => {
      this.templates.set(template.group, without(template, carried, why(firstItem([...fitting.values()]))));
      for (const kind of fitting.keys()) {
        left.delete(kind);
      }
    });
    return left;
  }

  /** Has the pods preempt daemons of all groups where they then fit. */
  preempt(pods: ReadonlyMap<PodKind, Pod>, yields: (daemon: Daemon) => boolean): void {
    if (!this.#keepsVictims) {
      this.open(pods, yields, PREEMPTED);
      return;
    }
    const { snapshot } = this.#scheduling;
    this.#whereFitting(pods, yields, (template, carried, fitting) => {
      const opened = without(template, carried, PREEMPTED(firstItem([...fitting.values()])));
      this.templates.set(template.group, { ...template, without: opened.without });
      const victims = known(template)
        .filter(({ pod }) => !carried.pods.includes(pod))
        .map(({ pod }) => snapshot.kindOf(pod));
      for (const kind of fitting.keys()) {
        this.victims.set(kind, new Set([...(this.victims.get(kind) ?? []), ...victims]));
      }
    });
  }

  /** Finds the groups on whose new nodes some of the pods fit once these daemons are away. */
  #whereFitting(
    pods: ReadonlyMap<PodKind, Pod>,
    yields: (daemon: Daemon) => boolean,
    found: (template: GroupTemplate, carried: NodeDaemons, fitting: ReadonlyMap<PodKind, Pod>) => void,
  ): void {
    for (const template of this.#growing()) {
      if (!template.daemons.some((daemon) => yields(daemon) && template.pods.includes(daemon.pod))) {
        continue;
      }
      const stay = template.daemons.filter((daemon) => !yields(daemon));
      this.#onNode(template, stay, (info, carried) => {
        const refused = this.#refused(pods, info);
        const fitting = new Map([...pods].filter(([kind]) => !refused.has(kind)));
        if (fitting.size > 0) {
          found(template, carried, fitting);
        }
      });
    }
  }

  #growing(): readonly GroupTemplate[] {
    return [...this.templates.values()].filter(({ group }) => this.#canGrow.has(group));
  }

  #refused(pods: ReadonlyMap<PodKind, Pod>, info: NodeInfo): Map<PodKind, Pod> {
    return new Map([...pods].filter(([kind]) => this.#scheduling.scheduler.check(kind, info) !== null));
  }

  /** Shows a new node with these daemons, and takes it away again. */
  #onNode<T>(template: GroupTemplate, daemons: readonly Daemon[], use: (info: NodeInfo, carried: NodeDaemons) => T): T {
    const { snapshot } = this.#scheduling;
    return about({ kind: 'group', group: template.group }, () => {
      snapshot.fork();
      const info = addTemplateNode(snapshot, template, NO_NODE, []);
      const answer = use(info, scheduleDaemons(daemons, info, this.#scheduling));
      snapshot.revert();
      return answer;
    });
  }
}

/** No node can have this name. */
const NO_NODE = 'new node';

/** The daemons that the template carries. */
const known = ({ daemons, pods }: GroupTemplate): readonly Daemon[] => daemons.filter(({ pod }) => pods.includes(pod));

const isSame = (a: NodeDaemons, b: NodeDaemons): boolean =>
  a.pods.length === b.pods.length &&
  a.pods.every((pod, i) => pod === b.pods[i]) &&
  a.without.every(({ why }, i) => why === b.without[i]?.why);

function without(template: GroupTemplate, { pods, without: refused }: NodeDaemons, why: string): GroupTemplate {
  const reasons = new Map([...template.without, ...refused].map((one) => [one.daemon, one]));
  const kept = new Set(pods);
  return {
    ...template,
    pods,
    free: freeBeside(template.node, pods),
    without: template.daemons
      .filter((daemon) => !kept.has(daemon.pod))
      .map((daemon) => reasons.get(daemon) ?? { daemon, why }),
  };
}

/** No more are listed. */
const MOST_LISTED = 32;

/** Daemons that templates do not carry, a row for each DaemonSet and reason, in the order of the DaemonSets' names. */
export function skippedDaemonSets(templates: Iterable<GroupTemplate>): readonly SkippedDaemonSet[] {
  const rows = new Map<string, SkippedDaemonSet>();
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
