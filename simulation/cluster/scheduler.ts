import { getExisting, required } from '@outrigger/core/model/values/existing.ts';
import TinyQueue from 'tinyqueue';
import { type NodeName, type PodKey } from '@outrigger/core/model/values/names.ts';
import { isFinished, keyOf, type Pod, type PodSpec, priorityOf } from '@outrigger/core/model/cluster/pod.ts';
import { type PodKind, selectorKeys } from '@outrigger/core/model/snapshot/pod-kind.ts';
import type { NodeInfo } from '@outrigger/core/model/snapshot/snapshot.ts';
import { type DurationMs, epochMs, type EpochMs, minutes } from '@outrigger/core/model/values/time.ts';
import { ownerOf } from './scoring/owner-counts.ts';
import type { ApiServer } from './api-server.ts';
import type { Chance } from '../chance.ts';
import type { Span } from '@outrigger/core/model/values/random.ts';
import type { Clock } from '../clock.ts';
import type { BoundPodEvents, OfPod } from '../world-event.ts';
import { choosePreemption, mayPreempt, type Preemption, type Resident, type Takes } from './preemption.ts';
import {
  chooseNode,
  explainSchedule,
  lesserPods,
  mindsOthers,
  putNode,
  removeNode,
  setAside,
  type SchedulerView,
  viewOn,
} from './scheduler-view.ts';

/** The scheduler's time for one pod, its writes included. */
const CYCLE_MS = 4;
/** From the result to the pod's status, and to the event: two independent writes. */
const STATUS_WRITE: Span = { min: 5, max: 60 };
const EVENT_WRITE: Span = { min: 10, max: 90 };
/** Minimum time until a pod is tried again because another pod was bound: at most 10 s. */
const BACKOFF_MS = 1_000;
const MAX_BACKOFF_MS = 10_000;
/** A pod that may preempt others is tried again after this long, whatever has happened. */
const FLUSH: DurationMs = minutes(5);

interface SchedulerOptions extends BoundPodEvents {
  readonly clock: Clock;
  readonly api: ApiServer;
  readonly chance: Chance;
  readonly about: (pod: Pod) => OfPod;
  /**
   * A FailedScheduling event was created. The recorder creates one event for each pod, and only counts it up later.
   *
   * @param message in kube-scheduler's words.
   */
  readonly onFailedScheduling: (pod: Pod, message: string) => void;
}

interface QueuedPod {
  readonly key: PodKey;
  readonly priority: number;
  readonly order: number;
}

/** The state of a pod that was found unschedulable. */
interface UnschedulablePod {
  readonly waiting: QueuedPod;
  readonly notBefore: EpochMs;
  /** The pod is tried at `notBefore`. */
  backsOff: boolean;
}

/** The result of looking at all nodes for a pod. */
type SchedulingResult =
  | { readonly kind: 'node'; readonly info: NodeInfo }
  | {
      readonly kind: 'nothing';
      readonly message: string;
      readonly preemption: Preemption | null;
      /** The pods that it has preempted are still terminating. */
      readonly isWaiting: boolean;
    };

interface State extends SchedulerOptions {
  readonly queue: TinyQueue<QueuedPod>;
  readonly unschedulable: Map<PodKey, UnschedulablePod>;
  /** Failed attempts. */
  readonly attempts: Map<PodKey, number>;
  readonly knownSpecs: Set<PodSpec>;
  /** Number of pods so far. */
  order: number;
  /** Lowest priority of all pods so far: a pod of this priority preempts none. */
  lowestPriority: number;
  /** A pod is being tried. */
  busy: boolean;
  /** Created when it is needed; `null` after a change that it does not follow. */
  view: SchedulerView | null;
}

/**
 * Starts a simulated kube-scheduler: pods in the order of priority, then age; the filters are those of the core; the
 * node with the highest score wins, ties at random. Pods that fit nowhere are tried again when nodes come or change, or
 * when something goes. The node that a pod is nominated to comes first. A pod that fits nowhere preempts pods of lower
 * priorities, unless its policy is never to preempt.
 */
export function startScheduler(options: SchedulerOptions): void {
  const state: State = {
    ...options,
    queue: new TinyQueue<QueuedPod>([], (a, b) => b.priority - a.priority || a.order - b.order),
    unschedulable: new Map(),
    attempts: new Map(),
    knownSpecs: new Set(),
    order: 0,
    lowestPriority: Number.POSITIVE_INFINITY,
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
        // The pod uses capacity on the nominated node from now on.
        state.view = null;
      } else if (pod.deletedAt !== null && before.deletedAt === null) {
        end(state, pod);
      }
    },
    podDeleted: (pod) => leave(state, pod),
    node: (node) => {
      const { view, api } = state;
      if (view !== null && !putNode(view, node, api.pods)) {
        state.view = null;
      }
      retryBecauseOf(state, node.name);
    },
    nodeDeleted: ({ name }) => {
      if (state.view !== null) {
        removeNode(state.view, name);
      }
    },
    storage: () => {
      state.view = null;
      retryBecauseOfStorage(state);
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
  state.lowestPriority = Math.min(state.lowestPriority, priorityOf(pod));
  if (pod.nodeName === null) {
    enqueue(state, { key: keyOf(pod), priority: priorityOf(pod), order: state.order++ });
  }
}

