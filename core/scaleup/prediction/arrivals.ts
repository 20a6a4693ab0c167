import { firstItem, getExisting, itemAt, lastItem } from '../../model/values/existing.ts';
import { byName, type GroupName } from '../../model/values/names.ts';
import { keyOf, type Pod, priorityOf } from '../../model/cluster/pod.ts';
import { randomFrom } from '../../model/values/random.ts';
import type { ClusterObjects } from '../../model/scenario.ts';
import type { PodKind } from '../../model/snapshot/pod-kind.ts';
import type { NodeInfo, Snapshot } from '../../model/snapshot/snapshot.ts';
import { type EpochMs } from '../../model/values/time.ts';
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
export interface QueuedPod extends ScoredPod {
  readonly pod: Pod;
}

export interface PredictorInput {
  /** With existing and upcoming nodes, without the pending pods. */
  readonly snapshot: Snapshot;
  readonly scheduler: Scheduler;
  readonly objects: ClusterObjects;
  readonly templates: ReadonlyMap<GroupName, GroupTemplate>;
  /** The upcoming nodes of `snapshot` that are empty. */
  readonly upcoming: readonly NodeInfo[];
  /** The pods that wait for a node. */
  readonly pods: readonly { readonly kind: PodKind; readonly pod: Pod }[];
  readonly seed: number;
  /** Scheduler checks and scored nodes, together at most. */
  readonly budget: number;
}

export interface Predictor {
  /**
   * Plays kube-scheduler while the nodes arrive.
   *
   * @param planned the groups of the nodes that come besides the upcoming ones.
   * @param way in which the nodes arrive, below `WAYS_OF_ARRIVAL`.
   * @param then receives the pods that are left, while the snapshot shows all other pods on their nodes.
   * @returns `null`: the play would take more than the rest of the budget.
   */
  readonly play: <T>(planned: readonly GroupName[], way: number, then: (left: readonly QueuedPod[]) => T) => T | null;
}

/**
 * Predicts where kube-scheduler will put pods on nodes that are yet to come. kube-scheduler does not pack: each pod is
 * put on the present node with the best default scores.
 *
 * The nodes come in a random order, one by one or several at a time, since nothing says how fast they follow one
 * another. They find the queue, which is in the order of priority, then age, at some point of its round: pods have been
 * tried in vain over and over, and are tried again from there on. Measured against a real scheduler (decision 12).
 */
export function createPredictor(input: PredictorInput): Predictor {
  const { snapshot, objects, upcoming, seed } = input;
  const scorer = createScorer(snapshot, objects);
  const queue = queueOf(input.pods, randomFrom(seed));
  countOwners(scorer, snapshot, objects.pods, new Set(queue.map(({ owner }) => owner)));
  const budget = { left: input.budget };
  return {
    play: (planned, way, then) => {
      const random = randomFrom(seed + way);
      snapshot.fork();
      for (const info of upcoming) {
        snapshot.removeNode(info);
      }
      const arrivals = shuffled([...upcoming.map(({ group }) => group!), ...planned].toSorted(byName), random);
      const batch = Math.max(1, Math.ceil(arrivals.length * itemAt(WAYS, way)));
      const remaining = new Play(input, scorer, queue, budget, random).run(arrivals, batch);
      const answer = remaining === null ? null : then(remaining);
      snapshot.revert();
      return answer;
    },
  };
}

/** Plays kube-scheduler once, while nodes arrive. */
class Play {
  readonly #input: PredictorInput;
  readonly #scorer: Scorer;
  readonly #budget: { left: number };
  readonly #random: () => number;
  readonly #present: NodeInfo[];
  /** How many nodes there were when a kind fitted on none: only later ones need be checked. */
  readonly #closed = new Map<PodKind, number>();
  readonly #placed: { readonly pod: QueuedPod; readonly info: NodeInfo }[] = [];
  #waiting: readonly QueuedPod[];
  /** Index of the node at which the next pod's search begins. */
  #start = 0;

  constructor(
    input: PredictorInput,
    scorer: Scorer,
    queue: readonly QueuedPod[],
    budget: { left: number },
    random: () => number,
  ) {
    this.#input = input;
    this.#scorer = scorer;
    this.#waiting = queue;
    this.#budget = budget;
    this.#random = random;
    this.#present = input.snapshot.nodes.filter((info) => info !== null);
  }

