import { present } from '../model/values/present.ts';
import { firstItem } from '../model/values/existing.ts';
import type { PodOutcome, PodOutcomeKind, PodRejection, UnremovableReason } from '../model/decision.ts';
import { byName, type GroupName, type NodeName, type PodKey } from '../model/values/names.ts';
import { mapOptional } from '../model/values/optional.ts';
import type { EpochMs } from '../model/values/time.ts';
import { POD_OUTCOMES } from '../words/outcomes.ts';
import { type GroupedReason, groupedReasons, reasonTexts, rejectionLinesByPod } from '../words/pod-reasons.ts';
import { whyNodeStays } from '../words/why-node-stays.ts';
import { WHY_POD_BLOCKS } from '../words/why-pod-blocks.ts';
import { decidedAt, type ClusterRecord } from './cluster-record.ts';

/** The explanation of a pod. */
export interface PodExplanation {
  readonly pod: PodKey;
  /** When it was decided: of scale-up, and of scale-down. */
  readonly decidedAt: EpochMs | null;
  readonly scaleDownDecidedAt: EpochMs | null;
  /** The outcome of a pod without a node; `null` where the latest decision of scale-up does not mention the pod. */
  readonly scaleUp: PodScaleUp | null;
  /** Nodes that stay because of the pod. */
  readonly keeps: readonly KeptNode[];
  /** Nodes that are removed, so that the pod must move. */
  readonly movesFrom: readonly { readonly node: NodeName; readonly group: GroupName }[];
  /** Evictions of it by drains that are stored. */
  readonly evictions: readonly PodEviction[];
}

export interface PodScaleUp {
  readonly outcome: PodOutcomeKind;
  /** The outcome in words, and what to do about it. */
  readonly meaning: string;
  readonly advice: string | null;
  /** The group whose node will run the pod; `null` where there is none. */
  readonly group: GroupName | null;
  /** The size that was decided for that group; `null` where the size does not change. */
  readonly increase: { readonly from: number; readonly to: number } | null;
  /** Why not, each reason once, with the groups that it is about. */
  readonly reasons: readonly GroupedReason[];
  /** Requirements that new nodes do not meet, with numbers, the nearest groups first; empty where that was not worked out. */
  readonly lacking: PodRejection['groups'];
  readonly nearest: PodRejection['nearest'] | null;
}

export interface KeptNode {
  readonly node: NodeName;
  readonly reason: UnremovableReason;
  readonly why: string;
  readonly advice: string | null;
}

export interface PodEviction {
  readonly node: NodeName;
  readonly firstTriedAt: EpochMs;
  readonly evictedAt: EpochMs | null;
  readonly goneAt: EpochMs | null;
  readonly tries: number;
  readonly refusal: string | null;
}

/** @returns `null` where neither of the latest decisions nor a drain mentions the pod. */
export function explainPod(record: ClusterRecord, pod: PodKey): PodExplanation | null {
  const { scaleUp, scaleDown, drains } = record;
  const outcome = scaleUp?.scaleUp.pods.find((one) => one.pod === pod);
  const explanation = {
    pod,
    decidedAt: decidedAt(record, 'ScaleUp'),
    scaleDownDecidedAt: decidedAt(record, 'ScaleDown'),
    scaleUp: mapOptional(outcome, (one) => podScaleUp(record, one)) ?? null,
    keeps: (scaleDown?.scaleDown.unremovable ?? [])
      .filter((one) => one.pod === pod)
      .map(({ node, reason, message, podReason }) => ({
        node,
        reason,
        why: whyNodeStays({ reason, ...present({ message }) }),
        advice: mapOptional(podReason, (blocks) => WHY_POD_BLOCKS[blocks].advice) ?? null,
      })),
    movesFrom: (scaleDown?.scaleDown.removals ?? [])
      .filter(({ pods }) => pods.includes(pod))
      .map(({ node, group }) => ({ node, group })),
    evictions: drains.flatMap(({ drain: { node, evictions } }) =>
      evictions
        .filter((one) => one.pod === pod)
        .map(({ firstTriedAt, evictedAt, goneAt, tries, refusal }) => ({
          node,
          firstTriedAt,
          evictedAt,
          goneAt,
          tries,
          refusal,
        })),
    ),
  };
  const { scaleUp: up, keeps, movesFrom, evictions } = explanation;
  return up === null && keeps.length + movesFrom.length + evictions.length === 0 ? null : explanation;
}

function podScaleUp({ scaleUp }: ClusterRecord, { pod, outcome, group, reasons = [] }: PodOutcome): PodScaleUp {
  const rejection = scaleUp?.scaleUp.rejections?.find(({ pods }) => pods.includes(pod));
  const increase = scaleUp?.scaleUp.increases.find((one) => one.group === group);
  const { sentence, advice = null } = POD_OUTCOMES[outcome];
  return {
    outcome,
    meaning: sentence,
    advice,
    group: group ?? null,
    increase: mapOptional(increase, ({ from, to }) => ({ from, to })) ?? null,
    reasons: groupedReasons(reasons),
    lacking: rejection?.groups ?? [],
    nearest: rejection?.nearest ?? null,
  };
}

/** Pods without a node that have the same outcome for the same reasons. */
export interface WaitingPods {
  readonly outcome: PodOutcomeKind;
  readonly group: GroupName | null;
  /** In words, each reason once. */
  readonly reasons: readonly string[];
  /** Details with numbers: requirements of the pods that new nodes do not meet; empty if there are none. */
  readonly details: readonly string[];
  readonly pods: readonly PodKey[];
}

const ORDER: readonly PodOutcomeKind[] = [
  'Unschedulable',
  'UnexpectedError',
  'Awaiting',
  'Triggered',
  'Fits',
  'Ignored',
];

/**
 * All pods of the latest decision of scale-up, by outcome and reasons: first the outcomes that need attention
 * (`ORDER`), then the largest sets of pods.
 */
export function waitingPods({ scaleUp }: ClusterRecord): readonly WaitingPods[] {
  const details = rejectionLinesByPod(scaleUp?.scaleUp.rejections ?? []);
  const rows = (scaleUp?.scaleUp.pods ?? []).map(({ pod, outcome, group = null, reasons }) => ({
    pod,
    why: { outcome, group, reasons: reasonTexts(reasons), details: details.get(pod) ?? [] },
  }));
  return [...Map.groupBy(rows, ({ why }) => JSON.stringify(why)).values()]
    .map((same) => ({ ...firstItem(same).why, pods: same.map(({ pod }) => pod) }))
    .toSorted(
      (a, b) =>
        ORDER.indexOf(a.outcome) - ORDER.indexOf(b.outcome) ||
        b.pods.length - a.pods.length ||
        byName(firstItem(a.pods), firstItem(b.pods)),
    );
}

/** The pods that something is known of. */
export const knownPods = ({ scaleUp, scaleDown, drains }: ClusterRecord): readonly PodKey[] => [
  ...new Set([
    ...(scaleUp?.scaleUp.pods ?? []).map(({ pod }) => pod),
    ...(scaleDown?.scaleDown.unremovable ?? []).flatMap(({ pod }) => pod ?? []),
    ...(scaleDown?.scaleDown.removals ?? []).flatMap(({ pods }) => pods),
    ...drains.flatMap(({ drain }) => drain.evictions.map(({ pod }) => pod)),
  ]),
];
