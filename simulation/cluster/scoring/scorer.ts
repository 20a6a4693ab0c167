import { mapAt } from '@outrigger/core/model/values/counts.ts';
import { itemAt } from '@outrigger/core/model/values/existing.ts';
import { getOrMake } from '@outrigger/core/model/values/get-or-make.ts';
import type { ClusterObjects } from '@outrigger/core/model/scenario.ts';
import type { PodKind } from '@outrigger/core/model/snapshot/pod-kind.ts';
import type { NodeInfo, Snapshot } from '@outrigger/core/model/snapshot/snapshot.ts';
import { CountTable } from '@outrigger/core/scheduling/counts/count-table.ts';
import { interPodAffinityScore } from './InterPodAffinity.ts';
import { nodeAffinityScore } from './NodeAffinity.ts';
import { nodeResourcesBalancedAllocation } from './NodeResourcesBalancedAllocation.ts';
import { nodeResourcesFitScore } from './NodeResourcesFit.ts';
import { OwnerCounts } from './owner-counts.ts';
import { podTopologySpreadScore } from './PodTopologySpread.ts';
import { type NodeScores, SCORE_WEIGHTS, type ScoredPod, type ScorePlugin } from './score-plugin.ts';
import { taintTolerationScore } from './TaintToleration.ts';

/** Every score plugin of the default profile but ImageLocality: which images are where is not known here. */
const SCORE_PLUGINS: readonly ScorePlugin[] = [
  taintTolerationScore,
  nodeAffinityScore,
  nodeResourcesFitScore,
  podTopologySpreadScore,
  interPodAffinityScore,
  nodeResourcesBalancedAllocation,
];

/** How much kube-scheduler likes the nodes of one snapshot. */
export interface Scorer {
  /** Pods on nodes by their controller: to be notified of every pod that is placed or leaves. */
  readonly owners: OwnerCounts;
  /**
   * The node that the pod is bound to, of nodes that all pass the filters: the highest score, ties by chance.
   *
   * @param nodes at least one.
   * @param random the stream of random numbers; each tie takes one.
   */
  readonly choose: (pod: ScoredPod, nodes: readonly NodeInfo[], random: () => number) => NodeInfo;
}

/** Scores for a snapshot; they stay right while it changes. */
export function createScorer(snapshot: Snapshot, objects: ClusterObjects): Scorer {
  const owners = new OwnerCounts();
  const context = { snapshot, objects, counts: new CountTable(snapshot), owners };
  const prepared = SCORE_PLUGINS.map(({ name, prepare }) => ({
    weight: SCORE_WEIGHTS[name],
    compile: prepare(context),
  }));
  const compiled = new Map<PodKind, Map<string | null, readonly WeightedScore[]>>();
  let one = new Float64Array(128);
  let all = new Float64Array(128);

  const scoresOf = (pod: ScoredPod): readonly WeightedScore[] =>
    getOrMake(mapAt(compiled, pod.kind), pod.owner, () =>
      prepared.flatMap(({ weight, compile }) => {
        const score = compile(pod);
        return score === null ? [] : [{ weight, score }];
      }),
    );

  return {
    owners,
    choose: (pod, nodes, random) => {
      if (nodes.length > one.length) {
        one = new Float64Array(nodes.length * 2);
        all = new Float64Array(nodes.length * 2);
      }
      all.fill(0, 0, nodes.length);
      for (const { weight, score } of scoresOf(pod)) {
        score(nodes, one);
        for (let i = 0; i < nodes.length; i++) {
          all[i]! += weight * itemAt(one, i);
        }
      }
      return itemAt(nodes, highest(all, nodes.length, random));
    },
  };
}

interface WeightedScore {
  readonly weight: number;
  readonly score: NodeScores;
}

/** The position of the highest score; each of several has the same chance. */
function highest(scores: Float64Array, count: number, random: () => number): number {
  let best = 0;
  let ties = 1;
  for (let i = 1; i < count; i++) {
    if (itemAt(scores, i) > itemAt(scores, best)) {
      best = i;
      ties = 1;
    } else if (scores[i] === scores[best]) {
      ties += 1;
      if (random() < 1 / ties) {
        best = i;
      }
    }
  }
  return best;
}
