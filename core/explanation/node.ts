import type {
  BlockingReason,
  NodeUtilization,
  Removal,
  ScaleDownDecision,
  Unremovable,
  UnremovableReason,
} from '../model/decision.ts';
import { byName, type GroupName, type NodeName, type PodKey } from '../model/values/names.ts';
import { mapOptional } from '../model/values/optional.ts';
import { valueOf } from '../model/values/records.ts';
import type { EpochMs } from '../model/values/time.ts';
import { SCALE_DOWN_RESULTS } from '../words/outcomes.ts';
import { WHY_NODE_STAYS, whyNodeStays } from '../words/why-node-stays.ts';
import { WHY_POD_BLOCKS } from '../words/why-pod-blocks.ts';
import { type DisruptionExplanation, disruptionOfNode } from './disruptions.ts';
import { type DrainExplanation, latestDrain } from './drain.ts';
import { type NoticeExplanation, noticeOfNode } from './notices.ts';
import { type ClusterRecord, decidedAt, groupsOfNodes } from './cluster-record.ts';

/** The explanation of a node. */
export interface NodeExplanation {
  readonly node: NodeName;
  /** `null`: in no node group, or it was not recorded. */
  readonly group: GroupName | null;
  readonly decidedAt: EpochMs | null;
  /** How scale-down has ended, for all nodes. */
  readonly result: ScaleDownDecision['result'] | null;
  /** Why nothing is removed now, in words; `null` where there is nothing to say. */
  readonly message: string | null;
  readonly unneededSince: EpochMs | null;
  /** `null`: the node is needed, or the decision did not record it. */
  readonly utilization: NodeUtilization | null;
  readonly removal: Pick<Removal, 'kind' | 'pods'> | null;
  readonly unremovable: UnremovableNode | null;
  readonly drain: DrainExplanation | null;
  /** The notice about the node's instance. */
  readonly notice: NoticeExplanation | null;
  /** How it is replaced, or was to be. */
  readonly disruption: DisruptionExplanation | null;
}

/** Why a node is not removed. */
export interface UnremovableNode {
  readonly reason: UnremovableReason;
  /** As exactly as is known. */
  readonly why: string;
  readonly meaning: string;
  readonly advice: string | null;
  /** The pod that keeps the node, and the reason. */
  readonly pod: PodKey | null;
  readonly podReason: BlockingReason | null;
  /** Not checked again before this time; `null` where it is with each evaluation. */
  readonly until: EpochMs | null;
}

/** @returns `null` where nothing is known of a node of this name. */
export function explainNode(record: ClusterRecord, node: NodeName): NodeExplanation | null {
  if (!knownNodes(record).includes(node)) {
    return null;
  }
  const { state, scaleDown } = record;
  const stays = scaleDown?.scaleDown.unremovable.find((one) => one.node === node);
  const removal = scaleDown?.scaleDown.removals.find((one) => one.node === node);
  const drain = latestDrain(record, node);
  const notice = noticeOfNode(record, node);
  const { result, message } = scaleDown?.scaleDown ?? { result: null, message: null };
  return {
    node,
    group: groupsOfNodes(record).get(node) ?? removal?.group ?? drain?.group ?? notice?.group ?? null,
    decidedAt: decidedAt(record, 'ScaleDown'),
    result,
    message: message ?? (result === null || result === 'Nothing' ? null : SCALE_DOWN_RESULTS[result].short),
    unneededSince: valueOf(state.unneededSince, node) ?? null,
    utilization: utilizationOf(record, node),
    removal: mapOptional(removal, ({ kind, pods }) => ({ kind, pods })) ?? null,
    unremovable: mapOptional(stays, (one) => nodeStays(one, valueOf(state.unremovableUntil, node) ?? null)) ?? null,
    drain,
    notice,
    disruption: disruptionOfNode(record, node),
  };
}

function nodeStays(one: Unremovable, until: EpochMs | null): UnremovableNode {
  const { reason, pod = null, podReason = null } = one;
  const { sentence, advice = null } = podReason === null ? WHY_NODE_STAYS[reason] : WHY_POD_BLOCKS[podReason];
  return { reason, why: whyNodeStays(one), meaning: sentence, advice, pod, podReason, until };
}

const utilizationOf = ({ scaleDown }: ClusterRecord, node: NodeName): NodeUtilization | null =>
  valueOf(scaleDown?.scaleDown.utilization ?? {}, node) ?? null;

/** The nodes that something is known of. */
export const knownNodes = (record: ClusterRecord): readonly NodeName[] => {
  const { state, scaleUp, scaleDown, drains } = record;
  return [
    ...new Set([
      ...groupsOfNodes(record).keys(),
      ...(scaleDown?.scaleDown.unneeded ?? []),
      ...(scaleDown?.scaleDown.unremovable ?? []).map(({ node }) => node),
      ...(scaleDown?.scaleDown.removals ?? []).map(({ node }) => node),
      ...(Object.keys(state.unneededSince) as NodeName[]),
      ...(state.disruptions ?? []).flatMap(({ nodes }) => nodes),
      ...drains.map(({ drain }) => drain.node),
      ...(scaleUp?.notices ?? []).flatMap(({ node }) => node ?? []),
    ]),
  ];
};

/** An unneeded node, and why it still exists. */
export interface UnneededNode {
  readonly node: NodeName;
  readonly group: GroupName | null;
  readonly since: EpochMs | null;
  /** `null`: the node is disrupted, or the decision did not record it. */
  readonly utilization: NodeUtilization | null;
  /** `null` where it is removed now, or scale-down as a whole waits (`message` of its result). */
  readonly why: string | null;
}

/** By node: all that the latest decision of scale-down found unneeded. */
export function unneededNodes(record: ClusterRecord): readonly UnneededNode[] {
  const { state, scaleDown } = record;
  const groups = groupsOfNodes(record);
  const stays = new Map((scaleDown?.scaleDown.unremovable ?? []).map((one) => [one.node, one]));
  return (scaleDown?.scaleDown.unneeded ?? []).toSorted(byName).map((node) => {
    const one = stays.get(node);
    return {
      node,
      group: groups.get(node) ?? null,
      since: valueOf(state.unneededSince, node) ?? null,
      utilization: utilizationOf(record, node),
      why: mapOptional(one, (stay) => whyNodeStays(stay)) ?? null,
    };
  });
}

/** By name: the nodes of which the latest decision of scale-down says why they stay, but for unneeded ones. */
export const keptNodes = ({ scaleDown }: ClusterRecord): readonly NodeName[] => {
  const unneeded = new Set(scaleDown?.scaleDown.unneeded);
  return (scaleDown?.scaleDown.unremovable ?? [])
    .map(({ node }) => node)
    .filter((node) => !unneeded.has(node))
    .toSorted(byName);
};
