import { addCount } from '../../core/model/values/counts.ts';
import TinyQueue from 'tinyqueue';
import { byName, type NodeName, type PodKey } from '../../core/model/values/names.ts';
import { isFinished, keyOf, type Pod, type PodSpec } from '../../core/model/cluster/pod.ts';
import { type PodKind, selectorKeys } from '../../core/model/snapshot/pod-kind.ts';
import type { NodeInfo, Snapshot } from '../../core/model/snapshot/snapshot.ts';
import { epochMs, type EpochMs } from '../../core/model/values/time.ts';
import { clusterSnapshot } from '../../core/scheduling/cluster-snapshot.ts';
import { createScheduler, type Scheduler } from '../../core/scheduling/scheduler.ts';
import { ownerOf } from '../../core/scheduling/scoring/owner-counts.ts';
import { createScorer, type Scorer } from '../../core/scheduling/scoring/scorer.ts';
import type { ApiServer } from './api-server.ts';
import type { Chance, Span } from './chance.ts';
import type { Clock } from './clock.ts';

/** The scheduler's time for one pod, its writes included. */
const CYCLE_MS = 4;
/** From the result to the pod's status, and to the event: two independent writes. */
const STATUS_WRITE: Span = { min: 5, max: 60 };
const EVENT_WRITE: Span = { min: 10, max: 90 };
/** Minimum time until a pod is tried again because another pod was bound: at most 10 s. */
const BACKOFF_MS = 1_000;
const MAX_BACKOFF_MS = 10_000;

export interface SchedulerOptions {
  readonly clock: Clock;
  readonly api: ApiServer;
  readonly chance: Chance;
  readonly onBound: (pod: Pod) => void;
  /** The first time that a pod fits nowhere. */
  readonly onUnschedulable: (pod: Pod, message: string) => void;
  /**
   * A FailedScheduling event was created. The recorder creates one event for each pod, and only counts it up later.
   *
   * @param message in kube-scheduler's words.
   */
  readonly onFailedScheduling: (pod: Pod, message: string) => void;
}

interface Waiting {
  readonly key: PodKey;
  readonly priority: number;
  readonly order: number;
}

/** The state of a pod that was found unschedulable. */
interface Tried {
  readonly waiting: Waiting;
  readonly notBefore: EpochMs;
}

/** The scheduler's cache of the cluster. */
interface View {
  readonly snapshot: Snapshot;
  readonly scheduler: Scheduler;
  readonly scorer: Scorer;
  readonly homes: Map<PodKey, { readonly kind: PodKind; readonly info: NodeInfo }>;
  /** Kinds that fit nowhere, with the message, until a change may help. */
  readonly hopeless: Map<PodKind, string>;
}

interface State extends SchedulerOptions {
  readonly queue: TinyQueue<Waiting>;
  readonly unschedulable: Map<PodKey, Tried>;
  /** Failed attempts. */
  readonly attempts: Map<PodKey, number>;
  readonly knownSpecs: Set<PodSpec>;
  /** Number of pods so far. */
  order: number;
  /** A pod is being tried. */
  busy: boolean;
  /** Created when it is needed; `null` after a change that it does not follow. */
  view: View | null;
}

/**
 * Starts a simulated kube-scheduler: pods in the order of priority, then age; the filters are those of the core; the
 * node with the highest score wins, ties at random. Pods that fit nowhere are tried again when nodes come or change, or
 * when something goes. The node that a pod is nominated to comes first. It does not preempt.
 */
export function startScheduler(options: SchedulerOptions): void {
  const state: State = {
    ...options,
    queue: new TinyQueue<Waiting>([], (a, b) => b.priority - a.priority || a.order - b.order),
    unschedulable: new Map(),
    attempts: new Map(),
    knownSpecs: new Set(),
    order: 0,
    busy: false,
    view: null,
  };
  options.api.watch({
    pod: (pod, before) => {
      if (before === null) {
        arrive(state, pod);
      } else if (isFinished(pod) && !isFinished(before)) {
        leave(state, pod);
      } else if (pod.nodeName === null && pod.nominatedNodeName !== before.nominatedNodeName) {
        // It takes room there from now on.
        state.view = null;
      }
    },
    podDeleted: (pod) => leave(state, pod),
    node: ({ name }) => {
      state.view = null;
      retryBecauseOf(state, name);
    },
    nodeDeleted: () => {
      state.view = null;
    },
  });
}

