import { byName, type GroupName } from '../../model/names.ts';
import { keyOf, type Pod } from '../../model/pod.ts';
import { randomFrom } from '../../model/random.ts';
import type { ClusterObjects } from '../../model/scenario.ts';
import type { PodKind } from '../../model/snapshot/pod-kind.ts';
import type { NodeInfo, Snapshot } from '../../model/snapshot/snapshot.ts';
import { type EpochMs } from '../../model/time.ts';
import type { Scheduler } from '../../scheduling/scheduler.ts';
import { ownerOf } from '../../scheduling/scoring/owner-counts.ts';
import { createScorer, type Scorer } from '../../scheduling/scoring/scorer.ts';
import type { ScoredPod } from '../../scheduling/scoring/score-plugin.ts';
import { nodesToScore } from '../../scheduling/scoring/nodes-to-score.ts';
import { opensNodes } from '../../estimator/placing.ts';
import { addTemplateNode, type GroupTemplate } from '../../nodegroups/node-templates.ts';

/** How many nodes arrive at a time, as a share of all; the least is one. */
const WAYS = [0, 0.1, 0.2] as const;
export const WAYS_OF_ARRIVAL = WAYS.length;

/** A pod in the scheduler's queue. */
export interface Queued extends ScoredPod {
  readonly pod: Pod;
}

export interface PredictorInput {
  /** With the nodes that are there and on their way; the pods that wait are not on it. */
  readonly snapshot: Snapshot;
  readonly scheduler: Scheduler;
  readonly objects: ClusterObjects;
  readonly templates: ReadonlyMap<GroupName, GroupTemplate>;
  /** Of `snapshot`: those that are still to come, and empty. */
  readonly upcoming: readonly NodeInfo[];
  /** What waits for a node. */
  readonly pods: readonly { readonly kind: PodKind; readonly pod: Pod }[];
  readonly seed: number;
  /** Scheduler checks and scored nodes, together at most. */
  readonly budget: number;
}

export interface Predictor {
  /**
   * Plays kube-scheduler while the nodes arrive.
   *
   * @param planned the groups of the nodes that come besides those on their way.
   * @param way in which the nodes arrive, below `WAYS_OF_ARRIVAL`.
   * @param then what to do with the pods that are left, while the snapshot shows where all others went.
   * @returns `null`: that would take more than is left of the budget.
   */
  readonly play: <T>(planned: readonly GroupName[], way: number, then: (left: readonly Queued[]) => T) => T | null;
}

/**
 * Predicts where kube-scheduler will put pods on nodes that are yet to come. It does not pack: each pod goes to the
 * node that it likes best of those there are, by its default scores.
 *
 * The nodes come in an order of chance, one by one or several at a time: how fast they do so after one another nobody
 * knows. They find the queue, which is in the order of priority, then age, at some point of its round: pods have been
 * tried in vain over and over, and are tried again from there on. Measured against a real scheduler (decision 12).
 */