/** The pod keeps its capacity until it is gone; for a topology spread constraint it does not count any more. */
function end({ view }: State, pod: Pod): void {
  const home = view?.homes.get(keyOf(pod));
  if (view !== null && home !== undefined && view.snapshot.byName(home.info.name) === home.info) {
    const kind = view.snapshot.kindOf(pod);
    view.snapshot.remove(home.kind, home.info);
    view.snapshot.place(kind, home.info);
    view.homes.set(keyOf(pod), { ...home, kind });
  }
}

function leave(state: State, pod: Pod): void {
  const { view, attempts, unschedulable } = state;
  const key = keyOf(pod);
  const home = view?.homes.get(key);
  if (view !== null && home !== undefined) {
    // The pod's node may have been deleted before.
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
  view?.helpless.clear();
  attempts.delete(key);
  unschedulable.delete(key);
  if (pod.nodeName !== null) {
    retryBecauseOf(state, pod.nodeName);
  }
}

function enqueue(state: State, waiting: QueuedPod): void {
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
      const next = required(queue.pop(), 'the cycle');
      const pod = api.pods.get(next.key);
      if (pod !== undefined && pod.nodeName === null && pod.spec.schedulingGates.length === 0) {
        tryToPlace(state, pod, next);
      }
      work(state);
    });
  }
}

function tryToPlace(state: State, pod: Pod, waiting: QueuedPod): void {
  const view = viewOf(state);
  const kind = view.snapshot.kindOf(pod);
  view.snapshot.fork();
  const takes = setAside(view, pod, kind);
  const found = lookFor(state, view, { pod, kind }, takes);
  view.snapshot.revert();
  if (found.kind === 'node') {
    bind(state, view, { pod, kind }, found.info);
    return;
  }
  const { message, preemption, isWaiting } = found;
  if (!mindsOthers(pod.spec)) {
    view.hopeless.set(kind, message);
  }
  giveUp(state, pod, waiting, message);
  if (preemption !== null) {
    preempt(state, pod, preemption);
  } else if (pod.nominatedNodeName !== null && !isWaiting) {
    // As the real one: a nomination does not outlive an attempt in vain.
    state.api.updatePod(waiting.key, (before) => ({ ...before, nominatedNodeName: null }));
  }
}

function lookFor(state: State, view: SchedulerView, { pod, kind }: Resident, takes: Takes): SchedulingResult {
  const nominated = view.nominations.get(keyOf(pod))?.info;
  if (nominated !== undefined && takes(nominated)) {
    return { kind: 'node', info: nominated };
  }
  const known = view.hopeless.get(kind);
  const best = known === undefined ? chooseNode(view, { pod, kind }, takes, state.chance) : null;
  if (best !== null) {
    return { kind: 'node', info: best };
  }
  const message = known ?? explainSchedule(view, kind);
  if (priorityOf(pod) <= state.lowestPriority || view.helpless.has(kind)) {
    return { kind: 'nothing', message, preemption: null, isWaiting: false };
  }
  const lesser = lesserPods(state.api, view, pod);
  if (!mayPreempt(pod, lesser)) {
    return { kind: 'nothing', message, preemption: null, isWaiting: true };
  }
  const preemption = choosePreemption({ ...view, takes }, lesser, state.api.budgets());
  if (preemption === null) {
    view.helpless.add(kind);
  }
  return { kind: 'nothing', message, preemption, isWaiting: false };
}

/** Asks the victims to go, and has the pod wait for their room; who was to have it has to look for another. */
function preempt({ clock, api, emit, aboutBound }: State, pod: Pod, { info, victims }: Preemption): void {
  for (const victim of victims) {
    if (victim.deletedAt === null) {
      emit({ kind: 'PodPreempted', ...aboutBound(victim), by: keyOf(pod) });
      api.updatePod(keyOf(victim), (before) => ({ ...before, ready: false, deletedAt: clock.now() }));
    }
  }
  for (const other of api.pods.values()) {
    if (other.nodeName === null && other.nominatedNodeName === info.name && priorityOf(other) < priorityOf(pod)) {
      api.updatePod(keyOf(other), (before) => ({ ...before, nominatedNodeName: null }));
    }
  }
  api.updatePod(keyOf(pod), (before) => ({ ...before, nominatedNodeName: info.name }));
}

