import { itemAt } from '@outrigger/core/model/values/existing.ts';
import type { ClusterObjects } from '@outrigger/core/model/scenario.ts';
import type { PodKind } from '@outrigger/core/model/snapshot/pod-kind.ts';
import type { NodeInfo, Snapshot } from '@outrigger/core/model/snapshot/snapshot.ts';
import type { CountTable } from '@outrigger/core/scheduling/counts/count-table.ts';
import type { OwnerCounts } from './owner-counts.ts';

/** kube-scheduler's score plugins, under kube-scheduler's names, with their weights in its default profile, 1.35. */
export const SCORE_WEIGHTS = {
  TaintToleration: 3,
  NodeAffinity: 2,
  NodeResourcesFit: 1,
  PodTopologySpread: 2,
  InterPodAffinity: 2,
  NodeResourcesBalancedAllocation: 1,
} as const;
type ScorePluginName = keyof typeof SCORE_WEIGHTS;

/** The score that a plugin gives its best node. */
export const MAX_NODE_SCORE = 100;

/** The parts of a pod that scores depend on. */
export interface ScoredPod {
  readonly kind: PodKind;
  /** The key of its ReplicaSet, StatefulSet or ReplicationController; `null` where it has none of these. */
  readonly owner: string | null;
}

/** The context that a score plugin may use. */
export interface ScoreContext {
  readonly snapshot: Snapshot;
  readonly objects: ClusterObjects;
  readonly counts: CountTable;
  readonly owners: OwnerCounts;
}

/**
 * A plugin's work for one sort of pod, done once: kube-scheduler's PreScore, Score and NormalizeScore.
 *
 * @param nodes those that passed the filters.
 * @param scores room for as many: receives this plugin's scores, 0 to `MAX_NODE_SCORE`.
 */
export type NodeScores = (nodes: readonly NodeInfo[], scores: Float64Array) => void;

export interface ScorePlugin {
  readonly name: ScorePluginName;
  /**
   * Once per snapshot.
   *
   * @returns compiles the scores of one sort of pod; `null`: this plugin likes all nodes alike.
   */
  readonly prepare: (context: ScoreContext) => (pod: ScoredPod) => NodeScores | null;
}

/** Scores from 0 up, as shares of the highest. Follows `DefaultNormalizeScore` of plugins/helper. */
export function normalise(scores: Float64Array, count: number, reverse: boolean): void {
  let most = 0;
  for (let i = 0; i < count; i++) {
    most = Math.max(most, itemAt(scores, i));
  }
  for (let i = 0; i < count; i++) {
    const share = most === 0 ? 0 : Math.floor((MAX_NODE_SCORE * itemAt(scores, i)) / most);
    scores[i] = reverse ? MAX_NODE_SCORE - share : share;
  }
}
