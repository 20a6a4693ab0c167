import { getExisting } from '@outrigger/core/model/values/existing.ts';
import { getOrMake } from '@outrigger/core/model/values/get-or-make.ts';
import { addCount } from '@outrigger/core/model/values/counts.ts';
import { byName, type NodeName, type PodKey } from '@outrigger/core/model/values/names.ts';
import { mapOptional } from '@outrigger/core/model/values/optional.ts';
import type { Node } from '@outrigger/core/model/cluster/node.ts';
import { keyOf, type Pod, type PodSpec, priorityOf } from '@outrigger/core/model/cluster/pod.ts';
import type { ClusterObjects } from '@outrigger/core/model/scenario.ts';
import type { PodKind } from '@outrigger/core/model/snapshot/pod-kind.ts';
import type { NodeInfo, Snapshot } from '@outrigger/core/model/snapshot/snapshot.ts';
import { clusterSnapshot, homeOf } from '@outrigger/core/scheduling/cluster-snapshot.ts';
import { createScheduler, type Scheduler } from '@outrigger/core/scheduling/scheduler.ts';
import { ownerOf } from './scoring/owner-counts.ts';
import { createScorer, type Scorer } from './scoring/scorer.ts';
import type { ApiServer } from './api-server.ts';
import type { Chance } from '../chance.ts';
import { type Resident, type Takes } from './preemption.ts';

/** The scheduler's cache of the cluster. */
export interface SchedulerView {
  readonly snapshot: Snapshot;
  /** The nodes of the snapshot in the order of their names. */
  readonly nodes: NodeInfo[];
  readonly scheduler: Scheduler;
  readonly scorer: Scorer;
  readonly homes: Map<PodKey, Home>;
  /** Pods without a node, with the one that they are nominated to. */
  readonly nominations: Map<PodKey, Nomination>;
  /** Kinds that fit nowhere, with the message, until a change may help. */
  readonly hopeless: Map<PodKind, string>;
  /** Kinds for which no pods of lower priorities make room either, until a change may help. */
  readonly helpless: Set<PodKind>;
}

interface Home {
  readonly kind: PodKind;
  readonly info: NodeInfo;
}

interface Nomination extends Home {
  readonly priority: number;
}

/** A view with more places of former nodes than this, beside twice its nodes, is made anew. */
const MOST_FORMER_NODES = 64;

/**
 * Puts a new node into the view, or a node that has changed in the place of its former self, with its pods: to read the whole cluster
 * anew costs a hundred times as much.
 *
 * @returns false where the view cannot follow and has to be made anew.
 */
export function putNode(view: SchedulerView, node: Node, pods: ApiServer['pods']): boolean {
  const { snapshot, nodes } = view;
  const before = snapshot.byName(node.name) ?? null;
  const isAwaited = before === null && pods.values().some((pod) => homeOf(pod) === node.name);
  if (isAwaited || snapshot.nodes.length > 2 * nodes.length + MOST_FORMER_NODES) {
    return false;
  }
  if (before !== null) {
    snapshot.removeNode(before);
  }
  const info = snapshot.addNode(node, null);
  const place = nodes.findLastIndex(({ name }) => name < node.name) + 1;
  nodes.splice(place, Number(before !== null), info);
  if (before !== null) {
    moveHomes(view, before, info);
  }
  forgetVerdicts(view);
  return true;
}

/** Takes a node out of the view, and its pods with it. */
export function removeNode(view: SchedulerView, name: NodeName): void {
  const { snapshot, nodes } = view;
  const info = snapshot.byName(name);
  if (info !== undefined) {
    snapshot.removeNode(info);
    nodes.splice(nodes.indexOf(info), 1);
    moveHomes(view, info, null);
    forgetVerdicts(view);
  }
}

function moveHomes({ snapshot, scorer, homes, nominations }: SchedulerView, from: NodeInfo, to: NodeInfo | null): void {
  scorer.owners.move(from, to);
  moveAll(homes, from, to);
  moveAll(nominations, from, to);
  if (to !== null) {
    for (const { kind, info } of [...homes.values(), ...nominations.values()]) {
      if (info === to) {
        snapshot.place(kind, to);
      }
    }
  }
}

function moveAll<H extends Home>(homes: Map<PodKey, H>, from: NodeInfo, to: NodeInfo | null): void {
  for (const [key, home] of homes) {
    if (home.info === from) {
      if (to === null) {
        homes.delete(key);
      } else {
        homes.set(key, { ...home, info: to });
      }
    }
  }
}