function arrive(state: State, pod: Pod): void {
  if (!state.knownSpecs.has(pod.spec)) {
    state.knownSpecs.add(pod.spec);
    if (selectorKeys([pod]).keys.length > 0) {
      // A new selector may distinguish pods that were of one kind.
      state.view = null;
    }
  }
  if (pod.nodeName === null) {
    enqueue(state, { key: keyOf(pod), priority: pod.spec.priority ?? 0, order: state.order++ });
  }
}

function leave(state: State, pod: Pod): void {
  const { view, attempts, unschedulable } = state;
  const key = keyOf(pod);
  const home = view?.homes.get(key);
  if (view !== null && home !== undefined) {
    // Its node may have been deleted before.
    if (view.snapshot.byName(home.info.name) === home.info) {
      view.snapshot.remove(home.kind, home.info);
      view.scorer.owners.add(ownerOf(pod), home.info, -1);
    }
    view.homes.delete(key);
  }
  if (pod.nodeName === null && pod.nominatedNodeName !== null) {
    state.view = null;
  }
  view?.hopeless.clear();
  attempts.delete(key);
  unschedulable.delete(key);
  if (pod.nodeName !== null) {
    retryBecauseOf(state, pod.nodeName);
  }
}

function enqueue(state: State, waiting: Waiting): void {
  state.queue.push(waiting);
  work(state);
}

/** Tries the first pod of the queue, then the next one, until the queue is empty. */
function work(state: State): void {
  const { clock, api, queue } = state;
  if (!state.busy && queue.peek() !== undefined) {
    state.busy = true;
    clock.after(CYCLE_MS, () => {
      state.busy = false;
      const next = queue.pop();
      const pod = next === undefined ? undefined : api.pods.get(next.key);
      if (pod !== undefined && pod.nodeName === null && pod.spec.schedulingGates.length === 0) {
        tryToPlace(state, pod, next!);
      }
      work(state);
    });
  }
}

function tryToPlace(state: State, pod: Pod, waiting: Waiting): void {
  const view = viewOf(state);
  const kind = view.snapshot.kindOf(pod);
  const nominated = withoutNomination(view, pod, kind);
  if (nominated !== null && view.scheduler.check(kind, nominated) === null) {
    bind(state, view, pod, kind, nominated);
    return;
  }
  const known = view.hopeless.get(kind);
  const best = known === undefined ? chooseNode(view, kind, pod, state.chance) : null;
  if (best !== null) {
    bind(state, view, pod, kind, best);
    return;
  }
  const message = known ?? explain(view, kind);
  if (!mindsOthers(pod.spec)) {
    view.hopeless.set(kind, message);
  }
  if (pod.nominatedNodeName !== null) {
    // As the real one: a nomination does not outlive an attempt in vain.
    state.api.updatePod(waiting.key, (before) => ({ ...before, nominatedNodeName: null }));
  }
  giveUp(state, pod, waiting, message);
}

/** Takes a pod off the node that it is nominated to, so that it does not count against itself; gives that node. */
function withoutNomination({ snapshot }: View, pod: Pod, kind: PodKind): NodeInfo | null {
  const info = pod.nominatedNodeName === null ? undefined : snapshot.byName(pod.nominatedNodeName);
  if (info === undefined) {
    return null;
  }
  snapshot.remove(kind, info);
  return info;
}

function bind(state: State, view: View, pod: Pod, kind: PodKind, info: NodeInfo): void {
  const { api, attempts, onBound } = state;
  const key = keyOf(pod);
  attempts.delete(key);
  view.snapshot.place(kind, info);
  view.scorer.owners.add(ownerOf(pod), info, 1);
  view.homes.set(key, { kind, info });
  api.updatePod(key, (before) => ({
    ...before,
    nodeName: info.name,
    nominatedNodeName: null,
    unscheduled: null,
  }));
  onBound(api.pods.get(key)!);
  retryBecauseOfPods(state);
}

function giveUp(state: State, pod: Pod, waiting: Waiting, message: string): void {
  const { clock, api, chance, attempts, unschedulable, onFailedScheduling, onUnschedulable } = state;
  const tries = (attempts.get(waiting.key) ?? 0) + 1;
  attempts.set(waiting.key, tries);
  unschedulable.set(waiting.key, {
    waiting,
    notBefore: epochMs(clock.now() + Math.min(BACKOFF_MS * 2 ** (tries - 1), MAX_BACKOFF_MS)),
  });
  // As the real one: the event of the first failure is updated once, and then not for minutes.
  if (tries <= 2) {
    clock.after(chance.within(EVENT_WRITE), () => onFailedScheduling(pod, message));
  }
  if (tries > 1) {
    return;
  }
  onUnschedulable(pod, message);
  const since = clock.now();
  clock.after(chance.within(STATUS_WRITE), () => {
    api.updatePod(waiting.key, (before) =>
      before.nodeName === null ? { ...before, unscheduled: { reason: 'Unschedulable', since } } : before,
    );
  });
}

