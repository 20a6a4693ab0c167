import type { Decision, Evaluation, RecordedGroup, RegistryReport } from '../model/decision.ts';
import type { PersistedCluster } from '../model/intent.ts';
import type { StoredDrain } from '../model/drain.ts';
import type { Options } from '../model/options.ts';
import type { ClusterName, GroupName, NodeName } from '../model/values/names.ts';
import { entriesOf, valueOf } from '../model/values/records.ts';
import { rememberedOf } from '../model/values/remembered.ts';
import type { EpochMs } from '../model/values/time.ts';
import type { MODE_WORDS } from '../words/modes.ts';

/** Are decisions carried out (`act`), or recorded alone (`observe`)? */
export type Mode = keyof typeof MODE_WORDS;

/**
 * Everything that is stored of a cluster and says why it is as it is; nothing of the cluster itself is read. Where
 * decisions are recorded alone there are no intents and no drains: what is stored of these is another deployment's.
 */
export interface ClusterRecord extends Pick<PersistedCluster, 'version' | 'state' | 'intents' | 'notices' | 'pauses'> {
  readonly cluster: ClusterName;
  readonly mode: Mode;
  readonly now: EpochMs;
  readonly options: Pick<Options, 'idleEvaluationInterval'>;
  readonly drains: readonly StoredDrain[];
  /** The latest decisions that say something about scale-up and scale-down; `null` before the first. */
  readonly scaleUp: Decision | null;
  readonly scaleDown: Decision | null;
}

/** When a part was last decided, as far as that was stored; `null` before the first. */
export function decidedAt({ state, scaleUp, scaleDown }: ClusterRecord, part: Evaluation): EpochMs | null {
  if (part === 'ScaleDown') {
    return scaleDown?.state.lastEvaluation ?? state.lastEvaluation;
  }
  const { lastScaleUpEvaluation, lastEvaluation } = scaleUp?.state ?? {};
  // The whole of an evaluation has one time.
  return lastScaleUpEvaluation ?? state.lastScaleUpEvaluation ?? lastEvaluation ?? null;
}

/** The latest decision of either part. */
export function latestDecision(record: ClusterRecord): Decision | null {
  const { scaleUp, scaleDown } = record;
  const isDownLater = (decidedAt(record, 'ScaleDown') ?? 0) > (decidedAt(record, 'ScaleUp') ?? 0);
  return (isDownLater ? scaleDown : scaleUp) ?? scaleUp ?? scaleDown;
}

/** The node groups as they were counted last. */
export const latestRegistry = (record: ClusterRecord): RegistryReport | null =>
  latestDecision(record)?.registry ?? null;

/** Facts about a group that either part of the evaluation recorded; empty where there are none. */
export const recordedOf = ({ scaleUp, scaleDown }: ClusterRecord, group: GroupName): RecordedGroup => ({
  ...valueOf(scaleDown?.nodeGroups ?? {}, group),
  ...valueOf(scaleUp?.nodeGroups ?? {}, group),
});

/** The node group of each node, as the latest decision of scale-down has recorded it. */
export const groupsOfNodes = rememberedOf(
  ({ scaleDown }: ClusterRecord): ReadonlyMap<NodeName, GroupName> =>
    new Map(
      entriesOf(scaleDown?.nodeGroups ?? {}).flatMap(([group, { nodes = [] }]) =>
        nodes.map((node) => [node, group] as const),
      ),
    ),
);

/** The parts that the latest decisions lack, as they were too large to be stored whole. */
export const omittedFrom = ({ scaleUp, scaleDown }: ClusterRecord): readonly string[] => [
  ...new Set([scaleUp, scaleDown].flatMap((decision) => decision?.omitted ?? [])),
];