function bind(state: State, view: SchedulerView, { pod, kind }: Resident, info: NodeInfo): void {
  const { api, attempts, emit, aboutBound } = state;
  const key = keyOf(pod);
  attempts.delete(key);
  const nomination = view.nominations.get(key);
  if (nomination !== undefined) {
    view.snapshot.remove(kind, nomination.info);
    view.nominations.delete(key);
  }
  view.snapshot.place(kind, info);
  view.scorer.owners.add(ownerOf(pod), info, 1);
  view.homes.set(key, { kind, info });
  api.updatePod(key, (before) => ({
    ...before,
    nodeName: info.name,
    nominatedNodeName: null,
    unscheduled: null,
  }));
  view.helpless.clear();
  emit({ kind: 'PodBound', ...aboutBound(getExisting(api.pods, key)) });
  retryBecauseOfPods(state);
}

function giveUp(state: State, pod: Pod, waiting: QueuedPod, message: string): void {
  const { clock, api, chance, attempts, unschedulable, onFailedScheduling, emit, about } = state;
  const tries = (attempts.get(waiting.key) ?? 0) + 1;
  attempts.set(waiting.key, tries);
  const tried: UnschedulablePod = {
    waiting,
    notBefore: epochMs(clock.now() + Math.min(BACKOFF_MS * 2 ** (tries - 1), MAX_BACKOFF_MS)),
    backsOff: false,
  };
  unschedulable.set(waiting.key, tried);
  if (isSuperior(state, pod)) {
    clock.after(FLUSH, () => retryLater(state, tried));
  }
  // As the real one: the event of the first failure is updated once, and then not for minutes.
  if (tries <= 2) {
    clock.after(chance.within(EVENT_WRITE), () => onFailedScheduling(pod, message));
  }
  if (tries > 1) {
    return;
  }
  emit({ kind: 'PodUnschedulable', ...about(pod), message });
  const since = clock.now();
  clock.after(chance.within(STATUS_WRITE), () => {
    api.updatePod(waiting.key, (before) =>
      before.nodeName === null ? { ...before, unscheduled: { reason: 'Unschedulable', since } } : before,
    );
  });
}

/** Tries it again when its backoff is over, unless something else has it tried before. */
function retryLater(state: State, tried: UnschedulablePod): void {
  const { clock, unschedulable } = state;
  const { waiting, notBefore } = tried;
  if (!tried.backsOff) {
    tried.backsOff = true;
    clock.at(epochMs(Math.max(notBefore, clock.now())), () => {
      tried.backsOff = false;
      if (unschedulable.get(waiting.key) === tried) {
        requeue(state, tried, clock.now());
      }
    });
  }
}

/** Tries an unschedulable pod again. */
function requeue(state: State, tried: UnschedulablePod, from: EpochMs): void {
  const { clock, api, view, unschedulable } = state;
  unschedulable.delete(tried.waiting.key);
  const kind = view?.snapshot.kindOf(getExisting(api.pods, tried.waiting.key));
  if (view !== null && kind !== undefined) {
    view.hopeless.delete(kind);
    view.helpless.delete(kind);
  }
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
    const pod = getExisting(api.pods, key);
    const kind = snapshot.kindOf(pod);
    if (!takes.has(kind)) {
      takes.set(kind, info !== undefined && scheduler.check(kind, info) === null);
    }
    // The pods that are nominated to the node fill it.
    if (takes.get(kind) === true || pod.nominatedNodeName === node) {
      requeue(state, tried, clock.now());
    } else if (isSuperior(state, pod)) {
      retryLater(state, tried);
    }
  }
  retryBecauseOfPods(state);
}

/** The placement of pods has changed, which affects pods with affinity, anti-affinity or topology spread. */
function retryBecauseOfPods(state: State): void {
  for (const [key, tried] of state.unschedulable) {
    const pod = getExisting(state.api.pods, key);
    if (mindsOthers(pod.spec)) {
      requeue(state, tried, tried.notBefore);
    }
  }
}

/** A claim is bound, or a volume is detached, say: pods with volumes are tried again. */
function retryBecauseOfStorage(state: State): void {
  for (const [key, tried] of state.unschedulable) {
    if (getExisting(state.api.pods, key).spec.volumes.length > 0) {
      requeue(state, tried, tried.notBefore);
    }
  }
}

/** The present cluster. */
function viewOf(state: State): SchedulerView {
  state.view ??= viewOn(state.api.objects());
  return state.view;
}

/** Pods of lower priorities exist or existed, and the pod may preempt them. */
const isSuperior = ({ lowestPriority }: State, pod: Pod): boolean =>
  priorityOf(pod) > lowestPriority && pod.spec.preemptionPolicy !== 'Never';