export function createPredictor(input: PredictorInput): Predictor {
  const { snapshot, scheduler, objects, templates, upcoming } = input;
  const scorer = createScorer(snapshot, objects);
  const queue = queueOf(input.pods, randomFrom(input.seed));
  countOwners(scorer, snapshot, objects.pods, new Set(queue.map(({ owner }) => owner)));
  let left = input.budget;

  const play = (arrivals: readonly GroupName[], batch: number, random: () => number): readonly Queued[] | null => {
    const present = snapshot.nodes.filter((info) => info !== null);
    const daemons = new Map<GroupName, readonly PodKind[]>();
    for (const group of arrivals) {
      if (!daemons.has(group)) {
        daemons.set(
          group,
          templates.get(group)!.pods.map((pod) => snapshot.kindOf(pod)),
        );
      }
    }
    /** How many nodes there were when a kind fitted on none: only later ones need be checked. */
    const closed = new Map<PodKind, number>();
    let waiting = queue;
    let start = 0;
    const choose = (pod: Queued): NodeInfo | null => {
      const from = opensNodes(pod.kind) ? 0 : (closed.get(pod.kind) ?? 0);
      const fitting: NodeInfo[] = [];
      const most = nodesToScore(present.length);
      let looked = 0;
      for (; looked < present.length - from && fitting.length < most; looked++) {
        const info = present[from === 0 ? (start + looked) % present.length : from + looked]!;
        if (scheduler.check(pod.kind, info) === null) {
          fitting.push(info);
        }
      }
      start = (start + looked) % Math.max(1, present.length);
      left -= looked + fitting.length;
      if (fitting.length === 0) {
        closed.set(pod.kind, present.length);
        return null;
      }
      return fitting.length === 1 ? fitting[0]! : scorer.choose(pod, fitting, random);
    };
    const tryAll = (): void => {
      const still: Queued[] = [];
      for (const pod of waiting) {
        const hopeless = !opensNodes(pod.kind) && closed.get(pod.kind) === present.length;
        const info = hopeless ? null : choose(pod);
        if (info === null) {
          still.push(pod);
        } else {
          snapshot.place(pod.kind, info);
          scorer.owners.add(pod.owner, info, 1);
          placed.push({ pod, info });
        }
        if (left < 0) {
          return;
        }
      }
      waiting = still;
    };
    const placed: { readonly pod: Queued; readonly info: NodeInfo }[] = [];
    tryAll();
    for (let i = 0; i < arrivals.length && waiting.length > 0 && left >= 0;) {
      for (const end = Math.min(arrivals.length, i + batch); i < end; i++) {
        const group = arrivals[i]!;
        present.push(addTemplateNode(snapshot, templates.get(group)!, `${group}-arrival-${i}`, daemons.get(group)!));
      }
      left -= waiting.length;
      waiting = fromSomewhere(waiting, random);
      tryAll();
    }
    for (const { pod, info } of placed) {
      scorer.owners.add(pod.owner, info, -1);
    }
    return left < 0 ? null : waiting;
  };

  return {
    play: (planned, way, then) => {
      const random = randomFrom(input.seed + way);
      snapshot.fork();
      for (const info of upcoming) {
        snapshot.removeNode(info);
      }
      const arrivals = shuffled([...upcoming.map(({ group }) => group!), ...planned].toSorted(byName), random);
      const remaining = play(arrivals, Math.max(1, Math.ceil(arrivals.length * WAYS[way]!)), random);
      const answer = remaining === null ? null : then(remaining);
      snapshot.revert();
      return answer;
    },
  };
}

/** Higher priorities first, then the older; of the same second in an order of chance. */
function queueOf(pods: PredictorInput['pods'], random: () => number): readonly Queued[] {
  const ageOf = (pod: Pod): EpochMs | number => pod.createdAt ?? 0;
  return shuffled(
    pods
      .map(({ kind, pod }) => ({ kind, pod, owner: ownerOf(pod) }))
      .toSorted((a, b) => byName(keyOf(a.pod), keyOf(b.pod))),
    random,
  ).toSorted((a, b) => priorityOf(b) - priorityOf(a) || ageOf(a.pod) - ageOf(b.pod));
}

const priorityOf = ({ pod }: Queued): number => pod.spec.priority ?? 0;

/** The round goes on from any pod; but higher priorities always come first. */
function fromSomewhere(queue: readonly Queued[], random: () => number): readonly Queued[] {
  const at = Math.floor(random() * queue.length);
  const turned = [...queue.slice(at), ...queue.slice(0, at)];
  return priorityOf(queue[0]!) === priorityOf(queue.at(-1)!)
    ? turned
    : turned.sort((a, b) => priorityOf(b) - priorityOf(a));
}

function shuffled<T>(list: readonly T[], random: () => number): readonly T[] {
  const mixed = [...list];
  for (let i = mixed.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    [mixed[i], mixed[j]] = [mixed[j]!, mixed[i]!];
  }
  return mixed;
}

function countOwners(
  { owners }: Scorer,
  snapshot: Snapshot,
  pods: readonly Pod[],
  wanted: ReadonlySet<string | null>,
): void {
  for (const pod of pods) {
    const owner = ownerOf(pod);
    const info =
      owner === null || !wanted.has(owner) || pod.nodeName === null ? undefined : snapshot.byName(pod.nodeName);
    if (info !== undefined && pod.deletedAt === null) {
      owners.add(owner, info, 1);
    }
  }
}