/** Tries an unschedulable pod again. */
function requeue(state: State, tried: Tried, pod: Pod, from: EpochMs): void {
  const { clock, view, unschedulable } = state;
  unschedulable.delete(tried.waiting.key);
  view?.hopeless.delete(view.snapshot.kindOf(pod));
  clock.at(epochMs(Math.max(from, clock.now())), () => enqueue(state, tried.waiting));
}

/**
 * A change on a node that may help: pods that now fit it are tried again at once, as a scheduler does whose active
 * queue is empty (SchedulerPopFromBackoffQ, on since 1.33).
 */
function retryBecauseOf(state: State, node: NodeName): void {
  const { clock, api, unschedulable } = state;
  if (unschedulable.size === 0) {
    return;
  }
  const { snapshot, scheduler } = viewOf(state);
  const info = snapshot.byName(node);
  const takes = new Map<PodKind, boolean>();
  for (const [key, tried] of unschedulable) {
    const pod = api.pods.get(key)!;
    const kind = snapshot.kindOf(pod);
    if (!takes.has(kind)) {
      takes.set(kind, info !== undefined && scheduler.check(kind, info) === null);
    }
    // Those that are nominated to it fill it.
    if (takes.get(kind) === true || pod.nominatedNodeName === node) {
      requeue(state, tried, pod, clock.now());
    }
  }
  retryBecauseOfPods(state);
}

/** The placement of pods has changed, which affects pods with affinity, anti-affinity or topology spread. */
function retryBecauseOfPods(state: State): void {
  for (const [key, tried] of state.unschedulable) {
    const pod = state.api.pods.get(key)!;
    if (mindsOthers(pod.spec)) {
      requeue(state, tried, pod, tried.notBefore);
    }
  }
}

/** The present cluster. */
function viewOf(state: State): View {
  state.view ??= newView(state.api.objects());
  return state.view;
}

function newView(objects: ReturnType<ApiServer['objects']>): View {
  const snapshot = clusterSnapshot(objects, []);
  const scorer = createScorer(snapshot, objects);
  const homes: View['homes'] = new Map();
  for (const pod of objects.pods) {
    const info = pod.nodeName === null || isFinished(pod) ? undefined : snapshot.byName(pod.nodeName);
    if (info !== undefined) {
      homes.set(keyOf(pod), { kind: snapshot.kindOf(pod), info });
      scorer.owners.add(ownerOf(pod), info, 1);
    }
  }
  return { snapshot, scheduler: createScheduler(snapshot, objects), scorer, homes, hopeless: new Map() };
}

/** Whether its placement depends on other pods. */
const mindsOthers = ({ podAffinity, podAntiAffinity, topologySpread }: PodSpec): boolean =>
  podAffinity.length > 0 || podAntiAffinity.length > 0 || topologySpread.length > 0;

/** The node with the highest score among those that pass all filters; `null`: none does. */
function chooseNode({ snapshot, scheduler, scorer }: View, kind: PodKind, pod: Pod, chance: Chance): NodeInfo | null {
  const fitting: NodeInfo[] = [];
  for (const info of snapshot.nodes) {
    if (info !== null && scheduler.check(kind, info) === null) {
      fitting.push(info);
    }
  }
  return fitting.length === 0 ? null : scorer.choose({ kind, owner: ownerOf(pod) }, fitting, () => chance.next());
}

/** kube-scheduler's message: `0/3 nodes are available: 1 Insufficient memory, 3 Insufficient cpu.` */
function explain({ snapshot, scheduler }: View, kind: PodKind): string {
  const counts = new Map<string, number>();
  let nodes = 0;
  for (const info of snapshot.nodes) {
    if (info !== null) {
      nodes += 1;
      for (const reason of scheduler.check(kind, info)?.reasons ?? []) {
        addCount(counts, reason);
      }
    }
  }
  const reasons = [...counts].map(([reason, count]) => `${count} ${reason}`).sort(byName);
  return nodes === 0 ? 'no nodes available to schedule pods' : `0/${nodes} nodes are available: ${reasons.join(', ')}.`;
}
