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

/** One pod takes the scheduler so long, its writes included. */
const CYCLE_MS = 4;
/** From the verdict to the pod's status, and to the event: two writes that know nothing of each other. */
const STATUS_WRITE: Span = { min: 5, max: 60 };
const EVENT_WRITE: Span = { min: 10, max: 90 };
/** How long a pod waits at least that is to be tried again because of where another one went: at most 10 s. */
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

/** What is remembered of a pod that was tried in vain. */
interface Tried {
  readonly waiting: Waiting;
  readonly notBefore: EpochMs;
}

/** The cluster as the scheduler has it in its head. */
interface View {
  readonly snapshot: Snapshot;
  readonly scheduler: Scheduler;
  readonly scorer: Scorer;
  readonly homes: Map<PodKey, { readonly kind: PodKind; readonly info: NodeInfo }>;
  /** Kinds that fit nowhere, with what was said about it, until something changes for the better. */
  readonly hopeless: Map<PodKind, string>;
}

/**
 * Starts playing kube-scheduler: pods in the order of priority, then age; the filters are the real ones as the core has
 * them; the best-liked node wins, ties by chance. Pods that fit nowhere are tried again when nodes come or change, or
 * when something goes. It does not preempt.
 */
export function startScheduler(options: SchedulerOptions): void {
  const { clock, api, chance, onBound, onUnschedulable, onFailedScheduling } = options;
  const queue = new TinyQueue<Waiting>([], (a, b) => b.priority - a.priority || a.order - b.order);
  const unschedulable = new Map<PodKey, Tried>();
  const attempts = new Map<PodKey, number>();
  const knownSpecs = new Set<PodSpec>();
  let order = 0;
  let busy = false;
  let view: View | null = null;

  const look = (): View => {
    if (view === null) {
      const objects = api.objects();
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
      view = { snapshot, scheduler: createScheduler(snapshot, objects), scorer, homes, hopeless: new Map() };
    }
    return view;
  };

  const work = (): void => {
    if (!busy && queue.peek() !== undefined) {
      busy = true;
      clock.after(CYCLE_MS, () => {
        busy = false;
        const next = queue.pop();
        const pod = next === undefined ? undefined : api.pods.get(next.key);
        if (pod !== undefined && pod.nodeName === null && pod.spec.schedulingGates.length === 0) {
          tryToPlace(pod, next!);
        }
        work();
      });
    }
  };

  const enqueue = (waiting: Waiting): void => {
    queue.push(waiting);
    work();
  };

  const tryToPlace = (pod: Pod, waiting: Waiting): void => {
    const now = look();
    const kind = now.snapshot.kindOf(pod);
    const known = now.hopeless.get(kind);
    const best = known === undefined ? chooseNode(now, kind, pod, chance) : null;
    if (best !== null) {
      attempts.delete(waiting.key);
      now.snapshot.place(kind, best);
      now.scorer.owners.add(ownerOf(pod), best, 1);
      now.homes.set(waiting.key, { kind, info: best });
      api.updatePod(waiting.key, (before) => ({ ...before, nodeName: best.name, unscheduled: null }));
      onBound(api.pods.get(waiting.key)!);
      retryBecauseOfPods();
      return;
    }
    const message = known ?? explain(now, kind);
    if (!mindsOthers(pod.spec)) {
      now.hopeless.set(kind, message);
    }
    giveUp(pod, waiting, message);
  };

  const giveUp = (pod: Pod, waiting: Waiting, message: string): void => {
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
  };

  /** Tries a pod again that was tried in vain. */
  const requeue = (tried: Tried, pod: Pod, from: EpochMs): void => {
    unschedulable.delete(tried.waiting.key);
    view?.hopeless.delete(view.snapshot.kindOf(pod));
    clock.at(epochMs(Math.max(from, clock.now())), () => enqueue(tried.waiting));
  };

  /**
   * Something changed for the better on a node: pods that it would take now are tried again, at once, as a scheduler
   * does that has nothing else to do (SchedulerPopFromBackoffQ, on since 1.33).
   */
  const retryBecauseOf = (node: NodeName): void => {
    if (unschedulable.size === 0) {
      return;
    }
    const { snapshot, scheduler } = look();
    const info = snapshot.byName(node);
    const takes = new Map<PodKind, boolean>();
    for (const [key, tried] of unschedulable) {
      const pod = api.pods.get(key)!;
      const kind = snapshot.kindOf(pod);
      if (!takes.has(kind)) {
        takes.set(kind, info !== undefined && scheduler.check(kind, info) === null);
      }
      if (takes.get(kind) === true) {
        requeue(tried, pod, clock.now());
      }
    }
    retryBecauseOfPods();
  };

  /** Where pods are has changed, which matters to pods that want to be near to others or apart from them. */
  const retryBecauseOfPods = (): void => {
    for (const [key, tried] of unschedulable) {
      const pod = api.pods.get(key)!;
      if (mindsOthers(pod.spec)) {
        requeue(tried, pod, tried.notBefore);
      }
    }
  };

  const leave = (pod: Pod): void => {
    const key = keyOf(pod);
    const home = view?.homes.get(key);
    if (view !== null && home !== undefined) {
      // Its node may have gone before it.
      if (view.snapshot.byName(home.info.name) === home.info) {
        view.snapshot.remove(home.kind, home.info);
        view.scorer.owners.add(ownerOf(pod), home.info, -1);
      }
      view.homes.delete(key);
    }
    view?.hopeless.clear();
    attempts.delete(key);
    unschedulable.delete(key);
    if (pod.nodeName !== null) {
      retryBecauseOf(pod.nodeName);
    }
  };

  api.watch({
    pod: (pod, before) => {
      if (before === null) {
        if (!knownSpecs.has(pod.spec)) {
          knownSpecs.add(pod.spec);
          if (selectorKeys([pod]).keys.length > 0) {
            // A selector that is new makes pods differ that were alike.
            view = null;
          }
        }
        if (pod.nodeName === null) {
          enqueue({ key: keyOf(pod), priority: pod.spec.priority ?? 0, order: order++ });
        }
      } else if (isFinished(pod) && !isFinished(before)) {
        leave(pod);
      }
    },
    podDeleted: leave,
    node: ({ name }) => {
      view = null;
      retryBecauseOf(name);
    },
    nodeDeleted: () => {
      view = null;
    },
  });
}

/** Its place depends on where other pods are. */
const mindsOthers = ({ podAffinity, podAntiAffinity, topologySpread }: PodSpec): boolean =>
  podAffinity.length > 0 || podAntiAffinity.length > 0 || topologySpread.length > 0;

/** The best-liked of the nodes that pass all filters; `null`: none does. */
function chooseNode({ snapshot, scheduler, scorer }: View, kind: PodKind, pod: Pod, chance: Chance): NodeInfo | null {
  const fitting: NodeInfo[] = [];
  for (const info of snapshot.nodes) {
    if (info !== null && scheduler.check(kind, info) === null) {
      fitting.push(info);
    }
  }
  return fitting.length === 0 ? null : scorer.choose({ kind, owner: ownerOf(pod) }, fitting, () => chance.next());
}

/** As kube-scheduler says it: `0/3 nodes are available: 1 Insufficient memory, 3 Insufficient cpu.` */
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