  /**
   * Lets the nodes arrive, `batch` at a time.
   *
   * @returns the pods that are left; `null`: the budget is used up.
   */
  run(arrivals: readonly GroupName[], batch: number): readonly QueuedPod[] | null {
    const daemons = this.#daemonsOf(arrivals);
    const { snapshot, templates } = this.#input;
    this.#tryAll();
    for (let i = 0; i < arrivals.length && this.#waiting.length > 0 && this.#budget.left >= 0;) {
      for (const end = Math.min(arrivals.length, i + batch); i < end; i++) {
        const group = itemAt(arrivals, i);
        const name = `${group}-arrival-${i}`;
        this.#present.push(addTemplateNode(snapshot, getExisting(templates, group), name, getExisting(daemons, group)));
      }
      this.#budget.left -= this.#waiting.length;
      this.#waiting = fromSomewhere(this.#waiting, this.#random);
      this.#tryAll();
    }
    for (const { pod, info } of this.#placed) {
      this.#scorer.owners.add(pod.owner, info, -1);
    }
    return this.#budget.left < 0 ? null : this.#waiting;
  }

  #daemonsOf(groups: readonly GroupName[]): ReadonlyMap<GroupName, readonly PodKind[]> {
    const { snapshot, templates } = this.#input;
    return new Map(
      [...new Set(groups)].map((group) => [
        group,
        getExisting(templates, group).pods.map((pod) => snapshot.kindOf(pod)),
      ]),
    );
  }

  /** A round of the queue. */
  #tryAll(): void {
    const still: QueuedPod[] = [];
    for (const pod of this.#waiting) {
      const hopeless = !opensNodes(pod.kind) && this.#closed.get(pod.kind) === this.#present.length;
      const info = hopeless ? null : this.#choose(pod);
      if (info === null) {
        still.push(pod);
      } else {
        this.#input.snapshot.place(pod.kind, info);
        this.#scorer.owners.add(pod.owner, info, 1);
        this.#placed.push({ pod, info });
      }
      if (this.#budget.left < 0) {
        return;
      }
    }
    this.#waiting = still;
  }

  /** The node that kube-scheduler would choose; `null` where the pod fits on none. */
  #choose(pod: QueuedPod): NodeInfo | null {
    const { scheduler } = this.#input;
    const present = this.#present;
    const from = opensNodes(pod.kind) ? 0 : (this.#closed.get(pod.kind) ?? 0);
    const fitting: NodeInfo[] = [];
    const most = nodesToScore(present.length);
    let checked = 0;
    for (; checked < present.length - from && fitting.length < most; checked++) {
      const info = itemAt(present, from === 0 ? (this.#start + checked) % present.length : from + checked);
      if (scheduler.check(pod.kind, info) === null) {
        fitting.push(info);
      }
    }
    this.#start = (this.#start + checked) % Math.max(1, present.length);
    this.#budget.left -= checked + fitting.length;
    if (fitting.length === 0) {
      this.#closed.set(pod.kind, present.length);
      return null;
    }
    return fitting.length === 1 ? firstItem(fitting) : this.#scorer.choose(pod, fitting, this.#random);
  }
}

/** Higher priorities first, then the older; of the same second in an order of chance. */
function queueOf(pods: PredictorInput['pods'], random: () => number): readonly QueuedPod[] {
  const ageOf = (pod: Pod): EpochMs | number => pod.createdAt ?? 0;
  return shuffled(
    pods
      .map(({ kind, pod }) => ({ kind, pod, owner: ownerOf(pod) }))
      .toSorted((a, b) => byName(keyOf(a.pod), keyOf(b.pod))),
    random,
  ).toSorted((a, b) => priorityOf(b.pod) - priorityOf(a.pod) || ageOf(a.pod) - ageOf(b.pod));
}

/** The round goes on from any pod; but higher priorities always come first. */
function fromSomewhere(queue: readonly QueuedPod[], random: () => number): readonly QueuedPod[] {
  const at = Math.floor(random() * queue.length);
  const turned = [...queue.slice(at), ...queue.slice(0, at)];
  return priorityOf(firstItem(queue).pod) === priorityOf(lastItem(queue).pod)
    ? turned
    : turned.sort((a, b) => priorityOf(b.pod) - priorityOf(a.pod));
}

function shuffled<T>(list: readonly T[], random: () => number): readonly T[] {
  const mixed = [...list];
  for (let i = mixed.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    [mixed[i], mixed[j]] = [itemAt(mixed, j), itemAt(mixed, i)];
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