function forgetVerdicts({ hopeless, helpless }: SchedulerView): void {
  hopeless.clear();
  helpless.clear();
}

export function viewOn(objects: ClusterObjects): SchedulerView {
  const snapshot = clusterSnapshot(objects, []);
  const scorer = createScorer(snapshot, objects);
  const homes: SchedulerView['homes'] = new Map();
  const nominations: SchedulerView['nominations'] = new Map();
  for (const pod of objects.pods) {
    const info = mapOptional(homeOf(pod), (name) => snapshot.byName(name)) ?? null;
    if (info !== null && pod.nodeName === null) {
      nominations.set(keyOf(pod), { kind: snapshot.kindOf(pod), info, priority: priorityOf(pod) });
    } else if (info !== null) {
      homes.set(keyOf(pod), { kind: snapshot.kindOf(pod), info });
      scorer.owners.add(ownerOf(pod), info, 1);
    }
  }
  return {
    snapshot,
    nodes: snapshot.nodes.filter((info) => info !== null),
    scheduler: createScheduler(snapshot, objects),
    scorer,
    homes,
    nominations,
    hopeless: new Map(),
    helpless: new Set(),
  };
}

/**
 * Takes out what does not count for a pod: itself on the node that it is nominated to, and nominations of lower priorities.
 *
 * @returns whether a node passes all filters for the pod. Where its place depends on other pods, that is asked with those that are
 *   nominated to the node itself and without any that are nominated, as kube-scheduler does
 *   (`RunFilterPluginsWithNominatedPods`): those of other nodes are nowhere yet.
 */
export function setAside({ snapshot, scheduler, nominations }: SchedulerView, pod: Pod, kind: PodKind): Takes {
  const mindful = mindsOthers(pod.spec);
  const nominees = new Map<NodeInfo, PodKind[]>();
  for (const [key, { kind: other, info, priority }] of nominations) {
    const counts = key !== keyOf(pod) && priority >= priorityOf(pod);
    if (!counts || mindful) {
      snapshot.remove(other, info);
    }
    if (counts && mindful) {
      getOrMake(nominees, info, () => []).push(other);
    }
  }
  const passes: Takes = (info) => scheduler.check(kind, info) === null;
  return (info) => {
    const others = nominees.get(info) ?? [];
    if (!passes(info)) {
      return false;
    }
    others.forEach((other) => snapshot.place(other, info));
    const stillPasses = others.length === 0 || passes(info);
    others.forEach((other) => snapshot.remove(other, info));
    return stillPasses;
  };
}

/** Whether its placement depends on other pods. */
export const mindsOthers = ({ podAffinity, podAntiAffinity, topologySpread }: PodSpec): boolean =>
  podAffinity.length > 0 || podAntiAffinity.length > 0 || topologySpread.length > 0;

/** The pods of lower priorities, by node. */
export function lesserPods(
  { pods }: Pick<ApiServer, 'pods'>,
  { homes }: SchedulerView,
  { spec }: Pod,
): ReadonlyMap<NodeInfo, readonly Resident[]> {
  const lesser = new Map<NodeInfo, Resident[]>();
  for (const [key, { kind, info }] of homes) {
    const pod = getExisting(pods, key);
    if (priorityOf(pod) < (spec.priority ?? 0)) {
      getOrMake(lesser, info, () => []).push({ pod, kind });
    }
  }
  return lesser;
}

/** The node with the highest score among those that pass all filters; `null`: none does. */
export function chooseNode(
  { nodes, scorer }: SchedulerView,
  { pod, kind }: Resident,
  takes: Takes,
  chance: Chance,
): NodeInfo | null {
  const fitting = nodes.filter(takes);
  if (fitting.length === 0) {
    return null;
  }
  return scorer.choose({ kind, owner: ownerOf(pod) }, fitting, chance.next);
}

/** kube-scheduler's message: `0/3 nodes are available: 1 Insufficient memory, 3 Insufficient cpu.` */
export function explainSchedule({ nodes, scheduler }: SchedulerView, kind: PodKind): string {
  if (nodes.length === 0) {
    return 'no nodes available to schedule pods';
  }
  const counts = new Map<string, number>();
  for (const info of nodes) {
    for (const reason of scheduler.check(kind, info)?.reasons ?? []) {
      addCount(counts, reason);
    }
  }
  const reasons = [...counts].map(([reason, count]) => `${count} ${reason}`).sort(byName);
  return `0/${nodes.length} nodes are available: ${reasons.join(', ')}.`;
}
